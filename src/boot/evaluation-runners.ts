/** The runners of evaluations, wired: bars and funding of the venues, the store, and threads of their own. */
import type { EvaluationRunner } from '../../actors/evaluation/run-worker.ts';
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createEvaluationReads } from '../adapters/store/evaluations/evaluation-store.ts';
import { createStressReads } from '../adapters/store/evaluations/stress-reads.ts';
import { createHistoryFetcher } from '../adapters/venues/history-fetcher.ts';
import type { Venue } from '../domain/venue.ts';
import { createBacktestRunner } from '../simulation/backtest/backtest-runner.ts';
import type { BacktestOutcome } from '../simulation/backtest/backtest-work.ts';
import { inThread } from '../simulation/evaluation-thread.ts';
import type { HistoryArchives } from '../simulation/ports.ts';
import { createStressRunner } from '../simulation/stress/stress-runner.ts';
import type { Logger } from '../adapters/log.ts';
import type { BacktestThread } from './threads/backtest-worker.ts';

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

export function openBacktestRunner(deps: EvaluationRunnerDeps): EvaluationRunner {
  const { sql, log } = deps;
  return createBacktestRunner({
    fetcher: createHistoryFetcher(deps),
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
