/** Watches a server that this process started, and starts it again if it ended by itself. */
import type { Clock } from '../../streams/clock.ts';
import type { Log } from '../../streams/log.ts';
import { processStartedAt } from './server-process.ts';

export interface SupervisedServer {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Supervision {
  /** Names the server in the log and in metrics. */
  readonly name: 'postgresql' | 'redis';
  readonly server: SupervisedServer;
  /** Starts the server again if it was: same folder, same port, same password. */
  readonly restart: () => Promise<SupervisedServer>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Pick<Log, 'error' | 'info'>;
  /** Receives that the server is back after so many milliseconds. */
  readonly onRestarted: (name: Supervision['name'], downMs: number) => void;
}

/** Interval of the process check. Reading `/proc` takes microseconds; elsewhere a program must be started for it. */
const LOOK_MS = process.platform === 'linux' ? 200 : 1_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** A server that lived so long begins with the shortest wait again. */
const STEADY_MS = 60_000;

/** True also if this machine cannot tell: a living server that is taken for dead would be started again. */
function isAlive(pid: number, startedAt: string | null, log: Supervision['log']): boolean {
  try {
    return startedAt !== null && processStartedAt(pid) === startedAt;
  } catch (error) {
    log.error({ err: error, pid }, 'this process cannot check if a server of this service runs');
    return true;
  }
}

/** Returns what stops the watch and the server, whichever process it is by then. */
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
