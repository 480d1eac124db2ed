/** Effects of a Take's committed actions, and validation of its events. */
import type { ActorEvent, ActorState } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import { CLOSING, READING_OPEN, type TakeState } from '../../src/domain/take/take.ts';
import { DAY_MS, type EpochMs, TAKE_TICK_MS, isoTime, startOfSlot } from '../../src/domain/values/time.ts';
import { type ActorKind, record, type StepInfo } from '../runtime/actor-kind.ts';
import { takeMachine, type TakeContext, type TakeEvent } from './machine.ts';
import { takeProjection } from './resource.ts';

/** Value of the chart: one state per region. */
interface TakeValue {
  readonly life: TakeState | { readonly on_duty: TakeState };
  readonly feed: 'live' | 'degraded' | 'lost';
}

export function takeContext(state: Pick<ActorState, 'context'>): TakeContext {
  return state.context as unknown as TakeContext;
}

/** Returns the Take's public state, and if it is evaluated. */
export function takeState(state: Pick<ActorState, 'value'>): { readonly state: TakeState; readonly onDuty: boolean } {
  const { life } = state.value as unknown as TakeValue;
  return typeof life === 'string' ? { state: life, onDuty: false } : { state: life.on_duty, onDuty: true };
}

/** Returns the fields of a Take that a step changes. */
export function takeChanges(state: Pick<ActorState, 'value' | 'context'>, changedAt: EpochMs) {
  return takeProjection.pick({ ...takeContext(state), ...takeState(state), changedAt });
}

/** Returns the fields announced on the `takes` channel. */
function announced(info: StepInfo): { readonly [field: string]: string | boolean | null } {
  const context = takeContext(info);
  const { state, onDuty } = takeState(info);
  return {
    what: state,
    takeId: info.actorId,
    state,
    onDuty,
    symbol: context.symbol,
    hash: context.hash,
    mode: context.mode,
    side: state === 'triggered' || state === 'proposed' || state === 'filled' ? context.side : null,
    proposalId: context.proposalId,
    decisionId: context.decisionId,
    reason: context.reason,
    published: context.publishedAt !== null,
    expiresAt: isoTime(context.expiresAt),
    at: isoTime(info.now),
  };
}

/** Returns why the cause of a live Take's disarming still holds (lost data, or the daily loss), or null if it does not. */
function persistingCause(state: ActorState, at: EpochMs): Refusal | null {
  const { reason, breaker } = takeContext(state);
  const { feed } = state.value as unknown as TakeValue;
  if (feed === 'lost' || (reason === 'data_degraded' && feed !== 'live'))
    return refuse('cause_persists', `market data is still ${feed}; arm the Take once its feed is live`).refusal;
  // Whatever its reason has become since, as by closing its position.
  const endsAt = breaker?.breaker === 'daily_drawdown' ? startOfSlot(breaker.at, DAY_MS) + DAY_MS : 0;
  return at < endsAt ? refuse('cause_persists', `the daily drawdown limit was reached; arm it from ${isoTime(endsAt)} on`).refusal : null;
}

/** Returns in words why a Take refuses an event, or null if it accepts it. */
function validateTake(state: ActorState, event: ActorEvent): Refusal | null {
  const command = event as unknown as TakeEvent;
  const now = takeState(state);
  const context = takeContext(state);
  if (command.type === 'arm') {
    if (now.state !== 'draft' && now.state !== 'disarmed')
      return refuse('state_conflict', `the Take is ${now.state}; only a draft or a disarmed one can be armed`).refusal;
    if (context.holdsPosition && command.mode !== context.mode)
      return refuse('state_conflict', `the Take holds a position on its ${context.mode} book; close it, or arm it in that mode`).refusal;
    if (!context.holdsPosition && command.at >= context.expiresAt)
      return refuse('state_conflict', `the Take expired at ${isoTime(context.expiresAt)}; fork it to start again`).refusal;
    if (command.mode === 'live') return persistingCause(state, command.at);
  }
  if (command.type === 'breaker.tripped' && (!now.onDuty || context.mode !== 'live'))
    return refuse('state_conflict', `the Take is ${now.state} and has no capital invested, so no breaker applies`).refusal;
  if (command.type === 'reading.open' && (!now.onDuty || context.asked !== undefined || context.confirmed !== undefined))
    return refuse('state_conflict', 'the author of the Take has already been asked about its words').refusal;
  if ((command.type === 'disarm' || command.type === 'pause') && !now.onDuty)
    return refuse('state_conflict', `the Take is ${now.state}; only an armed Take can be disarmed`).refusal;
  if (command.type === 'close') {
    if (!context.holdsPosition) return refuse('state_conflict', `the Take is ${now.state} and holds nothing to close`).refusal;
    if (now.state === 'disarmed' && context.reason === CLOSING)
      return refuse('state_conflict', 'the position of the Take is already being closed').refusal;
  }
  if (command.type === 'publish' && context.publishedAt !== null) return refuse('state_conflict', 'the Take is already published').refusal;
  return null;
}

/** Adds the feed region to a Take stored before it existed. */
function withFeed(state: ActorState): ActorState {
  return { ...state, value: { life: state.value, feed: 'live' }, context: { ...state.context, degradedVenues: [], breaker: null } };
}

/** Returns the question to the author of a Take that was armed under an older reading. */
function askedInWords(info: StepInfo): string {
  const { symbol, holdsPosition, asked = [] } = takeContext(info);
  const consequence = holdsPosition
    ? 'Its exit conditions stay in force. To confirm the reading disarm it and arm it again, or close the position'
    : 'It was disarmed and buys nothing. Arm it again to confirm the reading, or compile other words';
  return `The words of the Take on ${symbol} are read more strictly than when it was armed: ${asked.join('; ')}. ${consequence}.`;
}

/** Returns the fields announced on the `alerts` channel when a breaker disarmed the Take or its data is lost. */
function alerted(what: string, info: StepInfo): { readonly [field: string]: Json } {
  const { breaker, degradedVenues } = takeContext(info);
  const trip = breaker === null || breaker.breaker !== what ? {} : { observed: String(breaker.observed), limit: String(breaker.limit) };
  const venues = what === 'data_degraded' ? { venues: degradedVenues } : {};
  const reading = what === READING_OPEN ? { detail: askedInWords(info) } : {};
  return { ...announced(info), ...trip, ...venues, ...reading, what, agentId: info.actorId };
}

export const takeKind: ActorKind = {
  kind: 'take',
  machine: takeMachine,
  validate: validateTake,
  migrations: { 'take@1': withFeed },
  effects: {
    projectTake: (_: undefined, info) => [
      record('take_projection', takeProjection.record(info.orgId, { id: info.actorId, ...takeChanges(info, info.now) })),
    ],
    announceTake: (_: undefined, info) => [{ kind: 'announcement', announcement: { channel: 'takes', body: announced(info) } }],
    alert: ({ what }: { readonly what: string }, info) => [
      { kind: 'announcement', announcement: { channel: 'alerts', body: alerted(what, info) } },
    ],
    openTickWindow: (_: undefined, info) => [
      record('tick_window', { actorId: info.actorId, from: startOfSlot(info.now, TAKE_TICK_MS) + TAKE_TICK_MS, until: null }),
    ],
    closeTickWindow: (_: undefined, info) => [record('tick_window', { actorId: info.actorId, from: null, until: info.now })],
    cancelProposals: ({ reason }: { readonly reason: string }, info) => [record('proposals_cancelled', { agentId: info.actorId, reason })],
  },
};
