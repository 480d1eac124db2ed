/** Polymarket's market channel under `/ws/market`: full books first, then changes, trades and resolutions. */
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import { bendsPrices } from '../faults.ts';
import type { LoopbackSession, LoopbackSocket } from '../loopback.ts';
import {
  bookBody,
  readTokenBook,
  FINAL_MS,
  hasBook,
  type Listing,
  type PolymarketVenue,
  price,
  sha,
  findPriceStep,
  tradeFields,
  venueNow,
} from './polymarket-markets.ts';
import type { SeededBook } from './seeded-questions.ts';

export const CHANNEL_PATH = '/ws/market';
const STEP_MS = 1_000;
const MAX_ASSETS = 500;

interface Session {
  readonly venue: PolymarketVenue;
  readonly socket: LoopbackSocket;
  readonly assets: Set<string>;
  /** Last book sent per token, and its sizes by side and price. */
  readonly sent: Map<string, { readonly book: SeededBook; readonly levels: Map<string, string> }>;
}

/** Creates the channel, which sends each session its changes once a second. */
export function createMarketChannel(venue: PolymarketVenue): { open(socket: LoopbackSocket): LoopbackSession | null; close(): void } {
  const { clock } = venue;
  const sessions = new Set<Session>();
  let steppedAt = clock.now();
  let cancel = clock.deadline(clock.now() + STEP_MS, function again() {
    const [before, real] = [steppedAt, clock.now()];
    steppedAt = real;
    for (const session of sessions) step(session, before, real);
    cancel = clock.deadline(real + STEP_MS, again);
  });
  return {
    open(socket) {
      if (socket.path !== CHANNEL_PATH) return null;
      const session: Session = { venue, socket, assets: new Set(), sent: new Map() };
      sessions.add(session);
      return { message: (text) => receive(session, text), closed: () => void sessions.delete(session) };
    },
    close: () => cancel(),
  };
}

/** Sends a session the changes of its tokens between two steps. */
function step(session: Session, before: EpochMs, real: EpochMs): void {
  const { venue } = session;
  const now = venueNow(venue);
  for (const token of session.assets) {
    const listing = venue.listings.byToken(token, now);
    if (listing === undefined) continue;
    const { question, tokens } = listing;
    const crossedInto = (at: EpochMs): boolean => before < at && real >= at;
    const isFirst = token === tokens[0];
    if (isFirst && (crossedInto(question.resolvesAt) || crossedInto(question.resolvesAt + FINAL_MS)))
      send(session, resolvedFrame(venue, listing, now));
    if (real >= question.resolvesAt) continue;
    stepTickSize(session, listing, token, before, real);
    stepBook(session, listing, token, now);
    if (isFirst) stepTrades(session, listing, before, real);
  }
}

function send({ socket }: Session, frame: object): void {
  socket.data(JSON.stringify(frame));
}

function stepTickSize(session: Session, listing: Listing, token: string, before: EpochMs, real: EpochMs): void {
  const { venue } = session;
  // A market keeps its step for a minute.
  if (Math.floor(before / MINUTE_MS) === Math.floor(real / MINUTE_MS)) return;
  const [was, is] = [findPriceStep(venue, listing, before), findPriceStep(venue, listing, real)];
  if (was === is) return;
  send(session, {
    event_type: 'tick_size_change',
    market: listing.conditionId,
    asset_id: token,
    old_tick_size: String(was / 1_000),
    new_tick_size: String(is / 1_000),
    timestamp: String(venueNow(venue)),
  });
}

function stepTrades(session: Session, listing: Listing, before: EpochMs, real: EpochMs): void {
  const { questions, faults } = session.venue;
  for (const trade of questions.trades(listing.question, 'polymarket', before, real)) {
    const { asset, side, price: at } = tradeFields(listing, trade);
    send(session, {
      event_type: 'last_trade_price',
      market: listing.conditionId,
      asset_id: asset,
      fee_rate_bps: '0',
      price: price(at),
      side,
      size: trade.size.toFixed(1),
      timestamp: String(trade.at + faults.settings.clockOffsetMs),
    });
  }
}

function indexLevels(book: SeededBook): Map<string, string> {
  return new Map([
    ...book.bids.map(({ price: at, size }) => [`b${price(at)}`, size.toFixed(2)] as const),
    ...book.asks.map(({ price: at, size }) => [`a${price(at)}`, size.toFixed(2)] as const),
  ]);
}

function dump(session: Session, token: string): void {
  const { venue } = session;
  const now = venueNow(venue);
  const listing = venue.listings.byToken(token, now);
  if (!hasBook(listing, now)) return;
  send(session, [{ event_type: 'book', ...bookBody(venue, listing, token, now) }]);
  const book = readTokenBook(venue, listing, token);
  session.sent.set(token, { book, levels: indexLevels(book) });
}

function stepBook(session: Session, listing: Listing, token: string, now: EpochMs): void {
  const sent = session.sent.get(token);
  // A book with faulty prices is sent in full, because differences could not express it.
  if (sent === undefined || bendsPrices(session.venue.faults)) return dump(session, token);
  const book = readTokenBook(session.venue, listing, token);
  if (book === sent.book) return;
  const { levels: before } = sent;
  const levels = indexLevels(book);
  const changed = [...levels].filter(([key, size]) => before.get(key) !== size);
  for (const key of before.keys()) if (!levels.has(key)) changed.push([key, '0']);
  session.sent.set(token, { book, levels });
  if (changed.length === 0) return;
  const best = { best_bid: price(book.bids[0]?.price ?? 0), best_ask: price(book.asks[0]?.price ?? 1_000) };
  send(session, {
    event_type: 'price_change',
    market: listing.conditionId,
    timestamp: String(now),
    price_changes: changed.map(([key, size]) => ({
      asset_id: token,
      price: key.slice(1),
      size,
      side: key.startsWith('b') ? 'BUY' : 'SELL',
      hash: sha(`${token}/${key}/${size}`).slice(0, 40),
      ...best,
    })),
  });
}

function resolvedFrame({ questions }: PolymarketVenue, { question, conditionId, tokens }: Listing, now: EpochMs): object {
  const won = questions.outcome(question);
  return {
    event_type: 'market_resolved',
    market: conditionId,
    assets_ids: tokens,
    winning_asset_id: won ? tokens[0] : tokens[1],
    winning_outcome: won ? 'Yes' : 'No',
    timestamp: String(now),
  };
}

function receive(session: Session, text: string): void {
  if (text === 'PING') return session.socket.control('PONG');
  let message: Record<string, unknown>;
  try {
    message = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return session.socket.control('INVALID OPERATION');
  }
  const ids = message['assets_ids'];
  if (!Array.isArray(ids)) return session.socket.control('INVALID OPERATION');
  const tokens = ids.filter((id): id is string => typeof id === 'string');
  if (message['operation'] === 'unsubscribe') {
    for (const token of tokens) {
      session.assets.delete(token);
      session.sent.delete(token);
    }
    return;
  }
  for (const token of tokens) {
    session.assets.add(token);
    // Beyond this number of tokens the venue silently omits the first books.
    if (session.assets.size <= MAX_ASSETS) dump(session, token);
  }
}
