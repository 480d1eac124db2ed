/** Worker thread of a sweep: tries its variants and posts the results. It reads only its input. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ToldCatalog, takeCatalog } from '../../domain/catalog/catalog.ts';
import type { ThreadPost } from '../evaluation-thread.ts';
import type { TrialThread } from './trial-threads.ts';
import { type Tried, tryVariants } from './trials.ts';

const { trying, catalog } = workerData as TrialThread & { readonly catalog?: ToldCatalog };
takeCatalog(catalog);
const post = (message: ThreadPost<readonly Tried[]>): void => parentPort?.postMessage(message);
const total = trying.variants.length;
post({ kind: 'outcome', outcome: tryVariants(trying, (done) => post({ kind: 'progress', done, total, what: 'trying variants' })) });
