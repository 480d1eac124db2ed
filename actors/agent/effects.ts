/** Effects of the agent's committed actions, and validation of its events. */
import type { ActorEvent, ActorState } from '../../src/domain/agents/actor-step.ts';
import type { Autonomy, Stage } from '../../src/domain/agents/agent.ts';
import { type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import { AGENT_TICK_MS, DAY_MS, isoTime, startOfSlot } from '../../src/domain/values/time.ts';
import { type ActorKind, record, type StepInfo } from '../runtime/actor-kind.ts';
import { agentMachine, type AgentContext, type AgentEvent, type TickDecision } from './machine.ts';
import { agentProjection } from './resource.ts';

/** Value of the chart: one state per region. */
interface AgentValue {
  readonly stage: Stage;
  readonly duty: 'active' | 'paused';
  readonly feed: 'live' | 'degraded' | 'lost';
}

export function agentValue(state: Pick<ActorState, 'value'>): AgentValue {
  return state.value as unknown as AgentValue;
}

export function agentContext(state: Pick<ActorState, 'context'>): AgentContext {
  return state.context as unknown as AgentContext;
}

/** Returns the fields of an agent that a step changes, and whether it is paused. */
export function agentChanges(state: Pick<ActorState, 'value' | 'context'>) {
  const context = agentContext(state);
  const { stage, duty } = agentValue(state);
  const { closing = [], promotion } = context;
  const entered = { stageEvidence: promotion?.evidenceId ?? null, stageAskedBy: promotion?.askedBy ?? null };
  return { ...agentProjection.pick({ ...context, ...entered, stage, closing }), paused: duty === 'paused' };
}

/** Returns the fields announced on the `agents` and `alerts` channels. */
function announced(what: string, info: StepInfo): { readonly [key: string]: string | null } {
  const context = agentContext(info);
  const value = agentValue(info);
  return {
    what,
    agentId: info.actorId,
    stage: value.stage,
    status: value.duty === 'active' ? 'running' : 'paused',
    duty: value.duty,
    feed: value.feed,
    autonomy: context.autonomy,
    pauseCause: context.pauseCause,
    manifestHash: context.manifestHash,
    ...(what in BREAKER_WORDS ? tripAnnounced(context.breaker) : {}),
  };
}

/** Names the venues of a degraded-data alert, or the instrument if only that one is silent. */
function venuesLost(what: string, info: StepInfo): { readonly venues?: readonly string[] } {
  return what === 'data_degraded' ? { venues: agentContext(info).degradedVenues } : {};
}

/** Announcements that include the breaker's limit and by how much it was exceeded. */
const BREAKER_WORDS = { daily_drawdown: true, slippage: true, disagreement: true, demoted: true } as const;

function tripAnnounced(trip: AgentContext['breaker']): { readonly [key: string]: string | null } {
  return trip ? { breaker: trip.breaker, observed: String(trip.observed), limit: String(trip.limit) } : {};
}

/** Stages with real orders. With lost data, neither these nor the gates that lead to them can be entered. */
const HAS_LIVE_CAPITAL: readonly string[] = ['limited_live', 'live'];
const LEADS_TO_LIVE_CAPITAL: readonly string[] = ['shadow', 'limited_live'];

/** Autonomy levels at which orders are placed without approval, lower level first. */
const BY_THEMSELVES: readonly Autonomy[] = ['policy_auto', 'autonomous'];

/** Returns why an agent refuses an event, or null if it accepts it. */
export function validateAgent(state: ActorState, event: ActorEvent): Refusal | null {
  const value = agentValue(state);
  const context = agentContext(state);
  const command = event as unknown as AgentEvent;
  if (command.type === 'pause' && value.duty === 'paused') {
    return refuse('already_paused', `the agent is paused already (${context.pauseCause})`).refusal;
  }
  if (command.type === 'positions.closed') {
    const { instrument, at } = command;
    if (!(context.closing ?? []).some((closing) => closing.instrument === instrument && closing.at === at))
      return refuse('state_conflict', 'this closing is no longer in progress').refusal;
  }
  if (command.type === 'resume') {
    if (value.duty !== 'paused') return refuse('not_paused', 'the agent is running; only a paused agent can be resumed').refusal;
    // Data was lost during another pause: the degraded-data breaker would have paused the agent, so it keeps it paused.
    if (value.feed === 'lost' && HAS_LIVE_CAPITAL.includes(value.stage))
      return refuse('cause_persists', 'market data is lost and the agent has live capital; resume it once the feed is live').refusal;
    if (context.pauseCause !== 'operator' && context.pauseCause !== 'emergency_halt') {
      if (value.feed !== 'live')
        return refuse('cause_persists', `market data is still ${value.feed}; resume it once the feed is live`).refusal;
      const endsAt = context.pauseCause === 'daily_drawdown' && context.breaker ? startOfSlot(context.breaker.at, DAY_MS) + DAY_MS : 0;
      if (command.at < endsAt) {
        return refuse('cause_persists', `the daily drawdown limit was reached; it can be resumed from ${isoTime(endsAt)}`).refusal;
      }
      if (command.subject === command.createdBy) {
        return refuse('resume_by_creator', "after a breaker, a member other than the agent's creator must resume it").refusal;
      }
    }
  }
  if (command.type === 'autonomy.set' && command.mayRaise === false) {
    if (BY_THEMSELVES.indexOf(command.autonomy) > BY_THEMSELVES.indexOf(context.autonomy))
      return refuse('permission_missing', `raising the autonomy to ${command.autonomy} needs risk:manage`).refusal;
  }
  if (command.type === 'manifest.changed' && command.manifestVersion !== context.manifestVersion + 1) {
    return refuse(
      'state_conflict',
      `the active manifest is version ${context.manifestVersion}; the next one is ${context.manifestVersion + 1}, not ${command.manifestVersion}`,
    ).refusal;
  }
  if (command.type === 'gate.passed') {
    if (value.duty === 'paused') return refuse('state_conflict', `the agent is paused (${context.pauseCause}); resume it first`).refusal;
    if (command.gate !== value.stage || command.manifestHash !== context.manifestHash) {
      return refuse(
        'state_conflict',
        `the agent is at ${value.stage}, and its stage or manifest has changed since the validation: try again`,
      ).refusal;
    }
    if (value.feed !== 'live' && LEADS_TO_LIVE_CAPITAL.includes(value.stage))
      return refuse('state_conflict', `market data is ${value.feed}: gates to live capital stay closed until the feed is live again`)
        .refusal;
  }
  return null;
}

export const agentKind: ActorKind = {
  kind: 'agent',
  machine: agentMachine,
  validate: validateAgent,
  migrations: {},
  effects: {
    recordDecision: (decision: TickDecision, info) => [
      record('decision', { agentId: info.actorId, slot: decision.slot, verdict: decision.verdict }),
    ],
    projectAgent: (_: undefined, info) => [
      record('agent_projection', agentProjection.record(info.orgId, { id: info.actorId, ...agentChanges(info) })),
    ],
    openTickWindow: (_: undefined, info) => [
      record('tick_window', { actorId: info.actorId, from: startOfSlot(info.now, AGENT_TICK_MS) + AGENT_TICK_MS, until: null }),
    ],
    closeTickWindow: (_: undefined, info) => [record('tick_window', { actorId: info.actorId, from: null, until: info.now })],
    cancelProposals: ({ reason }: { readonly reason: string }, info) => [record('proposals_cancelled', { agentId: info.actorId, reason })],
    announceAgent: ({ what }: { readonly what: string }, info) => [
      { kind: 'announcement', announcement: { channel: 'agents', body: announced(what, info) } },
    ],
    alert: ({ what }: { readonly what: string }, info) => [
      { kind: 'announcement', announcement: { channel: 'alerts', body: { ...announced(what, info), ...venuesLost(what, info) } } },
    ],
  },
};
