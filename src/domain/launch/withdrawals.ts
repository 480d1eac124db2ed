/** Withdrawals of creator and partner from a launch besides trading fees: surplus, migration fee and unlocked tokens. */

import { CURVE_PROGRAM, LOCKER_PROGRAM, TOKEN_PROGRAM } from '../solana/programs.ts';
import { byteStruct, joined, writeUint } from './byte-struct.ts';
import { CURVE_INSTRUCTIONS, LOCKER_CLAIM } from './curve/instructions.ts';
import {
  associatedAccount,
  LOCKER_EVENT_AUTHORITY,
  lockerOwner,
  type NamedAccount,
  POOL_AUTHORITY,
  type PoolConfigAccount,
  type PoolKeys,
  type ProgramInstruction,
  poolAddress,
  type VirtualPoolAccount,
  vaultAddress,
  EVENTS,
} from './curve/program.ts';
import { creatorPart } from './fees.ts';

/** Parties that can claim. */
export const CLAIMERS = ['creator', 'partner'] as const;
export type Claimer = (typeof CLAIMERS)[number];

/** Share of creator and partner in the surplus above the threshold, in percent. The rest is the protocol's. */
const SURPLUS_PCT = 80n;
/** Bit of the pool's status that marks the migration fee as paid out. */
export const MIGRATION_FEE_BITS: Readonly<Record<Claimer, number>> = { creator: 0b010, partner: 0b100 };
const MIGRATION_FEE_FLAGS: Readonly<Record<Claimer, number>> = { partner: 0, creator: 1 };

/** Returns a party's share of the surplus in raw quote units, as if unclaimed. */
export function computeSurplus(config: PoolConfigAccount, pool: Pick<VirtualPoolAccount, 'quoteReserve'>, as: Claimer): bigint {
  const whole = pool.quoteReserve - config.migrationQuoteThreshold;
  if (whole <= 0n) return 0n;
  return creatorPart((whole * SURPLUS_PCT) / 100n, config.creatorTradingFeePercentage)[as];
}

/** Returns the threshold minus the migration fee, rounded like the program. */
export function lessMigrationFee(threshold: bigint, feePct: number): bigint {
  return threshold - (threshold * BigInt(feePct)) / 100n;
}

/** Returns a party's share of the migration fee in raw quote units, as if unclaimed. */
export function computeMigrationFee(config: PoolConfigAccount, as: Claimer): bigint {
  const whole = config.migrationQuoteThreshold - lessMigrationFee(config.migrationQuoteThreshold, config.migrationFeePercentage);
  return creatorPart(whole, config.creatorMigrationFeePercentage)[as];
}

export const ESCROW = byteStruct([
  ['discriminator', 8],
  ['recipient', 'key'],
  ['tokenMint', 'key'],
  ['creator', 'key'],
  ['base', 'key'],
  ['bump', 'u8'],
  ['updateRecipientMode', 'u8'],
  ['cancelMode', 'u8'],
  ['tokenProgramFlag', 'u8'],
  ['padding', 4],
  ['cliffTime', 'u64'],
  ['frequency', 'u64'],
  ['cliffUnlockAmount', 'u64'],
  ['amountPerPeriod', 'u64'],
  ['numberOfPeriods', 'u64'],
  ['totalClaimed', 'u64'],
  ['vestingStartTime', 'u64'],
  ['cancelledAt', 'u64'],
  ['rest', 88],
]);
export const ESCROW_DISCRIMINATOR = Uint8Array.from(Buffer.from('f477b704497487c3', 'hex'));
export type EscrowAccount = ReturnType<typeof ESCROW.read>;

/** Reads a locker's escrow, or returns null if the bytes are not one. */
export function readEscrow(bytes: Uint8Array): EscrowAccount | null {
  return bytes.length === ESCROW.size && ESCROW_DISCRIMINATOR.every((byte, at) => bytes[at] === byte) ? ESCROW.read(bytes) : null;
}

/** Returns the unlocked amount that is not withdrawn yet, in raw base units. `now` in seconds. */
export function computeUnlocked(escrow: EscrowAccount, now: bigint): bigint {
  if (now < escrow.cliffTime) return 0n;
  const passed = (now - escrow.cliffTime) / escrow.frequency;
  const periods = passed < escrow.numberOfPeriods ? passed : escrow.numberOfPeriods;
  return escrow.cliffUnlockAmount + periods * escrow.amountPerPeriod - escrow.totalClaimed;
}

/** Signer, and the quote account that receives the amount. */
interface Withdrawal {
  readonly as: Claimer;
  readonly claimer: string;
  readonly quoteAccount: string;
}

function quoteAccounts({ config, baseMint, quoteMint, quoteProgram }: PoolKeys, { claimer, quoteAccount }: Withdrawal): NamedAccount[] {
  const pool = poolAddress(config, baseMint, quoteMint);
  return [
    { address: POOL_AUTHORITY },
    { address: config },
    { address: pool, writable: true },
    { address: quoteAccount, writable: true },
    { address: vaultAddress(quoteMint, pool), writable: true },
    { address: quoteMint },
    { address: claimer, signer: true },
    { address: quoteProgram },
    ...EVENTS,
  ];
}

/** Pays out the surplus above the threshold, once. */
export function surplusInstruction(keys: PoolKeys, order: Withdrawal): ProgramInstruction {
  const data = order.as === 'creator' ? CURVE_INSTRUCTIONS.creatorSurplus : CURVE_INSTRUCTIONS.partnerSurplus;
  return { program: CURVE_PROGRAM, accounts: quoteAccounts(keys, order), data };
}

/** Pays out the party's share of the migration fee, once. */
export function migrationFeeInstruction(keys: PoolKeys, order: Withdrawal): ProgramInstruction {
  const data = joined(CURVE_INSTRUCTIONS.migrationFee, Uint8Array.of(MIGRATION_FEE_FLAGS[order.as]));
  return { program: CURVE_PROGRAM, accounts: quoteAccounts(keys, order), data };
}

/** Pays the unlocked part to the recipient of the locker, up to a maximum. */
export function lockerClaimInstruction(
  keys: PoolKeys,
  { recipient, baseAccount, most }: { readonly recipient: string; readonly baseAccount: string; readonly most: bigint },
): ProgramInstruction {
  const escrow = lockerOwner(keys);
  const amount = new Uint8Array(8);
  writeUint(most, amount, 0, 8);
  return {
    program: LOCKER_PROGRAM,
    accounts: [
      { address: escrow, writable: true },
      { address: associatedAccount(escrow, keys.baseMint, TOKEN_PROGRAM), writable: true },
      { address: recipient, signer: true, writable: true },
      { address: baseAccount, writable: true },
      { address: TOKEN_PROGRAM },
      { address: LOCKER_EVENT_AUTHORITY },
      { address: LOCKER_PROGRAM },
    ],
    data: joined(LOCKER_CLAIM, amount),
  };
}
