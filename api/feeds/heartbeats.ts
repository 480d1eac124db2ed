/** Heartbeats of all connections, in turns: thousands of writes at once would delay everything else. */
import type { Clock } from '../../streams/clock/clock.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

/** Number of turns in an interval. */
const TURNS = 20;

interface Beating {
  beat(at: EpochMs): void;
}

/** Connections whose heartbeats come together. */
interface Turn {
  /** Milliseconds after the first connection at which its intervals begin. */
  readonly afterMs: number;
  readonly connections: Set<Beating>;
  cancel: (() => void) | null;
}

/**
 * Creates the heartbeats. Each connection gets one per `everyMs`, the first of all after a whole interval, and a later one after at most
 * that. @param pace measures the intervals @param clock dates the heartbeats
 */
export function createHeartbeats(pace: Pick<Clock, 'now' | 'deadline'>, clock: Pick<Clock, 'now'>, everyMs: number) {
  const turns = Array.from({ length: TURNS }, (_, index): Turn => {
    return { afterMs: index === 0 ? 0 : Math.round((index * everyMs) / TURNS) - everyMs, connections: new Set(), cancel: null };
  });
  let began = 0;
  let size = 0;
  /** Number of connections added since `began`. */
  let added = 0;

  function arm(turn: Turn): void {
    const passed = Math.floor((pace.now() - began - turn.afterMs) / everyMs);
    turn.cancel ??= pace.deadline(began + turn.afterMs + Math.max(1, passed + 1) * everyMs, () => {
      turn.cancel = null;
      const at = clock.now();
      for (const connection of turn.connections) connection.beat(at);
      if (turn.connections.size > 0) arm(turn);
    });
  }

  return {
    /** Adds a connection to the next turn. Returns a function that removes it once. */
    add(connection: Beating): () => void {
      if (size++ === 0) [began, added] = [pace.now(), 0];
      const turn = turns[added++ % TURNS] as Turn;
      turn.connections.add(connection);
      arm(turn);
      return () => {
        if (!turn.connections.delete(connection)) return;
        size--;
        if (turn.connections.size > 0) return;
        turn.cancel?.();
        turn.cancel = null;
      };
    },
  };
}
