/** Store of intelligence: stories with reports, macro series, the calendar, value locked on chains and social posts. */
import { EVENTS_KEPT_MS } from '../../../domain/intelligence/listening.ts';
import type { MacroObservation, MacroRelease } from '../../../domain/intelligence/macro.ts';
import type { ChainTvl, ChainTvlDay, SocialPost } from '../../../domain/intelligence/record.ts';
import { listReportSymbols, type Report } from '../../../domain/intelligence/report.ts';
import type { TrackerChange } from '../../../domain/intelligence/story-tracker.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../../domain/values/time.ts';
import type { Sql, Transaction } from '../database.ts';

/** Retention. Rules look back at most 30 days; a review covers a year. */
const KEPT_DAYS = { posts: 30, hours: 10, days: 500, releases: 400 } as const;

/** Stored reports of a story. */
interface KeptStory {
  readonly id: string;
  readonly reports: readonly Report[];
}

/** Change of a story by a report. */
export interface StoryChange extends Pick<TrackerChange, 'story' | 'merged'> {
  readonly report: Report;
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

/** Converts a row to a report. */
function toReport(row: ReportRow): Report {
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

/** Reads the reports of events in order of publication. */
export async function readReports(sql: Sql, eventIds: readonly string[]): Promise<ReadonlyMap<string, readonly Report[]>> {
  const rows = await sql<ReportRow[]>`
    select id, event_id, channel, source, family, is_primary, published_at, received_at, kind, severity, direction, entities, unmapped,
      headline, url, story_key, action, corrects
    from intelligence_reports where event_id = any(${eventIds as string[]}::text[]) order by published_at, id`;
  const byEvent = new Map<string, Report[]>();
  for (const row of rows) byEvent.set(row.event_id, [...(byEvent.get(row.event_id) ?? []), toReport(row)]);
  return byEvent;
}

/** Splits changes into runs in which only the first change may merge stories, because a merge must find the earlier reports stored. */
function runsBetweenMerges(changes: readonly StoryChange[]): readonly StoryChange[][] {
  const runs: StoryChange[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    if (run === undefined || change.merged.length > 0) runs.push([change]);
    else run.push(change);
  }
  return runs;
}

/** Writes the newest state of each story, in order of creation. */
async function upsertStories(transaction: Transaction, changes: readonly StoryChange[]): Promise<void> {
  const newest = new Map(changes.map(({ story }) => [story.id, story]));
  const rows = [...newest.values()].map(({ reports: _, ...story }, place) => ({ ...story, place }));
  await transaction`
    insert into intelligence_events (id, state, confirmed_by, confirmed_at, kind, severity, direction, symbols, headline, first_at,
      observed_at, received_at, families, copies, withdrawn)
    select s.id, s.state, s."confirmedBy", s."confirmedAt", s.kind, s.severity, s.direction, s.symbols, s.headline, s."firstAt",
      s."observedAt", s."receivedAt", s.families, s.copies, s.withdrawn
    from jsonb_to_recordset(${transaction.json(rows)})
      as s(place int, id text, state text, "confirmedBy" text, "confirmedAt" bigint, kind text, severity text, direction text,
        symbols text[], headline text, "firstAt" bigint, "observedAt" bigint, "receivedAt" bigint, families text[], copies text[],
        withdrawn text[])
    order by s.place
    on conflict (id) do update set state = excluded.state, confirmed_by = excluded.confirmed_by, confirmed_at = excluded.confirmed_at,
      kind = excluded.kind, severity = excluded.severity, direction = excluded.direction, symbols = excluded.symbols,
      headline = excluded.headline, first_at = excluded.first_at, observed_at = excluded.observed_at,
      received_at = excluded.received_at, families = excluded.families, copies = excluded.copies, withdrawn = excluded.withdrawn,
      merged_into = null`;
}

async function mergeStories(transaction: Transaction, into: string, merged: readonly string[]): Promise<void> {
  await transaction`update intelligence_events set merged_into = ${into} where id = any(${merged as string[]}::text[])`;
  await transaction`update intelligence_reports set event_id = ${into} where event_id = any(${merged as string[]}::text[])`;
}

async function insertReports(transaction: Transaction, changes: readonly StoryChange[]): Promise<void> {
  const rows = changes.map(({ story, report }, place) => ({ ...report, storyId: story.id, place }));
  await transaction`
    insert into intelligence_reports (id, event_id, channel, source, family, is_primary, published_at, received_at, kind, severity,
      direction, entities, unmapped, headline, url, story_key, action, corrects)
    select r.id, r."storyId", r.channel, r.source, r.family, r."primary", r."publishedAt", r."receivedAt", r.kind, r.severity,
      r.direction, r.entities, r.unmapped, r.headline, r.url, r."storyKey", r.action, r.corrects
    from jsonb_to_recordset(${transaction.json(rows)})
      as r(place int, id text, "storyId" text, channel text, source text, family text, "primary" boolean, "publishedAt" bigint,
        "receivedAt" bigint, kind text, severity text, direction text, entities jsonb, unmapped text[], headline text, url text,
        "storyKey" text, action text, corrects text)
    order by r.place
    on conflict (id) do nothing`;
}

export function createIntelligenceStore(sql: Sql) {
  return {
    ...storyWrites(sql),
    ...macroWrites(sql),
    ...chainWrites(sql),

    /** Updates the engagement of a known post; its text and mapping stay. */
    async savePosts(posts: readonly SocialPost[]): Promise<void> {
      const rows = [...new Map(posts.map((post) => [post.id, { ...post, symbols: listReportSymbols(post) }])).values()];
      await sql`
        insert into social_posts (id, platform, author, text, url, published_at, received_at, engagement, cashtags, symbols, entities,
          ambiguous, unmapped)
        select p.id, p.platform, p.author, p.text, p.url, p."publishedAt", p."receivedAt", p.engagement, p.cashtags, p.symbols, p.entities,
          p.ambiguous, p.unmapped
        from jsonb_to_recordset(${sql.json(rows)})
          as p(id text, platform text, author text, text text, url text, "publishedAt" bigint, "receivedAt" bigint, engagement jsonb,
            cashtags text[], symbols text[], entities jsonb, ambiguous jsonb, unmapped text[])
        order by p."publishedAt", p.id
        on conflict (id) do update set engagement = excluded.engagement, received_at = excluded.received_at
        where social_posts.received_at < excluded.received_at`;
    },

    /** Deletes expired rows and returns their number. */
    async prune(now: EpochMs): Promise<number> {
      const before = (days: number): EpochMs => now - days * DAY_MS;
      const gone = [
        await sql`delete from intelligence_events where observed_at < ${now - EVENTS_KEPT_MS}`,
        await sql`delete from event_receptions where to_at < ${now - EVENTS_KEPT_MS}`,
        await sql`delete from social_posts where published_at < ${before(KEPT_DAYS.posts)}`,
        await sql`delete from chain_tvl where hour < ${before(KEPT_DAYS.hours)}`,
        await sql`delete from chain_tvl_days where date < (to_timestamp(${before(KEPT_DAYS.days) / 1000}::float8) at time zone 'UTC')::date`,
        await sql`delete from macro_releases where date < (to_timestamp(${before(KEPT_DAYS.releases) / 1000}::float8) at time zone 'UTC')::date`,
      ];
      return gone.reduce((sum, { count }) => sum + count, 0);
    },
  };
}

/** Returns SQL over a report `r` that is true if it was received from the sandbox and its source is real now, or the reverse. */
function isSetAside(sql: Sql) {
  return sql`exists (
    select 1 from (values (case r.channel when 'filing' then 'filings' else 'wire' end)) as s(source)
    where r.channel <> 'macro' and (origin_at(s.source, r.received_at) = 'real') <> reads_real(s.source))`;
}

function storyWrites(sql: Sql) {
  return {
    /** Stores changes in order: stories, reports, and merged stories. Idempotent. */
    async saveChanges(changes: readonly StoryChange[]): Promise<void> {
      await sql.begin(async (transaction) => {
        for (const run of runsBetweenMerges(changes)) {
          await upsertStories(transaction, run);
          for (const { story, merged } of run) if (merged.length > 0) await mergeStories(transaction, story.id, merged);
          await insertReports(transaction, run);
        }
      });
    },

    /** Returns stories with a report since then in order of creation, from which the tracker continues. */
    async openStories(since: EpochMs): Promise<readonly KeptStory[]> {
      const events = await sql<{ id: string }[]>`
        select e.id from intelligence_events e
        where e.merged_into is null and exists (select 1 from intelligence_reports r where r.event_id = e.id and r.published_at >= ${since})
        order by e.number`;
      const reports = await readReports(
        sql,
        events.map(({ id }) => id),
      );
      const aside = await sql<{ id: string }[]>`select r.id from intelligence_reports r where ${isSetAside(sql)}`;
      const asideIds = new Set(aside.map(({ id }) => id));
      return events.flatMap(({ id }) => {
        const found = reports.get(id)?.filter((report) => !asideIds.has(report.id)) ?? [];
        return found.length === 0 ? [] : [{ id, reports: found }];
      });
    },
  };
}

function macroWrites(sql: Sql) {
  return {
    /** Stores values that differ from the newest stored vintage of their date and returns their number. */
    async saveObservations(observations: readonly MacroObservation[]): Promise<number> {
      const saved = await sql`
        insert into macro_observations (series_id, units, date, vintage, received_at, value)
        select o."seriesId", o.units, o.date, o.vintage, o."receivedAt", o.value
        from jsonb_to_recordset(${sql.json(observations)})
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
        from jsonb_to_recordset(${sql.json(days)}) as r("releaseId" integer, date date, name text, "receivedAt" bigint)
        on conflict (release_id, date) do update set name = excluded.name, received_at = excluded.received_at`;
    },
  };
}

function chainWrites(sql: Sql) {
  return {
    /** Stores snapshots; the last one of an hour is kept. */
    async saveChains(chains: readonly ChainTvl[]): Promise<void> {
      const rows = chains.map((row) => ({ ...row, hour: Math.floor(row.receivedAt / HOUR_MS) * HOUR_MS }));
      await sql`
        insert into chain_tvl (chain, hour, received_at, tvl_usd, chain_id, token_symbol)
        select c.chain, c.hour, c."receivedAt", c."tvlUsd", c."chainId", c."tokenSymbol"
        from jsonb_to_recordset(${sql.json(rows)})
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
        from jsonb_to_recordset(${sql.json(rows)}) as d(chain text, date date, "tvlUsd" numeric)
        on conflict (chain, date) do update set tvl_usd = excluded.tvl_usd, received_at = excluded.received_at
        where chain_tvl_days.tvl_usd <> excluded.tvl_usd`;
    },
  };
}
