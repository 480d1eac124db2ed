/** The runners of evaluations, wired: bars and funding of the venues, the store, and threads of their own. */
import type { EvaluationRunner } from '../../actors/evaluation/run-worker.ts';
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock.ts';
import { createCandleStore } from '../adapters/store/candles/candle-store.ts';
import { createCandleWindows } from '../adapters/store/candles/candle-windows.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createEvaluationReads } from '../adapters/store/evaluations/evaluation-store.ts';
import { createStressReads } from '../adapters/store/evaluations/stress-reads.ts';
import { backfillCandles } from '../adapters/venues/candle-backfill.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';
import { timeframeMs } from '../domain/time.ts';
import type { Venue } from '../domain/venue.ts';
import { createBacktestRunner } from '../simulation/backtest/backtest-runner.ts';
import type { BacktestOutcome } from '../simulation/backtest/backtest-work.ts';
import { inThread } from '../simulation/evaluation-thread.ts';
import type { HistoryFetcher } from '../simulation/ports.ts';
import { createStressRunner } from '../simulation/stress/stress-runner.ts';
import type { Logger } from './log.ts';
import type { BacktestThread } from './threads/backtest-worker.ts';

export interface EvaluationRunnerDeps {
  readonly sql: Sql;
  /** Where the thread of a backtest connects to. */
  readonly databaseUrl: string;
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Logger;
}

export function openBacktestRunner(deps: EvaluationRunnerDeps): EvaluationRunner {
  const { sql, log } = deps;
  return createBacktestRunner({
    fetcher: historyFetcher(deps),
    trials: createEvaluationReads(sql),
    inThread: (asked, job) => {
      const thread: BacktestThread = { databaseUrl: deps.databaseUrl, asked };
      return inThread<BacktestOutcome>(new URL('./threads/backtest-thread.mjs', import.meta.url), thread, job, 'a backtest');
    },
    onMissing: (what) => log.info(what, 'a venue did not give the whole history of a backtest'),
  });
}

export function openStressRunner(sql: Sql): EvaluationRunner {
  return createStressRunner(createStressReads(sql));
}

/** Fetches from the venues, and keeps what they answered. */
function historyFetcher({ sql, histories, clock }: EvaluationRunnerDeps): HistoryFetcher {
  const store = createCandleStore(sql);
  const windows = createCandleWindows(sql);
  return {
    async bars(series, range, { signal, progress }) {
      const history = histories[series.venue];
      const barMs = timeframeMs(series.timeframe);
      if (history === undefined || barMs === null) return null;
      const { stopped } = await backfillCandles({ ...series, ...range, barMs, history, store, windows, clock, signal, progress });
      return stopped;
    },
    async funding(perpetual, { from, to }) {
      try {
        const rates = await histories.evmvenue?.fetchFunding?.(perpetual, from, to);
        return rates === undefined ? null : rates.map(({ at, hourlyFunding }) => ({ receivedAt: at, value: hourlyFunding }));
      } catch (error) {
        if (error instanceof VenueError) return null;
        throw error;
      }
    },
  };
}
