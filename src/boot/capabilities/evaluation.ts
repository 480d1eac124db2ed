/** Evaluation runs: commands and reads for any role, and the activity workers. */
import { createEvaluationHandler } from '../../../actors/evaluation/commands.ts';
import { evaluationKind } from '../../../actors/evaluation/effects.ts';
import type { Evaluation } from '../../../actors/evaluation/machine.ts';
import { type EvaluationRunner, type RunWorker, startRunWorker } from '../../../actors/evaluation/run-worker.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import type { ApiPorts } from '../../../api/route.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createRunPages } from '../../adapters/run-pages.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createEvaluationReads, createRunStore } from '../../adapters/store/evaluations/evaluation-store.ts';
import { createPreviewStore } from '../../adapters/store/evaluations/trial-reads.ts';
import type { EvidenceWriter } from '../../adapters/store/gates/evidence-store.ts';
import type { ActorCapability, CallerDeps } from './capability.ts';

/** Maximum number of concurrent runs per process. Each has its own thread. */
const RUNS_AT_ONCE = 2;
/** Maximum number of concurrent replay sessions per process. They mostly wait. */
const SESSIONS_AT_ONCE = 4;

type Runners = Readonly<Partial<Record<Evaluation, EvaluationRunner>>>;

export type Evaluations = ReturnType<typeof openEvaluations>;

export function openEvaluations(deps: {
  readonly sql: Sql;
  readonly runtime: Runtime;
  readonly evidence: EvidenceWriter;
  readonly clock: Clock;
  readonly newId: () => string;
}) {
  const { sql, runtime, evidence, clock, newId } = deps;
  const reads = createEvaluationReads(sql);
  const carry = (sessions: boolean, runners: Runners, holder: string, onError: (error: unknown) => void): RunWorker =>
    startRunWorker({
      store: createRunStore(sql, sessions),
      runtime,
      runners,
      writeEvidence: (draft) => evidence.write(draft),
      clock,
      holder,
      atOnce: sessions ? SESSIONS_AT_ONCE : RUNS_AT_ONCE,
      onError,
    });
  return {
    commands: createEvaluationHandler({ runtime, evaluations: reads, clock, newId }),
    reads,
    /** Starts executing runs. A kind without a runner is refused with `feature_disabled`. */
    carry: (runners: Runners, holder: string, onError: (error: unknown) => void): RunWorker => carry(false, runners, holder, onError),
    /** Starts executing replay sessions, which `carry` skips. */
    carrySessions: (runners: Runners, holder: string, onError: (error: unknown) => void): RunWorker =>
      carry(true, runners, holder, onError),
  };
}

/** Returns the evaluation runs of one organization's agents for callers, as a part of the agents' port. */
export function evaluationsFor({ sql, runtime, clock, newId }: CallerDeps): ApiPorts['agents']['evaluations'] {
  const reads = createEvaluationReads(sql);
  const { find, list, report, activeManifest } = reads;
  const commands = createEvaluationHandler({ runtime, evaluations: { find, activeManifest }, clock, newId });
  const { notePreview } = createPreviewStore(sql);
  return { find, list, report, notePreview, commands, page: createRunPages(reads) };
}

export const evaluationCapability = {
  kind: evaluationKind,
  machineFile: 'actors/evaluation/machine.ts',
} satisfies ActorCapability;
