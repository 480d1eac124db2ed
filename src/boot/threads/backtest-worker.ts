/** The worker thread of a backtest: reads the stored bars through a connection of its own, works, and posts what it came to. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBacktestReads } from '../../adapters/store/candles/backtest-reads.ts';
import { openDatabase } from '../../adapters/store/database.ts';
import { type ToldCatalog, takeCatalog } from '../../domain/catalog.ts';
import type { BacktestOutcome } from '../../simulation/backtest/backtest-work.ts';
import { type BacktestJob, workFromHistory } from '../../simulation/backtest/from-history.ts';
import type { ThreadPost } from '../../simulation/evaluation-thread.ts';

/** What the thread is given. */
export interface BacktestThread {
  readonly databaseUrl: string;
  readonly asked: BacktestJob;
}

/** Works a backtest out on the store of a database. `post` hears of the progress. */
export async function workFromStore(
  { databaseUrl, asked }: BacktestThread,
  post: (message: ThreadPost<BacktestOutcome>) => void,
): Promise<BacktestOutcome> {
  const sql = openDatabase({ url: databaseUrl, connections: 1, name: 'sevengate backtest' });
  try {
    return await workFromHistory(createBacktestReads(sql), asked, post);
  } finally {
    await sql.end({ timeout: 3 });
  }
}

const port = parentPort;
if (port !== null && isBacktest(workerData)) {
  takeCatalog((workerData as { readonly catalog?: ToldCatalog }).catalog);
  const post = (message: ThreadPost<BacktestOutcome>): void => port.postMessage(message);
  post({ kind: 'outcome', outcome: await workFromStore(workerData, post) });
}

/** Whether this thread was started for a backtest: the file may be loaded in another thread for its function alone. */
function isBacktest(data: unknown): data is BacktestThread {
  return typeof data === 'object' && data !== null && 'databaseUrl' in data && 'asked' in data;
}
