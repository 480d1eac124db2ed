/** Effects of an evaluation run's committed actions, and validation of its events. */
import type { ActorEvent, ActorState } from '../../src/domain/agents/actor-step.ts';
import { type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import { type ActorKind, record, type StepInfo } from '../runtime/actor-kind.ts';
import { evaluationMachine, type EvaluationContext, type RunState } from './machine.ts';

export function evaluationContext(state: Pick<ActorState, 'context'>): EvaluationContext {
  return state.context as unknown as EvaluationContext;
}

export function runState(state: Pick<ActorState, 'value'>): RunState {
  return state.value as RunState;
}

const ENDED: readonly RunState[] = ['finished', 'refused', 'cancelled', 'failed'];

/** Returns the row of the projection after the step. */
function projected(info: StepInfo): { readonly [field: string]: unknown } {
  const context = evaluationContext(info);
  const state = runState(info);
  return {
    id: info.actorId,
    orgId: info.orgId,
    agentId: context.agentId,
    evaluation: context.evaluation,
    state,
    manifestVersion: context.manifestVersion,
    manifestHash: context.manifestHash,
    request: context.request,
    requestedBy: context.requestedBy,
    createdAt: context.createdAt,
    startedAt: context.startedAt,
    endedAt: ENDED.includes(state) ? info.now : null,
    attempts: context.attempts,
    ending: context.ending,
    resultHash: context.resultHash,
    summary: context.summary,
  };
}

/** Returns why a run can no longer be cancelled, or null. */
function validateEvaluation(state: ActorState, event: ActorEvent): Refusal | null {
  const value = runState(state);
  if (event.type === 'cancel' && ENDED.includes(value))
    return refuse('state_conflict', `the run has ended already: it is ${value}`).refusal;
  return null;
}

export const evaluationKind: ActorKind = {
  kind: 'evaluation',
  machine: evaluationMachine,
  validate: validateEvaluation,
  migrations: {},
  effects: {
    projectRun: (_: undefined, info) => [record('evaluation_run', projected(info))],
    announceRun: ({ what }: { readonly what: string }, info) => {
      const { agentId, evaluation, manifestHash, ending, resultHash, summary } = evaluationContext(info);
      const body = { what, agentId, runId: info.actorId, evaluation, state: runState(info), manifestHash, ending, resultHash, summary };
      return [{ kind: 'announcement', announcement: { channel: 'agents', about: agentId, body: body } }];
    },
  },
};
