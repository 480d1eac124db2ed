/** The runners of evaluations, wired: bars and funding of the venues, the store, and threads of their own. */
import type { EvaluationRunner } from '../../actors/evaluation/run-worker.ts';
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Logger } from '../adapters/log.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createStressReads } from '../adapters/store/evaluations/stress-reads.ts';
import { createTrialReads } from '../adapters/store/evaluations/trial-reads.ts';
import { createHistoryFetcher } from '../adapters/venues/history-fetcher.ts';
import type { Venue } from '../domain/venue.ts';
import { createBacktestRunner } from '../simulation/backtest/backtest-runner.ts';
import type { BacktestOutcome } from '../simulation/backtest/backtest-work.ts';
import { inThread } from '../simulation/evaluation-thread.ts';
import type { HistoryArchives } from '../simulation/ports.ts';
import { createStressRunner } from '../simulation/stress/stress-runner.ts';
import { createSweepRunner } from '../simulation/sweep/sweep-runner.ts';
import type { SweepOutcome } from '../simulation/sweep/sweep-work.ts';
import type { BacktestThread, SweepThread } from './threads/backtest-worker.ts';

export interface EvaluationRunnerDeps {
  readonly sql: Sql;
  /** Where the thread of a backtest connects to. */
  readonly databaseUrl: string;
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  /** Null where files are the only archives. */
  readonly archives: HistoryArchives | null;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Logger;
}

/** The runners of what is simulated over stored bars: backtests, and sweeps of them. */
export function openHistoryRunners(deps: EvaluationRunnerDeps): Record<'backtest' | 'sweep', EvaluationRunner> {
  const { sql, log, databaseUrl } = deps;
  const entry = new URL('./threads/backtest-thread.mjs', import.meta.url);
  const shared = {
    fetcher: createHistoryFetcher(deps),
    trials: createTrialReads(sql),
    onMissing: (what: { readonly [field: string]: unknown }) => log.info(what, 'a venue did not give the whole history of a backtest'),
  };
  return {
    backtest: createBacktestRunner({
      ...shared,
      inThread: (asked, job) => inThread<BacktestOutcome>(entry, { databaseUrl, asked } satisfies BacktestThread, job, 'a backtest'),
    }),
    sweep: createSweepRunner({
      ...shared,
      inThread: (sweep, job) => inThread<SweepOutcome>(entry, { databaseUrl, sweep } satisfies SweepThread, job, 'a sweep'),
    }),
  };
}

export function openStressRunner(sql: Sql): EvaluationRunner {
  return createStressRunner(createStressReads(sql));
}
