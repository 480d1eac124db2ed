/** What a Take's actions mean once they are committed, and which events it takes at all. */
import type { ActorEvent, ActorState } from '../../src/domain/actor-step.ts';
import { type Refusal, refuse } from '../../src/domain/refusal.ts';
import { CLOSING, type TakeState } from '../../src/domain/take/take.ts';
import { isoTime, slotOf, TAKE_TICK_MS } from '../../src/domain/time.ts';
import { type ActorKind, record, type StepInfo } from '../runtime/actor-kind.ts';
import { takeMachine } from './machine.ts';
import type { TakeContext, TakeEvent } from './protocol.ts';

/** The chart as it lies at rest. */
type TakeValue = TakeState | { readonly on_duty: TakeState };

export function takeContext(state: Pick<ActorState, 'context'>): TakeContext {
  return state.context as unknown as TakeContext;
}

/** Where the Take stands, in one word, and whether it is evaluated. */
export function takeStanding(state: Pick<ActorState, 'value'>): { readonly state: TakeState; readonly onDuty: boolean } {
  const value = state.value as unknown as TakeValue;
  return typeof value === 'string' ? { state: value, onDuty: false } : { state: value.on_duty, onDuty: true };
}

function projected(info: StepInfo): { readonly [field: string]: unknown } {
  const context = takeContext(info);
  const { state, onDuty } = takeStanding(info);
  return {
    takeId: info.actorId,
    state,
    onDuty,
    mode: context.mode,
    reason: context.reason,
    armedAt: context.armedAt,
    publishedAt: context.publishedAt,
    changedAt: info.now,
  };
}

/** What of a Take is announced on the `takes` channel. */
function announced(info: StepInfo): { readonly [field: string]: string | boolean | null } {
  const context = takeContext(info);
  const { state, onDuty } = takeStanding(info);
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

/** Why a Take would not take an event, in words for whoever asked. */
function validateTake(state: ActorState, event: ActorEvent): Refusal | null {
  const command = event as unknown as TakeEvent;
  const standing = takeStanding(state);
  const context = takeContext(state);
  if (command.type === 'arm') {
    if (standing.state !== 'draft' && standing.state !== 'disarmed')
      return refuse('state_conflict', `the Take is ${standing.state}; only a draft or a disarmed one can be armed`).refusal;
    if (context.holdsPosition && command.mode !== context.mode)
      return refuse('state_conflict', `the Take holds a position on its ${context.mode} book; close it, or arm it in that mode`).refusal;
    if (!context.holdsPosition && command.at >= context.expiresAt)
      return refuse('state_conflict', `the life of the Take ended at ${isoTime(context.expiresAt)}; fork it to begin anew`).refusal;
  }
  if ((command.type === 'disarm' || command.type === 'pause') && !standing.onDuty)
    return refuse('state_conflict', `the Take is ${standing.state} and not evaluated: there is nothing to disarm`).refusal;
  if (command.type === 'close') {
    if (!context.holdsPosition) return refuse('state_conflict', `the Take is ${standing.state} and holds nothing to close`).refusal;
    if (standing.state === 'disarmed' && context.reason === CLOSING)
      return refuse('state_conflict', 'the position of the Take is being closed already').refusal;
  }
  if (command.type === 'publish' && context.publishedAt !== null) return refuse('state_conflict', 'the Take is published already').refusal;
  return null;
}

export const takeKind: ActorKind = {
  kind: 'take',
  machine: takeMachine,
  validate: validateTake,
  migrations: {},
  effects: {
    projectTake: (_: undefined, info) => [record('take_projection', projected(info))],
    announceTake: (_: undefined, info) => [{ kind: 'announcement', announcement: { channel: 'takes', body: announced(info) } }],
    openTickWindow: (_: undefined, info) => [
      record('tick_window', { actorId: info.actorId, from: slotOf(info.now, TAKE_TICK_MS) + TAKE_TICK_MS, until: null }),
    ],
    closeTickWindow: (_: undefined, info) => [record('tick_window', { actorId: info.actorId, from: null, until: info.now })],
    cancelProposals: ({ reason }: { readonly reason: string }, info) => [record('proposals_cancelled', { agentId: info.actorId, reason })],
  },
};
