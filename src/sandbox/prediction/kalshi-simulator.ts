/** Simulator of Kalshi on loopback: `/trade-api/v2` and the signed socket `/trade-api/ws/v2` over the seeded questions. */
import { createPublicKey } from 'node:crypto';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { listenOnLoopback, type LoopbackAnswer, type LoopbackRequest } from '../loopback.ts';
import {
  type KalshiVenue,
  toEventTicker,
  listed,
  marketBody,
  toSeries,
  formatSides,
  computeStatus,
  tradeBody,
  venueNow,
} from './kalshi-markets.ts';
import { admit, createKalshiSocket, SOCKET_PATH } from './kalshi-socket.ts';
import type { SeededQuestions, SeededQuestion } from './seeded-questions.ts';
import { type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { kalshiWords } from './wording.ts';

export interface KalshiSimulatorOptions {
  readonly questions: SeededQuestions;
  /** Key whose signature opens the socket. */
  readonly key: { readonly id: string; readonly publicKey: string };
  readonly clock: Clock;
  /** Fault switch. Default: its own, with all faults off. */
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

export async function createKalshiSimulator(options: KalshiSimulatorOptions) {
  const { questions, clock, key, port, faults = createFaultSwitch() } = options;
  const venue: KalshiVenue = { questions, clock, faults, key: { id: key.id, publicKey: createPublicKey(key.publicKey) } };
  const socket = createKalshiSocket(venue);
  const server = await listenOnLoopback({
    clock,
    faults,
    port,
    request: createKalshiRest(venue),
    admit: (handshake) => admit(venue, handshake),
    socket: socket.open,
  });
  return {
    /** `http://127.0.0.1:<port>` */
    url: server.url,
    /** `http://127.0.0.1:<port>/trade-api/v2` */
    restUrl: `${server.url}${PREFIX}`,
    /** `ws://127.0.0.1:<port>/trade-api/ws/v2` */
    wsUrl: `${server.wsUrl}${SOCKET_PATH}`,
    faults,
    close: () => {
      socket.close();
      return server.close();
    },
  };
}

const PREFIX = '/trade-api/v2';
/** Token bucket of 200 that refills at 200 a second. A read costs 10. */
const BUCKET = 200;
const READ_COST = 10;
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  unopened: ['initialized'],
  open: ['active'],
  closed: ['closed', 'determined'],
  settled: ['finalized'],
};

/** Creates Kalshi's `/trade-api/v2`: series, events, markets, books and trades, with the venue's request limit. */
function createKalshiRest(venue: KalshiVenue): (asked: LoopbackRequest) => LoopbackAnswer {
  const { clock, faults } = venue;
  let bucket = { at: clock.now(), tokens: BUCKET };
  function admitted(): boolean {
    const now = clock.now();
    const tokens = Math.min(BUCKET, bucket.tokens + ((now - bucket.at) / 1_000) * BUCKET);
    const enough = tokens >= READ_COST;
    bucket = { at: now, tokens: enough ? tokens - READ_COST : tokens };
    return enough;
  }
  return ({ method, path, query }) => {
    // The venue's 429 has no Retry-After.
    if (!admitted() || faults.happens(faults.settings.status429)) return { status: 429, body: { error: 'too many requests' } };
    if (faults.happens(faults.settings.status5xx)) return refuse(503, 'service_unavailable', 'service unavailable');
    if (method !== 'GET' || !path.startsWith(PREFIX)) return refuse(404, 'not_found', 'not found');
    return answer(venue, path.slice(PREFIX.length), query, venueNow(venue));
  };
}

function refuse(status: number, code: string, message: string): LoopbackAnswer {
  return { status, body: { error: { code, message, service: 'sandbox' } } };
}

function answer(venue: KalshiVenue, route: string, query: URLSearchParams, now: EpochMs): LoopbackAnswer {
  const [, series] = /^\/series\/([\w.-]+)$/.exec(route) ?? [];
  if (series !== undefined) return seriesBody(venue, series, now);
  const [, ticker] = /^\/markets\/([\w.-]+)\/orderbook$/.exec(route) ?? [];
  if (ticker !== undefined) return orderBook(venue, ticker, now);
  if (route === '/events') return events(venue, query, now);
  if (route === '/markets') return markets(venue, query, now);
  if (route === '/markets/trades') return trades(venue, query, now);
  if (route === '/exchange/status')
    return { status: 200, body: { exchange_active: true, trading_active: true, exchange_estimated_resume_time: null } };
  const [, single] = /^\/markets\/([\w.-]+)$/.exec(route) ?? [];
  const found = single === undefined ? undefined : listed(venue, now).get(single);
  return found === undefined ? refuse(404, 'not_found', 'not found') : { status: 200, body: { market: marketBody(venue, found, now) } };
}

function seriesBody(venue: KalshiVenue, ticker: string, now: EpochMs): LoopbackAnswer {
  const question = [...listed(venue, now).values()].find((one) => toSeries(one) === ticker);
  if (question === undefined) return refuse(404, 'not_found', 'series not found');
  return {
    status: 200,
    body: {
      series: {
        ticker,
        title: `${question.asset} series`,
        category: question.share ? 'Financials' : 'Crypto',
        frequency: 'daily',
        fee_type: 'quadratic',
        fee_multiplier: question.share ? 0.5 : 1,
        settlement_sources: kalshiWords(question).sources,
        tags: null,
      },
    },
  };
}

/** Returns a page and the cursor of the next one, which is opaque to clients. */
function page<Item>(
  items: readonly Item[],
  query: URLSearchParams,
  most: number,
): { readonly items: readonly Item[]; readonly cursor: string } | null {
  const limit = Number(query.get('limit') ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > most) return null;
  const from = Number(Buffer.from(query.get('cursor') ?? '', 'base64url').toString() || 0);
  const end = from + limit;
  return { items: items.slice(from, end), cursor: end < items.length ? Buffer.from(String(end)).toString('base64url') : '' };
}

function events(venue: KalshiVenue, query: URLSearchParams, now: EpochMs): LoopbackAnswer {
  const filter = query.get('status');
  if (filter !== null && FILTERS[filter] === undefined) return refuse(400, 'bad_request', `invalid status: ${filter}`);
  const groups = new Map<string, SeededQuestion[]>();
  for (const question of listed(venue, now).values()) {
    const event = toEventTicker(question);
    groups.set(event, [...(groups.get(event) ?? []), question]);
  }
  const wanted = [...groups.entries()].filter(
    ([, group]) => filter === null || group.some((one) => (FILTERS[filter] as readonly string[]).includes(computeStatus(one, now))),
  );
  const cut = page(wanted, query, 200);
  if (cut === null) return refuse(400, 'bad_request', 'limit must be between 1 and 200');
  return {
    status: 200,
    body: {
      cursor: cut.cursor,
      milestones: [],
      events: cut.items.map(([event, group]) => {
        const question = group[0] as SeededQuestion;
        return {
          event_ticker: event,
          series_ticker: toSeries(question),
          title: kalshiWords(question).title,
          sub_title: '',
          category: question.share ? 'Financials' : 'Crypto',
          mutually_exclusive: question.exclusive,
          collateral_return_type: question.exclusive ? 'MECNET' : '',
          strike_period: '',
          available_on_brokers: false,
          ...(query.get('with_nested_markets') === 'true' ? { markets: group.map((one) => marketBody(venue, one, now)) } : {}),
        };
      }),
    },
  };
}

function markets(venue: KalshiVenue, query: URLSearchParams, now: EpochMs): LoopbackAnswer {
  const filter = query.get('status');
  if (filter !== null && FILTERS[filter] === undefined) return refuse(400, 'bad_request', `invalid status: ${filter}`);
  const tickers = query.get('tickers')?.split(',') ?? null;
  const found = [...listed(venue, now)].filter(
    ([ticker, one]) =>
      (tickers === null || tickers.includes(ticker)) &&
      (filter === null || (FILTERS[filter] as readonly string[]).includes(computeStatus(one, now))),
  );
  const cut = page(found, query, 1_000);
  if (cut === null) return refuse(400, 'bad_request', 'limit must be between 1 and 1000');
  return { status: 200, body: { cursor: cut.cursor, markets: cut.items.map(([, one]) => marketBody(venue, one, now)) } };
}

function orderBook(venue: KalshiVenue, ticker: string, now: EpochMs): LoopbackAnswer {
  const question = listed(venue, now).get(ticker);
  if (question === undefined) return refuse(404, 'not_found', 'market not found');
  if (computeStatus(question, now) !== 'active') return { status: 200, body: { orderbook_fp: { yes_dollars: [], no_dollars: [] } } };
  const { yes, no } = formatSides(venue, question);
  return { status: 200, body: { orderbook_fp: { yes_dollars: yes, no_dollars: no } } };
}

function trades(venue: KalshiVenue, query: URLSearchParams, now: EpochMs): LoopbackAnswer {
  const ticker = query.get('ticker') ?? '';
  const question = listed(venue, now).get(ticker);
  const all =
    question === undefined
      ? []
      : venue.questions
          .trades(question, 'kalshi', now - HOUR_MS, now)
          .slice()
          .reverse();
  const cut = page(all, query, 1_000);
  if (cut === null) return refuse(400, 'bad_request', 'limit must be between 1 and 1000');
  const body = cut.items.map((trade) => ({ ticker, ...tradeBody(ticker, trade), created_time: new Date(trade.at).toISOString() }));
  return { status: 200, body: { cursor: cut.cursor, trades: body } };
}
