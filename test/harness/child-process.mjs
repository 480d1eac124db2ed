/** Entry point of processes that tests start: `child-process.mjs <source> <arguments>`. */
import { pathToFileURL } from 'node:url';
import { loadSource } from '../../src/load-sources.mjs';

const [node, , program, ...args] = process.argv;
process.argv = [node, program, ...args];
await loadSource(pathToFileURL(program), {
  entries: ['test/harness/postgres-owner.ts', 'test/harness/redis-owner.ts', 'test/journeys/worker-process.ts'],
  rooms: ['src', 'streams', 'actors', 'api', 'test/harness', 'test/journeys'],
});
