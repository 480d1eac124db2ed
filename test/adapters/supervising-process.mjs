// Supervisor in a process without free file descriptors, started by server-supervisor.test.ts. Prints how often it restarted a living
// server.
import { openSync } from 'node:fs';
import { register } from 'tsx/esm/api';

register();
const { superviseServer } = await import('../../src/adapters/process/server-supervisor.ts');
const { processStartedAt } = await import('../../src/adapters/process/server-process.ts');
const { createVirtualClock } = await import('../../streams/clock/virtual-clock.ts');
const clock = createVirtualClock(1_770_000_000_000);
let restarts = 0;
const server = { pid: process.pid, stop: async () => {} };
const restart = async () => {
  restarts += 1;
  return server;
};
const log = { error: () => {}, info: () => {} };
const watch = superviseServer({ name: 'redis', server, restart, clock, log, onRestarted: () => {} });
const began = clock.now();
/** Opens files until none more can be opened. Returns the reason. */
function fill() {
  for (;;) {
    try {
      openSync('/dev/null', 'r');
    } catch (error) {
      return error.code;
    }
  }
}
const full = fill();
await clock.settleTo(began + 10_000);
// Loaded modules may have freed a descriptor.
fill();
let told = '';
try {
  processStartedAt(process.pid);
} catch (error) {
  told = error.code;
}
await watch.stop();
process.stdout.write(`${full} ${told} ${restarts}\n`);
