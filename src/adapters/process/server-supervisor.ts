/** Watches a server that this process started and restarts it if it ends by itself. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Log } from '../../../streams/log.ts';
import { processStartedAt } from './server-process.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

export interface SupervisedServer {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Supervision {
  /** Names the server in the log and in metrics. */
  readonly name: 'postgresql' | 'redis';
  readonly server: SupervisedServer;
  /** Restarts the server with the same folder, port and password. */
  readonly restart: () => Promise<SupervisedServer>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Pick<Log, 'error' | 'info'>;
  /** Called after a restart with the milliseconds of the interruption. */
  readonly onRestarted: (name: Supervision['name'], downMs: number) => void;
}

/** Milliseconds between checks. Reading `/proc` takes microseconds; other systems must run a program. */
const LOOK_MS = process.platform === 'linux' ? 500 : 1_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** Milliseconds after which a running server resets the wait to its minimum. */
const STEADY_MS = MINUTE_MS;

/** Returns true also if the machine cannot tell, so that a running server is not started twice. */
function isAlive(pid: number, startedAt: string | null, log: Supervision['log']): boolean {
  try {
    return startedAt !== null && processStartedAt(pid) === startedAt;
  } catch (error) {
    log.error({ err: error, pid }, 'this process cannot check if a server of this service runs');
    return true;
  }
}

/** Starts supervision; `stop` ends it and stops the current server process. */
export function superviseServer(supervision: Supervision): { stop(): Promise<void> } {
  const { name, restart, clock, log } = supervision;
  let server = supervision.server;
  let startedAt = processStartedAt(server.pid);
  let since = clock.now();
  let failures = 0;
  let stopped = false;
  let restarting: Promise<void> = Promise.resolve();
  let cancel = clock.deadline(clock.now() + LOOK_MS, look);

  function look(): void {
    if (stopped) return;
    if (isAlive(server.pid, startedAt, log)) {
      if (clock.now() - since >= STEADY_MS) failures = 0;
      cancel = clock.deadline(clock.now() + LOOK_MS, look);
      return;
    }
    const endedAt = clock.now();
    log.error({ server: name, pid: server.pid }, 'a server of this service has ended and is being restarted');
    again(endedAt);
  }

  function again(endedAt: number): void {
    const waitMs = failures === 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
    cancel = clock.deadline(clock.now() + waitMs, () => {
      restarting = attempt(endedAt);
    });
  }

  async function attempt(endedAt: number): Promise<void> {
    if (stopped) return;
    failures += 1;
    try {
      server = await restart();
      startedAt = processStartedAt(server.pid);
      since = clock.now();
      const downMs = since - endedAt;
      log.info({ server: name, pid: server.pid, downMs }, 'a server of this service was restarted');
      supervision.onRestarted(name, downMs);
      look();
    } catch (error) {
      log.error({ err: error, server: name, attempts: failures }, 'a server of this service could not be restarted');
      if (!stopped) again(endedAt);
    }
  }

  return {
    async stop() {
      stopped = true;
      cancel();
      await restarting;
      await server.stop();
    },
  };
}
