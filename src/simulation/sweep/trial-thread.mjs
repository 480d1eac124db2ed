/** The beginning of a worker thread, in plain JavaScript: Node.js reads no TypeScript by itself. */
import { loadSource } from '../../load-sources.mjs';

await loadSource(new URL('./trial-worker.ts', import.meta.url));
