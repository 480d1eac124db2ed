/** Starts the thread that serves the halt and the pause, and restarts it when it ends. */
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Log } from '../../../streams/log.ts';
import { listenRefusal, urlAt } from './listen-refusal.ts';
import type { RequestObservation, ServiceMetrics } from '../log/metrics.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

/** Input of the thread. */
export interface EmergencyThread {
  /** State folder with the thread's signing key; null if the database requires no signatures. */
  readonly home: string | null;
  /** Milliseconds by which the service's time is ahead of the machine's. */
  readonly aheadMs: number;
  readonly appUrl: string;
  readonly apiUrl: string;
  readonly identity: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };
  readonly host: string;
  readonly port: number;
  readonly loopback: boolean;
  readonly allowedOrigins: readonly string[];
  readonly version: string;
}

/** Messages from the thread. */
export type EmergencyPost =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'observed'; readonly observation: RequestObservation }
  | { readonly kind: 'defect'; readonly message: string; readonly stack: string; readonly route: string; readonly requestId: string };

/** Wait before the first restart, in milliseconds. Doubles up to a minute. */
const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = MINUTE_MS;

export type EmergencyListener = Awaited<ReturnType<typeof startEmergencyListener>>;

/** @throws Error with one sentence if the port is not available */
export async function startEmergencyListener(
  thread: EmergencyThread,
  deps: {
    readonly clock: Clock;
    readonly log: Pick<Log, 'info' | 'error'>;
    readonly metrics: Pick<ServiceMetrics, 'observe'>;
    /** Creates the worker thread. */
    readonly begin: (data: EmergencyThread) => Worker;
  },
) {
  const { clock, log, metrics } = deps;
  let worker: Worker;
  let isUp = false;
  let isStopped = false;
  let failures = 0;
  let cancelWait = (): void => {};

  function receive(message: EmergencyPost): void {
    if (message.kind === 'observed') metrics.observe(message.observation);
    if (message.kind === 'defect') log.error({ ...message }, 'a request failed');
  }

  /** Starts the thread and resolves with its port. */
  function begin(port: number): Promise<number> {
    return new Promise((listening, failed) => {
      worker = deps.begin({ ...thread, port });
      worker.on('message', (message: EmergencyPost) => {
        if (message.kind === 'listening') {
          isUp = true;
          failures = 0;
          listening(message.port);
        } else if (message.kind === 'refused') {
          const error = Object.assign(new Error(message.message), { code: message.code });
          failed(listenRefusal(error, thread.host, port, 'EMERGENCY_PORT') as Error);
          void worker.terminate();
        } else receive(message);
      });
      worker.on('error', failed);
      worker.on('exit', (code) => failed(new Error(`the emergency thread ended with code ${code}`)));
    });
  }

  const port = await begin(thread.port);

  function follow(): void {
    worker.once('exit', (code) => {
      isUp = false;
      if (!isStopped) restartLater(code);
    });
  }

  function restartLater(code: number | null): void {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** failures++, MOST_WAIT_MS);
    log.error({ code, waitMs }, 'the emergency thread has ended and is being restarted');
    cancelWait = clock.deadline(clock.now() + waitMs, again);
  }

  /** Restarts the thread on the same port, so that clients find it. */
  function again(): void {
    const ended = worker;
    begin(port).catch((error: unknown) => log.error({ err: error }, 'the emergency thread could not be restarted'));
    // The machine may have no thread left. Then there is none to follow.
    if (worker === ended) restartLater(null);
    else follow();
  }

  follow();
  const url = urlAt(thread.host, port);
  log.info({ url }, 'a separate thread also serves the emergency halt and the pause');
  return {
    /** Address, `http://127.0.0.1:<port>`. */
    url,
    /** False while the thread restarts. */
    get isUp() {
      return isUp;
    },
    async stop() {
      isStopped = true;
      cancelWait();
      await worker.terminate();
    },
  };
}
