/** Progress of long work without a record of its own. The worker writes its row, and all readers can read it. */
import { basename } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { CandleSeries } from '../../domain/candles/candle.ts';
import type { Page, PageOf } from '../../domain/values/page.ts';
import { DAY_MS, type EpochMs } from '../../domain/values/time.ts';
import { type LongWork, longWorkProgress, type Waiting, type WorkKind, type WorkProgress } from '../../domain/values/work-progress.ts';
import type { Sql } from './database.ts';
import { pageOfRows } from './queries.ts';

/** Minimum milliseconds between two reports of changes, and maximum between two signs of life. */
const TELL_MS = 1_000;
const ALIVE_MS = 10_000;

interface BegunWork<Result> extends Pick<LongWork, 'kind' | 'source'> {
  /** Subject of the work in a few words. */
  readonly subject: string;
  /** Series of bars that is imported or fetched; absent for other work. */
  readonly series?: CandleSeries;
  /** Plural unit of the count. */
  readonly unit: string;
  /** `always`; `long`: only after a second; `never`: only `onProgress` is called. */
  readonly recorded: 'always' | 'long' | 'never';
  /** Returns a public sentence if the result is a failure, else null. */
  readonly failureOf: (result: Result) => string | null;
  /** Returns a public sentence for a thrown error. */
  readonly thrownFailureOf: (error: unknown) => string;
  /** Receives every change. */
  readonly onProgress?: (progress: WorkProgress) => void;
  /** Receives the id of the work, once. */
  readonly onRecorded?: (workId: string) => void;
}

/** Reports progress of the work. */
type WorkTeller = Pick<WorkRow, 'progress' | 'waits'>;

export type WorkRecorder = ReturnType<typeof createWorkRecorder>;

/**
 * @param sql a pool with at least two connections if the work holds one in a transaction @param worker name of the command or part of the
 * service
 */
export function createWorkRecorder(sql: Sql, clock: Pick<Clock, 'now' | 'deadline'>, worker: string) {
  const workedOnBy = `${worker}, process ${process.pid}`;
  return {
    /** Runs work and records its progress. Failures of recording do not affect the work. @throws errors of `run` */
    async during<Result>(work: BegunWork<Result>, run: (tell: WorkTeller) => Promise<Result>): Promise<Result> {
      const row = new WorkRow(sql, clock, workedOnBy, work);
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

/** Row of one work, written one statement at a time. */
class WorkRow {
  readonly #sql: Sql;
  readonly #clock: Pick<Clock, 'now' | 'deadline'>;
  readonly #workedOnBy: string;
  readonly #work: BegunWork<never>;
  readonly #begunAt: EpochMs;
  #doneBefore: number | null = null;
  #done = 0;
  #total: number | null = null;
  #waitingFor: Waiting | null = null;
  #hasChanged = false;
  #hasEnded = false;
  /** Id of the row; null until it is inserted. */
  #id: number | null = null;
  #writtenAt: EpochMs = 0;
  #writing: Promise<void> = Promise.resolve();
  #cancel = (): void => {};

  constructor(sql: Sql, clock: Pick<Clock, 'now' | 'deadline'>, workedOnBy: string, work: BegunWork<never>) {
    this.#sql = sql;
    this.#clock = clock;
    this.#workedOnBy = workedOnBy;
    this.#work = work;
    this.#begunAt = clock.now();
  }

  async begin(): Promise<void> {
    if (this.#work.recorded === 'never') return;
    if (this.#work.recorded === 'always') await this.#write(null, false);
    this.#plan();
  }

  /** Reports the completed part. Units completed at the first call count as done before. */
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
    onProgress?.(longWorkProgress({ ...told, begunAt: this.#begunAt, seenAt: now, endedAt: null, error: null }, now));
  }

  #plan(): void {
    this.#cancel = this.#clock.deadline(this.#clock.now() + TELL_MS, () => {
      this.#writing = this.#look();
    });
  }

  /** Writes pending changes and schedules the next write a second later. */
  async #look(): Promise<void> {
    if (this.#id === null || this.#hasChanged || this.#clock.now() - this.#writtenAt >= ALIVE_MS) await this.#write(null, false);
    if (!this.#hasEnded) this.#plan();
  }

  /** Writes the row. After a failure the next write retries; until then the row's age shows it. */
  async #write(error: string | null, isEnd: boolean): Promise<void> {
    this.#hasChanged = false;
    this.#writtenAt = this.#clock.now();
    const sql = this.#sql;
    const waiting = isEnd ? null : this.#waitingFor;
    try {
      if (this.#id === null) await this.#insert(waiting);
      else {
        await sql`
          update long_work set done = ${this.#done}, total = ${this.#total}, wait_cause = ${waiting?.cause ?? null},
            wait_detail = ${waiting?.detail ?? null}, begun_at = service_clock_ms() - ${this.#tookMs()}::bigint, seen_at = service_clock_ms(),
            ended_at = ${isEnd ? sql`service_clock_ms()` : null}, error = ${error}
          where id = ${this.#id}`;
      }
    } catch {
      this.#hasChanged = true;
    }
  }

  /** Returns the duration by the machine's clock. If the service's time is shifted, the start is shifted too. */
  #tookMs(): number {
    return this.#clock.now() - this.#begunAt;
  }

  async #insert(waiting: Waiting | null): Promise<void> {
    const { kind, subject, series = null, source, unit, onRecorded } = this.#work;
    const sql = this.#sql;
    const [row] = await sql<{ id: number }[]>`
      insert into long_work (kind, subject, venue, instrument, timeframe, source, worked_on_by, unit, done, total, wait_cause, wait_detail,
        begun_at, seen_at)
      select ${kind}, ${subject}, ${series?.venue ?? null}, ${series?.instrument ?? null}, ${series?.timeframe ?? null}, ${source},
        ${this.#workedOnBy}, ${unit}, ${this.#done}, ${this.#total}, ${waiting?.cause ?? null}, ${waiting?.detail ?? null},
        now - ${this.#tookMs()}::bigint, now from service_clock_ms() as now
      returning id`;
    this.#id = row?.id ?? null;
    if (this.#id !== null) onRecorded?.(String(this.#id));
  }
}

interface WorkColumns extends Omit<LongWork, 'waitingFor'> {
  readonly waitCause: Waiting['cause'] | null;
  readonly waitDetail: string | null;
}

export function createWorkReads(sql: Sql) {
  const columns = sql`id as number, kind, subject, venue, instrument, timeframe, source, worked_on_by as "workedOnBy", unit, done, total,
    wait_cause as "waitCause", wait_detail as "waitDetail", begun_at as "begunAt", seen_at as "seenAt", ended_at as "endedAt", error,
    service_clock_ms() as at`;
  return {
    /** Lists work, newest first, of all kinds if `kinds` is null. The position is the last number. */
    async list({ limit, after }: Page, kinds: readonly WorkKind[] | null): Promise<PageOf<LongWork>> {
      const rows = await sql<WorkColumns[]>`
        select ${columns} from long_work where ${kinds === null ? sql`true` : sql`kind = any(${kinds as string[]})`}
        ${after === null ? sql`` : sql`and id < ${Number(after)}`} order by id desc limit ${limit + 1}`;
      return pageOfRows(rows.map(toWork), limit, ({ number }) => String(number));
    },
    async find(number: number): Promise<LongWork | null> {
      const [row] = await sql<WorkColumns[]>`select ${columns} from long_work where id = ${number}`;
      return row === undefined ? null : toWork(row);
    },
  };
}

export type LongWorkReads = ReturnType<typeof createWorkReads>;

function toWork({ waitCause, waitDetail, ...row }: WorkColumns): LongWork {
  return { ...row, waitingFor: waitCause === null || waitDetail === null ? null : { cause: waitCause, detail: waitDetail } };
}

/** Formats a series of bars as the subject of work. */
export const seriesText = ({ venue, instrument, timeframe }: CandleSeries): string => `${venue} ${instrument} ${timeframe}`;

/** Formats file names without their folders, which are private. */
export function nameSource(files: readonly string[]): string {
  const first = basename(files[0] ?? '').slice(0, 200);
  return files.length < 2 ? first : `${first} and ${files.length - 1} more`;
}

/** Deletes work without a report for the given days. */
export async function forgetWork(sql: Sql, days: number): Promise<void> {
  await sql`delete from long_work where seen_at < service_clock_ms() - ${days * DAY_MS}::bigint`;
}
