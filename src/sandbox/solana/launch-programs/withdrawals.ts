/** Models of withdrawals beside trading fees: surplus, migration fee and unlocked tokens. */
import { readUint } from '../../../domain/launch/byte-struct.ts';
import { POOL_AUTHORITY, VIRTUAL_POOL, type VirtualPoolAccount } from '../../../domain/launch/curve/program.ts';
import {
  type Claimer,
  ESCROW,
  MIGRATION_FEE_BITS,
  computeMigrationFee,
  readEscrow,
  computeSurplus,
  computeUnlocked,
} from '../../../domain/launch/withdrawals.ts';
import {
  at,
  configAt,
  CURVE_ERRORS as E,
  expectAddress,
  FRAMEWORK,
  lockerAccountAt,
  mintAt,
  poolAt,
  signed,
  tokensAt,
} from './curve-accounts.ts';
import { type ModelContext, ProgramFailure } from './modelled-machine.ts';
import { plainTransfer, transferTokens } from './native-instructions.ts';

/** Checks the quote accounts that every withdrawal names, in the program's order. */
function quoteSide(context: ModelContext) {
  const { address: configKey, config } = configAt(context, 1);
  const { address: poolKey, pool } = poolAt(context, 2);
  tokensAt(context, 3, null);
  tokensAt(context, 4, null);
  const quote = mintAt(context, 5);
  const sender = signed(context, 6);
  expectAddress(context, 0, POOL_AUTHORITY, FRAMEWORK.address);
  if (pool.config !== configKey) throw new ProgramFailure(FRAMEWORK.hasOne);
  expectAddress(context, 4, pool.quoteVault, FRAMEWORK.hasOne);
  if (quote.address !== config.quoteMint) throw new ProgramFailure(FRAMEWORK.hasOne);
  return { config, pool, poolKey, quote, sender };
}

type QuoteSide = ReturnType<typeof quoteSide>;

/** Records the withdrawal in the pool, and pays. */
function payOut(context: ModelContext, { pool, poolKey, quote }: QuoteSide, amount: bigint, noted: Partial<VirtualPoolAccount>): void {
  context.write(poolKey, VIRTUAL_POOL.encode({ ...pool, ...noted }));
  const { program, address: mint, mint: facts } = quote;
  const to = at(context, 3).address;
  const move = { program, mint, decimals: facts.decimals, from: pool.quoteVault, to, authority: POOL_AUTHORITY, amount };
  context.invoke(transferTokens(move));
}

export function withdrawSurplus(context: ModelContext, as: Claimer): void {
  const side = quoteSide(context);
  const { config, pool, sender } = side;
  if (sender !== (as === 'creator' ? pool.creator : config.feeClaimer)) throw new ProgramFailure(E.unauthorized);
  if (pool.quoteReserve < config.migrationQuoteThreshold) throw new ProgramFailure(E.notPermitted);
  const status = as === 'creator' ? 'isCreatorWithdrawSurplus' : 'isPartnerWithdrawSurplus';
  if (pool[status] !== 0) throw new ProgramFailure(E.surplusOut);
  payOut(context, side, computeSurplus(config, pool, as), { [status]: 1 });
}

export function withdrawMigrationFee(context: ModelContext): void {
  const side = quoteSide(context);
  const { config, pool, sender } = side;
  const flag = context.data[8];
  if (flag === undefined) throw new ProgramFailure(102);
  if (pool.quoteReserve < config.migrationQuoteThreshold) throw new ProgramFailure(E.notPermitted);
  if (flag > 1) throw new ProgramFailure(E.input);
  const as: Claimer = flag === 0 ? 'partner' : 'creator';
  if (sender !== (as === 'creator' ? pool.creator : config.feeClaimer)) throw new ProgramFailure(E.notPermitted);
  const bit = MIGRATION_FEE_BITS[as];
  if ((pool.migrationFeeWithdrawStatus & bit) !== 0) throw new ProgramFailure(E.migrationFeeOut);
  payOut(context, side, computeMigrationFee(config, as), { migrationFeeWithdrawStatus: pool.migrationFeeWithdrawStatus | bit });
}

/** Pays out unlocked tokens from the locker, at most the requested amount. */
export function claimUnlocked(context: ModelContext): void {
  const { address: escrowKey, bytes } = lockerAccountAt(context, 0);
  const escrow = readEscrow(bytes);
  if (escrow === null) throw new ProgramFailure(FRAMEWORK.discriminator);
  tokensAt(context, 1, null);
  const recipient = signed(context, 2);
  const to = tokensAt(context, 3, null);
  if (escrow.recipient !== recipient) throw new ProgramFailure(FRAMEWORK.hasOne);
  const [most, unlocked] = [readUint(context.data, 8, 8), computeUnlocked(escrow, context.unixSeconds)];
  const amount = most < unlocked ? most : unlocked;
  context.write(escrowKey, ESCROW.encode({ ...escrow, totalClaimed: escrow.totalClaimed + amount }));
  context.invoke(plainTransfer({ from: at(context, 1).address, to: to.address, authority: escrowKey, amount }));
}
