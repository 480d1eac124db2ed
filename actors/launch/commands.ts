/**
 * Prepares launches and takes their signed bytes. Transactions are built here, signed with the fresh keys of mint and configuration,
 * simulated against the node, and stored as prepared transactions before they are offered for signing.
 */
import type { ActorRow } from '../../src/domain/agents/actor-step.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../src/domain/values/decimal.ts';
import { PermitLost } from '../../src/domain/orders/execution.ts';
import { rawUnits, type CurveWish } from '../../src/domain/launch/curve/curve-config.ts';
import { type ProgramInstruction, BADGE_BYTES, badgeAddress, poolAddress, type TokenNames } from '../../src/domain/launch/curve/program.ts';
import { launchErrorWords, namesProblem } from '../../src/domain/launch/launch-state.ts';
import { inOne, inTwo, type LaunchInstructions, type LaunchPlan, launchInstructions } from '../../src/domain/launch/launch-transactions.ts';
import { plannedCurve } from '../../src/domain/launch/launch-preview.ts';
import { mintObjection, needsBadge } from '../../src/domain/launch/quote-mint.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { LONGEST_TRANSACTION } from '../../src/domain/solana/message.ts';
import { USDC_LEG, toUi } from '../../src/domain/solana/swap.ts';
import { readMint } from '../../src/domain/solana/token-layout.ts';
import { fromBase64, type VerifySignature, verifySigned } from '../../src/domain/solana/verify.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import {
  type BuiltTransaction,
  builtTransaction,
  type EphemeralKey,
  lifetimeMs,
  startUserTransaction,
} from '../prepared-transaction/built.ts';
import { unlessSilent, type LaunchChain } from '../prepared-transaction/chain-client.ts';
import { transactionContext } from '../prepared-transaction/effects.ts';
import { type CapacityObstacle, capacityAnswer } from '../prepared-transaction/open-capacity.ts';
import { loadActor, type LoadActors } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { launchContext, launchState, launchView } from './effects.ts';
import type { Launch, LaunchTerms } from './resource.ts';
import type { QuoteToken } from '../../src/domain/launch/quote-tokens.ts';

export const NO_LAUNCH = 'there is no launch with this id';

export interface LaunchWish {
  readonly curve: CurveWish;
  readonly token: QuoteToken;
  readonly names: TokenNames;
  /** Base58. Signs, pays, and receives the creator's fees. */
  readonly creator: string;
  /** Whole quote tokens, or null for no first buy. */
  readonly firstBuy: DecimalString | null;
  readonly agentId: string | null;
  readonly takeId: string | null;
}

interface PreparedLaunch {
  readonly launch: Launch;
  /** Base64, in the order of signing and submission. */
  readonly transactions: readonly string[];
  readonly lastValidBlockHeight: number;
  readonly expiresAt: EpochMs;
}

export interface LaunchCommands {
  /** Builds, co-signs, simulates and stores the transactions. */
  prepare(context: CommandContext, wish: LaunchWish): Promise<Outcome<PreparedLaunch>>;
  /** Submits the signed bytes of all transactions of a launch. Repeating the same bytes returns its present state. */
  submit(context: CommandContext, id: string, signed: readonly string[]): Promise<Outcome<Launch>>;
}

const SLOTS_PER_EPOCH = 432_000;

interface LaunchHandlerDeps {
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly load: LoadActors;
  readonly chain: LaunchChain;
  /** Address that owns the partner's share of the fees. */
  readonly partner: string;
  readonly newKey: () => EphemeralKey;
  readonly verifySignature: VerifySignature;
  readonly epoch: (orgId: string) => Promise<number>;
  readonly exposureVersion: (orgId: string) => Promise<string>;
  /** Returns why a symbol cannot be listed, or null. */
  readonly listingProblem: (wish: LaunchWish, mint: string) => string | null;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

interface Agreed {
  readonly plan: LaunchPlan;
  readonly built: readonly BuiltTransaction[];
  readonly lastValidBlockHeight: number;
  readonly expiresAt: EpochMs;
}

export function createLaunchHandler(deps: LaunchHandlerDeps): LaunchCommands {
  const { runtime, clock } = deps;

  return {
    prepare: (context, wish) =>
      placedOnVerdict(
        context.orgId,
        (error) => capacityAnswer(deps.obstacleOf(error)),
        async () => {
          const made = await unlessSilent(deps.isSilence, agreed(deps, wish));
          return made.ok ? begun(deps, context, wish, made.value) : made;
        },
      ),

    async submit(context, id, signed) {
      const row = await loadActor(deps.load, 'launch', context.orgId, id);
      if (row === null) return refuse('not_found', NO_LAUNCH);
      const before = givenBefore(deps, row, signed);
      if (before !== null) return before;
      const signatures = await verified(deps, row, signed);
      if (!signatures.ok) return signatures;
      try {
        const event = { type: 'submit', signed, signatures: signatures.value, subject: context.subject };
        const outcome = await runtime.deliver(id, event, {
          cause: `${context.subject} ${context.requestId}`,
          orgId: context.orgId,
          also: (was, plan) => [
            auditRow(context, 'launch.submit', id, was.state, plan.state),
            ...answerRows(context, launchView(id, plan.state, clock.now())),
          ],
        });
        if (outcome.ok) return { ok: true, value: launchView(id, outcome.value.plan.state, clock.now()) };
        const now = await loadActor(deps.load, 'launch', context.orgId, id);
        return (now === null ? null : givenBefore(deps, now, signed)) ?? outcome;
      } catch (error) {
        if (error instanceof PermitLost) return refuse('halted', 'an emergency halt came after this was prepared: prepare a new one');
        return answeredMeanwhile(error);
      }
    },
  };
}

/** Returns the plan with fresh keys if names, quote and curve are allowed. */
async function planned(
  deps: LaunchHandlerDeps,
  wish: LaunchWish,
  keys: readonly [EphemeralKey, EphemeralKey],
): Promise<Outcome<LaunchPlan>> {
  const problem = namesProblem(wish.names);
  if (problem !== null) return refuse('malformed', problem);
  const [config, mint] = keys;
  const unlisted = deps.listingProblem(wish, mint.address);
  if (unlisted !== null) return refuse('launch_refused', `the token could not be listed: ${unlisted}`);
  const badge = await badgeFor(deps, wish);
  if (!badge.ok) return badge;
  const curve = plannedCurve(wish.curve);
  const { token, creator, names } = wish;
  const firstBuy = wish.firstBuy === null ? null : rawUnits(wish.firstBuy, token.decimals);
  if (firstBuy !== null && firstBuy <= 0n) return refuse('malformed', `$.firstBuy: ${wish.firstBuy} is less than the smallest unit`);
  return {
    ok: true,
    value: {
      keys: { config: config.address, baseMint: mint.address, quoteMint: token.mint, quoteProgram: token.program },
      creator,
      partner: deps.partner,
      badge: badge.value,
      names,
      ...curve,
      firstBuy,
    },
  };
}

/** Returns the quote's token badge if it needs one. Refuses if the program would refuse the quote. */
async function badgeFor(deps: LaunchHandlerDeps, { token }: LaunchWish): Promise<Outcome<string | null>> {
  const { chain } = deps;
  const address = badgeAddress(token.mint);
  const { slot, accounts } = await chain.accounts([token.mint, address]);
  const [account, badge] = accounts;
  const mint = account == null ? null : readMint(account.data);
  const facts = { ...token, program: account?.owner ?? token.program };
  const isBadged = badge != null && badge.data.length === BADGE_BYTES;
  const objection = mintObjection(facts, mint, isBadged, BigInt(Math.floor(slot / SLOTS_PER_EPOCH)));
  if (objection !== null)
    return refuse('launch_refused', objection.code === null ? objection.detail : `${objection.detail} (program error ${objection.code})`);
  return { ok: true, value: mint !== null && needsBadge(facts.program, mint) ? address : null };
}

/** Builds one transaction if everything fits, else two. Simulates each, the second on the result of the first. */
async function agreed(deps: LaunchHandlerDeps, wish: LaunchWish): Promise<Outcome<Agreed>> {
  const { chain, clock } = deps;
  const keys = [deps.newKey(), deps.newKey()] as const;
  const plan = await planned(deps, wish, keys);
  if (!plan.ok) return plan;
  let instructions: LaunchInstructions;
  try {
    instructions = launchInstructions(plan.value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse('launch_refused', error.message);
  }
  const at = await chain.latestBlockhash('confirmed');
  const make = (list: readonly ProgramInstruction[]): BuiltTransaction => builtTransaction(wish.creator, list, at, keys);
  const whole = make(inOne(instructions));
  const fits = ({ bytes }: BuiltTransaction): boolean => bytes.length <= LONGEST_TRANSACTION;
  const parts = fits(whole) ? [whole] : inTwo(instructions).map(make);
  if (!parts.every(fits)) return refuse('launch_refused', 'the launch does not fit into two transactions: shorten the name or the address');
  // A node simulates one transaction on its present state, so the configuration and the pool are simulated together.
  const bare = [...instructions.config, ...instructions.pool];
  const together = [make([...bare, ...instructions.buy]), make(bare)].find(fits);
  for (const each of fits(whole) ? [whole] : [parts[0] as BuiltTransaction, ...(together === undefined ? [] : [together])]) {
    const { error } = await chain.simulate(each.bytes);
    if (error !== null) return refuse('launch_refused', `the chain would refuse the launch: ${launchErrorWords(error)}`);
  }
  const blockHeight = await chain.blockHeight('confirmed');
  return {
    ok: true,
    value: {
      plan: plan.value,
      built: parts,
      lastValidBlockHeight: at.lastValidBlockHeight,
      expiresAt: clock.now() + lifetimeMs(at, blockHeight),
    },
  };
}

async function begun(deps: LaunchHandlerDeps, context: CommandContext, wish: LaunchWish, made: Agreed): Promise<Outcome<PreparedLaunch>> {
  const { runtime, clock } = deps;
  const { orgId, subject } = context;
  const id = deps.newId();
  const cause = `${subject} ${context.requestId}`;
  const createdAt = clock.now();
  const epoch = await deps.epoch(orgId);
  const transactionIds: string[] = [];
  for (const [part, built] of made.built.entries()) {
    const transactionId = deps.newId();
    // The last transaction contains the first buy.
    const dollarsPaid = part === made.built.length - 1 ? firstBuyUsd(made.plan) : '0';
    const promised = { launchId: id, part, mint: made.plan.keys.baseMint, dollarsPaid };
    const transaction = { purpose: 'launch', subject: promised, wallet: wish.creator, built, epoch, createdAt } as const;
    await startUserTransaction(deps, context, transactionId, transaction);
    transactionIds.push(transactionId);
  }
  const transactions = made.built.map(({ base64 }) => base64);
  const { lastValidBlockHeight, expiresAt } = made;
  const answer = (state: Parameters<typeof launchView>[1]): PreparedLaunch => ({
    launch: launchView(id, state, createdAt),
    transactions,
    lastValidBlockHeight,
    expiresAt,
  });
  const plan = await runtime.start('launch', id, orgId, toTerms(wish, made.plan, transactionIds, subject, createdAt), {
    cause,
    also: (begins) => [auditRow(context, 'launch.prepare', id, null, begins.state), ...answerRows(context, answer(begins.state))],
  });
  return { ok: true, value: answer(plan.state) };
}

/** Returns the US dollars that the first buy pays. 0 if the curve is quoted in another token. */
function firstBuyUsd({ firstBuy, keys }: LaunchPlan): DecimalString {
  return firstBuy === null || keys.quoteMint !== USDC_LEG.mint ? '0' : plainDecimal(toUi(firstBuy.toString(), USDC_LEG));
}

/** Returns the early answer if the bytes were submitted before, or null. */
function givenBefore(deps: LaunchHandlerDeps, row: ActorRow, signed: readonly string[]): Outcome<Launch> | null {
  const { clock } = deps;
  const known = launchContext(row.state).signed;
  if (known !== null && known.length === signed.length && known.every((one, index) => one === signed[index]))
    return { ok: true, value: launchView(row.id, row.state, clock.now()) };
  if (known !== null) return refuse('state_conflict', 'another signed transaction was already submitted: it cannot be signed twice');
  const state = launchState(row.state);
  return state === 'prepared' ? null : refuse('state_conflict', `the launch is ${state}: prepare a new one`);
}

/** Returns the signatures of all transactions, each checked against its prepared message. */
async function verified(deps: LaunchHandlerDeps, row: ActorRow, signed: readonly string[]): Promise<Outcome<readonly string[]>> {
  const { transactionIds } = launchContext(row.state);
  if (signed.length !== transactionIds.length)
    return refuse('malformed', `$.transactions: ${transactionIds.length} signed transactions are needed, and ${signed.length} were given`);
  const rows = await deps.load(transactionIds);
  const signatures: string[] = [];
  for (const [index, transactionId] of transactionIds.entries()) {
    const bytes = fromBase64(signed[index] as string);
    if (bytes === null) return refuse('malformed_transaction', `$.transactions[${index}] is not base64 in its canonical encoding`);
    const prepared = transactionContext((rows.get(transactionId) as ActorRow).state);
    const checked = verifySigned(prepared.prepared, bytes, deps.verifySignature);
    if (!checked.ok) return checked;
    signatures.push(checked.value.signature);
  }
  return { ok: true, value: signatures };
}

function toTerms(
  wish: LaunchWish,
  plan: LaunchPlan,
  transactionIds: readonly string[],
  preparedBy: string,
  createdAt: EpochMs,
): LaunchTerms {
  const { curve, token, names, creator, agentId, takeId } = wish;
  const { config, baseMint, quoteMint } = plan.keys;
  return {
    preset: curve.preset.key,
    quoteMint,
    quoteSymbol: token.symbol,
    quoteProgram: plan.keys.quoteProgram,
    quoteDecimals: token.decimals,
    pairedStock: token.kind === 'tokenized_equity' ? token.pricedBy : null,
    startingFdv: new Decimal(curve.startingFdv).toFixed(),
    totalSupply: curve.totalSupply,
    decimals: curve.decimals,
    ...names,
    creator,
    partner: plan.partner,
    mint: baseMint,
    config,
    pool: poolAddress(config, baseMint, quoteMint),
    firstBuy: plan.firstBuy === null ? null : plan.firstBuy.toString(),
    agentId,
    takeId,
    transactionIds,
    preparedBy,
    createdAt,
  };
}
