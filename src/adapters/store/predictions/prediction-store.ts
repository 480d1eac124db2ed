/** Store of prediction markets with their last state, their events, and trades of the last two days. */
import { bufferTime, filter, map, Subject, Subscription, takeUntil } from 'rxjs';
import type { PredictionMarket, PredictionProvider, PredictionStatus, PredictionTrade } from '../../../domain/prediction/market.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../../domain/values/time.ts';
import type { PredictionFeed } from '../../venues/prediction/provider-feed.ts';
import type { Sql } from '../database.ts';
import { anywhere, pageOfRows } from '../queries.ts';

/** Filter of prediction markets. Absent fields are ignored. */
export interface PredictionFilter {
  readonly provider?: PredictionProvider;
  readonly status?: PredictionStatus;
  readonly underlying?: string;
  readonly text?: string;
  readonly eventId?: string;
}

/** Sort key of a market without an end: after every one that has one (2100-01-01). */
const NO_END: EpochMs = Date.UTC(2100, 0, 1);
/** Retention of trades in milliseconds. Rules use the last hour. */
const TRADES_KEPT_MS = 2 * DAY_MS;
/** Milliseconds between deletions of old trades. */
const FORGET_EVERY_MS = MINUTE_MS;

/** Keeps the last row of each id: a batch may repeat a market, but a statement may change a row only once. */
function lastWords<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

export function createPredictionStore(sql: Sql) {
  let forgetAgainAt: EpochMs = 0;
  return {
    /** Stores markets and their events; ignores states older than the stored ones. */
    async saveMarkets(markets: readonly PredictionMarket[]): Promise<void> {
      const rows = lastWords(markets);
      if (rows.length === 0) return;
      const events = lastWords(
        rows.flatMap(({ event, provider, receivedAt }) => (event === null ? [] : [{ ...event, provider, receivedAt }])),
      );
      await sql.begin(async (transaction) => {
        await transaction`
          insert into prediction_events (id, provider, provider_id, title, mutually_exclusive, received_at)
          select e.id, e.provider, e."providerId", e.title, e."mutuallyExclusive", e."receivedAt"
          from jsonb_to_recordset(${sql.json(events)})
            as e(id text, provider text, "providerId" text, title text, "mutuallyExclusive" boolean, "receivedAt" bigint)
          order by e.id
          on conflict (id) do update set
            title = case when excluded.title = '' then prediction_events.title else excluded.title end,
            mutually_exclusive = coalesce(excluded.mutually_exclusive, prediction_events.mutually_exclusive),
            received_at = excluded.received_at
          where prediction_events.received_at < excluded.received_at`;
        await transaction`
          insert into prediction_markets
            (id, provider, provider_id, event_id, question, status, provider_status, underlying, closes_at, source, observed_at, received_at, body)
          select m.body->>'id', m.body->>'provider', m.body->>'providerId', m.body->'event'->>'id',
            trim(concat(m.body->>'question', ' ', m.body->>'subtitle')), m.body->>'status', m.body->>'providerStatus', m.body->>'underlying',
            coalesce((m.body->>'closesAt')::bigint, ${NO_END}), m.body->>'source', (m.body->>'observedAt')::bigint,
            (m.body->>'receivedAt')::bigint, m.body
          from jsonb_array_elements(${sql.json(rows)}) as m(body)
          order by m.body->>'id'
          on conflict (id) do update set
            event_id = coalesce(excluded.event_id, prediction_markets.event_id), question = excluded.question, status = excluded.status,
            provider_status = excluded.provider_status, underlying = excluded.underlying, closes_at = excluded.closes_at,
            source = excluded.source, observed_at = excluded.observed_at, received_at = excluded.received_at, body = excluded.body
          where prediction_markets.received_at < excluded.received_at`;
      });
    },

    /** Stores new trades and deletes those more than two days older than the newest. */
    async saveTrades(trades: readonly PredictionTrade[]): Promise<void> {
      const rows = lastWords(trades);
      if (rows.length === 0) return;
      await sql`
        insert into prediction_trades (id, market_id, side, price, size, taker, source, observed_at, received_at)
        select t.id, t."marketId", t.side, t.price, t.size, t.taker, t.source, t."observedAt", t."receivedAt"
        from jsonb_to_recordset(${sql.json(rows)})
          as t(id text, "marketId" text, side text, price numeric, size numeric, taker text, source text, "observedAt" bigint, "receivedAt" bigint)
        on conflict (id) do nothing`;
      const newest = rows.reduce((last, { receivedAt }) => Math.max(last, receivedAt), 0);
      if (newest < forgetAgainAt) return;
      forgetAgainAt = newest + FORGET_EVERY_MS;
      await sql`delete from prediction_trades where observed_at < ${newest - TRADES_KEPT_MS}`;
    },

    /** Lists markets by their end, latest first. The position is the last one's `<end>.<id>`. */
    async list(filter: PredictionFilter, { limit, after }: Page): Promise<PageOf<PredictionMarket>> {
      const [end = '', id = ''] = after?.split('.') ?? [];
      const rows = await sql<{ closes_at: number; id: string; body: PredictionMarket }[]>`
        select closes_at, id, body from prediction_markets
        where true
          ${filter.provider === undefined ? sql`` : sql`and provider = ${filter.provider}`}
          ${filter.status === undefined ? sql`` : sql`and status = ${filter.status}`}
          ${filter.underlying === undefined ? sql`` : sql`and underlying = ${filter.underlying}`}
          ${filter.text === undefined ? sql`` : sql`and question ilike ${anywhere(filter.text)}`}
          ${filter.eventId === undefined ? sql`` : sql`and event_id = ${filter.eventId}`}
          ${after === null ? sql`` : sql`and (closes_at, id) < (${Number(end)}, ${id})`}
        order by closes_at desc, id desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => `${row.closes_at}.${row.id}`);
      return { items: page.items.map(({ body }) => body), next: page.next };
    },

    /** Returns a market, or null. */
    async get(id: string): Promise<PredictionMarket | null> {
      const [row] = await sql<{ body: PredictionMarket }[]>`select body from prediction_markets where id = ${id}`;
      return row?.body ?? null;
    },

    /** Returns the other provider's markets on the same underlying, closest end first. */
    async counterparts(market: PredictionMarket, limit: number): Promise<readonly PredictionMarket[]> {
      if (market.underlying === null) return [];
      const rows = await sql<{ body: PredictionMarket }[]>`
        select body from prediction_markets
        where underlying = ${market.underlying} and provider <> ${market.provider}
        order by abs(closes_at - ${market.closesAt ?? NO_END}), id limit ${limit}`;
      return rows.map(({ body }) => body);
    },

    /** Returns trades received since an instant, newest first. */
    async trades(market: Pick<PredictionMarket, 'id' | 'provider'>, since: EpochMs, limit: number): Promise<readonly PredictionTrade[]> {
      return sql<PredictionTrade[]>`
        select id, market_id as "marketId", ${market.provider}::text as provider, side, trim_scale(price)::text as price,
          trim_scale(size)::text as size, taker, source, observed_at as "observedAt", received_at as "receivedAt"
        from prediction_trades where market_id = ${market.id} and observed_at >= ${since}
        order by observed_at desc, id limit ${limit}`;
    },
  };
}

export type PredictionStore = ReturnType<typeof createPredictionStore>;

/**
 * Milliseconds between two writes of trades. Each transaction costs a signature, and stored trades are read only if a venue does not
 * answer.
 */
const TRADES_EVERY_MS = 5_000;

/** Starts storing. `write` queues work one piece at a time. Returns the stop function, which also writes the last trades. */
export function keepPredictions(deps: {
  readonly feeds: readonly Pick<PredictionFeed, 'news'>[];
  readonly store: Pick<PredictionStore, 'saveMarkets' | 'saveTrades'>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const { store, write } = deps;
  const kept = new Subscription();
  const stopped = new Subject<void>();
  for (const { news } of deps.feeds) {
    const markets = news.pipe(filter((one) => one.kind === 'markets'));
    const trades = news.pipe(
      takeUntil(stopped),
      filter((one) => one.kind === 'trades'),
      bufferTime(TRADES_EVERY_MS),
      map((several) => several.flatMap((one) => one.trades)),
      filter((several) => several.length > 0),
    );
    const error = deps.onFailure;
    kept.add(markets.subscribe({ next: (one) => write('keeping prediction markets', () => store.saveMarkets(one.markets)), error }));
    kept.add(trades.subscribe({ next: (several) => write('keeping prediction trades', () => store.saveTrades(several)), error }));
  }
  return () => {
    stopped.next();
    kept.unsubscribe();
  };
}
