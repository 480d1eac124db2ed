/** Entry of the signer process in plain JavaScript, because Node.js does not load TypeScript by itself. */
import { loadSource } from '../../load-sources.mjs';

await loadSource(new URL('./signer-work.ts', import.meta.url));
