/** Handles Take commands: asks the actor, and writes the audit entry and the answer in the transaction of its step. */
import type { ActorRecord, ActorRow, ActorState, StepPlan } from '../../src/domain/agents/actor-step.ts';
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import type { Catalog } from '../../src/domain/catalog/catalog.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import type { RiskRejection } from '../../src/domain/agents/decision.ts';
import { type DelegationState, delegationRefusal } from '../../src/domain/identity/delegation.ts';
import type { Problem } from '../../src/domain/values/field.ts';
import { type Manifest, manifestHash } from '../../src/domain/manifest/manifest.ts';
import type { ExecutionMode } from '../../src/domain/orders/order.ts';
import { type Outcome, type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import { type DisabledVenues, lackInWords, missingSetting } from '../../src/domain/risk/index.ts';
import type { RiskPreferences } from '../../src/domain/risk/preferences.ts';
import { type ForkChanges, forkTake } from '../../src/domain/take/fork-take.ts';
import { readingOfFields } from '../../src/domain/take/read-take.ts';
import { LiveCapitalUsed, LiveDollarsLacking } from '../../src/domain/take/live-capital.ts';
import { manifestOfTake, type Take, takeHash } from '../../src/domain/take/take.ts';
import { type EpochMs, TAKE_TICK_MS } from '../../src/domain/values/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { takeChanges, takeContext } from './effects.ts';
import type { TakeEvent } from './machine.ts';
import { type PublishedTake, type TakeReading, type TakeTerms, type TakeView, take } from './resource.ts';

/** Store ports of the command handler. */
interface TakeDirectory {
  /** Returns null if the organization has no such Take. */
  find(orgId: string, takeId: string): Promise<TakeView | null>;
  /** Returns a published Take, or null. */
  published(takeId: string): Promise<PublishedTake | null>;
  preferences(orgId: string): Promise<RiskPreferences>;
  /** Returns the newest delegation of a wallet to the Take, in any state, or null. */
  delegation(orgId: string, takeId: string): Promise<DelegationState | null>;
}

/** Dollars that fund a live arming. */
export interface TakeFunding {
  /** True in a sandbox without a compared account, which pays from simulated dollars. */
  readonly isSimulated: boolean;
}

interface TakeHandlerDeps {
  readonly runtime: Runtime;
  readonly takes: TakeDirectory;
  readonly catalog: Catalog;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** Setting that live orders lack, by venue. */
  readonly disabledVenues: (autonomy: Autonomy, orgId: string) => DisabledVenues;
  readonly funding: TakeFunding;
  /** Returns why instruments cannot get live capital, or null. Nothing is refused without it. */
  readonly lateRound?: (added: readonly InstrumentKey[]) => Promise<string | null>;
}

const NO_TAKE = 'there is no Take with this id';

/** Returns the refusal of a Take with all of its problems, the first one in words. */
export function takeInvalid(problems: readonly Problem[]): { readonly ok: false; readonly refusal: Refusal } {
  const [first] = problems;
  const detail = first === undefined ? 'the Take is invalid' : `${first.path}: ${first.problem}; allowed: ${first.allowed}`;
  return { ok: false, refusal: { code: 'take_invalid', detail, problems } };
}

/** Refuses a Take whose author has not confirmed all ambiguous readings of its words. Null if everything is confirmed. */
function unsettledRefusal(view: TakeView, confirmed: readonly string[]): Refusal | null {
  const questions = view.open.filter((text) => !confirmed.includes(text) && !view.confirmed.includes(text));
  if (questions.length === 0) return null;
  const detail = `to be confirmed by its author: ${questions.join('; ')}. Send these texts as "confirm", or compile other words`;
  return { code: 'take_unsettled', detail, questions };
}

/** Venues of a Take's orders: the exchange, which needs no wallet, and the primary chain, with a wallet delegated to the Take. */
const LIVE_VENUES: readonly string[] = ['spotexchange', 'spotchain'] satisfies ExecutableVenue[];

/** Returns why the Take's real orders cannot be executed, or null if they can. */
function liveRefusal(take: Take, disabled: DisabledVenues, delegation: DelegationState | null, now: EpochMs): Refusal | null {
  const { venue } = splitInstrumentKey(take.asset.key);
  if (!LIVE_VENUES.includes(venue))
    return refuse('feature_disabled', `Takes trade on ${LIVE_VENUES.join(' and ')}, and not on ${venue}: arm it on paper`).refusal;
  const setting = missingSetting(disabled, venue as ExecutableVenue, 'buy');
  if (setting !== null) return refuse('feature_disabled', lackInWords(venue as ExecutableVenue, setting)).refusal;
  if (venue !== 'spotchain') return null;
  const undelegated = delegationRefusal(delegation, now, { wallet: delegation?.wallet ?? '', notionalUsd: take.allocationUsd });
  return undelegated === null
    ? null
    : refuse('state_conflict', `${undelegated.code}: ${undelegated.detail}. Delegate a wallet to the draft, then arm it`).refusal;
}

/** Returns the refusal if the organization's live Takes already use its capital. */
function capitalRefusal({ committedUsd, allocationUsd, maxCapitalUsd }: LiveCapitalUsed): Refusal {
  return {
    code: 'blocked_by_risk',
    detail: `live Takes are allocated ${committedUsd} of ${maxCapitalUsd} USD: ${allocationUsd} more exceeds the risk mandate`,
    rejections: [
      {
        code: 'capital_limit_breach',
        limit: `capital of the mandate in USD ${maxCapitalUsd}`,
        before: committedUsd,
        after: plainDecimal(new Decimal(committedUsd).plus(allocationUsd)),
        suggestion: 'disarm another live Take, or fork this one with a smaller allocation',
      },
    ],
  };
}

/** Returns the refusal if free dollars do not cover the Take or are unknown. */
function dollarsRefusal({ dollars, neededUsd }: LiveDollarsLacking): Refusal {
  if ('unknown' in dollars)
    return refuse('unavailable', `a live Take cannot be armed while its funding is unknown: ${dollars.unknown}`).refusal;
  const { freeUsd, heldUsd } = dollars;
  return {
    code: 'blocked_by_risk',
    detail: `${freeUsd} of ${heldUsd} US dollars are free where the Take trades, and it needs ${neededUsd}; vaults, other live Takes and open orders reserve the rest`,
    rejections: [
      {
        code: 'insufficient_balance',
        limit: heldUsd,
        before: freeUsd,
        after: plainDecimal(new Decimal(freeUsd).minus(neededUsd)),
        suggestion: 'fund the account or wallet that it trades from, disarm another live Take, or fork this one with a smaller allocation',
      },
    ],
  };
}

/** Returns the rows of a live arming besides its step: the check of its capital and, at the first one, the deposit. */
function capitalRows(context: CommandContext, view: TakeView, before: ActorState, funding: TakeFunding, at: EpochMs): ActorRecord[] {
  const { allocationUsd, asset } = view.take;
  const { orgId } = context;
  const check: ActorRecord = { type: 'take_capital', orgId, takeId: view.id, allocationUsd, instrument: asset.key, ...funding, at };
  if (takeContext(before).funded) return [check];
  const reference = `take:${view.id}`;
  return [check, { type: 'ledger', orgId: context.orgId, bookId: bookIds.live(view.id), amountUsd: allocationUsd, reference, at }];
}

function rejection(code: string, limit: string, allowed: string, asked: string, suggestion: string): RiskRejection {
  return { code, limit: `${limit} ${allowed}`, before: null, after: asked, suggestion };
}

/** Returns the limits of a Take that exceed its organization's mandate. */
function aboveMandate(take: Take, preferences: RiskPreferences): RiskRejection[] {
  const rejections: RiskRejection[] = [];
  const { maxTradeNotionalUsd, maxCapitalUsd, maxSlippageBps } = preferences;
  if (new Decimal(take.allocationUsd).gt(maxTradeNotionalUsd)) {
    rejections.push(
      rejection(
        'notional_limit_breach',
        'trade notional of the mandate in USD',
        maxTradeNotionalUsd,
        take.allocationUsd,
        `fork it with an allocation of at most ${maxTradeNotionalUsd} USD`,
      ),
    );
  }
  if (new Decimal(take.allocationUsd).gt(maxCapitalUsd)) {
    rejections.push(
      rejection(
        'capital_limit_breach',
        'capital of the mandate in USD',
        maxCapitalUsd,
        take.allocationUsd,
        `fork it with an allocation of at most ${maxCapitalUsd} USD`,
      ),
    );
  }
  if (take.maxSlippageBps > maxSlippageBps) {
    rejections.push(
      rejection(
        'slippage_budget_breach',
        'slippage of the mandate in basis points',
        String(maxSlippageBps),
        String(take.maxSlippageBps),
        `fork it with a slippage budget of at most ${maxSlippageBps}`,
      ),
    );
  }
  if (preferences.reduceOnly)
    rejections.push(rejection('reduce_only', 'the mandate', 'reductions only', 'a purchase', 'lift reduceOnly of the risk preferences'));
  return rejections;
}

function readSymbol(take: Take): string {
  return take.asset.key.slice(take.asset.key.indexOf(':') + 1);
}

/** Returns the rows that a new Take writes beside its first step: its manifest and itself. */
function createdRows(orgId: string, { confirmed: _, ...draft }: TakeView): ActorRecord[] {
  const { id: agentId, manifestHash: hash, createdBy } = draft;
  const canonical = canonicalJson(manifestOfTake(draft.take));
  return [
    { type: 'manifest', agentId, version: 1, hash, canonical, createdBy },
    { type: 'take_created', ...take.record(orgId, draft) },
  ];
}

function toTerms(
  deps: TakeHandlerDeps,
  context: CommandContext,
  policy: Take,
  reading: TakeReading,
  lineage: readonly string[],
): TakeTerms {
  return {
    ...reading,
    id: deps.newId(),
    origin: policy.origin,
    hash: takeHash(policy),
    take: policy,
    manifestHash: manifestHash(manifestOfTake(policy)),
    symbol: readSymbol(policy),
    expiresAt: policy.expiresAt,
    lineage,
    createdBy: context.subject,
    createdAt: deps.clock.now(),
  };
}

export function createTakeHandler(deps: TakeHandlerDeps) {
  const { takes, clock } = deps;

  return {
    /** Stores a compiled Take as a draft. */
    create: (context: CommandContext, take: Take, reading: TakeReading): Promise<Outcome<TakeView>> =>
      start(deps, context, toTerms(deps, context, take, reading, []), 'take.compile', true),

    /** Creates a draft from the organization's own Take or any published one. */
    async fork(context: CommandContext, takeId: string, changes: ForkChanges): Promise<Outcome<TakeView>> {
      const original = (await takes.find(context.orgId, takeId)) ?? (await takes.published(takeId));
      if (original === null) return refuse('not_found', NO_TAKE);
      const lifeMs = original.take.expiresAt - original.createdAt;
      const forked = forkTake(original.take, changes, lifeMs, { catalog: deps.catalog, now: clock.now() });
      if (!forked.ok) return takeInvalid(forked.problems);
      const terms = toTerms(deps, context, forked.take, readingOfFields(forked.take), [...original.lineage, original.id]);
      return start(deps, context, terms, 'take.fork', true);
    },

    /**
     * Arms a Take. Refuses if it exceeds the organization's risk mandate. A live arming also needs a venue that accepts live
     * orders of Takes, a delegated wallet for the primary chain, and capital that the organization's live Takes do not use yet.
     * @param confirmed Texts of `open` that the author accepts.
     */
    async arm(context: CommandContext, takeId: string, mode: ExecutionMode, confirmed: readonly string[] = []): Promise<Outcome<TakeView>> {
      const view = await takes.find(context.orgId, takeId);
      if (view === null) return refuse('not_found', NO_TAKE);
      const refusal = unsettledRefusal(view, confirmed) ?? (await mandateRefusal(deps, context.orgId, takeId, view.take, mode));
      if (refusal !== null) return { ok: false, refusal };
      return command(deps, context, takeId, 'take.arm', { type: 'arm', mode, at: clock.now(), confirmed: view.open });
    },

    disarm: (context: CommandContext, takeId: string): Promise<Outcome<TakeView>> =>
      command(deps, context, takeId, 'take.disarm', { type: 'disarm', subject: context.subject }),
    /** Sells the position at the market within the Take's slippage budget. Works on a disarmed Take and after a halt. */
    close: (context: CommandContext, takeId: string): Promise<Outcome<TakeView>> =>
      command(deps, context, takeId, 'take.close', { type: 'close', subject: context.subject }),
    publish: (context: CommandContext, takeId: string): Promise<Outcome<TakeView>> =>
      command(deps, context, takeId, 'take.publish', { type: 'publish', at: clock.now() }),

    /** Creates a Take and arms it in one command, for a basis policy. */
    async createArmed(context: CommandContext, take: Take, reading: TakeReading, mode: ExecutionMode): Promise<Outcome<TakeView>> {
      const refusal = await mandateRefusal(deps, context.orgId, null, take, mode);
      if (refusal !== null) return { ok: false, refusal };
      const created = await start(deps, context, toTerms(deps, context, take, reading, []), 'take.compile', false);
      return created.ok
        ? command(deps, context, created.value.id, 'take.arm', { type: 'arm', mode, at: clock.now(), confirmed: [] })
        : created;
    },

    /**
     * Returns the manifest of an agent that decides like the Take. Refuses while readings of its words are open.
     * @param confirmed Texts of `open` that the author accepts, besides those confirmed at the arming.
     */
    async manifestFor(
      orgId: string,
      takeId: string,
      confirmed: readonly string[] = [],
    ): Promise<Outcome<{ readonly view: TakeView; readonly manifest: Manifest }>> {
      const view = await takes.find(orgId, takeId);
      if (view === null) return refuse('not_found', NO_TAKE);
      const unsettled = unsettledRefusal(view, confirmed);
      if (unsettled !== null) return { ok: false, refusal: unsettled };
      const manifest = {
        ...manifestOfTake(view.take),
        name: `Take ${view.symbol} ${view.hash.slice(0, 8)}`,
        description: (view.thesis ?? '').slice(0, 2_000),
      };
      return { ok: true, value: { view, manifest } };
    },
  };
}

/** Commands of Takes. Each answers after its transaction has committed. Takes of another organization are `not_found`. */
export type TakeCommands = ReturnType<typeof createTakeHandler>;

/** Starts the actor of a draft. `answered` stores the draft as the request's answer. */
async function start(
  { runtime }: TakeHandlerDeps,
  context: CommandContext,
  terms: TakeTerms,
  action: string,
  answered: boolean,
): Promise<Outcome<TakeView>> {
  const { id, hash, symbol, expiresAt, createdAt } = terms;
  const after = ({ state }: StepPlan): TakeView => ({ ...terms, ...takeChanges(state, createdAt), confirmed: [] });
  try {
    const plan = await runtime.start(
      'take',
      id,
      context.orgId,
      { hash, symbol, hasExit: terms.take.exit.length > 0, expiresAt, createdAt },
      {
        cause: `${context.subject} ${context.requestId}`,
        tickPeriodMs: TAKE_TICK_MS,
        also: (plan) => [
          ...createdRows(context.orgId, after(plan)),
          auditRow(context, action, id, null, plan.state),
          ...(answered ? answerRows(context, after(plan)) : []),
        ],
      },
    );
    return { ok: true, value: after(plan) };
  } catch (error) {
    return answeredMeanwhile(error);
  }
}

async function command(
  deps: TakeHandlerDeps,
  context: CommandContext,
  takeId: string,
  action: string,
  event: TakeEvent,
): Promise<Outcome<TakeView>> {
  const { runtime, takes, clock } = deps;
  const before = await takes.find(context.orgId, takeId);
  if (before === null) return refuse('not_found', NO_TAKE);
  const at = clock.now();
  const funding = event.type === 'arm' && event.mode === 'live' ? deps.funding : null;
  try {
    const outcome = await runtime.deliver(takeId, event, {
      cause: `${context.subject} ${context.requestId}`,
      orgId: context.orgId,
      also: (row: ActorRow, plan: StepPlan) => [
        auditRow(context, action, takeId, row.state, plan.state),
        ...answerRows(context, { ...before, ...takeChanges(plan.state, at) }),
        ...(funding === null ? [] : capitalRows(context, before, row.state, funding, at)),
      ],
    });
    return outcome.ok ? { ok: true, value: { ...before, ...takeChanges(outcome.value.plan.state, at) } } : outcome;
  } catch (error) {
    if (error instanceof LiveCapitalUsed) return { ok: false, refusal: capitalRefusal(error) };
    if (error instanceof LiveDollarsLacking) return { ok: false, refusal: dollarsRefusal(error) };
    return answeredMeanwhile(error);
  }
}

/**
 * Returns why the mandate refuses a live Take, or null. @param takeId Null if the Take does not exist yet, so that no wallet can be
 * delegated to it.
 */
async function mandateRefusal(
  deps: TakeHandlerDeps,
  orgId: string,
  takeId: string | null,
  take: Take,
  mode: ExecutionMode,
): Promise<Refusal | null> {
  const { takes, clock } = deps;
  const delegation = mode === 'paper' || takeId === null ? null : await takes.delegation(orgId, takeId);
  const unavailable = mode === 'live' ? liveRefusal(take, deps.disabledVenues('policy_auto', orgId), delegation, clock.now()) : null;
  if (unavailable !== null) return unavailable;
  const late = mode === 'live' ? ((await deps.lateRound?.([take.asset.key])) ?? null) : null;
  if (late !== null) return refuse('feature_disabled', `no live capital: ${late}`).refusal;
  const rejections = aboveMandate(take, await takes.preferences(orgId));
  const [first] = rejections;
  return first === undefined
    ? null
    : { code: 'blocked_by_risk', detail: `the Take asks for more than the risk mandate allows: ${first.suggestion}`, rejections };
}
