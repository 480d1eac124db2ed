/** Model of a curve's graduation: the creator's tokens go to the locker, the collected quote to the successor pool. */
import { byteStruct, keyBytes } from '../../../domain/launch/byte-struct.ts';
import { vestingTotal } from '../../../domain/launch/curve/curve-config.ts';
import { deltaBase, deltaQuote, liquidityOfQuote, MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../../../domain/launch/curve/math.ts';
import {
  escrowAddress,
  lockerBaseAddress,
  MIGRATION_PROGRESS,
  POOL_AUTHORITY,
  type PoolConfigAccount,
  SUCCESSOR_AUTHORITY,
  SUCCESSOR_PROGRAM,
  storedVesting,
  successorPoolAddress,
  successorVaultAddress,
  VIRTUAL_POOL,
  type VirtualPoolAccount,
} from '../../../domain/launch/curve/program.ts';
import { computeDynamicFee, NUMERATOR_PER_BPS } from '../../../domain/launch/fees.ts';
import { programAddress } from '../../../domain/launch/program-address.ts';
import { SUCCESSOR_POOL, successorBytes } from '../../../domain/launch/successor-pool.ts';
import { ESCROW, ESCROW_DISCRIMINATOR, lessMigrationFee } from '../../../domain/launch/withdrawals.ts';
import { LOCKER_PROGRAM, TOKEN_2022 } from '../../../domain/solana/programs.ts';
import { at, configAt, CURVE_ERRORS as E, expectAddress, FRAMEWORK, mintAt, poolAt, signed, tokensAt } from './curve-accounts.ts';
import { type ModelContext, ProgramFailure } from './modelled-machine.ts';
import {
  createAccount,
  initializeTokenAccount,
  mintTokens,
  namedMintInstructions,
  setAuthority,
  transferLamports,
  transferTokens,
} from './native-instructions.ts';

const discriminator = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Modes of the escrow: only the creator may change the recipient, and its maker may not cancel it. */
const ESCROW_MODES = { updateRecipientMode: 2, cancelMode: 1 } as const;

export function createLocker(context: ModelContext): void {
  const payer = signed(context, 9);
  const { address: poolKey, pool } = poolAt(context, 0);
  const { address: configKey, config } = configAt(context, 1);
  if (pool.config !== configKey) throw new ProgramFailure(FRAMEWORK.hasOne);
  const base = lockerBaseAddress(poolKey);
  const escrow = escrowAddress(base);
  expectAddress(context, 2, POOL_AUTHORITY, FRAMEWORK.address);
  expectAddress(context, 3, pool.baseVault, FRAMEWORK.hasOne);
  expectAddress(context, 4, pool.baseMint, FRAMEWORK.hasOne);
  expectAddress(context, 5, base, FRAMEWORK.seeds);
  expectAddress(context, 6, pool.creator, FRAMEWORK.hasOne);
  if (pool.migrationProgress !== MIGRATION_PROGRESS.complete) throw new ProgramFailure(E.notPermitted);
  expectAddress(context, 7, escrow, FRAMEWORK.seeds);
  const mint = mintAt(context, 4);
  const tokens = tokensAt(context, 8, mint.address);
  const vesting = storedVesting(config);
  context.invoke(createAccount({ payer, at: escrow, lamports: context.rent(ESCROW.size), bytes: ESCROW.size, owner: LOCKER_PROGRAM }));
  context.write(
    escrow,
    ESCROW.encode({
      discriminator: ESCROW_DISCRIMINATOR,
      recipient: pool.creator,
      tokenMint: mint.address,
      creator: POOL_AUTHORITY,
      base,
      bump: programAddress(LOCKER_PROGRAM, ['escrow', keyBytes(base)]).bump,
      ...ESCROW_MODES,
      cliffTime: pool.finishedAt + vesting.cliffDurationFromMigrationTime,
      frequency: vesting.frequency,
      cliffUnlockAmount: vesting.cliffUnlockAmount,
      amountPerPeriod: vesting.amountPerPeriod,
      numberOfPeriods: vesting.numberOfPeriods,
      vestingStartTime: pool.finishedAt,
    }),
  );
  const amount = vestingTotal(vesting);
  const {
    program,
    address,
    mint: { decimals },
  } = mint;
  context.invoke(
    transferTokens({ program, mint: address, decimals, from: pool.baseVault, to: tokens.address, authority: POOL_AUTHORITY, amount }),
  );
  context.write(poolKey, VIRTUAL_POOL.encode({ ...pool, migrationProgress: MIGRATION_PROGRESS.vestingLocked }));
}

const POSITION = byteStruct([
  ['discriminator', 8],
  ['pool', 'key'],
  ['nftMint', 'key'],
  ['fees', 80],
  ['unlockedLiquidity', 'u128'],
  ['vestedLiquidity', 'u128'],
  ['permanentLockedLiquidity', 'u128'],
  ['rest', 208],
]);
const POSITION_NAMES = {
  name: 'Meteora Position NFT',
  symbol: 'MPN',
  uri: 'https://raw.githubusercontent.com/MeteoraAg/token-metadata/main/meteora_position_nft.png',
} as const;
const POSITION_MINT_BYTES = 270;
/** Size in bytes of a mint that includes its metadata. */
const NAMED_MINT_BYTES = 465;
const TOKEN_BYTES = 165;

/** Share of the successor pool's liquidity, with its owner. */
interface Share {
  readonly owner: string;
  readonly liquidity: bigint;
  readonly locked: bigint;
}

interface Deposit {
  readonly baseFee: bigint;
  readonly quoteFee: bigint;
  readonly shares: readonly Share[];
  readonly base: readonly bigint[];
  readonly quote: readonly bigint[];
}

/** Returns the deposit into the successor pool after the protocol's share, and the split of its liquidity, larger share first. */
function computeDeposit(config: PoolConfigAccount, pool: VirtualPoolAccount): Deposit {
  const price = config.migrationSqrtPrice;
  const quoteAmount = lessMigrationFee(config.migrationQuoteThreshold, config.migrationFeePercentage);
  const quoteFee = (quoteAmount * BigInt(pool.migrationFeeBps)) / 10_000n;
  const baseFee = deltaBase(price, MAX_SQRT_PRICE, liquidityOfQuote(quoteFee, MIN_SQRT_PRICE, price), 'down');
  // The quote alone determines the liquidity: the threshold guarantees enough base.
  const held = (amount: bigint): bigint => liquidityOfQuote(amount, MIN_SQRT_PRICE, price);
  const creator = { owner: pool.creator, pct: BigInt(config.creatorLockedLiquidity) };
  const partner = { owner: config.feeClaimer, pct: BigInt(config.partnerLockedLiquidity) };
  const whole = held(quoteAmount - quoteFee);
  // The creator gets the rounding remainder, which is not locked.
  const part = (pct: bigint): bigint => (whole * pct) / 100n;
  const rest = whole - part(creator.pct) - part(partner.pct);
  const [first, second] = creator.pct >= partner.pct ? [creator, partner] : [partner, creator];
  const unlocked = (of: typeof creator): bigint => (of === creator ? rest : 0n);
  const needs = (liquidity: bigint) => ({
    base: deltaBase(price, MAX_SQRT_PRICE, liquidity, 'up'),
    quote: deltaQuote(MIN_SQRT_PRICE, price, liquidity, 'up'),
  });
  const ofFirst = part(first.pct) + unlocked(first);
  const forFirst = needs(ofFirst);
  const shares: Share[] = [{ owner: first.owner, liquidity: ofFirst, locked: part(first.pct) }];
  const needed = [forFirst];
  if (second.pct > 0n) {
    const ofSecond = held(quoteAmount - quoteFee - forFirst.quote);
    shares.push({ owner: second.owner, liquidity: ofSecond, locked: ofSecond - unlocked(second) });
    needed.push(needs(ofSecond));
  }
  return { baseFee, quoteFee, shares, base: needed.map((one) => one.base), quote: needed.map((one) => one.quote) };
}

export function migrate(context: ModelContext): void {
  const payer = signed(context, 19);
  const { address: poolKey, pool } = poolAt(context, 0);
  const { address: configKey, config } = configAt(context, 2);
  if (pool.config !== configKey) throw new ProgramFailure(FRAMEWORK.hasOne);
  expectAddress(context, 3, POOL_AUTHORITY, FRAMEWORK.address);
  if (pool.migrationProgress !== MIGRATION_PROGRESS.vestingLocked) throw new ProgramFailure(E.notPermitted);
  // Liquidity that is not locked forever follows rules that no launch of this service needs.
  if (config.creatorLockedLiquidity + config.partnerLockedLiquidity !== 100) throw new ProgramFailure(E.input);
  const [base, quote] = [mintAt(context, 13), mintAt(context, 14)];
  const dammConfig = at(context, 25).address;
  const successor = successorPoolAddress(base.address, quote.address, dammConfig);
  const vaults = [successorVaultAddress(base.address, successor), successorVaultAddress(quote.address, successor)] as const;
  expectAddress(context, 4, successor, FRAMEWORK.seeds);
  expectAddress(context, 15, vaults[0], FRAMEWORK.seeds);
  expectAddress(context, 16, vaults[1], FRAMEWORK.seeds);
  const deposit = computeDeposit(config, pool);
  const make = (one: string, bytes: number, owner: string) =>
    createAccount({ payer, at: one, lamports: context.rent(bytes), bytes, owner });
  context.invoke(
    make(successor, SUCCESSOR_POOL.size, SUCCESSOR_PROGRAM),
    make(vaults[0], TOKEN_BYTES, base.program),
    initializeTokenAccount(base.program, vaults[0], base.address, SUCCESSOR_AUTHORITY),
    make(vaults[1], context.account(pool.quoteVault)?.data.length ?? TOKEN_BYTES, quote.program),
    initializeTokenAccount(quote.program, vaults[1], quote.address, SUCCESSOR_AUTHORITY),
  );
  for (const [index, share] of deposit.shares.entries()) {
    makePosition(context, payer, successor, share, index === 0 ? 5 : 8);
    const sides = [
      [base, pool.baseVault, vaults[0], deposit.base[index] as bigint],
      [quote, pool.quoteVault, vaults[1], deposit.quote[index] as bigint],
    ] as const;
    for (const [
      {
        program,
        address: mint,
        mint: { decimals },
      },
      from,
      to,
      amount,
    ] of sides)
      context.invoke(transferTokens({ program, mint, decimals, from, to, authority: POOL_AUTHORITY, amount }));
  }
  context.write(successor, openedPool(context, config, deposit, [base.address, quote.address], vaults));
  context.write(
    poolKey,
    VIRTUAL_POOL.encode({
      ...pool,
      isMigrated: 1,
      migrationProgress: MIGRATION_PROGRESS.poolCreated,
      migrationBaseFee: deposit.baseFee,
      migrationQuoteFee: deposit.quoteFee,
    }),
  );
}

/** Creates a position, which belongs to the holder of its only token. */
function makePosition(context: ModelContext, payer: string, successor: string, share: Share, place: number): void {
  const mint = signed(context, place);
  const holder = programAddress(SUCCESSOR_PROGRAM, ['position_nft_account', keyBytes(mint)]).address;
  const position = programAddress(SUCCESSOR_PROGRAM, ['position', keyBytes(mint)]).address;
  expectAddress(context, place + 1, holder, FRAMEWORK.seeds);
  expectAddress(context, place + 2, position, FRAMEWORK.seeds);
  const make = (one: string, bytes: number, owner: string) =>
    createAccount({ payer, at: one, lamports: context.rent(bytes), bytes, owner });
  const { before, named } = namedMintInstructions(mint, SUCCESSOR_AUTHORITY, successor, POSITION_NAMES);
  context.invoke(
    make(mint, POSITION_MINT_BYTES, TOKEN_2022),
    ...before,
    make(holder, TOKEN_BYTES, TOKEN_2022),
    initializeTokenAccount(TOKEN_2022, holder, mint, POOL_AUTHORITY),
    make(position, POSITION.size, SUCCESSOR_PROGRAM),
    transferLamports(payer, mint, context.rent(NAMED_MINT_BYTES) - context.rent(POSITION_MINT_BYTES)),
    named,
    mintTokens(TOKEN_2022, mint, holder, SUCCESSOR_AUTHORITY, 1n),
    setAuthority(TOKEN_2022, holder, POOL_AUTHORITY, 2, share.owner),
  );
  context.write(
    position,
    POSITION.encode({
      discriminator: discriminator('aabc8fe47a40f7d0'),
      pool: successor,
      nftMint: mint,
      unlockedLiquidity: share.liquidity - share.locked,
      permanentLockedLiquidity: share.locked,
    }),
  );
}

/** Fee collection modes of the successor, by the curve's mode. */
const SUCCESSOR_COLLECT_MODES = [1, 0, 2] as const;

function openedPool(
  context: ModelContext,
  config: PoolConfigAccount,
  { shares, base, quote }: Deposit,
  mints: readonly [string, string],
  vaults: readonly [string, string],
): Uint8Array {
  const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
  const dynamic = config.migratedDynamicFee === 0 ? {} : { ...computeDynamicFee(config.migratedPoolFeeBps), dynamicInitialized: 1 };
  return successorBytes({
    cliffFeeNumerator: BigInt(config.migratedPoolFeeBps) * NUMERATOR_PER_BPS,
    protocolFeePct: 20,
    referralFeePct: 20,
    ...dynamic,
    initSqrtPrice: config.migrationSqrtPrice,
    tokenAMint: mints[0],
    tokenBMint: mints[1],
    tokenAVault: vaults[0],
    tokenBVault: vaults[1],
    liquidity: sum(shares.map(({ liquidity }) => liquidity)),
    sqrtMinPrice: MIN_SQRT_PRICE,
    sqrtMaxPrice: MAX_SQRT_PRICE,
    sqrtPrice: config.migrationSqrtPrice,
    activationPoint: context.unixSeconds,
    activationType: config.activationType,
    tokenBFlag: config.quoteTokenFlag,
    collectFeeMode: SUCCESSOR_COLLECT_MODES[config.migratedCollectFeeMode] ?? 0,
    poolType: 1,
    feeVersion: 1,
    permanentLockLiquidity: sum(shares.map(({ locked }) => locked)),
    totalPosition: BigInt(shares.length),
    creator: POOL_AUTHORITY,
    tokenAAmount: sum(base),
    tokenBAmount: sum(quote),
    layoutVersion: 1,
  });
}
