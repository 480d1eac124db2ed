/** Keep-alive of sockets at the simulated exchange: it pings, and closes sockets that do not answer or are a day old. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/values/time.ts';
import type { LoopbackSocket } from '../loopback.ts';
import type { RepeatingCalls } from '../repeating-calls.ts';

const PING_MS = 20_000;
const PONG_WAIT_MS = MINUTE_MS;

/** Keeps a socket alive until its name is cancelled. Returns the handler of its pongs. */
export function keepAlive(calls: RepeatingCalls, clock: Pick<Clock, 'now'>, name: string, socket: LoopbackSocket): () => void {
  const openedAt = clock.now();
  let pongAt = openedAt;
  calls.repeat(name, openedAt + PING_MS, () => {
    const now = clock.now();
    if (now - pongAt > PONG_WAIT_MS) socket.close(1008, 'no pong');
    else if (now - openedAt >= DAY_MS) socket.close(1001, 'Connection expired');
    else socket.ping(String(now));
    return now + PING_MS;
  });
  return () => void (pongAt = clock.now());
}
