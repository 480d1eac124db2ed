/** Intelligence at rest: stories with their reports, macro series, the calendar, value locked on chains and social posts. */
import type { ChainTvl, ChainTvlDay } from '../../../domain/intelligence/chain-tvl.ts';
import type { MacroObservation, MacroRelease } from '../../../domain/intelligence/macro.ts';
import { type Report, symbolsOf } from '../../../domain/intelligence/report.ts';
import type { SocialPost } from '../../../domain/intelligence/social.ts';
import type { TrackerChange } from '../../../domain/intelligence/story-tracker.ts';
import type { EpochMs } from '../../../domain/time.ts';
import type { Sql } from '../database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long things are kept (docs/decisions/0047-intelligence-retention.md). */
export const KEPT_DAYS = { events: 400, posts: 30, hours: 10, days: 500, releases: 400 } as const;

/** A story's reports as they were kept, by the story's id. */
export interface KeptStory {
  readonly id: string;
  readonly reports: readonly Report[];
}

interface ReportRow {
  readonly id: string;
  readonly event_id: string;
  readonly channel: Report['channel'];
  readonly source: string;
  readonly family: string;
  readonly is_primary: boolean;
  readonly published_at: number;
  readonly received_at: number;
  readonly kind: Report['kind'];
  readonly severity: Report['severity'];
  readonly direction: Report['direction'];
  readonly entities: Report['entities'];
  readonly unmapped: readonly string[];
  readonly headline: string;
  readonly url: string | null;
  readonly story_key: string | null;
  readonly action: Report['action'];
  readonly corrects: string | null;
}

/** The report that a row holds. */
export function reportOf(row: ReportRow): Report {
  return {
    id: row.id,
    channel: row.channel,
    source: row.source,
    family: row.family,
    primary: row.is_primary,
    publishedAt: row.published_at,
    receivedAt: row.received_at,
    kind: row.kind,
    severity: row.severity,
    direction: row.direction,
    entities: row.entities,
    unmapped: row.unmapped,
    headline: row.headline,
    url: row.url,
    storyKey: row.story_key,
    action: row.action,
    corrects: row.corrects,
  };
}

/** Reports of these events, in order of publication. */
export async function readReports(sql: Sql, eventIds: readonly string[]): Promise<ReadonlyMap<string, readonly Report[]>> {
  const rows = await sql<ReportRow[]>`
    select id, event_id, channel, source, family, is_primary, published_at, received_at, kind, severity, direction, entities, unmapped,
      headline, url, story_key, action, corrects
    from intelligence_reports where event_id = any(${eventIds as string[]}::text[]) order by published_at, id`;
  const byEvent = new Map<string, Report[]>();
  for (const row of rows) byEvent.set(row.event_id, [...(byEvent.get(row.event_id) ?? []), reportOf(row)]);
  return byEvent;
}

export function createIntelligenceStore(sql: Sql) {
  return {
    /** Keeps what a report changed: the story, the report, and whatever became part of the story. Twice is as good as once. */
    async saveChange({ story, merged }: TrackerChange, report: Report): Promise<void> {
      await sql.begin(async (transaction) => {
        await transaction`
          insert into intelligence_events (id, state, confirmed_by, confirmed_at, kind, severity, direction, symbols, headline, first_at,
            observed_at, received_at, families, copies, withdrawn)
          values (${story.id}, ${story.state}, ${story.confirmedBy}, ${story.confirmedAt}, ${story.kind}, ${story.severity}, ${story.direction},
            ${story.symbols as string[]}::text[], ${story.headline}, ${story.firstAt}, ${story.observedAt}, ${story.receivedAt},
            ${story.families as string[]}::text[], ${story.copies as string[]}::text[], ${story.withdrawn as string[]}::text[])
          on conflict (id) do update set state = excluded.state, confirmed_by = excluded.confirmed_by, confirmed_at = excluded.confirmed_at,
            kind = excluded.kind, severity = excluded.severity, direction = excluded.direction, symbols = excluded.symbols,
            headline = excluded.headline, first_at = excluded.first_at, observed_at = excluded.observed_at,
            received_at = excluded.received_at, families = excluded.families, copies = excluded.copies, withdrawn = excluded.withdrawn,
            merged_into = null`;
        if (merged.length > 0) {
          await transaction`update intelligence_events set merged_into = ${story.id} where id = any(${merged as string[]}::text[])`;
          await transaction`update intelligence_reports set event_id = ${story.id} where event_id = any(${merged as string[]}::text[])`;
        }
        await transaction`
          insert into intelligence_reports (id, event_id, channel, source, family, is_primary, published_at, received_at, kind, severity,
            direction, entities, unmapped, headline, url, story_key, action, corrects)
          values (${report.id}, ${story.id}, ${report.channel}, ${report.source}, ${report.family}, ${report.primary}, ${report.publishedAt},
            ${report.receivedAt}, ${report.kind}, ${report.severity}, ${report.direction}, ${transaction.json(report.entities as never)},
            ${report.unmapped as string[]}::text[], ${report.headline}, ${report.url}, ${report.storyKey}, ${report.action}, ${report.corrects})
          on conflict (id) do nothing`;
      });
    },

    /** Stories with a report since then, in the order in which they were opened: what a command handler goes on from. */
    async openStories(since: EpochMs): Promise<readonly KeptStory[]> {
      const events = await sql<{ id: string }[]>`
        select e.id from intelligence_events e
        where e.merged_into is null and exists (select 1 from intelligence_reports r where r.event_id = e.id and r.published_at >= ${since})
        order by e.number`;
      const reports = await readReports(
        sql,
        events.map(({ id }) => id),
      );
      return events.flatMap(({ id }) => {
        const found = reports.get(id);
        return found === undefined ? [] : [{ id, reports: found }];
      });
    },

    /** Keeps what differs from the newest vintage that is kept of its date. Returns how many values are new. */
    async saveObservations(observations: readonly MacroObservation[]): Promise<number> {
      const saved = await sql`
        insert into macro_observations (series_id, units, date, vintage, received_at, value)
        select o."seriesId", o.units, o.date, o.vintage, o."receivedAt", o.value
        from jsonb_to_recordset(${sql.json(observations as never)})
          as o("seriesId" text, units text, date date, vintage date, "receivedAt" bigint, value numeric)
        where not exists (
          select 1 from (
            select k.value, k.vintage from macro_observations k
            where k.series_id = o."seriesId" and k.units = o.units and k.date = o.date
            order by k.vintage desc, k.received_at desc limit 1
          ) newest where newest.value is not distinct from o.value or newest.vintage > o.vintage)
        on conflict do nothing`;
      return saved.count;
    },

    async saveReleases(releases: readonly MacroRelease[]): Promise<void> {
      const days = [...new Map(releases.map((release) => [`${release.releaseId} ${release.date}`, release])).values()];
      await sql`
        insert into macro_releases (release_id, date, name, received_at)
        select r."releaseId", r.date, r.name, r."receivedAt"
        from jsonb_to_recordset(${sql.json(days as never)}) as r("releaseId" integer, date date, name text, "receivedAt" bigint)
        on conflict (release_id, date) do update set name = excluded.name, received_at = excluded.received_at`;
    },

    /** The last snapshot of an hour stands for it. */
    async saveChains(chains: readonly ChainTvl[]): Promise<void> {
      const rows = chains.map((row) => ({ ...row, hour: Math.floor(row.receivedAt / HOUR_MS) * HOUR_MS }));
      await sql`
        insert into chain_tvl (chain, hour, received_at, tvl_usd, chain_id, token_symbol)
        select c.chain, c.hour, c."receivedAt", c."tvlUsd", c."chainId", c."tokenSymbol"
        from jsonb_to_recordset(${sql.json(rows as never)})
          as c(chain text, hour bigint, "receivedAt" bigint, "tvlUsd" numeric, "chainId" text, "tokenSymbol" text)
        on conflict (chain, hour) do update set received_at = excluded.received_at, tvl_usd = excluded.tvl_usd,
          chain_id = excluded.chain_id, token_symbol = excluded.token_symbol
        where chain_tvl.received_at < excluded.received_at`;
    },

    async saveDays(days: readonly ChainTvlDay[], receivedAt: EpochMs): Promise<void> {
      const rows = days.map(({ chain, date, tvlUsd }) => ({ chain: chain ?? '', date, tvlUsd }));
      await sql`
        insert into chain_tvl_days (chain, date, tvl_usd, received_at)
        select d.chain, d.date, d."tvlUsd", ${receivedAt}
        from jsonb_to_recordset(${sql.json(rows as never)}) as d(chain text, date date, "tvlUsd" numeric)
        on conflict (chain, date) do update set tvl_usd = excluded.tvl_usd, received_at = excluded.received_at
        where chain_tvl_days.tvl_usd <> excluded.tvl_usd`;
    },

    /** A post that is known has its engagement brought up to date; its text and mapping stay as they were read first. */
    async savePosts(posts: readonly SocialPost[]): Promise<void> {
      const rows = [...new Map(posts.map((post) => [post.id, { ...post, symbols: symbolsOf(post) }])).values()];
      await sql`
        insert into social_posts (id, platform, author, text, url, published_at, received_at, engagement, cashtags, symbols, entities,
          ambiguous, unmapped)
        select p.id, p.platform, p.author, p.text, p.url, p."publishedAt", p."receivedAt", p.engagement, p.cashtags, p.symbols, p.entities,
          p.ambiguous, p.unmapped
        from jsonb_to_recordset(${sql.json(rows as never)})
          as p(id text, platform text, author text, text text, url text, "publishedAt" bigint, "receivedAt" bigint, engagement jsonb,
            cashtags text[], symbols text[], entities jsonb, ambiguous jsonb, unmapped text[])
        order by p."publishedAt", p.id
        on conflict (id) do update set engagement = excluded.engagement, received_at = excluded.received_at
        where social_posts.received_at < excluded.received_at`;
    },

    /** Removes what is older than is kept. Returns how many rows went. */
    async prune(now: EpochMs): Promise<number> {
      const before = (days: number): EpochMs => now - days * DAY_MS;
      const gone = [
        await sql`delete from intelligence_events where observed_at < ${before(KEPT_DAYS.events)}`,
        await sql`delete from social_posts where published_at < ${before(KEPT_DAYS.posts)}`,
        await sql`delete from chain_tvl where hour < ${before(KEPT_DAYS.hours)}`,
        await sql`delete from chain_tvl_days where date < (to_timestamp(${before(KEPT_DAYS.days) / 1000}::float8) at time zone 'UTC')::date`,
        await sql`delete from macro_releases where date < (to_timestamp(${before(KEPT_DAYS.releases) / 1000}::float8) at time zone 'UTC')::date`,
      ];
      return gone.reduce((sum, { count }) => sum + count, 0);
    },
  };
}
