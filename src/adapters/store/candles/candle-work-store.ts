/** How far imports and backfills of bars are: whoever works writes its own row, and whoever asks reads them all. */
import type { CandleSeries, CandleWork, CandleWorkReads } from '../../../../api/v1/candles/ports.ts';
import type { Clock } from '../../../../streams/clock.ts';
import type { EpochMs } from '../../../domain/time.ts';
import { candleWorkProgress, type Waiting, type WorkProgress } from '../../../domain/work-progress.ts';
import type { Sql } from '../database.ts';
import { pageOfRows } from '../page-of-rows.ts';

const DAY_MS = 86_400_000;
/** What has changed is written so often at most, and that it still goes on at least so often. */
const TELL_MS = 1_000;
const ALIVE_MS = 10_000;

export interface BegunCandleWork<Result> extends CandleSeries, Pick<CandleWork, 'kind' | 'source'> {
  readonly unit: 'bytes' | 'bars';
  /** `always`; `long`: not before it has taken a second; `never`: nobody but `onProgress` is told. */
  readonly recorded: 'always' | 'long' | 'never';
  /** Why a result is none, in a sentence that every reader of the market may see; null where it is one. */
  readonly failureOf: (result: Result) => string | null;
  /** The same of what was thrown. */
  readonly thrownFailureOf: (error: unknown) => string;
  /** Is told of every change. */
  readonly onProgress?: (progress: WorkProgress) => void;
}

/** What the work says of itself while it goes on. */
export interface CandleWorkTeller {
  /** How much is done of how much. What was done at the first call was done before. */
  progress(done: number, total: number): void;
  waits(waitingFor: Waiting | null): void;
}

export interface CandleWorkRecorder {
  /** Works, and writes how far it is. What goes wrong with the writing leaves the work alone. @throws what `run` throws */
  during<Result>(work: BegunCandleWork<Result>, run: (tell: CandleWorkTeller) => Promise<Result>): Promise<Result>;
}

/** `sql`: two connections at least where the work itself holds one in a transaction. */
export function createCandleWorkRecorder(sql: Sql, clock: Pick<Clock, 'now' | 'deadline'>): CandleWorkRecorder {
  return {
    async during(work, run) {
      const row = new WorkRow(sql, clock, work);
      await row.begin();
      try {
        const result = await run(row);
        await row.end(work.failureOf(result));
        return result;
      } catch (error) {
        await row.end(work.thrownFailureOf(error));
        throw error;
      }
    },
  };
}

/** One row, written one statement after the other. */
class WorkRow implements CandleWorkTeller {
  readonly #sql: Sql;
  readonly #clock: Pick<Clock, 'now' | 'deadline'>;
  readonly #work: BegunCandleWork<never>;
  readonly #begunAt: EpochMs;
  #doneBefore: number | null = null;
  #done = 0;
  #total: number | null = null;
  #waitingFor: Waiting | null = null;
  #hasChanged = false;
  #hasEnded = false;
  /** Null before the row is there. */
  #id: number | null = null;
  #writtenAt: EpochMs = 0;
  #writing: Promise<void> = Promise.resolve();
  #cancel = (): void => {};

  constructor(sql: Sql, clock: Pick<Clock, 'now' | 'deadline'>, work: BegunCandleWork<never>) {
    this.#sql = sql;
    this.#clock = clock;
    this.#work = work;
    this.#begunAt = clock.now();
  }

  async begin(): Promise<void> {
    if (this.#work.recorded === 'never') return;
    if (this.#work.recorded === 'always') await this.#write(null, false);
    this.#plan();
  }

  progress(done: number, total: number): void {
    this.#doneBefore ??= done;
    this.#done = done - this.#doneBefore;
    this.#total = total - this.#doneBefore;
    this.#changed();
  }

  waits(waitingFor: Waiting | null): void {
    this.#waitingFor = waitingFor;
    this.#changed();
  }

  async end(error: string | null): Promise<void> {
    this.#hasEnded = true;
    this.#cancel();
    await this.#writing;
    if (this.#id !== null) await this.#write(error, true);
  }

  #changed(): void {
    this.#hasChanged = true;
    const now = this.#clock.now();
    const { unit, onProgress } = this.#work;
    const told = { unit, done: this.#done, total: this.#total, waitingFor: this.#waitingFor };
    onProgress?.(candleWorkProgress({ ...told, begunAt: this.#begunAt, seenAt: now, endedAt: null, error: null }, now));
  }

  #plan(): void {
    this.#cancel = this.#clock.deadline(this.#clock.now() + TELL_MS, () => {
      this.#writing = this.#look();
    });
  }

  /** Writes what there is to write, and looks again a second later. */
  async #look(): Promise<void> {
    if (this.#id === null || this.#hasChanged || this.#clock.now() - this.#writtenAt >= ALIVE_MS) await this.#write(null, false);
    if (!this.#hasEnded) this.#plan();
  }

  /** A row that cannot be written is written at the next look, or shows by its age. */
  async #write(error: string | null, isEnd: boolean): Promise<void> {
    this.#hasChanged = false;
    this.#writtenAt = this.#clock.now();
    const sql = this.#sql;
    const waiting = isEnd ? null : this.#waitingFor;
    try {
      if (this.#id === null) await this.#insert(waiting);
      else {
        await sql`
          update candle_work set done = ${this.#done}, total = ${this.#total}, wait_cause = ${waiting?.cause ?? null},
            wait_detail = ${waiting?.detail ?? null}, seen_at = service_clock_ms(),
            ended_at = ${isEnd ? sql`service_clock_ms()` : null}, error = ${error}
          where id = ${this.#id}`;
      }
    } catch {
      this.#hasChanged = true;
    }
  }

  async #insert(waiting: Waiting | null): Promise<void> {
    const { kind, venue, instrument, timeframe, source, unit } = this.#work;
    const sql = this.#sql;
    const [row] = await sql<{ id: number }[]>`
      insert into candle_work (kind, venue, instrument, timeframe, source, unit, done, total, wait_cause, wait_detail, begun_at, seen_at)
      select ${kind}, ${venue}, ${instrument}, ${timeframe}, ${source}, ${unit}, ${this.#done}, ${this.#total}, ${waiting?.cause ?? null},
        ${waiting?.detail ?? null}, now - ${this.#clock.now() - this.#begunAt}::bigint, now from service_clock_ms() as now
      returning id`;
    this.#id = row?.id ?? null;
  }
}

export function createCandleWorkReads(sql: Sql): CandleWorkReads {
  return {
    async list({ limit, after }) {
      const rows = await sql<(Omit<CandleWork, 'waitingFor'> & { waitCause: Waiting['cause'] | null; waitDetail: string | null })[]>`
        select id as number, kind, venue, instrument, timeframe, source, unit, done, total, wait_cause as "waitCause",
          wait_detail as "waitDetail", begun_at as "begunAt", seen_at as "seenAt", ended_at as "endedAt", error, service_clock_ms() as at
        from candle_work ${after === null ? sql`` : sql`where id < ${Number(after)}`} order by id desc limit ${limit + 1}`;
      const works = rows.map(({ waitCause, waitDetail, ...row }) => ({
        ...row,
        waitingFor: waitCause === null || waitDetail === null ? null : { cause: waitCause, detail: waitDetail },
      }));
      return pageOfRows(works, limit, ({ number }) => String(number));
    },
  };
}

/** Forgets work of which nothing was said for so many days. */
export async function forgetCandleWork(sql: Sql, days: number): Promise<void> {
  await sql`delete from candle_work where seen_at < service_clock_ms() - ${days * DAY_MS}::bigint`;
}
