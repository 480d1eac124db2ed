/** Status pushes of a simulated bridge provider, sent to every socket that follows a changed request. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { LoopbackSession, LoopbackSocket } from '../loopback.ts';

/** Interval between checks for status changes. */
const LOOK_MS = 250;
const EVENT = 'request.status.updated';

/** Creates the pushes. `statusOf` carries out the due steps of a request and returns its status, or null if it is unknown. */
export function createRequestPushes(options: {
  readonly clock: Clock;
  readonly statusOf: (id: string) => { readonly status: string } | null;
}) {
  const { clock, statusOf } = options;
  /** Requests by the socket that follows them, with the last pushed status. */
  const followers = new Map<LoopbackSocket, Map<string, string>>();
  let cancel = (): void => {};

  /** Sends each socket the statuses that changed since its last push. Stops when no socket is left. */
  function push(): void {
    cancel();
    if (followers.size === 0) return;
    for (const [socket, told] of followers) {
      for (const [id, before] of told) {
        const body = statusOf(id);
        if (body === null || body.status === before) continue;
        told.set(id, body.status);
        socket.data(JSON.stringify({ event: EVENT, data: { ...body, requestId: id }, publishedAt: clock.now() }));
      }
    }
    cancel = clock.deadline(clock.now() + LOOK_MS, push);
  }

  return {
    /** Opens the session of a new socket. */
    follow(socket: LoopbackSocket): LoopbackSession {
      const told = new Map<string, string>();
      followers.set(socket, told);
      socket.control(JSON.stringify({ type: 'connection', status: 'ready', data: { id: `s${followers.size}` } }));
      if (followers.size === 1) push();
      return {
        message(text) {
          const { type, event, filters } = JSON.parse(text) as Record<string, unknown>;
          const { id } = (filters ?? {}) as { readonly id?: unknown };
          const body = typeof id === 'string' ? statusOf(id) : null;
          const isKnown = (type === 'subscribe' || type === 'unsubscribe') && event === EVENT && body !== null;
          if (isKnown && type === 'subscribe') told.set(id as string, body.status);
          if (isKnown && type === 'unsubscribe') told.delete(id as string);
          socket.control(JSON.stringify({ type, status: isKnown ? 'success' : 'error', data: { event, filters } }));
        },
        closed: () => void followers.delete(socket),
      };
    },
    close() {
      cancel();
      followers.clear();
    },
  };
}
