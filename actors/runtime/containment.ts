/**
 * Containment of bad rows, for every background loop: a row that cannot be handled is quarantined, counted and told, and all
 * other rows of the loop are handled in the same look. It is tried again after a growing wait, and released once it succeeds.
 */
import { errorText } from '../../src/domain/values/value-text.ts';
import { type Clock, timeLeft } from '../../streams/clock.ts';
import type { RowLoop } from './loops.ts';

/** The wait before the second try. It doubles with every try up to the longest one. Milliseconds. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A row that its loop has not met for so long after it was due again is no longer counted. */
const FORGOTTEN_MS = 1_800_000;

/** Names a row for people. */
export interface RowName {
  readonly id: string;
  /** The organization that is told of it; null tells every organization. */
  readonly orgId: string | null;
}

/** Reads and writes quarantined rows, for readiness, metrics and people. */
export interface QuarantineLedger {
  /** Notes a failure, counted for `forMs`. The first of a row is announced on the channel `alerts`. */
  note(loop: RowLoop, row: RowName, detail: string, forMs: number): Promise<void>;
  release(loop: RowLoop, id: string): Promise<void>;
}

/** The rows of one loop in this process. */
export interface ContainedLoop {
  /** Quarantined rows that are not due again. A look that reads at most so many rows reads so many more. */
  readonly waiting: number;
  /**
   * Handles each row by itself, one after the other; rows that are not due again are left out. Returns how many succeeded.
   * @throws the error of an outage: it blames no row, and the next look goes on.
   */
  each<Row>(rows: Iterable<Row>, name: (row: Row) => RowName, work: (row: Row) => unknown): Promise<number>;
}

export type Containment = (loop: RowLoop) => ContainedLoop;

export interface ContainmentDeps {
  /** True for an error that says that a server of the service is away or out of resources. */
  readonly isOutage: (error: unknown) => boolean;
  /** True for an error that says that an outside system gave no answer: the row waits, and is not quarantined. */
  readonly isSilence: (error: unknown) => boolean;
  readonly ledger: QuarantineLedger | null;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly onError: (what: string) => (error: unknown) => void;
  /** Receives every failure of a row. */
  readonly onFailure?: (loop: RowLoop) => void;
}

interface Held {
  readonly failures: number;
  /** Milliseconds until it is due again. */
  readonly left: () => number;
}

export function createContainment(deps: ContainmentDeps): Containment {
  const loops = new Map<RowLoop, ContainedLoop>();
  return (loop) => {
    const known = loops.get(loop) ?? containedLoop(deps, loop);
    loops.set(loop, known);
    return known;
  };
}

function containedLoop({ isOutage, isSilence, ledger, clock, onError, onFailure }: ContainmentDeps, loop: RowLoop): ContainedLoop {
  const held = new Map<string, Held>();

  async function failed(row: RowName, error: unknown): Promise<void> {
    const failures = (held.get(row.id)?.failures ?? 0) + 1;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 16));
    held.set(row.id, { failures, left: timeLeft(clock, waitMs) });
    onError(`${loop}: ${row.id} is left out for ${waitMs / 1_000} s`)(error);
    if (isSilence(error)) return;
    onFailure?.(loop);
    await ledger?.note(loop, row, errorText(error).slice(0, 500), waitMs + FORGOTTEN_MS).catch(onError('noting a quarantined row'));
  }

  async function released(id: string): Promise<void> {
    held.delete(id);
    await ledger?.release(loop, id).catch(onError('releasing a quarantined row'));
  }

  const isWaiting = (id: string): boolean => (held.get(id)?.left() ?? 0) > 0;

  return {
    get waiting() {
      return [...held.keys()].filter(isWaiting).length;
    },
    async each(rows, name, work) {
      let done = 0;
      for (const row of rows) {
        const named = name(row);
        if (isWaiting(named.id)) continue;
        try {
          await work(row);
        } catch (error) {
          if (isOutage(error)) throw error;
          await failed(named, error);
          continue;
        }
        done++;
        if (held.has(named.id)) await released(named.id);
      }
      return done;
    },
  };
}

/** Handles each row by itself without a wait or a record between looks: of simulations and of what looks once. */
export function eachRow(onError: (error: unknown) => void): ContainedLoop {
  return {
    waiting: 0,
    async each(rows, _, work) {
      let done = 0;
      for (const row of rows) {
        try {
          await work(row);
          done++;
        } catch (error) {
          onError(error);
        }
      }
      return done;
    },
  };
}
