/** Runners of evaluations over the venues' bars and funding, the store, and threads of their own. */
import type { EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Logger } from '../../adapters/log/log.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { passedSession } from '../../adapters/store/gates/agreement-keeper.ts';
import { createStressReads } from '../../adapters/store/evaluations/stress-reads.ts';
import { createHistoryFetcher } from '../../adapters/venues/history-fetcher.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { createKnownHistoryReads } from '../../adapters/store/candles/backtest-reads.ts';
import type { HistorySource } from '../../domain/backtest/missing-history.ts';
import { missingHistory } from '../../simulation/backtest/missing-history.ts';
import { backtestNeeds, listBarSeries } from '../../simulation/backtest/needs.ts';
import { createBacktestPreviews } from '../../simulation/backtest/backtest-previews.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { createBacktestRunner } from '../../simulation/backtest/backtest-runner.ts';
import type { BacktestOutcome } from '../../simulation/backtest/backtest-work.ts';
import type { Sessions } from '../../simulation/blind/in-session.ts';
import { type AgreementFound, createAgreementRunner } from '../../simulation/blind/agreement-runner.ts';
import { createReplayRunner } from '../../simulation/blind/replay-runner.ts';
import { inThread } from '../../simulation/evaluation-thread.ts';
import type { HistoryArchives } from '../../adapters/venues/history-fetcher.ts';
import { createStressRunner, createStressSessionRunner } from '../../simulation/stress/stress-runner.ts';
import { createSweepRunner } from '../../simulation/sweep/sweep-runner.ts';
import type { SweepOutcome } from '../../simulation/sweep/sweep-work.ts';
import type { AgreementThread, BacktestThread, ReplayThread, SweepThread } from '../threads/backtest-worker.ts';

const THREAD = new URL('../threads/backtest-thread.mjs', import.meta.url);
/** Maximum number of concurrent previews per process. */
const PREVIEWS_AT_ONCE = 2;

export interface EvaluationRunnerDeps {
  readonly sql: Sql;
  /** Database URL for a backtest's thread. */
  readonly databaseUrl: string;
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  /** Archives, or null if files are the only ones. */
  readonly archives: HistoryArchives | null;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Logger;
}

/** Creates the runners over stored bars: backtests and sweeps. */
export function openHistoryRunners(deps: EvaluationRunnerDeps, asksForTrials = true): Record<'backtest' | 'sweep', EvaluationRunner> {
  const { log, databaseUrl } = deps;
  const shared = {
    fetcher: createHistoryFetcher(deps),
    asksForTrials,
    onMissing: (what: { readonly [field: string]: unknown }) => log.info(what, 'a venue did not return the full history of a backtest'),
  };
  return {
    backtest: createBacktestRunner({
      ...shared,
      inThread: (asked, job) => inThread<BacktestOutcome>(THREAD, { databaseUrl, asked } satisfies BacktestThread, job, 'a backtest'),
    }),
    sweep: createSweepRunner({
      ...shared,
      inThread: (sweep, job) => inThread<SweepOutcome>(THREAD, { databaseUrl, sweep } satisfies SweepThread, job, 'a sweep'),
    }),
  };
}

/** Creates the previews of drafts. They run like backtests, each in a thread of its own. */
export function openPreviews(deps: EvaluationRunnerDeps & { readonly obtainable: ReadonlySet<HistorySource> }): ApiPorts['previews'] {
  const { sql, clock, obtainable } = deps;
  const reads = createKnownHistoryReads(sql);
  const { run } = createBacktestPreviews({
    // A preview reports no deflated Sharpe ratio, so it counts as a trial without reading others.
    runner: openHistoryRunners(deps, false).backtest,
    missing: (manifest, stretch) => missingHistory(reads, manifest, clock.now(), obtainable, stretch),
    clock,
    atOnce: PREVIEWS_AT_ONCE,
  });
  return { run, seriesOf: (manifest) => listBarSeries(backtestNeeds(manifest, manifest.timeframe)).length };
}

/** Creates the runners of sessions that outside code answers, which run beside other runs. */
export function openSessionRunners(
  deps: EvaluationRunnerDeps,
  sessions: Sessions,
): Record<'backtest' | 'stress_test' | 'agreement', EvaluationRunner> {
  return {
    backtest: openReplayRunner(deps, sessions),
    stress_test: createStressSessionRunner(createStressReads(deps.sql), sessions),
    agreement: openAgreementRunner(deps, sessions),
  };
}

function openReplayRunner(deps: EvaluationRunnerDeps, sessions: Sessions): EvaluationRunner {
  const { log, databaseUrl } = deps;
  return createReplayRunner({
    fetcher: createHistoryFetcher(deps),
    onMissing: (what) => log.info(what, 'a venue did not return the full history of a replay session'),
    ...sessions,
    inThread: (replay, job, beside) =>
      inThread<BacktestOutcome>(THREAD, { databaseUrl, replay } satisfies ReplayThread, job, 'a replay session', beside),
  });
}

function openAgreementRunner(deps: EvaluationRunnerDeps, sessions: Sessions): EvaluationRunner {
  const { log, databaseUrl, sql } = deps;
  return createAgreementRunner({
    fetcher: createHistoryFetcher(deps),
    onMissing: (what) => log.info(what, 'a venue did not return the full history of an agreement session'),
    ...sessions,
    passedSession: (agentId, runId) => passedSession(sql, agentId, runId),
    inThread: (agreement, job, beside) =>
      inThread<AgreementFound>(THREAD, { databaseUrl, agreement } satisfies AgreementThread, job, 'an agreement session', beside),
  });
}

export function openStressRunner(sql: Sql): EvaluationRunner {
  return createStressRunner(createStressReads(sql));
}
