/** The instructions of a launch as a wallet signs them: its own compute budget, the configuration, the pool, and the first buy. */
import { computeBudget, ownAccount } from '../solana/common-instructions.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../solana/programs.ts';
import { writeUint } from './byte-struct.ts';
import { type CurveConfig, type CurveFacts } from './curve/config.ts';
import { U64_MAX } from './curve/math.ts';
import {
  associatedAccount,
  claimFeeInstruction,
  configParameters,
  createConfigInstruction,
  initializePoolInstruction,
  type PoolKeys,
  type ProgramInstruction,
  swapInstruction,
  type TokenNames,
} from './curve/program.ts';
import { swapIn } from './curve/swap.ts';
import { baseFeeAt } from './fees.ts';
import { NATIVE_MINT } from './quote-tokens.ts';
import { type Claimer, lockerClaimInstruction, migrationFeeInstruction, surplusInstruction } from './withdrawals.ts';

/** Units that the configuration, the pool and the first buy take at most together, with room for a node that counts otherwise. */
const CONFIG_UNITS = 120_000;
const POOL_UNITS = 260_000;
const BUY_UNITS = 160_000;
/** Micro-lamports for a unit. */
const UNIT_PRICE = 20_000n;

export interface LaunchPlan {
  readonly keys: PoolKeys;
  readonly creator: string;
  readonly partner: string;
  readonly badge: string | null;
  readonly names: TokenNames;
  readonly config: CurveConfig;
  readonly facts: CurveFacts;
  /** Raw quote units that the creator buys with at once; null for no first buy. */
  readonly firstBuy: bigint | null;
}

/** The parts of a launch. Both transactions, or the one that holds them all, begin with their own budget. */
export interface LaunchInstructions {
  readonly config: readonly ProgramInstruction[];
  readonly pool: readonly ProgramInstruction[];
  readonly buy: readonly ProgramInstruction[];
}

/** Lamports become the wrapped coin that a curve takes. */
function wrapped(owner: string, account: string, lamports: bigint): readonly ProgramInstruction[] {
  const transfer = new Uint8Array(12);
  transfer[0] = 2;
  writeUint(lamports, transfer, 4, 8);
  return [
    {
      program: SYSTEM_PROGRAM,
      accounts: [
        { address: owner, signer: true, writable: true },
        { address: account, writable: true },
      ],
      data: transfer,
    },
    { program: TOKEN_PROGRAM, accounts: [{ address: account, writable: true }], data: Uint8Array.of(17) },
  ];
}

/** Returns the output of the first buy. It is exact, because nobody trades before it. Null if the curve cannot take it. */
export function firstBuyOf({ config, facts, firstBuy }: Pick<LaunchPlan, 'config' | 'facts' | 'firstBuy'>): bigint | null {
  if (firstBuy === null) return null;
  const shape = { ...config, migrationSqrtPrice: facts.migrationSqrtPrice };
  const fee = { numerator: baseFeeAt(config.baseFee, 0n, 0n), hasReferral: false };
  const done = swapIn(shape, config.sqrtStartPrice, 'buy', firstBuy, fee);
  return done.left > 0n ? null : done.amountOut;
}

/** @throws RangeError if the first buy is more than the curve takes */
export function launchInstructions(plan: LaunchPlan): LaunchInstructions {
  const { keys, creator, partner, badge, names, config, firstBuy } = plan;
  const buy: ProgramInstruction[] = [];
  if (firstBuy !== null) {
    const bound = firstBuyOf(plan);
    if (bound === null) throw new RangeError('the first buy is more than the curve takes');
    const baseAccount = associatedAccount(creator, keys.baseMint, TOKEN_PROGRAM);
    const quoteAccount = associatedAccount(creator, keys.quoteMint, keys.quoteProgram);
    buy.push(ownAccount(creator, creator, keys.baseMint, TOKEN_PROGRAM));
    if (keys.quoteMint === NATIVE_MINT)
      buy.push(ownAccount(creator, creator, NATIVE_MINT, TOKEN_PROGRAM), ...wrapped(creator, quoteAccount, firstBuy));
    buy.push(
      swapInstruction(keys, { direction: 'buy', mode: 'exactIn', amount: firstBuy, bound, trader: creator, baseAccount, quoteAccount }),
    );
  }
  return {
    config: [
      createConfigInstruction(
        { config: keys.config, feeClaimer: partner, leftoverReceiver: creator, quoteMint: keys.quoteMint, payer: creator, badge },
        configParameters(config),
      ),
    ],
    pool: [initializePoolInstruction(keys, { creator, payer: creator, badge }, names)],
    buy,
  };
}

/** Builds a launch in one transaction. */
export function inOne({ config, pool, buy }: LaunchInstructions): readonly ProgramInstruction[] {
  return [...computeBudget(CONFIG_UNITS + POOL_UNITS + (buy.length > 0 ? BUY_UNITS : 0), UNIT_PRICE), ...config, ...pool, ...buy];
}

/** Builds the configuration in a transaction of its own, and the rest in a second one. */
export function inTwo({ config, pool, buy }: LaunchInstructions): readonly [readonly ProgramInstruction[], readonly ProgramInstruction[]] {
  return [
    [...computeBudget(CONFIG_UNITS, UNIT_PRICE), ...config],
    [...computeBudget(POOL_UNITS + (buy.length > 0 ? BUY_UNITS : 0), UNIT_PRICE), ...pool, ...buy],
  ];
}

const CLAIM_UNITS = 160_000;

/** Claims that a launch offers. */
export const CLAIM_KINDS = ['fees', 'surplus', 'migration_fee', 'unlocked'] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** Claim of a launch, with its payee. */
export interface ClaimOrder {
  readonly kind: ClaimKind;
  readonly as: Claimer;
  /** Base58: who signs, pays for the transaction and is paid. */
  readonly claimer: string;
}

/** Builds a claim of everything of one kind that waits, paid into the claimer's own accounts. Missing accounts are created. */
export function claimInstructions(keys: PoolKeys, order: ClaimOrder): readonly ProgramInstruction[] {
  const { kind, claimer } = order;
  const { baseMint, quoteMint, quoteProgram } = keys;
  const base = ownAccount(claimer, claimer, baseMint, TOKEN_PROGRAM);
  const quote = ownAccount(claimer, claimer, quoteMint, quoteProgram);
  const accounts = kind === 'fees' ? [base, quote] : [kind === 'unlocked' ? base : quote];
  return [...computeBudget(CLAIM_UNITS, UNIT_PRICE), ...accounts, claimInstruction(keys, order)];
}

function claimInstruction(keys: PoolKeys, { kind, as, claimer }: ClaimOrder): ProgramInstruction {
  const baseAccount = associatedAccount(claimer, keys.baseMint, TOKEN_PROGRAM);
  const quoteAccount = associatedAccount(claimer, keys.quoteMint, keys.quoteProgram);
  if (kind === 'surplus') return surplusInstruction(keys, { as, claimer, quoteAccount });
  if (kind === 'migration_fee') return migrationFeeInstruction(keys, { as, claimer, quoteAccount });
  if (kind === 'unlocked') return lockerClaimInstruction(keys, { recipient: claimer, baseAccount, most: U64_MAX });
  return claimFeeInstruction(keys, { claimer, as, baseAccount, quoteAccount, mostBase: U64_MAX, mostQuote: U64_MAX });
}
