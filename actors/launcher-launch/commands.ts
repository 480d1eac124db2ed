/** Quotes launches by the external launcher and takes their signed payments. */
import type { ActorRow } from '../../src/domain/agents/actor-step.ts';
import { PermitLost } from '../../src/domain/orders/execution.ts';
import { launchErrorWords } from '../../src/domain/launch/launch-state.ts';
import {
  intentProblem,
  type LauncherOffer,
  offerProblem,
  paymentInstructions,
  type LauncherIntent,
  type LauncherPairs,
  type LauncherWord,
} from '../../src/domain/launch/launcher.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { fromBase64, type VerifySignature, verifySigned } from '../../src/domain/solana/verify.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { NO_LAUNCH } from '../launch/commands.ts';
import { type LaunchChain, unlessSilent } from '../prepared-transaction/chain-client.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import { type BuiltTransaction, builtTransaction, lifetimeMs, startUserTransaction } from '../prepared-transaction/built.ts';
import { transactionContext } from '../prepared-transaction/effects.ts';
import { type CapacityObstacle, capacityAnswer } from '../prepared-transaction/open-capacity.ts';
import { loadActor, type LoadActors } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { launcherContext, launcherState, launcherView } from './effects.ts';
import type { LauncherLaunchInput } from './machine.ts';
import type { LauncherLaunch } from './resource.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

/** Client of the external launcher. Refuses with `unavailable` if it is silent and with `route_refused` if its answer is invalid. */
export interface LauncherClient {
  pairs(): Promise<Outcome<LauncherPairs>>;
  /** Registers an intent. Mints nothing, and no payment is due yet. */
  register(intent: LauncherIntent): Promise<Outcome<LauncherOffer>>;
  /** Reports the payment. The same signature is one launch however often it is reported. @throws if the launcher does not answer. */
  complete(intent: LauncherIntent, offer: Pick<LauncherOffer, 'preflightToken'>, signature: string): Promise<LauncherWord>;
}

export interface LauncherWish extends LauncherIntent {
  /** Share whose mint the pair uses. */
  readonly pairedStock: InstrumentKey;
  readonly quoteSymbol: string;
}

interface QuotedLaunch {
  readonly launch: LauncherLaunch;
  /** Unsigned payment in base64. */
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
  readonly expiresAt: EpochMs;
}

export interface LauncherLaunchCommands {
  /** Registers the intent with the launcher, and builds, simulates and stores the payment. */
  quote(context: CommandContext, wish: LauncherWish): Promise<Outcome<QuotedLaunch>>;
  /**
   * Submits the signed payment. Repeating it returns the launch's present state. If it was paid and the launcher declined, the launcher is
   * asked again.
   */
  submit(context: CommandContext, id: string, signed: string): Promise<Outcome<LauncherLaunch>>;
}

interface LauncherHandlerDeps {
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly load: LoadActors;
  readonly launcher: Pick<LauncherClient, 'pairs' | 'register'>;
  readonly chain: Pick<LaunchChain, 'simulate' | 'blockHeight' | 'latestBlockhash'>;
  readonly verifySignature: VerifySignature;
  readonly epoch: (orgId: string) => Promise<number>;
  readonly exposureVersion: (orgId: string) => Promise<string>;
  /** Returns why a symbol cannot be listed, or null. */
  readonly listingProblem: (wish: LauncherWish) => string | null;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

interface Payment {
  readonly id: string;
  readonly offer: LauncherOffer;
  readonly built: BuiltTransaction;
  readonly expiresAt: number;
}

export function createLauncherHandler(deps: LauncherHandlerDeps): LauncherLaunchCommands {
  const { runtime, clock } = deps;

  async function verified(row: ActorRow, signed: string): Promise<Outcome<string>> {
    const { paymentId, offer } = launcherContext(row.state);
    const bytes = fromBase64(signed);
    if (bytes === null) return refuse('malformed_transaction', '$.payment is not base64 in its canonical encoding');
    const payment = (await deps.load([paymentId as string])).get(paymentId as string) as ActorRow;
    const checked = verifySigned(transactionContext(payment.state).prepared, bytes, deps.verifySignature);
    if (!checked.ok) return checked;
    // An expired offer must not be paid.
    if (clock.now() >= offer.validUntil) return refuse('state_conflict', 'the offer of the launcher has expired: ask for a new quote');
    return { ok: true, value: checked.value.signature };
  }

  function delivered(context: CommandContext, id: string, event: { readonly type: string }, action: string) {
    return runtime.deliver(id, event, {
      cause: `${context.subject} ${context.requestId}`,
      orgId: context.orgId,
      also: (was, plan) => [
        auditRow(context, action, id, was.state, plan.state),
        ...answerRows(context, launcherView(id, plan.state, clock.now())),
      ],
    });
  }

  return {
    quote: (context, wish) =>
      placedOnVerdict(
        context.orgId,
        (error) => capacityAnswer(deps.obstacleOf(error)),
        async () => {
          const payment = await unlessSilent(deps.isSilence, paymentFor(deps, wish));
          return payment.ok ? begun(deps, context, wish, payment.value) : payment;
        },
      ),

    async submit(context, id, signed) {
      const row = await loadActor(deps.load, 'launcher_launch', context.orgId, id);
      if (row === null) return refuse('not_found', NO_LAUNCH);
      const before = givenBefore(deps, row, signed);
      const isRetry = before?.ok === true && launcherState(row.state) === 'failed_paid';
      if (before !== null && !isRetry) return before;
      const signature = isRetry ? null : await verified(row, signed);
      if (signature !== null && !signature.ok) return signature;
      const { subject } = context;
      const event = signature === null ? { type: 'retry', subject } : { type: 'submit', signed, signature: signature.value, subject };
      try {
        const outcome = await delivered(context, id, event, isRetry ? 'launch.retry' : 'launch.submit');
        if (outcome.ok) return { ok: true, value: launcherView(id, outcome.value.plan.state, clock.now()) };
        const now = await loadActor(deps.load, 'launcher_launch', context.orgId, id);
        return (now === null ? null : givenBefore(deps, now, signed)) ?? outcome;
      } catch (error) {
        if (error instanceof PermitLost) return refuse('halted', 'an emergency halt came after this was quoted: ask for a new quote');
        return answeredMeanwhile(error);
      }
    },
  };
}

/** Returns the launcher's price for the request, or its refusal. */
async function offered(deps: LauncherHandlerDeps, wish: LauncherWish): Promise<Outcome<LauncherOffer>> {
  const { clock } = deps;
  const problem = intentProblem(wish);
  if (problem !== null) return refuse('malformed', problem);
  const unlisted = deps.listingProblem(wish);
  if (unlisted !== null) return refuse('launch_refused', `the token could not be listed: ${unlisted}`);
  const known = await deps.launcher.pairs();
  if (!known.ok) return known;
  const { pairs, creatorFeeBps } = known.value;
  if (!pairs.some(({ mint }) => mint === wish.pairMint))
    return refuse('launch_refused', `the launcher has no pair ${wish.quoteSymbol}: GET /v1/agentlaunch/pairs lists its pairs`);
  if (wish.creatorFeeBps < creatorFeeBps.min || wish.creatorFeeBps > creatorFeeBps.max)
    return refuse('malformed', `$.creatorFeeBps: ${wish.creatorFeeBps} is outside of ${creatorFeeBps.min} to ${creatorFeeBps.max}`);
  const { pairedStock: _, quoteSymbol: __, ...intent } = wish;
  const offer = await deps.launcher.register(intent);
  if (!offer.ok) return offer;
  const senseless = offerProblem(offer.value, wish.wallet, clock.now());
  return senseless === null ? offer : refuse('route_refused', `the offer of the launcher is invalid: ${senseless}`);
}

/** Builds the payment for the wallet and simulates it. */
async function paymentFor(deps: LauncherHandlerDeps, wish: LauncherWish): Promise<Outcome<Payment>> {
  const { chain, clock } = deps;
  const offer = await offered(deps, wish);
  if (!offer.ok) return offer;
  const id = deps.newId();
  const at = await chain.latestBlockhash('confirmed');
  const built = builtTransaction(wish.wallet, paymentInstructions(wish.wallet, offer.value, id), at);
  const { error } = await chain.simulate(built.bytes);
  if (error !== null) return refuse('launch_refused', `the chain would refuse the payment: ${launchErrorWords(error)}`);
  const blockHeight = await chain.blockHeight('confirmed');
  return {
    ok: true,
    value: {
      id,
      offer: offer.value,
      built,
      expiresAt: Math.min(offer.value.validUntil, clock.now() + lifetimeMs(at, blockHeight)),
    },
  };
}

async function begun(
  deps: LauncherHandlerDeps,
  context: CommandContext,
  wish: LauncherWish,
  payment: Payment,
): Promise<Outcome<QuotedLaunch>> {
  const { runtime, clock } = deps;
  const { orgId, subject } = context;
  const { id, offer, built, expiresAt } = payment;
  const cause = `${subject} ${context.requestId}`;
  const createdAt = clock.now();
  const { pairedStock, quoteSymbol, ...intent } = wish;
  const input: LauncherLaunchInput = { intent, offer, quoteSymbol, pairedStock, preparedBy: subject, createdAt };
  await runtime.start('launcher_launch', id, orgId, input, { cause });
  const transactionId = deps.newId();
  const epoch = await deps.epoch(orgId);
  const promised = { launchId: id, payTo: offer.payTo, lamports: offer.lamports };
  const transaction = { purpose: 'launcher_payment', subject: promised, wallet: wish.wallet, built, epoch, createdAt } as const;
  await startUserTransaction(deps, context, transactionId, transaction);
  const answer = (state: ActorRow['state']): QuotedLaunch => ({
    launch: launcherView(id, state, clock.now()),
    transaction: built.base64,
    lastValidBlockHeight: built.prepared.lastValidBlockHeight,
    expiresAt,
  });
  const outcome = await runtime.deliver(
    id,
    { type: 'payment.prepared', transactionId },
    {
      cause,
      orgId,
      also: (was, plan) => [auditRow(context, 'launch.quote', id, was.state, plan.state), ...answerRows(context, answer(plan.state))],
    },
  );
  return outcome.ok ? { ok: true, value: answer(outcome.value.plan.state) } : outcome;
}

/** Returns the early answer if the payment was submitted before, or null. */
function givenBefore(deps: LauncherHandlerDeps, row: ActorRow, signed: string): Outcome<LauncherLaunch> | null {
  const { clock } = deps;
  const known = launcherContext(row.state);
  if (known.signed !== null && known.signed !== signed)
    return refuse('state_conflict', 'another signed payment was already submitted: nothing is paid twice');
  const state = launcherState(row.state);
  if (known.signed !== null) return { ok: true, value: launcherView(row.id, row.state, clock.now()) };
  return state === 'prepared' ? null : refuse('state_conflict', `the launch is ${state}: ask for a new quote`);
}
