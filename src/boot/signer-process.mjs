/** The beginning of the signer process: it inherits no loader of TypeScript, so this registers it and goes on. */
import { register } from 'tsx/esm/api';

register();
await import('./signer-work.ts');
