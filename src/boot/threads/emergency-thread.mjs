/** The beginning of a worker thread: threads inherit no loader of TypeScript, so this one registers it and goes on. */
import { register } from 'tsx/esm/api';

register();
await import('./emergency-server.ts');
