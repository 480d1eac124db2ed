/** Worker thread of a backtest or sweep: reads the stored bars through its own connection, computes, and posts the result. */
import { availableParallelism } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createBacktestReads } from '../../adapters/store/candles/backtest-reads.ts';
import { openDatabase } from '../../adapters/store/database.ts';
import { createTrialReads } from '../../adapters/store/evaluations/trial-reads.ts';
import { type ToldCatalog, takeCatalog } from '../../domain/catalog/catalog.ts';
import type { BacktestAsked } from '../../simulation/backtest/backtest-runner.ts';
import type { BacktestOutcome } from '../../simulation/backtest/backtest-work.ts';
import { type BacktestJob, workFromHistory } from '../../simulation/backtest/from-history.ts';
import { NO_OTHERS, type TrialsAsked } from '../../simulation/backtest/run.ts';
import type { ReplayAsked } from '../../simulation/blind/replay-runner.ts';
import type { AgreementAsked, AgreementFound } from '../../simulation/blind/agreement-runner.ts';
import { workAgreement, workReplay } from '../../simulation/blind/replay-thread.ts';
import type { ThreadPost } from '../../simulation/evaluation-thread.ts';
import type { BacktestReads } from '../../adapters/store/candles/backtest-reads.ts';
import type { TrialReads, TrialsOf } from '../../adapters/store/evaluations/trial-reads.ts';
import { type SweepJob, sweepFromHistory } from '../../simulation/sweep/sweep-from-history.ts';
import type { SweepAsked } from '../../simulation/sweep/sweep-runner.ts';
import type { SweepOutcome } from '../../simulation/sweep/sweep-work.ts';

export interface BacktestThread {
  readonly databaseUrl: string;
  readonly asked: BacktestAsked | BacktestJob;
}

export interface SweepThread {
  readonly databaseUrl: string;
  readonly sweep: SweepAsked | SweepJob;
}

export interface ReplayThread {
  readonly databaseUrl: string;
  readonly replay: ReplayAsked;
}

export interface AgreementThread {
  readonly databaseUrl: string;
  readonly agreement: AgreementAsked;
}

type Work = BacktestThread | SweepThread | ReplayThread | AgreementThread;
type WorkOutcome = BacktestOutcome | SweepOutcome | AgreementFound;

/** Runs a backtest on the store of a database. Reports progress to `post`. */
export function workFromStore(
  { databaseUrl, asked }: BacktestThread,
  post: (message: ThreadPost<BacktestOutcome>) => void,
): Promise<BacktestOutcome> {
  return onStore(databaseUrl, 'backtest', (reads, trials) =>
    workFromHistory(reads, 'trials' in asked ? asked : { ...asked, trials: queryFamily(trials, asked.trialsOf) }, post),
  );
}

const port = parentPort;
if (port !== null && isWork(workerData)) {
  takeCatalog((workerData as { readonly catalog?: ToldCatalog }).catalog);
  const post = (message: ThreadPost<WorkOutcome>): void => port.postMessage(message);
  const outcome = await runWork(workerData, port, post);
  post({ kind: 'outcome', outcome });
}

function runWork(work: Work, port: MessagePort, post: (message: ThreadPost<WorkOutcome>) => void): Promise<WorkOutcome> {
  if ('agreement' in work) return onStore(work.databaseUrl, 'agreement', (reads) => workAgreement(reads, work.agreement, port, post));
  if ('sweep' in work) return sweepFromStore(work, post);
  return 'replay' in work ? replayFromStore(work, port, post) : workFromStore(work, post);
}

/** Runs a replay session on the store of a database. */
function replayFromStore(
  { databaseUrl, replay }: ReplayThread,
  port: MessagePort,
  post: (message: ThreadPost<BacktestOutcome>) => void,
): Promise<BacktestOutcome> {
  return onStore(databaseUrl, 'replay', (reads, trials) =>
    workReplay(reads, { ...replay, trials: queryFamily(trials, replay.trialsOf) }, port, post),
  );
}

/** Runs a sweep on the store of a database. */
export function sweepFromStore(
  { databaseUrl, sweep }: SweepThread,
  post: (message: ThreadPost<SweepOutcome>) => void,
): Promise<SweepOutcome> {
  return onStore(databaseUrl, 'sweep', (reads, trials) => {
    if ('earlier' in sweep) return sweepFromHistory(reads, sweep, availableParallelism(), post);
    return sweepFromHistory(
      reads,
      { ...sweep, earlier: async (returns) => ({ sharpes: await trials.otherTrials(sweep.trialsOf, returns) }) },
      availableParallelism(),
      post,
    );
  });
}

/** Returns a query for the family's trials, or only the run itself if nothing is requested. */
function queryFamily(trials: TrialReads, of: TrialsOf | null): TrialsAsked {
  if (of === null) return NO_OTHERS;
  return async (returns) => {
    const others = await trials.otherTrials(of, returns);
    return { versions: others.length + 1, otherSharpes: others.filter((sharpe) => sharpe !== null) };
  };
}

/** Runs work on the stored bars through its own connection, which closes with the work. */
async function onStore<Made>(
  databaseUrl: string,
  work: string,
  make: (reads: BacktestReads, trials: TrialReads) => Promise<Made>,
): Promise<Made> {
  const sql = openDatabase({ url: databaseUrl, connections: 1, name: `sevengate ${work}` });
  try {
    return await make(createBacktestReads(sql), createTrialReads(sql));
  } finally {
    await sql.end({ timeout: 3 });
  }
}

/** True if this thread was started for such work. Another thread may load the file only for its functions. */
function isWork(data: unknown): data is Work {
  if (typeof data !== 'object' || data === null || !('databaseUrl' in data)) return false;
  return 'asked' in data || 'sweep' in data || 'replay' in data || 'agreement' in data;
}
