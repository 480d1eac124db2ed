/** Facts of live fills for the circuit breakers: slippage since the last demotion, expected slippage, and recently filled traders. */
import type { Stage } from '../../../domain/agents/agent.ts';
import { markBook, startOfUtcDay } from '../../../domain/books/book.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import type { UnreadableRow } from '../../../domain/values/value-text.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { ContainedLoop } from '../../../../actors/runtime/containment.ts';
import type { FilledTrader } from '../../../../actors/agent/book-breakers.ts';
import { readTradedBooks } from '../books/book-store.ts';
import type { Sql } from '../database.ts';
import { expectedSlippage } from '../gates/evidence-store.ts';
import { expectedSlippageOfTakes } from '../takes/take-reads.ts';
import { holdsNow } from '../asked-together.ts';

/** Maximum age in milliseconds of a cut whose bids value positions. */
const MARK_AGE_MS = 120_000;

/**
 * Returns agents or Takes with live capital that were filled since `since`, with their manifests and the number of their last fill. Leaves
 * out those whose last fill is the one in `seen`, which are nearly all of them: their manifests are not read.
 */
async function withLiveFills(sql: Sql, since: EpochMs, kind: 'agent' | 'take', seen: ReadonlyMap<string, number>) {
  if (!(await holdsNow(sql, sql`exists (select 1 from fills where book_id like 'agent:%:live' and at >= ${since})`))) return [];
  const filled = await sql<{ id: string; last: number }[]>`
    select a.id, f.last from (
      select book_id, max(number) as last from fills where book_id like 'agent:%:live' and at >= ${since} group by book_id
    ) f join traders a on a.id = split_part(f.book_id, ':', 2)::uuid and a.kind = ${kind} and a.stage in ('limited_live', 'live')`;
  const unseen = filled.filter(({ id, last }) => seen.get(id) !== last);
  if (unseen.length === 0) return [];
  return sql<{ id: string; org_id: string; stage: Stage; canonical: string; last: number }[]>`
    select a.id, a.org_id, a.stage, m.canonical, f.last
    from jsonb_to_recordset(${sql.json(unseen)}) as f(id uuid, last bigint)
    join traders a on a.id = f.id and a.kind = ${kind} and a.stage in ('limited_live', 'live')
    join manifests m on m.agent_id = a.id and m.version = a.manifest_version`;
}

export function createBreakerFacts(sql: Sql) {
  return {
    /** Returns slippage by agent or Take; null without a live fill since the last demotion, manifest change or arming. */
    async slippage(agentIds: readonly string[]) {
      const [ofAgents, ofTakes, rows] = await Promise.all([
        expectedSlippage(sql, agentIds),
        expectedSlippageOfTakes(sql, agentIds),
        sql<{ id: string; fills: number; bps: number | null }[]>`
          select a.id, count(f.id)::int as fills, (sum(f.slippage_bps * f.notional_usd::float8) / nullif(sum(f.notional_usd::float8), 0)) as bps
          from unnest(${agentIds as string[]}::uuid[]) as a(id)
          left join fills f on f.book_id = 'agent:' || a.id || ':live'
            and f.at > coalesce(
              (select c.at from stage_changes c where c.agent_id = a.id and c.evidence_id is null order by c.seq desc limit 1),
              (select t.armed_at from takes t where t.id = a.id and t.mode = 'live'))
          group by a.id`,
      ]);
      const expected = new Map([...ofAgents, ...ofTakes]);
      return new Map(rows.map(({ id, fills, bps }) => [id, { fills, slippageBps: bps, expectedSlippageBps: expected.get(id) ?? null }]));
    },

    worstKnown: (instruments: readonly InstrumentKey[], now: EpochMs) => worstKnown(sql, instruments, now),

    /**
     * Returns the books of agents or Takes with live capital that were filled since `since`, valued at the last live bids, with the number
     * of each one's last fill. Leaves out those whose last fill is the one in `seen`.
     */
    async filledSince(since: EpochMs, now: EpochMs, kind: 'agent' | 'take', seen: ReadonlyMap<string, number>, contained: ContainedLoop) {
      const agents = await withLiveFills(sql, since, kind, seen);
      if (agents.length === 0) return [];
      const unreadable = new Map<string | null, UnreadableRow>();
      const books = await readTradedBooks(
        sql,
        agents.map(({ id }) => id),
        (agentId, error) => unreadable.set(agentId, error),
      );
      const live = agents.flatMap((agent) => {
        const book = books.get(`agent:${agent.id}:live`);
        return book === undefined ? [] : [{ agent, state: book.state }];
      });
      const instruments = [...new Set(live.flatMap(({ state }) => state.holdings.map(({ instrument }) => instrument)))];
      const bids = await sql<{ instrument: InstrumentKey; bid: DecimalString | null }[]>`
        select i.instrument, last_live_bid(i.instrument, ${now - MARK_AGE_MS}, ${now + 1}) as bid from unnest(${instruments as string[]}::text[]) as i(instrument)`;
      const marks = new Map(bids.flatMap(({ instrument, bid }) => (bid === null ? [] : [[instrument, plainDecimal(bid)] as const])));
      const states = new Map(live.map(({ agent, state }) => [agent.id, state]));
      const marked: FilledTrader[] = [];
      await contained.each(
        agents,
        ({ id, org_id: orgId }) => ({ id, orgId }),
        ({ id, stage, canonical, last }) => {
          const fault = unreadable.get(id);
          if (fault !== undefined) throw fault;
          const state = states.get(id);
          if (state === undefined) return;
          marked.push({
            agentId: id,
            stage,
            manifest: JSON.parse(canonical) as Manifest,
            marked: markBook(state, marks, now),
            lastFill: last,
          });
        },
      );
      return marked;
    },
  };
}

/**
 * Returns the worst known price of instruments without a live one: the lowest live bid of the UTC day so far, else the last one of the day
 * before. Leaves out instruments without either.
 */
async function worstKnown(
  sql: Sql,
  instruments: readonly InstrumentKey[],
  now: EpochMs,
): Promise<ReadonlyMap<InstrumentKey, DecimalString>> {
  const day = startOfUtcDay(now);
  const rows = await sql<{ instrument: InstrumentKey; bid: DecimalString | null }[]>`
    select i.instrument, coalesce(
      (select min((o.body::jsonb #>> '{quote,bid}')::numeric) from judged_observations o where o.slot >= ${day} and o.slot <= ${now}
        and o.instrument = i.instrument and o.body::jsonb #>> '{quote,quality}' = 'live'),
      last_live_bid(i.instrument, ${day - DAY_MS}, ${day})) as bid
    from unnest(${instruments as string[]}::text[]) as i(instrument)`;
  return new Map(rows.flatMap(({ instrument, bid }) => (bid === null ? [] : [[instrument, plainDecimal(bid)] as const])));
}
