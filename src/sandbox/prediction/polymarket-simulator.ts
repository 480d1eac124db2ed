/** Simulator of Polymarket on loopback: Gamma, CLOB and Data under `/gamma`, `/clob` and `/data`, the market channel under `/ws/market`. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { listenOnLoopback, type LoopbackAnswer, type LoopbackRequest } from '../loopback.ts';
import { CHANNEL_PATH, createMarketChannel } from './polymarket-channel.ts';
import {
  createListings,
  type PolymarketVenue,
  bookBody,
  deriveEventId,
  eventTitle,
  HYDRATION_MS,
  hasBook,
  type Listing,
  marketBody,
  readOracle,
  sha,
  findPriceStep,
  tradeFields,
  venueNow,
} from './polymarket-markets.ts';
import type { SeededQuestions } from './seeded-questions.ts';
import { type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { polymarketWords } from './wording.ts';

export interface PolymarketSimulatorOptions {
  readonly questions: SeededQuestions;
  readonly clock: Clock;
  /** Fault switch. Default: its own, with all faults off. */
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

export async function createPolymarketSimulator(options: PolymarketSimulatorOptions) {
  const { questions, clock, port, faults = createFaultSwitch() } = options;
  const venue: PolymarketVenue = { questions, clock, faults, listings: createListings(questions) };
  const channel = createMarketChannel(venue);
  const server = await listenOnLoopback({ clock, faults, port, request: (asked) => answerRequest(venue, asked), socket: channel.open });
  return {
    /** `http://127.0.0.1:<port>` */
    url: server.url,
    /** `ws://127.0.0.1:<port>/ws/market` */
    wsUrl: `${server.wsUrl}${CHANNEL_PATH}`,
    faults,
    close: () => {
      channel.close();
      return server.close();
    },
  };
}

/** Answers from Polymarket's catalog, books and trades: Gamma under `/gamma`, CLOB under `/clob` and Data under `/data`. */
function answerRequest(venue: PolymarketVenue, { method, path, query }: LoopbackRequest): LoopbackAnswer {
  const { faults } = venue;
  if (faults.happens(faults.settings.status429)) return refuse(429, 'rate limit exceeded');
  if (faults.happens(faults.settings.status5xx)) return refuse(503, 'service unavailable');
  if (method !== 'GET') return refuse(405, 'method not allowed');
  const now = venueNow(venue);
  const market = /^\/clob\/markets\/(0x[0-9a-f]{64})$/.exec(path)?.[1];
  if (market !== undefined) return clobMarket(venue, market, now);
  switch (path) {
    case '/gamma/events':
      return { status: 200, body: eventBodies(venue, query, now) };
    case '/gamma/markets':
      return gammaMarkets(venue, query, now);
    case '/clob/book':
      return clobBook(venue, query.get('token_id') ?? '', now);
    case '/clob/time':
      return { status: 200, body: Math.floor(now / 1_000) };
    case '/data/trades':
      return dataTrades(venue, query, now);
    default:
      return refuse(404, 'not found');
  }
}

function refuse(status: number, error: string): LoopbackAnswer {
  return { status, body: { error } };
}

function eventBodies(venue: PolymarketVenue, query: URLSearchParams, now: EpochMs): object[] {
  const groups = new Map<string, Listing[]>();
  for (const one of venue.listings.at(now)) groups.set(one.question.group, [...(groups.get(one.question.group) ?? []), one]);
  const wanted = query.get('closed');
  const events = [...groups.values()].filter((group) => {
    const over = group.every((one) => readOracle(venue, one, now).final);
    return wanted === null || over === (wanted === 'true');
  });
  return paged(events, query).map((group) => {
    const { question } = group[0] as Listing;
    return {
      id: deriveEventId(question),
      ticker: question.group.toLowerCase(),
      slug: question.group.toLowerCase(),
      title: eventTitle(question),
      active: true,
      closed: wanted === 'true',
      negRisk: question.exclusive,
      negRiskAugmented: false,
      enableOrderBook: true,
      openInterest: 0,
      markets: group.map((one) => marketBody(venue, one, now, true)),
    };
  });
}

function paged<Item>(items: readonly Item[], query: URLSearchParams): readonly Item[] {
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(500, Number(query.get('limit') ?? 20));
  return items.slice(offset, offset + limit);
}

function gammaMarkets(venue: PolymarketVenue, query: URLSearchParams, now: EpochMs): LoopbackAnswer {
  const ids = new Set(query.getAll('condition_ids'));
  if (ids.size > 100) return refuse(422, 'too many condition_ids');
  // Closed markets are omitted unless `closed=true`.
  const over = query.get('closed') === 'true';
  const found = venue.listings
    .at(now)
    .filter((one) => (ids.size === 0 || ids.has(one.conditionId)) && readOracle(venue, one, now).final === over);
  return { status: 200, body: paged(found, query).map((one) => marketBody(venue, one, now, false)) };
}

function clobBook(venue: PolymarketVenue, token: string, now: EpochMs): LoopbackAnswer {
  const listing = venue.listings.byToken(token, now);
  if (!hasBook(listing, now)) return refuse(404, 'No orderbook exists for the requested token id');
  return { status: 200, body: bookBody(venue, listing, token, now) };
}

function clobMarket(venue: PolymarketVenue, conditionId: string, now: EpochMs): LoopbackAnswer {
  const listing = venue.listings.at(now).find((one) => one.conditionId === conditionId);
  if (listing === undefined || now - listing.question.createdAt < HYDRATION_MS) return refuse(404, 'market not found');
  const { final } = readOracle(venue, listing, now);
  const won = final && venue.questions.outcome(listing.question);
  const token = (index: 0 | 1, label: string) => {
    const winner = final && (index === 0) === won;
    return { token_id: listing.tokens[index], outcome: label, price: final ? Number(winner) : 0.5, winner };
  };
  return {
    status: 200,
    body: {
      condition_id: conditionId,
      question_id: `0x${sha(`question/${listing.question.key}`)}`,
      active: true,
      closed: final,
      accepting_orders: now < listing.question.resolvesAt,
      minimum_order_size: 5,
      minimum_tick_size: findPriceStep(venue, listing, now) / 1_000,
      neg_risk: listing.question.exclusive,
      tokens: [token(0, 'Yes'), token(1, 'No')],
    },
  };
}

function dataTrades(venue: PolymarketVenue, query: URLSearchParams, now: EpochMs): LoopbackAnswer {
  const listing = venue.listings.at(now).find((one) => one.conditionId === query.get('market'));
  if (listing === undefined) return { status: 200, body: [] };
  const limit = Math.min(500, Number(query.get('limit') ?? 100));
  const recent = venue.questions
    .trades(listing.question, 'polymarket', now - HOUR_MS, now)
    .slice(-limit)
    .reverse();
  return {
    status: 200,
    body: recent.map((trade) => ({
      ...tradeFields(listing, trade),
      conditionId: listing.conditionId,
      price: tradeFields(listing, trade).price / 1_000,
      size: trade.size,
      timestamp: Math.floor(trade.at / 1_000),
      transactionHash: `0x${sha(trade.id)}`,
      proxyWallet: `0x${'1'.repeat(40)}`,
      title: polymarketWords(listing.question).title,
    })),
  };
}
