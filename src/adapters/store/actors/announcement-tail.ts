/** Ordered stream of announcements: read once per process and resumable at any position without missing or repeating a row. */
import type { Announcement } from '../../../domain/agents/actor-step.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { ANNOUNCEMENTS_CHANNEL } from './actor-store.ts';
import {
  type AnnouncementFilter,
  type AnnouncementPage,
  type AnnouncementPosition,
  type AnnouncementRow,
  RecentAnnouncements,
} from './announced-rows.ts';

interface AnnouncementTailOptions {
  /** Connections that see all organizations. */
  readonly sql: Sql;
  /** Returns connections of one organization, for the backlog of a resumed client; default `sql`. */
  readonly ownConnection?: (orgId: string) => Sql;
  readonly clock: { now(): EpochMs; deadline(at: EpochMs, call: () => void): () => void };
  /** Milliseconds between reads until notifications arrive; default 200. Afterwards at least one read per second. */
  readonly pollMs?: number;
  /** Rows per query; default 1,000. */
  readonly pageRows?: number;
  /** Rows that are kept in memory in any case; default 2,000. */
  readonly recentRows?: number;
  /** Random source for jitter of retries, 0 <= n < 1; default 0.5. */
  readonly random?: () => number;
  /** Receives the error of every failed poll; polling continues. */
  readonly onError?: (error: unknown) => void;
}

const POLL_MS = 200;
/** Milliseconds between polls while notifications arrive, in case one is lost. */
const NOTIFIED_POLL_MS = 1_000;
const PAGE_ROWS = 1_000;
/** Some megabytes. */
const RECENT_ROWS = 2_000;
/** Milliseconds before the next read while committed rows wait for an older transaction. */
const HELD_BACK_MS = 20;
/** Timeout of a poll in milliseconds: its connection may be half open. */
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
 * Creates the only reader of a process. Rows are ordered by (xid, seq) and read below the oldest open transaction, so that a late commit is
 * never skipped. Notifications only trigger reads, so a lost connection or a restarted server costs only time.
 */
export function createAnnouncementTail(options: AnnouncementTailOptions) {
  return new PolledTail(options);
}

/** Ordered stream of the store's announcements. */
export type AnnouncementTail = ReturnType<typeof createAnnouncementTail>;

interface Followed {
  readonly rows: readonly AnnouncementRow[];
  /** True if the tail's position lies beyond every transaction of the database. */
  readonly wentBack: boolean;
  /** True if committed rows wait for an older transaction. */
  readonly heldBack: boolean;
}

/** Receives rows in order and the new position. Must not throw. */
type AnnouncementListener = (rows: readonly AnnouncementRow[], position: AnnouncementPosition) => void;

class PolledTail {
  readonly #options: AnnouncementTailOptions;
  readonly #sql;
  readonly #clock;
  readonly #pollMs;
  readonly #pageRows;
  readonly #random;
  readonly #listeners;
  readonly #recent;
  #position: AnnouncementPosition = { xid: 0, seq: 0 };
  #stopped = true;
  /** Number of the present poll; answers of abandoned polls are ignored. */
  #poll = 0;
  #polling = false;
  #hinted = false;
  /** True while notifications precede new rows; a row without one resets it. */
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
    this.#recent = new RecentAnnouncements(options.recentRows ?? RECENT_ROWS);
    this.#listeners = new Set<AnnouncementListener>();
  }

  /** Starts at the present position. @throws if the database does not answer */
  async start(): Promise<void> {
    if (!this.#stopped) return;
    await this.#begin();
    this.#stopped = false;
    // Not awaited: the tail also works without notifications, slightly later. A reconnect triggers one poll.
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

  /** Returns the position up to which rows were emitted. */
  position(): AnnouncementPosition {
    return this.#position;
  }

  /**
   * Receives every row committed from now on, in order, with the position after each batch. The listener must not throw. Returns the
   * unsubscribe function.
   */
  subscribe(listener: AnnouncementListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Reads matching rows after `after` up to `upTo`, oldest first. A page covers a limited number of rows and may be empty before the end:
   * continue from its position until it reaches `upTo`. Recent rows are read from memory.
   */
  async read(after: AnnouncementPosition, upTo: AnnouncementPosition, filter: AnnouncementFilter): Promise<AnnouncementPage> {
    const recent = this.#recent.between(after, upTo, filter);
    if (recent !== null) return { rows: recent, position: upTo };
    // The page's end counts all rows; its contents are read with the organization's connection.
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

  /** Returns false for a position beyond this database (of another database, or invented) or before the kept rows. */
  async isKnown({ xid, seq }: AnnouncementPosition): Promise<boolean> {
    if (this.#recent.holds({ xid, seq })) return true;
    // A position before the oldest row is forgotten unless that row is the first one ever. 0.0 is the start of the kept rows.
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

  /** @param forLost true to look for rows without a notification */
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
    // Only rows prove a position: after a crash the server reuses unused transaction numbers.
    if (last !== undefined) {
      this.#position = { xid: last.xid, seq: last.seq };
      this.#recent.add(rows);
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
    if (!first) throw new Error('PostgreSQL returned no horizon of the announcements');
    return { rows: first.xid === null ? [] : found.map(announcementRow), wentBack: first.went_back, heldBack: first.held_back };
  }

  /** Starts at the newest row that no open transaction can precede. */
  async #begin(): Promise<void> {
    const [row] = await this.#sql<{ xid: string; seq: number }[]>`
      select xid::text, seq from announcements
      where xid < pg_snapshot_xmin(pg_current_snapshot()) order by announcements.xid desc, seq desc limit 1`;
    this.#position = row ? { xid: Number(row.xid), seq: row.seq } : { xid: 0, seq: 0 };
    this.#recent.begin(this.#position);
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
