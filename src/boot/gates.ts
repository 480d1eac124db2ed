/** The gates of this database, wired: the command handler over runtime and evidence, and the daily look at paper and shadow trading. */
import type { AgentDirectory } from '../../actors/agent/command-handler.ts';
import { assessDue, lookDaily } from '../../actors/agent/daily-gates.ts';
import { createGateHandler, type GateCommands, type GatedView } from '../../actors/agent/gate-handler.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { Clock } from '../../streams/clock.ts';
import { createAgentDirectory } from '../adapters/store/agents/agent-directory.ts';
import { manifestOf } from '../adapters/store/agents/manifest-reads.ts';
import { createKnownHistoryReads } from '../adapters/store/candles/backtest-reads.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createEvidenceWriter, type EvidenceWriter } from '../adapters/store/gates/evidence-store.ts';
import { createGateKeeper } from '../adapters/store/gates/gate-keeper.ts';
import type { HistorySource, MissingHistory } from '../domain/backtest/missing-history.ts';
import { liveLimit } from '../domain/manifest/live-limit.ts';
import type { EpochMs } from '../domain/time.ts';
import { missingHistory } from '../simulation/backtest/missing-history.ts';

export interface Gates {
  readonly commands: GateCommands;
  /** Where evaluation runs put their evidence. */
  readonly evidence: EvidenceWriter;
  /** Begins to assess paper and shadow stages once a day; answers how to end it. */
  watch(clock: Clock, onError: (error: unknown) => void): { stop(): Promise<void> };
  /** Assesses paper and shadow stages that nobody has looked at on the day of this time. */
  assessDue(at: EpochMs, onError: (error: unknown) => void): Promise<void>;
}

/** `evaluator` is a pool that works as the role sevengate_evaluator; `sql` is the application's. */
export function openGates(deps: {
  readonly sql: Sql;
  readonly evaluator: Sql;
  readonly runtime: Runtime;
  readonly clock: Pick<Clock, 'now'>;
  /** What of the past a backtest finds by itself. */
  readonly obtainable: ReadonlySet<HistorySource>;
  readonly newId: () => string;
}): Gates {
  const evidence = createEvidenceWriter(deps.evaluator, deps.newId);
  const keeper = createGateKeeper({ sql: deps.sql, evidence });
  const agents: Pick<AgentDirectory, 'find' | 'write'> = createAgentDirectory(deps.sql);
  return {
    commands: createGateHandler({
      runtime: deps.runtime,
      agents,
      gates: keeper,
      missingHistory: historyOf(deps),
      liveLimit: limitOf(deps.sql),
    }),
    evidence,
    watch: (clock, onError) => lookDaily(keeper, clock, onError),
    assessDue: (at, onError) => assessDue(keeper, at, onError),
  };
}

/** What of the past an agent's manifest would miss in a backtest that is asked for now. */
function historyOf({
  sql,
  clock,
  obtainable,
}: Pick<Parameters<typeof openGates>[0], 'sql' | 'clock' | 'obtainable'>): (agent: GatedView) => Promise<readonly MissingHistory[]> {
  const reads = createKnownHistoryReads(sql);
  return async ({ id, manifestVersion }) => {
    const manifest = await manifestOf(sql, id, manifestVersion);
    return manifest === null ? [] : missingHistory(reads, manifest, clock.now(), obtainable);
  };
}

/** What of an agent's manifest can never trade live. */
function limitOf(sql: Sql): (agent: GatedView) => Promise<string | null> {
  return async ({ id, manifestVersion }) => {
    const manifest = await manifestOf(sql, id, manifestVersion);
    return manifest === null ? null : liveLimit(manifest);
  };
}
