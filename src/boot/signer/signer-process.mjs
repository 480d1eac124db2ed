/** The beginning of the signer process, in plain JavaScript: Node.js reads no TypeScript by itself. */
import { loadSource } from '../../load-sources.mjs';

await loadSource(new URL('./signer-work.ts', import.meta.url));
