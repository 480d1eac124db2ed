/** Thread for one evaluation. It ends with the work, with its error, or with the job's signal. */
import { Worker } from 'node:worker_threads';
import type { EvaluationJob } from '../../actors/evaluation/run-worker.ts';
import { toldCatalog } from '../domain/catalog/catalog.ts';

/** Messages of a thread: its progress, and finally its result. */
export type ThreadPost<Outcome> =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'progress'; readonly done: number; readonly total: number; readonly what: string };

/**
 * Runs an evaluation in its own thread. `entry` is the thread's module; it gets `data` and the current catalog. `beside` receives the
 * thread at once, for messages of its own.
 * @throws Error if the thread fails, ends without a result, or is terminated
 */
export function inThread<Outcome>(
  entry: URL,
  data: object,
  job: Pick<EvaluationJob, 'signal' | 'progress'>,
  what: string,
  beside: (worker: Worker) => void = () => {},
): Promise<Outcome> {
  const worker = new Worker(entry, { workerData: { ...data, catalog: toldCatalog() } });
  beside(worker);
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      void worker.terminate();
      reject(new Error('the run was cancelled from outside'));
    };
    if (job.signal.aborted) {
      abort();
      return;
    }
    job.signal.addEventListener('abort', abort, { once: true });
    worker.on('message', (message: ThreadPost<Outcome>) => {
      if (message.kind === 'outcome') resolve(message.outcome);
      else if (message.kind === 'progress') job.progress(message.done, message.total, message.what);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => {
      job.signal.removeEventListener('abort', abort);
      reject(new Error(`the thread of ${what} ended with code ${code} and no result`));
    });
  });
}
