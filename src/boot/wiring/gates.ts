/** Gates of this database: the command handler over runtime and evidence, and the daily assessment of paper and shadow trading. */
import { assessDue, lookDaily } from '../../../actors/agent/daily-gates.ts';
import type { ContainedLoop } from '../../../actors/runtime/containment.ts';
import { createEvaluationHandler } from '../../../actors/evaluation/commands.ts';
import { createGateHandler, type GatedView } from '../../../actors/agent/gate-handler.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { readManifestVersion } from '../../adapters/store/agents/manifest-reads.ts';
import { createKnownHistoryReads } from '../../adapters/store/candles/backtest-reads.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createEvaluationReads } from '../../adapters/store/evaluations/evaluation-store.ts';
import { disagreements, dueAgreements } from '../../adapters/store/gates/agreement-keeper.ts';
import { createEvidenceWriter } from '../../adapters/store/gates/evidence-store.ts';
import { createGateKeeper } from '../../adapters/store/gates/gate-keeper.ts';
import type { HistorySource } from '../../domain/backtest/missing-history.ts';
import { manifestInWords } from '../../domain/manifest/execution-words.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { missingHistory } from '../../simulation/backtest/missing-history.ts';

export type Gates = ReturnType<typeof openGates>;

/** Opens the gates. `evaluator` is a pool with the role sevengate_evaluator; `sql` is the application's. */
export function openGates(deps: {
  readonly sql: Sql;
  readonly evaluator: Sql;
  readonly runtime: Runtime;
  readonly clock: Pick<Clock, 'now'>;
  /** Sources of history that a backtest can read by itself. */
  readonly obtainable: ReadonlySet<HistorySource>;
  readonly newId: () => string;
  /** Returns true if only a missing exchange key keeps an organization from live trading there. Default: false. */
  readonly lacksExchangeKey?: (orgId: string) => boolean;
  /** Returns why instruments cannot get live capital, or null. Default: no check. */
  readonly lateRound?: (added: readonly InstrumentKey[]) => Promise<string | null>;
}) {
  const evidence = createEvidenceWriter(deps.evaluator, deps.newId);
  const keeper = createGateKeeper({ sql: deps.sql, evidence });
  const agents = createAgentDirectory(deps.sql);
  const kept = createKnownHistoryReads(deps.sql);
  const manifestOfView = ({ id, manifestVersion }: GatedView) => readManifestVersion(deps.sql, id, manifestVersion);
  const agreement = {
    due: (now: EpochMs) => dueAgreements(deps.sql, now),
    disagreed: () => disagreements(deps.sql),
    runtime: deps.runtime,
    evaluations: createEvaluationHandler({ ...deps, evaluations: createEvaluationReads(deps.sql) }),
    newId: deps.newId,
  };
  const looked = { ...keeper, agreement };
  return {
    commands: createGateHandler({
      runtime: deps.runtime,
      agents,
      gates: keeper,
      missingHistory: async (agent) => {
        const manifest = await manifestOfView(agent);
        return manifest === null ? [] : missingHistory(kept, manifest, deps.clock.now(), deps.obtainable);
      },
      capitalRefusal: async (agent) => {
        const manifest = await manifestOfView(agent);
        return (manifest && (await deps.lateRound?.(manifest.universe.map(({ key }) => key)))) ?? null;
      },
      manifestInWords: async (agent, orgId) => manifestInWords(await manifestOfView(agent), deps.lacksExchangeKey?.(orgId) === true),
    }),
    /** Writer of the evidence of evaluation runs. */
    evidence,
    /** Starts the daily assessment of paper and shadow stages. Returns a function that stops it. */
    watch: (clock: Clock, contained: ContainedLoop, onError: (error: unknown) => void): { stop(): Promise<void> } =>
      lookDaily(looked, clock, contained, onError),
    /** Assesses the paper and shadow stages that were not yet assessed on this day. */
    assessDue: (at: EpochMs, contained: ContainedLoop): Promise<void> => assessDue(looked, at, contained),
  };
}
