/** Reads of intelligence for the API: events with reports, posts, value locked on chains, macro series, the calendar. */
import type { Assessment } from '../../../domain/intelligence/corroboration.ts';
import type { MacroRelease, SeriesPoint } from '../../../domain/intelligence/macro.ts';
import type { SocialPost } from '../../../domain/intelligence/record.ts';
import type { EventKind, Report } from '../../../domain/intelligence/report.ts';
import { SEVERITIES, type Severity } from '../../../domain/market/market-event.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { readReports } from './intelligence-store.ts';

/** Event with all of its stored reports. */
export interface StoredEvent extends Assessment {
  readonly id: string;
  readonly receivedAt: EpochMs;
  readonly reports: readonly Report[];
}

interface EventFilter {
  /** Underlying. */
  readonly symbol?: string;
  readonly minSeverity?: Severity;
  readonly kind?: EventKind;
  /** True for confirmed events only, false for unconfirmed ones only. */
  readonly confirmed?: boolean;
  readonly from?: EpochMs;
}

interface PostFilter {
  /** Underlying. */
  readonly symbol?: string;
  readonly platform?: string;
  readonly author?: string;
  /** True for posts about catalog instruments only. */
  readonly mapped: boolean;
  readonly minLikes?: number;
  readonly from?: EpochMs;
}

/** Newest snapshot of a chain and earlier values; null if unknown. */
export interface ChainRow {
  /** Null for the total of all chains. */
  readonly chain: string | null;
  readonly chainId: string | null;
  readonly tokenSymbol: string | null;
  readonly tvlUsd: string;
  readonly receivedAt: EpochMs;
  readonly dayBefore: string | null;
  readonly weekBefore: string | null;
}

export interface ChainDay {
  readonly date: string;
  readonly tvlUsd: string;
}

/** Value of a series as known, and the value that it replaced. */
export interface StoredPoint extends SeriesPoint {
  readonly vintage: string;
  readonly receivedAt: EpochMs;
  /** First published value if it was revised, else null. */
  readonly firstValue: string | null;
}

/** Maximum extra age of a snapshot that stands for a day or a week ago, in milliseconds. */
const TOLERANCE_MS = 3 * HOUR_MS;
/** Milliseconds after which a release that newest calendars no longer list counts as moved. */
const CALENDAR_MS = HOUR_MS;

interface EventRow {
  readonly id: string;
  readonly number: number;
  readonly state: Assessment['state'];
  readonly confirmed_by: Assessment['confirmedBy'];
  readonly confirmed_at: number | null;
  readonly kind: EventKind;
  readonly severity: Severity;
  readonly direction: Assessment['direction'];
  readonly symbols: readonly string[];
  readonly headline: string;
  readonly first_at: number;
  readonly observed_at: number;
  readonly received_at: number;
  readonly families: readonly string[];
  readonly copies: readonly string[];
  readonly withdrawn: readonly string[];
}

interface PostRow {
  readonly id: string;
  readonly number: number;
  readonly platform: string;
  readonly author: string;
  readonly text: string;
  readonly url: string | null;
  readonly published_at: number;
  readonly received_at: number;
  readonly engagement: SocialPost['engagement'];
  readonly cashtags: readonly string[];
  readonly entities: SocialPost['entities'];
  readonly ambiguous: SocialPost['ambiguous'];
  readonly unmapped: readonly string[];
}

/** Parses the position `<time>.<number>`; null starts at the newest item. */
function parsePosition(after: string | null): { readonly at: number; readonly number: number } {
  const [at, number] = (after ?? '').split('.');
  return after === null ? { at: Number.MAX_SAFE_INTEGER, number: 0 } : { at: Number(at), number: Number(number) };
}

function toEvent(row: EventRow, reports: readonly Report[]) {
  return {
    id: row.id,
    state: row.state,
    confirmedBy: row.confirmed_by,
    confirmedAt: row.confirmed_at,
    kind: row.kind,
    severity: row.severity,
    direction: row.direction,
    symbols: row.symbols,
    headline: row.headline,
    firstAt: row.first_at,
    observedAt: row.observed_at,
    receivedAt: row.received_at,
    families: row.families,
    copies: row.copies,
    withdrawn: row.withdrawn,
    reports,
  };
}

export function createIntelligenceReads(sql: Sql) {
  return { ...eventReads(sql), ...postReads(sql), ...chainReads(sql), ...macroReads(sql) };
}

export type IntelligenceReads = ReturnType<typeof createIntelligenceReads>;

function eventReads(sql: Sql) {
  return {
    /** Lists events that are not merged into another one, newest first. The position is `<time>.<number>`. */
    async events(filter: EventFilter, { limit, after }: Page): Promise<PageOf<StoredEvent>> {
      const position = parsePosition(after);
      const severities = SEVERITIES.slice(SEVERITIES.indexOf(filter.minSeverity ?? 'low'));
      const rows = await sql<EventRow[]>`
        select id, number, state, confirmed_by, confirmed_at, kind, severity, direction, symbols, headline, first_at, observed_at, received_at,
          families, copies, withdrawn
        from intelligence_events
        where merged_into is null and severity = any(${severities as string[]}::text[])
          and (observed_at, number) < (${position.at}::bigint, ${position.number}::bigint)
          ${filter.symbol === undefined ? sql`` : sql`and symbols @> ${[filter.symbol]}::text[]`}
          ${filter.kind === undefined ? sql`` : sql`and kind = ${filter.kind}`}
          ${filter.confirmed === undefined ? sql`` : sql`and (state = 'confirmed') = ${filter.confirmed}`}
          ${filter.from === undefined ? sql`` : sql`and observed_at >= ${filter.from}`}
        order by observed_at desc, number desc limit ${limit + 1}`;
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const reports = await readReports(
        sql,
        page.map(({ id }) => id),
      );
      return {
        items: page.map((row) => toEvent(row, reports.get(row.id) ?? [])),
        next: rows.length > limit && last !== undefined ? `${last.observed_at}.${last.number}` : null,
      };
    },
  };
}

function postReads(sql: Sql) {
  return {
    /** Lists posts, newest first. The position is `<time>.<number>`. */
    async posts(filter: PostFilter, { limit, after }: Page): Promise<PageOf<SocialPost>> {
      const position = parsePosition(after);
      const rows = await sql<PostRow[]>`
        select id, number, platform, author, text, url, published_at, received_at, engagement, cashtags, entities, ambiguous, unmapped
        from social_posts
        where (published_at, number) < (${position.at}::bigint, ${position.number}::bigint)
          ${filter.symbol === undefined ? sql`` : sql`and symbols @> ${[filter.symbol]}::text[]`}
          ${filter.mapped ? sql`and symbols <> '{}'` : sql``}
          ${filter.platform === undefined ? sql`` : sql`and platform = ${filter.platform}`}
          ${filter.author === undefined ? sql`` : sql`and author = ${filter.author}`}
          ${filter.minLikes === undefined ? sql`` : sql`and (engagement ->> 'likes')::bigint >= ${filter.minLikes}`}
          ${filter.from === undefined ? sql`` : sql`and published_at >= ${filter.from}`}
        order by published_at desc, number desc limit ${limit + 1}`;
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(
          (row): SocialPost => ({
            id: row.id,
            platform: row.platform,
            author: row.author,
            text: row.text,
            url: row.url,
            publishedAt: row.published_at,
            receivedAt: row.received_at,
            engagement: row.engagement,
            cashtags: row.cashtags,
            entities: row.entities,
            ambiguous: row.ambiguous,
            unmapped: row.unmapped,
          }),
        ),
        next: rows.length > limit && last !== undefined ? `${last.published_at}.${last.number}` : null,
      };
    },
  };
}

function chainReads(sql: Sql) {
  return {
    /**
     * Returns every chain of the last day's snapshots, the largest first, with its values a day and a week earlier: our own snapshot, else
     * the provider's day.
     */
    async chains(): Promise<readonly ChainRow[]> {
      return sql<
        {
          chain: string;
          chainId: string | null;
          tokenSymbol: string | null;
          tvlUsd: string;
          receivedAt: number;
          dayBefore: string | null;
          weekBefore: string | null;
        }[]
      >`
        with newest as (
          select distinct on (chain) chain, hour, received_at, tvl_usd, chain_id, token_symbol from chain_tvl
          where hour >= (select max(hour) from chain_tvl) - ${DAY_MS}::bigint order by chain, hour desc)
        select n.chain, n.chain_id as "chainId", n.token_symbol as "tokenSymbol", trim_scale(n.tvl_usd)::text as "tvlUsd",
          n.received_at as "receivedAt", trim_scale(coalesce(h1.tvl_usd, d1.tvl_usd))::text as "dayBefore",
          trim_scale(coalesce(h7.tvl_usd, d7.tvl_usd))::text as "weekBefore"
        from newest n
        left join lateral (select k.tvl_usd from chain_tvl k where k.chain = n.chain and k.received_at <= n.received_at - ${DAY_MS}::bigint
          and k.received_at >= n.received_at - ${DAY_MS + TOLERANCE_MS}::bigint order by k.hour desc limit 1) h1 on true
        left join lateral (select k.tvl_usd from chain_tvl k where k.chain = n.chain and k.received_at <= n.received_at - ${7 * DAY_MS}::bigint
          and k.received_at >= n.received_at - ${7 * DAY_MS + TOLERANCE_MS}::bigint order by k.hour desc limit 1) h7 on true
        left join chain_tvl_days d1 on d1.chain = n.chain
          and d1.date = (to_timestamp((n.received_at - ${DAY_MS}::bigint) / 1000.0) at time zone 'UTC')::date
        left join chain_tvl_days d7 on d7.chain = n.chain
          and d7.date = (to_timestamp((n.received_at - ${7 * DAY_MS}::bigint) / 1000.0) at time zone 'UTC')::date
        order by n.tvl_usd desc, n.chain`;
    },

    /** Returns the total of all chains from the provider's history, or null. */
    async allChains(): Promise<ChainRow | null> {
      const [row] = await sql<{ tvlUsd: string; receivedAt: number; dayBefore: string | null; weekBefore: string | null }[]>`
        select trim_scale(n.tvl_usd)::text as "tvlUsd", n.received_at as "receivedAt", trim_scale(d1.tvl_usd)::text as "dayBefore",
          trim_scale(d7.tvl_usd)::text as "weekBefore"
        from (select * from chain_tvl_days where chain = '' order by date desc limit 1) n
        left join chain_tvl_days d1 on d1.chain = '' and d1.date = n.date - 1
        left join chain_tvl_days d7 on d7.chain = '' and d7.date = n.date - 7`;
      return row === undefined ? null : { chain: null, chainId: null, tokenSymbol: null, ...row };
    },

    /** Returns the days of these chains (null: the total) from a date on, by chain and ascending. */
    async chainDays(chains: readonly (string | null)[], from: string): Promise<ReadonlyMap<string | null, readonly ChainDay[]>> {
      const rows = await sql<{ chain: string; date: string; tvl_usd: string }[]>`
        select chain, date::text as date, trim_scale(tvl_usd)::text as tvl_usd from chain_tvl_days
        where chain = any(${chains.map((chain) => chain ?? '')}::text[]) and date >= ${from}::date order by chain, date`;
      const byChain = new Map<string | null, { date: string; tvlUsd: string }[]>(chains.map((chain) => [chain, []]));
      for (const { chain, date, tvl_usd: tvlUsd } of rows) byChain.get(chain === '' ? null : chain)?.push({ date, tvlUsd });
      return byChain;
    },
  };
}

function macroReads(sql: Sql) {
  return {
    /**
     * Returns values of these series from a date on as known on the day `asOf`, by series and ascending: the newest vintage of each date.
     * Leaves out dates without a value.
     */
    async series(ids: readonly string[], from: string, asOf: string): Promise<ReadonlyMap<string, readonly StoredPoint[]>> {
      const rows = await sql<
        { series_id: string; date: string; value: string | null; vintage: string; received_at: number; first_value: string | null }[]
      >`
        select distinct on (series_id, date) series_id, date::text as date, trim_scale(value)::text as value, vintage::text as vintage,
          received_at, trim_scale(first_value(value) over (
            partition by series_id, date order by vintage, received_at))::text as first_value
        from macro_observations
        where series_id = any(${ids as string[]}::text[]) and date >= ${from}::date and vintage <= ${asOf}::date
        order by series_id, date, vintage desc, received_at desc`;
      const byId = new Map<string, { date: string; value: string; vintage: string; receivedAt: EpochMs; firstValue: string | null }[]>(
        ids.map((id) => [id, []]),
      );
      for (const { series_id: id, date, value, vintage, received_at: receivedAt, first_value: first } of rows)
        if (value !== null) byId.get(id)?.push({ date, value, vintage, receivedAt, firstValue: first === value ? null : first });
      return byId;
    },

    /**
     * Returns releases between two dates, inclusive and ascending. Future days count only if the newest calendar lists them, because the
     * provider moves releases.
     */
    async releases(from: string, to: string): Promise<readonly MacroRelease[]> {
      return sql<MacroRelease[]>`
        select release_id as "releaseId", name, date::text as date, received_at as "receivedAt" from macro_releases
        where date between ${from}::date and ${to}::date
          and received_at >= case
            when date > (select (to_timestamp(max(received_at) / 1000.0) at time zone 'UTC')::date from macro_releases)
            then (select max(received_at) from macro_releases) - ${CALENDAR_MS}::bigint else 0 end
        order by date, release_id`;
    },
  };
}
