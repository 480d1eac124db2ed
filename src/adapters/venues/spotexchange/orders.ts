/**
 * Live orders on the spot exchange. Each is sent once: as LIMIT IOC at its worst acceptable price, or as LIMIT_MAKER or LIMIT GTC to rest.
 * Without an answer its outcome is unknown until a look-up by its client order id. See docs/reference/outside/spot-exchange.md.
 */
import { EXCHANGE_DOLLARS } from '../../../domain/books/reserves.ts';
import { type Clock, timeLeft } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { FillQuote } from '../../../domain/books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { deriveClientOrderId, type ExchangeAsk, MOST_TRADES, type RestsAt } from '../../../domain/orders/exchange-request.ts';
import type { SeenTrades, VenueAnswer } from '../../../domain/orders/execution.ts';
import { type Order, completeOrder } from '../../../domain/orders/order.ts';
import type { Quote } from '../../../domain/market/quote.ts';
import type { RiskApproved } from '../../../domain/risk/assess.ts';
import { type EpochMs, MINUTE_MS } from '../../../domain/values/time.ts';
import { splitInstrumentKey } from '../../../domain/market/venue.ts';
import { VenueError } from '../venue-feed.ts';
import type { VenueHttp } from '../venue-http.ts';
import { isCount, wireDecimal } from '../wire-decimal.ts';
import { fetchInstruments, filterFailures, type SpotInstrument } from './instruments.ts';
import { type ExecutionReport, compareSequence } from './execution-report.ts';
import {
  computeArrived,
  fillsOfTrades,
  foreignAssets,
  hasEnded,
  MY_TRADES_FIELDS,
  ORDER_FIELDS,
  readOrderState,
  readTrades,
  type SpotOrderState,
  type SpotTrade,
} from './order-answers.ts';
import { createSignedRest, type SignedRest, type SpotBudgets, type Told } from './signed-rest.ts';
import type { SignExchangeRequest } from '../../identity/signer/protocol.ts';

/** Maximum age of filters in milliseconds; a refusal by a filter also refreshes them. */
const FILTERS_AGE_MS = 10 * MINUTE_MS;
/** Milliseconds after a lease during which the exchange may still process a request that arrived in time. */
const SETTLED_AFTER_MS = 5_000;
/** Timeout of a look-up, in milliseconds. */
const LOOK_UP_MS = 10_000;
/** Maximum number of remembered client order ids; an order with a known one is looked up and not sent. */
const REMEMBERED = 10_000;
interface SpotOrdersOptions {
  readonly baseUrl: string;
  /** Client of unsigned reads. */
  readonly rest: VenueHttp;
  readonly sign: SignExchangeRequest;
  readonly clock: Clock;
  /** Returns the budgets of an organization's account, created once. */
  readonly budgetsOf: (orgId: string) => SpotBudgets;
  /** Counts unknown members of answers to signed requests; `rest` counts those of unsigned reads. */
  readonly note?: NoteUnknownField;
}

type SpotOrder = Order<'spotexchange'>;

interface Submitting {
  /** Organization whose account the order uses. */
  readonly orgId: string;
  readonly key: string;
  readonly quote: Pick<Quote<'spotexchange'>, 'venue' | 'source' | 'observedAt' | 'bid' | 'ask'>;
  readonly decisionPrice: DecimalString;
  readonly leaseUntil: EpochMs;
  readonly leaseLeftMs: () => number;
}

/** Arguments of a look-up besides the order. */
interface LookingUp {
  readonly orgId: string;
  readonly decisionPrice: DecimalString;
  /** End of the last lease under which it may have been sent; null if there was none. */
  readonly leaseUntil: EpochMs | null;
  /** Booked trades; only later ones become fills. */
  readonly seen?: SeenTrades | null;
}

export type SpotOrders = ReturnType<typeof createSpotOrders>;

const rejected = (reason: string, detail: string): VenueAnswer => ({ outcome: 'rejected', reason, detail });
const unknown = (detail: string): VenueAnswer => ({ outcome: 'unknown', detail });

/** Converts the exchange's refusal to a reason of ours. */
function toReason(code: string, text: string): string {
  if (code === '-1013') return 'filter_failed';
  if (code === '-1003' || code === '-1015' || code === 'http_429' || code === 'http_418') return 'rate_limited';
  if (code === '-1021') return 'clock_refused';
  if (code === '-1022' || code === '-2014' || code === '-2015' || code === '-1002') return 'credentials_refused';
  if (code === '-2010' && /insufficient balance/i.test(text)) return 'insufficient_balance';
  if (code === '-2010' && /market is closed/i.test(text)) return 'market_closed';
  if (code === '-2010' && /immediately match/i.test(text)) return 'would_take';
  return 'venue_refused';
}

/** Dependencies of requests to one account. */
interface Session extends Pick<SpotOrdersOptions, 'rest' | 'clock'> {
  readonly signed: SignedRest;
  /** Instruments with their filters and the time of their request. */
  readonly known: Map<string, { readonly at: EpochMs; readonly instrument: SpotInstrument }>;
  /** Client order ids that this process has sent. */
  readonly sent: Set<string>;
}

export function createSpotOrders(options: SpotOrdersOptions) {
  const { rest, clock } = options;
  const known: Session['known'] = new Map();
  /** Sessions by organization; they share only the address. */
  const sessions = new Map<string, Session>();
  /** Running submissions by key. A second caller waits for the first. */
  const sending = new Map<string, Promise<VenueAnswer>>();

  function openSession(orgId: string): Session {
    const before = sessions.get(orgId);
    if (before !== undefined) return before;
    const signed = createSignedRest({ ...options, orgId, budgets: options.budgetsOf(orgId) });
    const made = { rest, clock, signed, known, sent: new Set<string>() };
    sessions.set(orgId, made);
    return made;
  }

  /** Sends an order under its key, or waits for its running submission. */
  function once(order: RiskApproved<Order>, info: Submitting, restAt: RestsAt | null): Promise<VenueAnswer> {
    const name = `${info.orgId} ${info.key}`;
    const before = sending.get(name);
    if (before !== undefined) return before;
    const now = send(openSession(info.orgId), order, info, restAt).finally(() => sending.delete(name));
    sending.set(name, now);
    return now;
  }

  return {
    submit: (order: RiskApproved<SpotOrder>, info: Submitting): Promise<VenueAnswer> => once(order, info, null),
    lookUp: (order: SpotOrder, key: string, info: LookingUp): Promise<VenueAnswer> => lookUp(openSession(info.orgId), order, key, info),
    resting: {
      place: (order: RiskApproved<SpotOrder>, info: Submitting & RestsAt): Promise<VenueAnswer> =>
        once(order, info, { price: info.price, postOnly: info.postOnly }),
      withdraw: (order: SpotOrder, key: string, info: LookingUp): Promise<VenueAnswer> =>
        withdraw(openSession(info.orgId), order, key, info),
    },
    /** Interprets a stream report about the order; null if the exchange must be queried. */
    read: (order: Order, report: ExecutionReport, info: LookingUp): Promise<VenueAnswer | null> =>
      readReport(openSession(info.orgId), order, report, info),
    /** Returns the signed endpoints of an organization's account. */
    signedOf: (orgId: string): SignedRest => openSession(orgId).signed,
    close() {
      for (const { signed } of sessions.values()) signed.close();
    },
  };
}

async function readInstrument(session: Session, order: Order): Promise<SpotInstrument> {
  const { rest, clock, known } = session;
  const { instrument } = splitInstrumentKey(order.instrument);
  const before = known.get(instrument);
  if (before !== undefined && clock.now() - before.at < FILTERS_AGE_MS) return before.instrument;
  const found = (await fetchInstruments(rest, [instrument])).get(instrument) as SpotInstrument;
  known.set(instrument, { at: clock.now(), instrument: found });
  return found;
}

/** Returns why the order cannot be sent, or null. */
function refusedHere(order: Order, instrument: SpotInstrument, price: DecimalString): VenueAnswer | null {
  if (order.venue !== 'spotexchange' || order.mode !== 'live')
    return rejected('venue_mismatch', 'live orders are sent here on spotexchange alone');
  if (!EXCHANGE_DOLLARS.has(instrument.quoteAsset))
    return rejected(
      'quote_asset_unknown',
      `${instrument.instrument} is quoted in ${instrument.quoteAsset}, which is not taken for US dollars`,
    );
  if (instrument.status !== 'TRADING') return rejected('market_closed', `${instrument.instrument} is ${instrument.status}`);
  const [failure] = filterFailures(instrument, { type: 'LIMIT', price, quantity: order.quantity });
  return failure === undefined ? null : rejected('filter_failed', `${failure.filter}: ${failure.detail}`);
}

function remember(session: Session, name: string): void {
  const { sent } = session;
  sent.add(name);
  if (sent.size > REMEMBERED) sent.delete(sent.values().next().value as string);
}

/** @param restAt limit price of a resting order; null if it takes at once */
async function send(session: Session, order: RiskApproved<Order>, info: Submitting, restAt: RestsAt | null): Promise<VenueAnswer> {
  const { signed, sent } = session;
  const { key, leaseLeftMs } = info;
  const name = deriveClientOrderId(key);
  if (sent.has(name)) return lookUp(session, order, key, info);
  const instrument = await readInstrument(session, order);
  const refused = refusedHere(order, instrument, restAt?.price ?? order.limitPrice);
  if (refused !== null) return refused;
  // The signer receives plain order data without the risk approval's type.
  const ask: ExchangeAsk = { kind: 'order', key, order: completeOrder(order), restAt };
  const post = (): Promise<Told> => signed.call({ ask, known: ORDER_FIELDS, places: true, leftMs: leaseLeftMs });
  remember(session, name);
  let told: Told;
  try {
    told = await post();
    if (told.kind === 'refused' && told.code === '-1021') {
      // Only the timestamp was refused: with a new time measurement it may be sent again within its lease.
      signed.forgetTime();
      told = await post();
    }
  } catch (error) {
    sent.delete(name);
    throw error;
  }
  if (told.kind === 'not_sent') {
    sent.delete(name);
    throw new VenueError('spotexchange', 0, 'not_sent', told.detail);
  }
  if (told.kind === 'unsigned') {
    sent.delete(name);
    return rejected(told.code, told.detail);
  }
  if (told.kind === 'unknown') return unknown(told.detail);
  if (told.kind === 'refused') return refusedThere(session, told, order, instrument, info);
  return settled(session, order, instrument, told.body, info);
}

async function refusedThere(
  session: Session,
  told: Extract<Told, { readonly kind: 'refused' }>,
  order: Order,
  instrument: SpotInstrument,
  info: Submitting,
): Promise<VenueAnswer> {
  const { known } = session;
  if (told.code === '-1013') known.delete(instrument.instrument);
  // An open order has this client order id, so it was sent before.
  if (told.code === '-2010' && /duplicate/i.test(told.text)) return lookUp(session, order, info.key, info);
  return rejected(toReason(told.code, told.text), `${told.code} ${told.text}`);
}

/** Returns the answer to a new order with its fills. */
async function settled(session: Session, order: Order, instrument: SpotInstrument, body: unknown, info: Submitting): Promise<VenueAnswer> {
  const state = readOrderState(body);
  if (state === null) return unknown('the exchange took the order and its answer cannot be read');
  const trades = readTrades((body as { readonly fills?: unknown }).fills ?? [], state.executed, state.at);
  const { source, observedAt, bid, ask } = info.quote;
  return concluded(session, order, instrument, state, trades, {
    decisionPrice: info.decisionPrice,
    quote: { source, observedAt, bid, ask },
  });
}

async function concluded(
  session: Session,
  order: Order,
  instrument: SpotInstrument,
  state: SpotOrderState,
  all: readonly SpotTrade[] | null,
  { decisionPrice, quote = null, seen = null }: Pick<LookingUp, 'decisionPrice' | 'seen'> & { readonly quote?: FillQuote | null },
): Promise<VenueAnswer> {
  const { restingAt } = state;
  if (restingAt === null && !hasEnded(state)) return unknown(`order ${state.orderId} is ${state.status} at the exchange`);
  if (all === null) return unknown(`the trades of order ${state.orderId} do not add up to ${state.executed}`);
  const trades = seen === null ? all : all.filter(({ id }) => id > seen.trade);
  if (restingAt !== null && trades.length === 0) return { outcome: 'resting', price: restingAt, ...(seen === null ? {} : { seen }) };
  if (trades.length === 0)
    return rejected(
      'not_filled',
      `the exchange ended it as ${state.status}${state.expiryReason === null ? '' : ` (${state.expiryReason})`}, unfilled`,
    );
  const eaten = trades.find((trade) => !computeArrived(order, trade, { instrument }).gt(0));
  if (eaten !== undefined) return unknown(`the commission of trade ${eaten.id} leaves nothing of its ${eaten.quantity}`);
  const prices = await commissionPrices(session, trades, instrument);
  if (typeof prices === 'string') return unknown(prices);
  const readPrice = (trade: SpotTrade): DecimalString => prices.get(trade.id) as DecimalString;
  const fills = fillsOfTrades(order, trades, { instrument, decisionPrice, quote, priceOf: readPrice });
  if (restingAt !== null)
    return { outcome: 'resting', price: restingAt, fills, seen: { trade: trades.at(-1)?.id ?? 0, executed: state.executed } };
  return { outcome: state.status === 'FILLED' ? 'filled' : 'partially_filled', fills, executedQuantity: state.executed };
}

/**
 * Returns prices for foreign commission: the asset's price in the same quote at the opening of the trade's minute, so that every query
 * returns the same. A sentence if the exchange does not answer.
 */
async function commissionPrices(
  session: Session,
  trades: readonly SpotTrade[],
  instrument: SpotInstrument,
): Promise<ReadonlyMap<number, DecimalString> | string> {
  const { rest } = session;
  const prices = new Map<number, DecimalString>();
  for (const { id, commissionAsset, at } of foreignAssets(trades, instrument)) {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    const cannot = `the commission of trade ${id} was taken in ${commissionAsset}, whose price cannot be told`;
    try {
      const query = { symbol: commissionAsset + instrument.quoteAsset, interval: '1m', startTime: minute, limit: 1 };
      const [bar] = (await rest.get('/api/v3/klines', query, 2)) as readonly (readonly unknown[])[];
      const price = bar?.[0] === minute ? wireDecimal(bar[1]) : null;
      if (price === null) return cannot;
      prices.set(id, price);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      return `${cannot}: ${error.message}`;
    }
  }
  return prices;
}

async function lookUp(session: Session, order: Order, key: string, info: LookingUp): Promise<VenueAnswer> {
  const { clock, signed, sent } = session;
  const instrument = await readInstrument(session, order);
  const symbol = instrument.instrument;
  const leftMs = timeLeft(clock, LOOK_UP_MS);
  // Computed before the answer is evaluated: an order that is missing now may still arrive later.
  const settledAt = info.leaseUntil === null ? null : info.leaseUntil + SETTLED_AFTER_MS;
  const isSettled = settledAt === null || clock.now() >= settledAt;
  const told = await signed.call({ ask: { kind: 'look_up', key, symbol }, known: ORDER_FIELDS, leftMs });
  if (told.kind === 'refused' && told.code === '-2013') {
    if (!isSettled) return unknown('the exchange has no such order yet, and it may still be on its way');
    // It may be sent again under a new lease.
    sent.delete(deriveClientOrderId(key));
    return rejected('not_found', 'the exchange has no such order');
  }
  if (told.kind !== 'ok') return unasked(session, told);
  const state = readOrderState(told.body);
  if (state === null) return unknown('the exchange knows the order and its answer cannot be read');
  return withTrades(session, order, instrument, state, info, leftMs);
}

/** Returns the state of an order with its trades. */
async function withTrades(
  session: Session,
  order: Order,
  instrument: SpotInstrument,
  state: SpotOrderState,
  info: LookingUp,
  leftMs: () => number,
): Promise<VenueAnswer> {
  const unseen = new Decimal(state.executed).minus(info.seen?.executed ?? 0);
  if (unseen.lte(0) || (!hasEnded(state) && state.restingAt === null)) return concluded(session, order, instrument, state, [], info);
  const told = await tradesAfter(session, { symbol: instrument.instrument, orderId: state.orderId }, info.seen?.trade ?? -1, leftMs);
  if (told.kind !== 'ok') return unasked(session, told);
  return concluded(session, order, instrument, state, readTrades(told.body, plainDecimal(unseen), state.at), info);
}

/** Reads the trades of an order after the one with this number, page by page. */
async function tradesAfter(
  { signed }: Session,
  of: { readonly symbol: string; readonly orderId: number },
  last: number,
  leftMs: () => number,
): Promise<Told> {
  const rows: unknown[] = [];
  for (let fromId = last + 1; ; ) {
    const ask: ExchangeAsk = { kind: 'trades', ...of, fromId };
    const told = await signed.call({ ask, known: MY_TRADES_FIELDS, leftMs });
    if (told.kind !== 'ok' || !Array.isArray(told.body)) return told;
    rows.push(...(told.body as unknown[]));
    const { id } = Object(rows.at(-1)) as { readonly id?: unknown };
    if (told.body.length < MOST_TRADES || !isCount(id) || id < fromId) return { kind: 'ok', body: rows };
    fromId = id + 1;
  }
}

/**
 * Cancels an order. Its state decides, regardless of the answer to the cancel: a late cancel meets a filled order, and after a lost answer
 * the order is queried.
 */
async function withdraw(session: Session, order: Order, key: string, info: LookingUp): Promise<VenueAnswer> {
  const { clock, signed } = session;
  const instrument = await readInstrument(session, order);
  const leftMs = timeLeft(clock, LOOK_UP_MS);
  const told = await signed.call({ ask: { kind: 'cancel', key, symbol: instrument.instrument }, known: ORDER_FIELDS, leftMs });
  const state = told.kind === 'ok' ? readOrderState(told.body) : null;
  if (state !== null && hasEnded(state)) return withTrades(session, order, instrument, state, info, leftMs);
  if (told.kind === 'refused' && told.code === '-1021') signed.forgetTime();
  const known = await lookUp(session, order, key, info);
  return known.outcome === 'resting' ? unknown('the exchange did not take the order back yet') : known;
}

/** Interprets a report as the answer to a look-up if it follows the booked trades or is already booked. */
async function readReport(session: Session, order: Order, report: ExecutionReport, info: LookingUp): Promise<VenueAnswer | null> {
  const instrument = await readInstrument(session, order);
  if (report.symbol !== instrument.instrument) return null;
  const { state, trade } = report;
  const sequence = compareSequence(report, info.seen?.executed ?? '0');
  if (sequence === 'apart') return null;
  return concluded(session, order, instrument, state, sequence === 'next' && trade !== null ? [trade] : [], info);
}

/** Returns the unknown state after a look-up without information. */
function unasked(session: Session, told: Exclude<Told, { readonly kind: 'ok' }>): VenueAnswer {
  const { signed } = session;
  if (told.kind === 'refused' && told.code === '-1021') signed.forgetTime();
  return unknown(
    `the exchange did not say what became of the order: ${told.kind === 'refused' ? `${told.code} ${told.text}` : told.detail}`,
  );
}
