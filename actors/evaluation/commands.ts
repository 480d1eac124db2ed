/** Handles commands of evaluation runs: one open run per agent, with audit and answer in the step's transaction. */
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import { type BacktestRequest, isLook } from '../../src/domain/backtest/request.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { DAY_MS, isoTime, timeframeMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { evaluationContext, runState } from './effects.ts';
import type { Evaluation, EvaluationInput, RunEnding, RunState } from './machine.ts';
import type { Provenance } from '../../src/domain/market/data-source.ts';
import type { ToldProgress } from '../../src/domain/values/work-progress.ts';

/** View of a run. Times are ISO 8601. */
export interface EvaluationView {
  readonly id: string;
  readonly agentId: string;
  readonly evaluation: Evaluation;
  readonly state: RunState;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly request: { readonly [field: string]: Json };
  readonly requestedBy: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly attempts: number;
  readonly ending: RunEnding | null;
  readonly resultHash: string | null;
  readonly summary: { readonly [name: string]: Json } | null;
  /** Last progress reported by its worker, or null before the first report. */
  readonly told: ToldProgress | null;
  /** Null until it has finished. */
  readonly provenance: Provenance | null;
}

interface ActiveManifest {
  readonly version: number;
  readonly hash: string;
  readonly timeframe: string;
  /** True if its strategy is outside code. */
  readonly external: boolean;
}

/** Store ports of the command handler, besides the actors themselves. */
interface EvaluationDirectory {
  /** Returns the active manifest of the organization's agent, or null if there is no such agent. */
  activeManifest(orgId: string, agentId: string): Promise<ActiveManifest | null>;
  /** Returns null if the agent has no such run in this organization. */
  find(orgId: string, agentId: string, runId: string): Promise<EvaluationView | null>;
}

/** Name of the unique index that allows one open run per agent. */
const ONE_OPEN_RUN = 'one_open_evaluation_per_agent';

export function createEvaluationHandler(deps: {
  readonly runtime: Runtime;
  readonly evaluations: EvaluationDirectory;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}) {
  const { runtime, evaluations, clock } = deps;
  return {
    /** Queues a run on the agent's active manifest. Refuses with `state_conflict` while another run of the agent has not ended. */
    async start(
      context: CommandContext,
      agentId: string,
      evaluation: Evaluation,
      request: { readonly [field: string]: Json },
    ): Promise<Outcome<EvaluationView>> {
      const manifest = await evaluations.activeManifest(context.orgId, agentId);
      if (manifest === null) return refuse('not_found', 'there is no such agent');
      const id = deps.newId();
      const createdAt = clock.now();
      const input = toInput({ agentId, evaluation, request, requestedBy: context.subject, createdAt }, manifest);
      const objection = objectionTo(input, manifest);
      if (objection !== null) return refuse('state_conflict', objection);
      try {
        const plan = await runtime.start('evaluation', id, context.orgId, input, {
          cause: `${context.subject} ${context.requestId}`,
          also: (begun) => [
            auditRow(context, `agent.${evaluation}`, id, null, begun.state),
            ...answerRows(context, toView(id, begun.state, clock.now())),
          ],
        });
        return { ok: true, value: toView(id, plan.state, createdAt) };
      } catch (error) {
        if ((error as { constraint_name?: string }).constraint_name === ONE_OPEN_RUN) {
          return refuse('state_conflict', 'an evaluation of this agent is queued or running already: wait for its end or cancel it');
        }
        return answeredMeanwhile(error);
      }
    },

    async cancel(context: CommandContext, agentId: string, runId: string): Promise<Outcome<EvaluationView>> {
      const before = await evaluations.find(context.orgId, agentId, runId);
      if (before === null) return refuse('not_found', 'there is no such run');
      try {
        const outcome = await runtime.deliver(
          runId,
          { type: 'cancel', subject: context.subject },
          {
            cause: `${context.subject} ${context.requestId}`,
            orgId: context.orgId,
            also: (row, plan) => [
              auditRow(context, 'evaluation.cancel', runId, row.state, plan.state),
              ...answerRows(context, toView(runId, plan.state, clock.now())),
            ],
          },
        );
        if (outcome.ok) return { ok: true, value: toView(runId, outcome.value.plan.state, clock.now()) };
        return before.endedAt === null ? outcome : refuse('state_conflict', `the run has ended already: it is ${before.state}`);
      } catch (error) {
        return answeredMeanwhile(error);
      }
    },
  };
}

/** Commands of evaluation runs. Each answers after its transaction has committed. Runs of another organization are `not_found`. */
export type EvaluationCommands = ReturnType<typeof createEvaluationHandler>;

/** Returns why a run of the active manifest is refused, or null. */
function objectionTo({ evaluation, request }: Pick<EvaluationInput, 'evaluation' | 'request'>, manifest: ActiveManifest): string | null {
  if (request['session'] !== undefined && !manifest.external)
    return "the agent's own rules trade: start a backtest of it, because only outside code answers a replay session";
  if (evaluation === 'backtest' && request['look'] === false && (timeframeMs(manifest.timeframe) ?? 0) > DAY_MS)
    return `the gate of backtests is measured by days, and bars of ${manifest.timeframe} are longer: ask for a look, or use a timeframe of 24h or less`;
  return null;
}

/** Returns the input of a run on the active manifest. */
function toInput(
  asked: Omit<EvaluationInput, 'manifestVersion' | 'manifestHash'> & { readonly createdAt: number },
  { version, hash, timeframe }: ActiveManifest,
) {
  const { evaluation, request, createdAt } = asked;
  const read =
    evaluation === 'backtest' ? { ...request, look: isLook(request as unknown as BacktestRequest, timeframe, createdAt) } : request;
  return { ...asked, request: read, manifestVersion: version, manifestHash: hash };
}

/** Returns the view of a run's state. `at` is the time of the step. */
function toView(id: string, state: ActorState, at: number): EvaluationView {
  const context = evaluationContext(state);
  return {
    id,
    agentId: context.agentId,
    evaluation: context.evaluation,
    state: runState(state),
    manifestVersion: context.manifestVersion,
    manifestHash: context.manifestHash,
    request: context.request,
    requestedBy: context.requestedBy,
    createdAt: isoTime(context.createdAt),
    startedAt: context.startedAt === null ? null : isoTime(context.startedAt),
    endedAt: state.status === 'done' ? isoTime(at) : null,
    attempts: context.attempts,
    ending: context.ending,
    resultHash: context.resultHash,
    summary: context.summary,
    told: null,
    provenance: null,
  };
}
