/** Entry of a worker thread in plain JavaScript, because Node.js does not load TypeScript by itself. */
import { loadSource } from '../../load-sources.mjs';

await loadSource(new URL('./emergency-server.ts', import.meta.url));
