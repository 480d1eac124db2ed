/** Kalshi's signed socket `/trade-api/ws/v2`: numbered subscriptions to books, trades and market lifecycle. */
import { constants, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { EpochMs } from '../../domain/values/time.ts';
import { bendsPrices } from '../faults.ts';
import type { LoopbackSession, LoopbackSocket } from '../loopback.ts';
import {
  count,
  DETERMINED_MS,
  FINAL_MS,
  type KalshiVenue,
  indexLevels,
  listed,
  formatSides,
  tradeBody,
  venueNow,
} from './kalshi-markets.ts';
import type { SeededBook, SeededQuestion } from './seeded-questions.ts';

export const SOCKET_PATH = '/trade-api/ws/v2';
const STEP_MS = 1_000;
const PING_MS = 10_000;
/** Maximum deviation of a signature's timestamp. */
const SIGNED_WITHIN_MS = 10_000;
const CHANNELS = new Set(['orderbook_delta', 'ticker', 'trade', 'market_lifecycle_v2']);

interface Subscription {
  readonly sid: number;
  readonly channel: string;
  readonly tickers: Set<string>;
  seq: number;
}

interface Session {
  readonly venue: KalshiVenue;
  readonly socket: LoopbackSocket;
  readonly byChannel: Map<string, Subscription>;
  sids: number;
  /** Last book sent per market, and its sizes by `yes` or `no` and price. */
  readonly sent: Map<string, { readonly book: SeededBook; readonly levels: Map<string, number> }>;
}

/** Creates the socket, which sends each session its changes once a second. */
export function createKalshiSocket(venue: KalshiVenue): { open(socket: LoopbackSocket): LoopbackSession; close(): void } {
  const { clock } = venue;
  const sessions = new Set<Session>();
  const beats = new Set<() => void>();
  let steppedAt = clock.now();
  const every = (ms: number, work: () => void): (() => void) => {
    let cancel = clock.deadline(clock.now() + ms, function again() {
      work();
      cancel = clock.deadline(clock.now() + ms, again);
    });
    return () => cancel();
  };
  const stopSteps = every(STEP_MS, () => {
    const [before, real] = [steppedAt, clock.now()];
    steppedAt = real;
    const all = sessions.size === 0 ? new Map<string, SeededQuestion>() : listed(venue, venueNow(venue));
    for (const session of sessions) step(session, all, before, real);
  });
  return {
    open(socket) {
      const session: Session = { venue, socket, byChannel: new Map(), sids: 0, sent: new Map() };
      sessions.add(session);
      const stopBeats = every(PING_MS, () => socket.ping('heartbeat'));
      beats.add(stopBeats);
      return {
        message: (text) => receive(session, text),
        closed() {
          sessions.delete(session);
          beats.delete(stopBeats);
          stopBeats();
        },
      };
    },
    close() {
      stopSteps();
      for (const stop of beats) stop();
    },
  };
}

/** Returns 401 if the key did not sign the handshake's time, method and path. */
export function admit(
  { key, clock }: KalshiVenue,
  { path, headers }: { readonly path: string; readonly headers: IncomingHttpHeaders },
): number | null {
  if (path !== SOCKET_PATH) return 404;
  const text = (name: string): string => String(headers[name] ?? '');
  const at = text('kalshi-access-timestamp');
  if (text('kalshi-access-key') !== key.id || Math.abs(Number(at) - clock.now()) > SIGNED_WITHIN_MS) return 401;
  const signature = Buffer.from(text('kalshi-access-signature'), 'base64');
  const pss = { key: key.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return verify('sha256', Buffer.from(`${at}GET${path}`), pss, signature) ? null : 401;
}

function number(session: Session, subscription: Subscription, type: string, message: object): void {
  subscription.seq += 1;
  session.socket.data(JSON.stringify({ type, sid: subscription.sid, seq: subscription.seq, msg: message }));
}

function snapshot(session: Session, subscription: Subscription, ticker: string): void {
  const { venue } = session;
  const question = listed(venue, venueNow(venue)).get(ticker);
  if (question === undefined) return;
  const { yes, no } = formatSides(venue, question);
  number(session, subscription, 'orderbook_snapshot', {
    market_ticker: ticker,
    ...(yes.length === 0 ? {} : { yes_dollars_fp: yes }),
    ...(no.length === 0 ? {} : { no_dollars_fp: no }),
  });
  const book = venue.questions.book(question, 'kalshi', venue.clock.now());
  session.sent.set(ticker, { book, levels: indexLevels(book) });
}

function stepBook(session: Session, subscription: Subscription, ticker: string, question: SeededQuestion): void {
  const { venue } = session;
  if (bendsPrices(venue.faults)) return snapshot(session, subscription, ticker);
  const sent = session.sent.get(ticker);
  if (sent === undefined) return snapshot(session, subscription, ticker);
  const book = venue.questions.book(question, 'kalshi', venue.clock.now());
  if (book === sent.book) return;
  const { levels: before } = sent;
  const levels = indexLevels(book);
  session.sent.set(ticker, { book, levels });
  for (const key of new Set([...before.keys(), ...levels.keys()])) {
    const delta = (levels.get(key) ?? 0) - (before.get(key) ?? 0);
    if (delta === 0) continue;
    const [side, price] = key.split(' ');
    number(session, subscription, 'orderbook_delta', {
      market_ticker: ticker,
      price_dollars: price,
      delta_fp: count(delta),
      side,
      ts_ms: venueNow(venue),
    });
  }
}

/** Sends a session the changes between two steps. */
function step(session: Session, all: ReadonlyMap<string, SeededQuestion>, before: EpochMs, real: EpochMs): void {
  stepBooks(session, all, real);
  stepTrades(session, all, before, real);
  stepLives(session, all, before, real);
}

function stepBooks(session: Session, all: ReadonlyMap<string, SeededQuestion>, real: EpochMs): void {
  const books = session.byChannel.get('orderbook_delta');
  for (const ticker of books?.tickers ?? []) {
    const question = all.get(ticker);
    if (question !== undefined && books !== undefined && real < question.resolvesAt) stepBook(session, books, ticker, question);
  }
}

function stepTrades(session: Session, all: ReadonlyMap<string, SeededQuestion>, before: EpochMs, real: EpochMs): void {
  const { questions, faults } = session.venue;
  const received = session.byChannel.get('trade');
  for (const ticker of received?.tickers ?? []) {
    const question = all.get(ticker);
    if (question === undefined || received === undefined) continue;
    for (const trade of questions.trades(question, 'kalshi', before, real)) {
      const ts = trade.at + faults.settings.clockOffsetMs;
      number(session, received, 'trade', { market_ticker: ticker, ...tradeBody(ticker, trade), ts: Math.floor(ts / 1_000), ts_ms: ts });
    }
  }
}

function stepLives(session: Session, all: ReadonlyMap<string, SeededQuestion>, before: EpochMs, real: EpochMs): void {
  const life = session.byChannel.get('market_lifecycle_v2');
  if (life === undefined) return;
  const crossedInto = (at: EpochMs): boolean => before < at && real >= at;
  for (const [ticker, { resolvesAt }] of all) {
    if (crossedInto(resolvesAt + DETERMINED_MS))
      number(session, life, 'market_lifecycle_v2', { event_type: 'determined', market_ticker: ticker });
    if (crossedInto(resolvesAt + FINAL_MS)) number(session, life, 'market_lifecycle_v2', { event_type: 'settled', market_ticker: ticker });
  }
}

const tickersIn = (params: Record<string, unknown>): string[] => {
  const list = params['market_tickers'];
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
};

function receive(session: Session, text: string): void {
  let message: Record<string, unknown>;
  try {
    message = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return fail(session, 0, 1, 'Unable to process message');
  }
  const id = typeof message['id'] === 'number' ? message['id'] : 0;
  const params = message['params'];
  if (typeof params !== 'object' || params === null) return fail(session, id, 2, 'Params required');
  if (message['cmd'] === 'subscribe') return subscribe(session, id, params as Record<string, unknown>);
  if (message['cmd'] === 'update_subscription') return update(session, id, params as Record<string, unknown>);
  return fail(session, id, 5, 'Unknown command');
}

function fail(session: Session, id: number, code: number, msg: string): void {
  session.socket.control(JSON.stringify({ type: 'error', id, msg: { code, msg } }));
}

function subscribe(session: Session, id: number, params: Record<string, unknown>): void {
  const { channels } = params;
  if (!Array.isArray(channels) || channels.length === 0) return fail(session, id, 3, 'Channels required');
  for (const channel of channels as unknown[]) {
    if (typeof channel !== 'string' || !CHANNELS.has(channel)) return fail(session, id, 8, 'Unknown channel name');
    const tickers = tickersIn(params);
    let subscription = session.byChannel.get(channel);
    if (subscription === undefined) {
      session.sids += 1;
      subscription = { sid: session.sids, channel, tickers: new Set(), seq: 0 };
      session.byChannel.set(channel, subscription);
      session.socket.control(JSON.stringify({ type: 'subscribed', id, msg: { channel, sid: subscription.sid } }));
    } else session.socket.control(JSON.stringify({ type: 'ok', id, sid: subscription.sid, msg: { market_tickers: tickers } }));
    addTickers(session, subscription, tickers);
  }
}

function addTickers(session: Session, subscription: Subscription, tickers: readonly string[]): void {
  for (const ticker of tickers) {
    subscription.tickers.add(ticker);
    if (subscription.channel === 'orderbook_delta') snapshot(session, subscription, ticker);
  }
}

function update(session: Session, id: number, params: Record<string, unknown>): void {
  const sids = params['sids'];
  if (!Array.isArray(sids) || sids.length !== 1) return fail(session, id, 12, 'Exactly one subscription ID is required');
  const subscription = [...session.byChannel.values()].find(({ sid }) => sid === sids[0]);
  if (subscription === undefined) return fail(session, id, 7, 'Unknown subscription ID');
  const tickers = tickersIn(params);
  session.socket.control(JSON.stringify({ type: 'ok', id, sid: subscription.sid, msg: { market_tickers: tickers } }));
  switch (params['action']) {
    case 'add_markets':
      return addTickers(session, subscription, tickers);
    case 'delete_markets':
      for (const ticker of tickers) {
        subscription.tickers.delete(ticker);
        session.sent.delete(ticker);
      }
      return;
    case 'get_snapshot':
      for (const ticker of tickers) snapshot(session, subscription, ticker);
      return;
    default:
      return fail(session, id, 13, 'Unsupported action');
  }
}
