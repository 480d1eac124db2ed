/** The gates of this database, wired: the command handler over runtime and evidence, and the daily look at paper and shadow trading. */
import type { AgentDirectory } from '../../../actors/agent/command-handler.ts';
import { assessDue, lookDaily } from '../../../actors/agent/daily-gates.ts';
import type { ContainedLoop } from '../../../actors/runtime/containment.ts';
import { createEvaluationHandler } from '../../../actors/evaluation/command-handler.ts';
import { createGateHandler, type GateCommands, type GatedView } from '../../../actors/agent/gate-handler.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { manifestOf } from '../../adapters/store/agents/manifest-reads.ts';
import { createKnownHistoryReads } from '../../adapters/store/candles/backtest-reads.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createEvaluationReads } from '../../adapters/store/evaluations/evaluation-store.ts';
import { disagreements, dueAgreements } from '../../adapters/store/gates/agreement-keeper.ts';
import { createEvidenceWriter, type EvidenceWriter } from '../../adapters/store/gates/evidence-store.ts';
import { createGateKeeper } from '../../adapters/store/gates/gate-keeper.ts';
import type { HistorySource } from '../../domain/backtest/missing-history.ts';
import { manifestInWords } from '../../domain/manifest/execution-words.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { missingHistory } from '../../simulation/backtest/missing-history.ts';

export interface Gates {
  readonly commands: GateCommands;
  /** Writer of the evidence of evaluation runs. */
  readonly evidence: EvidenceWriter;
  /** Begins to assess paper and shadow stages once a day; answers how to end it. */
  watch(clock: Clock, contained: ContainedLoop, onError: (error: unknown) => void): { stop(): Promise<void> };
  /** Assesses paper and shadow stages that nobody has looked at on the day of this time. */
  assessDue(at: EpochMs, contained: ContainedLoop): Promise<void>;
}

/** `evaluator` is a pool that works as the role sevengate_evaluator; `sql` is the application's. */
export function openGates(deps: {
  readonly sql: Sql;
  readonly evaluator: Sql;
  readonly runtime: Runtime;
  readonly clock: Pick<Clock, 'now'>;
  /** History that a backtest can read by itself. */
  readonly obtainable: ReadonlySet<HistorySource>;
  readonly newId: () => string;
  /** Returns true if only a key at the spot exchange keeps an organization from live trading there. Default: never reported. */
  readonly lacksExchangeKey?: (orgId: string) => boolean;
  /** Says why instruments cannot be given live capital; nobody is refused unless given. */
  readonly lateRound?: (added: readonly InstrumentKey[]) => Promise<string | null>;
}): Gates {
  const evidence = createEvidenceWriter(deps.evaluator, deps.newId);
  const keeper = createGateKeeper({ sql: deps.sql, evidence });
  const agents: Pick<AgentDirectory, 'find' | 'write'> = createAgentDirectory(deps.sql);
  const kept = createKnownHistoryReads(deps.sql);
  const manifestOfView = ({ id, manifestVersion }: GatedView) => manifestOf(deps.sql, id, manifestVersion);
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
    evidence,
    watch: (clock, contained, onError) => lookDaily(looked, clock, contained, onError),
    assessDue: (at, contained) => assessDue(looked, at, contained),
  };
}
