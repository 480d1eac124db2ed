/** Instructions of a launch for a wallet to sign: compute budget, configuration, pool and first buy. */
import { computeBudget, ownAccount } from '../solana/common-instructions.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../solana/programs.ts';
import { writeUint } from './byte-struct.ts';
import { type CurveConfig, type CurveFacts } from './curve/curve-config.ts';
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
import { swapIn } from './curve/curve-swap.ts';
import { baseFeeAt } from './fees.ts';
import { NATIVE_MINT } from './quote-tokens.ts';
import { type Claimer, lockerClaimInstruction, migrationFeeInstruction, surplusInstruction } from './withdrawals.ts';

/** Maximum compute units of configuration, pool and first buy, with a margin for nodes that count differently. */
const CONFIG_UNITS = 120_000;
const POOL_UNITS = 260_000;
const BUY_UNITS = 160_000;
/** Micro-lamports per unit. */
const UNIT_PRICE = 20_000n;

export interface LaunchPlan {
  readonly keys: PoolKeys;
  readonly creator: string;
  readonly partner: string;
  readonly badge: string | null;
  readonly names: TokenNames;
  readonly config: CurveConfig;
  readonly facts: CurveFacts;
  /** Raw quote units of the creator's first buy, or null for none. */
  readonly firstBuy: bigint | null;
}

/** Parts of a launch. Each transaction begins with its own compute budget. */
export interface LaunchInstructions {
  readonly config: readonly ProgramInstruction[];
  readonly pool: readonly ProgramInstruction[];
  readonly buy: readonly ProgramInstruction[];
}

/** Wraps lamports into the wrapped coin that a curve takes. */
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

/** Returns the output of the first buy. It is exact, because no trade comes before it. Null if the curve cannot take it. */
function computeFirstBuy({ config, facts, firstBuy }: Pick<LaunchPlan, 'config' | 'facts' | 'firstBuy'>): bigint | null {
  if (firstBuy === null) return null;
  const shape = { ...config, migrationSqrtPrice: facts.migrationSqrtPrice };
  const fee = { numerator: baseFeeAt(config.baseFee, 0n, 0n), hasReferral: false };
  const done = swapIn(shape, config.sqrtStartPrice, 'buy', firstBuy, fee);
  return done.left > 0n ? null : done.amountOut;
}

/** Builds the instructions. @throws RangeError if the first buy exceeds what the curve takes. */
export function launchInstructions(plan: LaunchPlan): LaunchInstructions {
  const { keys, creator, partner, badge, names, config, firstBuy } = plan;
  const buy: ProgramInstruction[] = [];
  if (firstBuy !== null) {
    const bound = computeFirstBuy(plan);
    if (bound === null) throw new RangeError('the first buy is larger than the curve');
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

/** Builds the configuration in one transaction, and the rest in a second one. */
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

/** Claim of a launch, and its payee. */
interface ClaimOrder {
  readonly kind: ClaimKind;
  readonly as: Claimer;
  /** Base58. Signs, pays for the transaction and receives the claim. */
  readonly claimer: string;
}

/** Builds a claim of the whole claimable amount of one kind, paid to the claimer's own accounts. Creates missing accounts. */
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
