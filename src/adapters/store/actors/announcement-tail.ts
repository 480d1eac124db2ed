/** The announcements as one ordered stream: read once per process, resumable anywhere, without a row missed or repeated. */
import type { Announcement } from '../../../domain/agents/actor-step.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { ANNOUNCEMENTS_CHANNEL } from './actor-store.ts';
import type { AnnouncementFilter, AnnouncementPage, AnnouncementPosition, AnnouncementRow } from './announced-rows.ts';

export interface AnnouncementTailOptions {
  /** Follows the announcements of all organizations. */
  readonly sql: Sql;
  /** Connection on which a resumed client's backlog is read; default the same as the rest. */
  readonly ownConnection?: (orgId: string) => Sql;
  readonly clock: { now(): EpochMs; deadline(at: EpochMs, call: () => void): () => void };
  /** Milliseconds between reads until notifications are known to arrive; 200 by default. Then at least one read a second. */
  readonly pollMs?: number;
  /** Rows per query; 1,000 unless told. */
  readonly pageRows?: number;
  /** Spreads the retries of many processes, 0 to below 1; the middle unless told. */
  readonly random?: () => number;
  /** Receives every failed poll; the tail goes on by itself. */
  readonly onError?: (error: unknown) => void;
}

const POLL_MS = 200;
/** Poll interval beside notifications: for a lost one, with a half-open connection. */
const NOTIFIED_POLL_MS = 1_000;
const PAGE_ROWS = 1_000;
/** Delay before the next read if committed rows wait for an older transaction to end. */
const HELD_BACK_MS = 20;
/** A poll that has not answered by then is given up: its connection may be half open. */
const POLL_DEADLINE_MS = 10_000;
const RETRY_CAP_MS = 1_000;

interface StoredRow {
  readonly xid: string;
  readonly seq: number;
  readonly channel: string;
  readonly org_id: string | null;
  readonly actor_id: string | null;
  readonly at: number;
  readonly body: Announcement['body'];
}

/**
 * Makes the one reader of a process. Rows are ordered by (xid, seq) and taken only below the oldest transaction that is
 * still open, so that one which commits late is never passed over. A notification only wakes it; the rows are the truth,
 * hence a lost connection or a restarted server costs time and nothing else.
 */
export function createAnnouncementTail(options: AnnouncementTailOptions) {
  return new PolledTail(options);
}

/** The announcements of the store as one ordered stream. */
export type AnnouncementTail = ReturnType<typeof createAnnouncementTail>;

interface Followed {
  readonly rows: readonly AnnouncementRow[];
  /** The place where the tail stands lies beyond every transaction of the database. */
  readonly wentBack: boolean;
  /** Committed rows wait for an older transaction to end. */
  readonly heldBack: boolean;
}

/** Receives rows in order and how far they go. It must not throw. */
type AnnouncementListener = (rows: readonly AnnouncementRow[], position: AnnouncementPosition) => void;

class PolledTail {
  readonly #options: AnnouncementTailOptions;
  readonly #sql;
  readonly #clock;
  readonly #pollMs;
  readonly #pageRows;
  readonly #random;
  readonly #listeners;
  #position: AnnouncementPosition = { xid: 0, seq: 0 };
  #stopped = true;
  /** Polls are numbered, so that the answer of one that was given up changes nothing. */
  #poll = 0;
  #polling = false;
  #hinted = false;
  /** The newest rows were told by a notification, so the next ones will be. A row that comes without one takes that back. */
  #notified = false;
  #failures = 0;
  #cancelTimer: () => void = () => {};
  #unlisten: (() => Promise<unknown>) | null = null;

  constructor(options: AnnouncementTailOptions) {
    this.#options = options;
    const { sql, clock } = options;
    this.#sql = sql;
    this.#clock = clock;
    this.#pollMs = options.pollMs ?? POLL_MS;
    this.#pageRows = options.pageRows ?? PAGE_ROWS;
    this.#random = options.random ?? (() => 0.5);
    this.#listeners = new Set<AnnouncementListener>();
  }

  /** Takes the present as its beginning and starts to follow. @throws if the database does not answer. */
  async start(): Promise<void> {
    if (!this.#stopped) return;
    await this.#begin();
    this.#stopped = false;
    // Not awaited: following works without notifications, only a little later. After a reconnect one catch-up is due.
    this.#sql
      .listen(
        ANNOUNCEMENTS_CHANNEL,
        () => this.#hint(),
        () => this.#hint(),
      )
      .then(
        (listening) => {
          this.#unlisten = listening.unlisten;
          if (this.#stopped) void listening.unlisten().catch((error) => this.#report(error));
        },
        (error: unknown) => this.#report(error),
      );
    this.#run();
  }

  /** Position up to which everything was emitted. */
  position(): AnnouncementPosition {
    return this.#position;
  }

  /** Receives every row committed from now on, in order, and after each batch how far it goes. The listener must not throw. */
  subscribe(listener: AnnouncementListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Reads matching rows after `after` and up to `upTo`, oldest first. One page looks at a bounded number of rows, so it may
   * be empty long before the end: go on from its position until that has reached `upTo`.
   */
  async read(after: AnnouncementPosition, upTo: AnnouncementPosition, filter: AnnouncementFilter): Promise<AnnouncementPage> {
    // The end of a page is a matter of all rows. Its contents are the organization's own.
    const [last] = await this.#sql<{ xid: string; seq: number; looked_at: number }[]>`
        with page as (
          select xid, seq from announcements
          where (xid, seq) > (${String(after.xid)}::text::xid8, ${after.seq}::bigint)
            and (xid, seq) <= (${String(upTo.xid)}::text::xid8, ${upTo.seq}::bigint)
            and xid < pg_snapshot_xmin(pg_current_snapshot())
          order by xid, seq limit ${this.#pageRows}
        )
        select p.xid::text as xid, p.seq, (select count(*) from page) as looked_at from page p order by p.xid desc, p.seq desc limit 1`;
    if (!last) return { rows: [], position: upTo };
    const own = this.#options.ownConnection?.(filter.orgId) ?? this.#sql;
    const rows = await own<StoredRow[]>`
        select p.xid::text as xid, p.seq, p.channel, p.org_id, p.actor_id, p.at, p.body from announcements p
        where (p.xid, p.seq) > (${String(after.xid)}::text::xid8, ${after.seq}::bigint)
          and (p.xid, p.seq) <= (${last.xid}::text::xid8, ${last.seq}::bigint) and p.channel = ${filter.channel}
          and (p.org_id = ${filter.orgId}::uuid or (${filter.shared}::boolean and p.org_id is null))
          and (${filter.actorId}::uuid is null or p.actor_id = ${filter.actorId}::uuid)
        order by p.xid, p.seq`;
    return { rows: rows.map(announcementRow), position: last.looked_at < this.#pageRows ? upTo : { xid: Number(last.xid), seq: last.seq } };
  }

  /** False for a place that this database has not reached (a cursor of another one, or an invented one), and for one whose following rows are forgotten. */
  async isKnown({ xid, seq }: AnnouncementPosition): Promise<boolean> {
    // An older place than the oldest row is forgotten, unless that row is the first one ever; 0.0 is the beginning of the kept history.
    const [row] = await this.#sql<{ known: boolean }[]>`
        select ${String(xid)}::text::xid8 <= pg_snapshot_xmax(pg_current_snapshot())
          and coalesce((select seq = 1 or ${xid === 0}::boolean or (${String(xid)}::text::xid8, ${seq}::bigint) >= (xid, seq)
            from announcements order by announcements.xid, seq limit 1), true) as known`;
    return row?.known ?? false;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#polling = false;
    this.#cancelTimer();
    this.#listeners.clear();
    await this.#unlisten?.().catch(() => {});
    this.#unlisten = null;
  }

  #pollAfter(delayMs: number, forLost = false): void {
    this.#cancelTimer();
    if (!this.#stopped) this.#cancelTimer = this.#clock.deadline(this.#clock.now() + delayMs, () => this.#run(forLost));
  }

  /** @param forLost looks for rows whose notification did not come. */
  #run(forLost = false): void {
    if (this.#stopped || this.#polling) return;
    this.#cancelTimer();
    this.#polling = true;
    this.#hinted = false;
    const number = ++this.#poll;
    const cancelDeadline = this.#clock.deadline(this.#clock.now() + POLL_DEADLINE_MS, () => {
      this.#settle(number, () => this.#failed(new Error(`no answer to a poll of the announcements within ${POLL_DEADLINE_MS / 1_000} s`)));
    });
    this.#follow().then(
      (page) => {
        cancelDeadline();
        this.#settle(number, () => {
          if (forLost && page.rows.length > 0 && !this.#hinted) this.#notified = false;
          this.#taken(page);
        });
      },
      (error: unknown) => {
        cancelDeadline();
        this.#settle(number, () => this.#failed(error));
      },
    );
  }

  #settle(number: number, then: () => void): void {
    if (number !== this.#poll || !this.#polling) return;
    this.#polling = false;
    if (!this.#stopped) then();
  }

  #taken({ rows, wentBack, heldBack }: Followed): void {
    this.#failures = 0;
    if (wentBack) {
      this.#report(
        new Error(`the database has gone back before announcement ${this.#position.xid}.${this.#position.seq}: an older copy was restored`),
      );
      this.#begin().then(
        () => this.#pollAfter(0),
        (error) => this.#failed(error),
      );
      return;
    }
    const last = rows.at(-1);
    // A row that was really committed: after a crash the server reuses unused transaction numbers.
    if (last !== undefined) {
      this.#position = { xid: last.xid, seq: last.seq };
      for (const listener of this.#listeners) {
        try {
          listener(rows, this.#position);
        } catch (error) {
          this.#report(error);
        }
      }
    }
    if (rows.length >= this.#pageRows || this.#hinted) this.#run();
    else if (heldBack) this.#pollAfter(Math.min(HELD_BACK_MS, this.#pollMs));
    else if (this.#notified) this.#pollAfter(Math.max(NOTIFIED_POLL_MS, this.#pollMs), true);
    else this.#pollAfter(this.#pollMs);
  }

  async #follow(): Promise<Followed> {
    const found = await this.#sql<(StoredRow & { went_back: boolean; held_back: boolean })[]>`
      with horizon as (select pg_snapshot_xmin(now) as xmin, pg_snapshot_xmax(now) as xmax from pg_current_snapshot() as now),
      page as (
        select xid, seq, channel, org_id, actor_id, at, body from announcements
        where (xid, seq) > (${String(this.#position.xid)}::text::xid8, ${this.#position.seq}::bigint) and xid < (select xmin from horizon)
        order by xid, seq limit ${this.#pageRows}
      ),
      -- Once, and from the end of the index: asked of each row whether any lies beyond the horizon, it reads the whole table each time.
      newest as materialized (select xid from announcements order by xid desc, seq desc limit 1)
      select ${String(this.#position.xid)}::text::xid8 >= h.xmax as went_back,
        coalesce((select xid from newest) >= h.xmin, false) as held_back,
        p.xid::text as xid, p.seq, p.channel, p.org_id, p.actor_id, p.at, p.body
      from horizon h left join page p on true order by p.xid, p.seq`;
    const [first] = found;
    if (!first) throw new Error('the horizon of the announcements did not come');
    return { rows: first.xid === null ? [] : found.map(announcementRow), wentBack: first.went_back, heldBack: first.held_back };
  }

  /** Stands at the newest row that no open transaction can still precede. */
  async #begin(): Promise<void> {
    const [row] = await this.#sql<{ xid: string; seq: number }[]>`
      select xid::text, seq from announcements
      where xid < pg_snapshot_xmin(pg_current_snapshot()) order by announcements.xid desc, seq desc limit 1`;
    this.#position = row ? { xid: Number(row.xid), seq: row.seq } : { xid: 0, seq: 0 };
  }

  #report(error: unknown): void {
    this.#options.onError?.(error);
  }

  #hint(): void {
    if (this.#stopped) return;
    this.#notified = true;
    if (this.#polling) this.#hinted = true;
    else this.#run();
  }

  #failed(error: unknown): void {
    this.#report(error);
    const delayMs = Math.min(this.#pollMs * 2 ** this.#failures, RETRY_CAP_MS);
    this.#failures = Math.min(this.#failures + 1, 10);
    this.#pollAfter(delayMs * (0.5 + this.#random() / 2));
  }
}

function announcementRow(row: StoredRow): AnnouncementRow {
  return {
    xid: Number(row.xid),
    seq: row.seq,
    channel: row.channel,
    orgId: row.org_id,
    actorId: row.actor_id,
    at: row.at,
    body: row.body,
  };
}
