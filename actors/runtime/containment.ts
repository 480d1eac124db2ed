/**
 * Containment of bad rows in background loops. A row that cannot be handled is quarantined, counted and reported, and all other rows are
 * handled in the same look. It is retried after a growing wait, and released once it succeeds.
 */
import { errorText } from '../../src/domain/values/value-text.ts';
import { type Clock, timeLeft } from '../../streams/clock/clock.ts';
import type { RowLoop } from './loops.ts';
import { MINUTE_MS } from '../../src/domain/values/time.ts';

/** Wait before the second try, in milliseconds. It doubles with every try up to a maximum. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = MINUTE_MS;
/** Time in milliseconds after which a due row that its loop no longer meets is not counted any more. */
const FORGOTTEN_MS = 1_800_000;

interface RowName {
  readonly id: string;
  /** Organization to notify, or null to notify every organization. */
  readonly orgId: string | null;
}

/** Reads and writes quarantined rows, for readiness, metrics and people. */
export interface QuarantineLedger {
  /** Records a failure, which counts for `forMs`. The first failure of a row is announced on the channel `alerts`. */
  note(loop: RowLoop, row: RowName, detail: string, forMs: number): Promise<void>;
  release(loop: RowLoop, id: string): Promise<void>;
}

/** The rows of one loop in this process. */
export interface ContainedLoop {
  /** Number of quarantined rows that are not due yet. A look with a row limit reads this many more. */
  readonly waiting: number;
  /**
   * Handles the rows one after the other, each contained. Skips rows that are not due. Returns how many succeeded. @throws the error of an
   * outage, which blames no row. The next look goes on.
   */
  each<Row>(rows: Iterable<Row>, name: (row: Row) => RowName, work: (row: Row) => unknown): Promise<number>;
}

export type Containment = (loop: RowLoop) => ContainedLoop;

interface ContainmentDeps {
  /** True for an error that means that a server of the service is down or out of resources. */
  readonly isOutage: (error: unknown) => boolean;
  /** True for an error that means that an outside system did not answer. The row then waits, and is not quarantined. */
  readonly isSilence: (error: unknown) => boolean;
  readonly ledger: QuarantineLedger | null;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly onError: (what: string) => (error: unknown) => void;
  /** Receives every failure of a row. */
  readonly onFailure?: (loop: RowLoop) => void;
}

interface Held {
  readonly failures: number;
  /** Returns the milliseconds until it is due again. */
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

/** Handles each row by itself, without waits or records between looks. For simulations and single looks. */
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
