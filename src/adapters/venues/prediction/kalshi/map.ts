/**
 * Mapping of Kalshi's answers and frames to markets, books, trades or counted rejections. Pure.
 * See docs/reference/outside/kalshi.md.
 */
import type { BookLevel } from '../../../../domain/market/order-book.ts';
import type { NoteUnknownField } from '../../../../../streams/feed-counters.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../../domain/values/decimal.ts';
import {
  complement,
  outcomeInstrument,
  type PredictionBook,
  type PredictionEventLink,
  type PredictionFee,
  type PredictionMarket,
  type PredictionStatus,
  type PredictionTrade,
  type PriceRange,
  predictionEventId,
  predictionMarketId,
  type ResolutionSource,
} from '../../../../domain/prediction/market.ts';
import { type Comparator, type PredictionQuestion, underlyingIn } from '../../../../domain/prediction/question.ts';
import { NO_FLAGS, type Rejection } from '../../../../domain/market/quote.ts';
import type { EpochMs } from '../../../../domain/values/time.ts';
import { valueText } from '../../../../domain/values/value-text.ts';
import { frameSample, rejection } from '../../feed-messages.ts';
import { type KnownFields, knownFields, type Members, noteUnknown } from '../../known-fields.ts';
import {
  readDecimal,
  readEpoch,
  type Fields,
  isRejection,
  listIn,
  maybeDecimal,
  maybeFlag,
  maybePrice,
  maybeSize,
  maybeText,
  maybeTime,
  objectIn,
  readPrice,
  readable,
  readSize,
  textIn,
  Unreadable,
} from '../fields.ts';
import { bestFirst } from '../level-book.ts';
import { toAsks, type DeltaMessage, type SnapshotMessage, scanSocketFrame } from './scan-frames.ts';

/** Provider name in `source`. */
export const PROVIDER = 'kalshi';
export const MARKETS_SOURCE = 'kalshi:markets';
export const BOOK_SOURCE = 'kalshi:orderbook';
const TRADES_SOURCE = 'kalshi:trades';
const SERIES_SOURCE = 'kalshi:series';

/** Fields that the venue documents or was seen to send, used or not. */
const SOURCES = 'name url';
const MARKET: Members = [
  'ticker event_ticker market_type title subtitle yes_sub_title no_sub_title created_time updated_time open_time close_time ' +
    'expected_expiration_time expiration_time latest_expiration_time settlement_timer_seconds settlement_ts status ' +
    'response_price_units notional_value notional_value_dollars yes_bid yes_bid_dollars yes_bid_size_fp yes_ask yes_ask_dollars ' +
    'yes_ask_size_fp no_bid no_bid_dollars no_bid_size_fp no_ask no_ask_dollars no_ask_size_fp last_price last_price_dollars ' +
    'previous_price previous_price_dollars previous_yes_bid previous_yes_bid_dollars previous_yes_ask previous_yes_ask_dollars volume ' +
    'volume_fp volume_24h volume_24h_fp liquidity liquidity_dollars open_interest open_interest_fp result can_close_early ' +
    'early_close_condition expiration_value settlement_value settlement_value_dollars category risk_limit_cents tick_size ' +
    'price_level_structure price_ranges strike_type floor_strike cap_strike functional_strike custom_strike rules_primary ' +
    'rules_secondary mve_collection_ticker mve_selected_legs primary_participant_key fee_waiver_expiration_time is_provisional',
  { price_ranges: 'start end step', mve_selected_legs: 'event_ticker market_ticker side', custom_strike: '*' },
];
const EVENT_PAGE = knownFields(MARKETS_SOURCE, [
  'cursor events milestones',
  {
    events: [
      'event_ticker series_ticker title sub_title category mutually_exclusive collateral_return_type strike_date strike_period ' +
        'available_on_brokers product_metadata settlement_sources markets',
      { markets: MARKET, settlement_sources: SOURCES },
    ],
  },
]);
const MARKET_PAGE = knownFields(MARKETS_SOURCE, ['cursor markets', { markets: MARKET }]);
const SERIES_FIELDS = knownFields(SERIES_SOURCE, [
  'series',
  {
    series: [
      'ticker title category frequency tags fee_type fee_multiplier settlement_sources contract_url contract_terms_url ' +
        'additional_prohibitions product_metadata volume volume_fp last_updated_ts',
      { settlement_sources: SOURCES },
    ],
  },
]);
const ORDER_BOOK = knownFields(BOOK_SOURCE, [
  'orderbook orderbook_fp',
  { orderbook: 'yes no yes_dollars no_dollars', orderbook_fp: 'yes_dollars no_dollars' },
]);
const TRADE_PAGE = knownFields(TRADES_SOURCE, [
  'cursor trades',
  {
    trades: 'trade_id ticker count count_fp price yes_price no_price yes_price_dollars no_price_dollars taker_side created_time',
  },
]);

const STATUSES: Readonly<Record<string, PredictionStatus>> = {
  initialized: 'unopened',
  active: 'open',
  inactive: 'paused',
  closed: 'closed',
  determined: 'determined',
  disputed: 'disputed',
  amended: 'determined',
  finalized: 'resolved',
};

/** Terms of a series, which apply to all its markets. */
export interface SeriesTerms {
  readonly ticker: string;
  readonly fee: PredictionFee;
  readonly sources: readonly ResolutionSource[];
}

/** Taker fee rate of the published schedule, before a series' multiplier. */
const BASE_RATE = '0.07';
const UNKNOWN_FEE: PredictionFee = { model: 'unknown', rate: null, exponent: 1, roundingUsd: null };

function sourcesIn(value: unknown): readonly ResolutionSource[] {
  if (value === undefined || value === null) return [];
  return listIn(value, 'settlement_sources').map((raw) => {
    const source = objectIn(raw, 'a settlement source');
    return { name: textIn(source, 'name'), url: maybeText(source, 'url') };
  });
}

/** Fee types by which takers pay the quadratic fee. In the second one makers pay a fee too. */
const TAKER_QUADRATIC: ReadonlySet<string> = new Set(['quadratic', 'quadratic_with_maker_fees']);

/**
 * Maps the answer of `/series/{ticker}`: sources and fees. An unknown fee type leaves the fee unknown. `note` receives unknown fields,
 * here and below.
 */
export function mapSeries(body: unknown, receivedAt: EpochMs, note?: NoteUnknownField): SeriesTerms | Rejection {
  noteUnknown(body, SERIES_FIELDS, note);
  return readable(SERIES_SOURCE, receivedAt, body, () => {
    const series = objectIn(objectIn(body, 'the answer')['series'], 'series');
    const type = maybeText(series, 'fee_type');
    const multiplier = maybeDecimal(series, 'fee_multiplier');
    const fee: PredictionFee =
      type === 'no_fee' || multiplier === '0'
        ? { model: 'none', rate: null, exponent: 1, roundingUsd: null }
        : type !== null && TAKER_QUADRATIC.has(type) && multiplier !== null
          ? { model: 'quadratic', rate: plainDecimal(new Decimal(BASE_RATE).times(multiplier)), exponent: 1, roundingUsd: '0.01' }
          : UNKNOWN_FEE;
    return { ticker: textIn(series, 'ticker'), fee, sources: sourcesIn(series['settlement_sources']) };
  });
}

/** Words in titles and rules by which the strike may be touched at any time. */
const ANY_TIME = /\b(at any (time|point)|reach(es)?|hits?|touch(es)?|high(est)?|low(est)?|maximum|minimum|how (high|low))\b/i;
const STRIKES: Readonly<Record<string, Comparator>> = {
  greater: 'above',
  greater_or_equal: 'at_or_above',
  less: 'below',
  less_or_equal: 'at_or_below',
  between: 'between',
};

/** Maps the strike fields to a question. Only its time of effect is read from the texts. */
function readQuestion(fields: Fields, underlying: string | null, text: string, closesAt: EpochMs | null): PredictionQuestion | null {
  const type = maybeText(fields, 'strike_type') ?? '';
  const comparator = Object.hasOwn(STRIKES, type) ? STRIKES[type] : undefined;
  if (comparator === undefined || underlying === null || closesAt === null) return null;
  const [floor, cap] = [maybeDecimal(fields, 'floor_strike'), maybeDecimal(fields, 'cap_strike')];
  const under = comparator === 'below' || comparator === 'at_or_below';
  const threshold = under ? cap : floor;
  if (threshold === null || (comparator === 'between' && cap === null)) return null;
  return {
    underlying,
    comparator,
    threshold,
    upperThreshold: comparator === 'between' ? cap : null,
    measure: ANY_TIME.test(text) ? 'any_time' : 'at_time',
    resolvesAt: closesAt,
  };
}

function readGrid(fields: Fields): readonly PriceRange[] {
  const ranges = fields['price_ranges'];
  if (ranges === undefined || ranges === null) {
    const structure = maybeText(fields, 'price_level_structure');
    const known = structure === null || !Object.hasOwn(STRUCTURES, structure) ? undefined : STRUCTURES[structure];
    return known ?? [];
  }
  return listIn(ranges, 'price_ranges').map((raw) => {
    const range = objectIn(raw, 'a price range');
    const step = readDecimal(range['step'], 'step');
    if (!new Decimal(step).gt(0)) throw new Unreadable('bad_number', `step ${step}`);
    return { start: readDecimal(range['start'], 'start'), end: readDecimal(range['end'], 'end'), step };
  });
}

/** Named price structures, for answers without ranges. */
const STRUCTURES: Readonly<Record<string, readonly PriceRange[]>> = {
  linear_cent: [{ start: '0', end: '1', step: '0.01' }],
  deci_cent: [{ start: '0', end: '1', step: '0.001' }],
  tapered_deci_cent: [
    { start: '0', end: '0.1', step: '0.001' },
    { start: '0.1', end: '0.9', step: '0.01' },
    { start: '0.9', end: '1', step: '0.001' },
  ],
};

/** Facts that a market inherits from its event and series. */
export interface MarketContext {
  readonly event: Fields | null;
  readonly series: SeriesTerms | null;
}

function readEvent(ticker: string, event: Fields | null): PredictionEventLink {
  return {
    id: predictionEventId(PROVIDER, ticker),
    providerId: ticker,
    title: event === null ? '' : (maybeText(event, 'title') ?? ''),
    mutuallyExclusive: event === null ? null : maybeFlag(event, 'mutually_exclusive'),
  };
}

/** Maps one market, or returns a rejection if it is unreadable or does not have two outcomes. Never throws. */
export function mapMarket(raw: unknown, { event, series }: MarketContext, receivedAt: EpochMs): PredictionMarket | Rejection {
  return readable(MARKETS_SOURCE, receivedAt, raw, () => {
    const fields = objectIn(raw, 'the market');
    const ticker = textIn(fields, 'ticker');
    const type = maybeText(fields, 'market_type');
    if (type !== null && type !== 'binary') throw new Unreadable('unknown_shape', `a market of type ${type} has not exactly two outcomes`);
    const id = predictionMarketId(PROVIDER, ticker);
    const word = textIn(fields, 'status');
    const status = Object.hasOwn(STATUSES, word) ? (STATUSES[word] ?? 'unknown') : 'unknown';
    const quoted = status === 'open' || status === 'paused';
    const price = (name: string): DecimalString | null => (quoted ? maybePrice(fields, name) : null);
    const last = maybePrice(fields, 'last_price_dollars');
    const result = maybeText(fields, 'result');
    const settled = status === 'resolved';
    const payout = settled ? readPayout(fields, result) : null;
    const eventTicker = textIn(fields, 'event_ticker');
    const title = maybeText(fields, 'title') ?? (event === null ? null : maybeText(event, 'title'));
    if (title === null) throw new Unreadable('missing_field', 'title is missing');
    const rules = maybeText(fields, 'rules_primary') ?? '';
    const secondaryRules = maybeText(fields, 'rules_secondary') ?? '';
    const closesAt = maybeTime(fields, 'close_time');
    const underlying = underlyingIn(title) ?? (event === null ? null : underlyingIn(maybeText(event, 'title') ?? ''));
    const size = (side: 'yes' | 'no', stands: string, at: string): DecimalString | null =>
      price(at) === null
        ? null
        : (maybeSize(fields, `${side}_${at.includes('_bid_') ? 'bid' : 'ask'}_size_fp`) ?? maybeSize(fields, `${stands}_size_fp`));
    const outcome = (side: 'yes' | 'no') => ({
      side,
      label: maybeText(fields, `${side}_sub_title`) ?? (side === 'yes' ? 'Yes' : 'No'),
      instrument: outcomeInstrument(id, side),
      providerId: `${ticker}:${side}`,
      bid: price(`${side}_bid_dollars`),
      ask: price(`${side}_ask_dollars`),
      // Sizes are listed only for yes. A bid for one outcome is an offer of the other.
      bidSize: size(side, side === 'yes' ? 'yes_bid' : 'yes_ask', `${side}_bid_dollars`),
      askSize: size(side, side === 'yes' ? 'yes_ask' : 'yes_bid', `${side}_ask_dollars`),
      last: last === null || side === 'yes' ? last : complement(last),
      payout: payout === null ? null : side === 'yes' ? payout : complement(payout),
    });
    const own = event === null ? [] : sourcesIn(event['settlement_sources']);
    return {
      id,
      provider: PROVIDER,
      providerId: ticker,
      providerIds: { eventTicker, ...(series === null ? {} : { seriesTicker: series.ticker }) },
      event: readEvent(eventTicker, event),
      question: title,
      subtitle: maybeText(fields, 'yes_sub_title') ?? '',
      outcomes: [outcome('yes'), outcome('no')],
      priceGrid: readGrid(fields),
      minimumSize: null,
      status,
      providerStatus: word,
      volume: maybeDecimal(fields, 'volume_fp', 'volume'),
      volume24h: maybeDecimal(fields, 'volume_24h_fp', 'volume_24h'),
      liquidity: maybeDecimal(fields, 'liquidity_dollars'),
      openInterest: maybeDecimal(fields, 'open_interest_fp', 'open_interest'),
      volumeUnit: 'contracts',
      opensAt: maybeTime(fields, 'open_time'),
      closesAt,
      expectedResolutionAt: maybeTime(fields, 'expected_expiration_time'),
      latestResolutionAt: maybeTime(fields, 'latest_expiration_time'),
      resolvedAt: settled ? maybeTime(fields, 'settlement_ts') : null,
      resolution: {
        rules,
        secondaryRules,
        sources: own.length > 0 ? own : (series?.sources ?? []),
        procedure: 'exchange_determination',
        history: [],
        result: settled && (result === 'yes' || result === 'no') ? result : null,
        decidedBy: maybeText(fields, 'expiration_value'),
        mayCloseEarly: maybeFlag(fields, 'can_close_early'),
        earlyCloseCondition: maybeText(fields, 'early_close_condition'),
      },
      fee: series?.fee ?? UNKNOWN_FEE,
      underlying,
      asks: readQuestion(fields, underlying, `${title} ${rules}`, closesAt),
      venue: 'prediction',
      source: MARKETS_SOURCE,
      observedAt: receivedAt,
      receivedAt,
      quality: quoted ? 'live' : 'halted',
      flags: NO_FLAGS,
    };
  });
}

function readPayout(fields: Fields, result: string | null): DecimalString | null {
  const value = maybeDecimal(fields, 'settlement_value_dollars');
  if (value !== null) return value;
  return result === 'yes' ? '1' : result === 'no' ? '0' : null;
}

interface MappedPage {
  readonly markets: readonly PredictionMarket[];
  readonly rejections: readonly Rejection[];
  /** Cursor of the next page, or null after the last. */
  readonly cursor: string | null;
}

/** Maps a page of `/events?with_nested_markets=true`, each market of each event separately. */
export function mapEvents(
  body: unknown,
  seriesOf: (ticker: string) => SeriesTerms | null,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): MappedPage {
  noteUnknown(body, EVENT_PAGE, note);
  const read = readable(MARKETS_SOURCE, receivedAt, body, () => {
    const answer = objectIn(body, 'the answer');
    return {
      cursor: maybeText(answer, 'cursor'),
      events: listIn(answer['events'], 'events').map((raw) =>
        readable(MARKETS_SOURCE, receivedAt, raw, () => {
          const event = objectIn(raw, 'the event');
          const series = seriesOf(textIn(event, 'series_ticker'));
          return listIn(event['markets'], 'markets').map((market) => mapMarket(market, { event, series }, receivedAt));
        }),
      ),
    };
  });
  if (isRejection(read)) return { markets: [], rejections: [read], cursor: null };
  return toPage(
    read.events.flatMap((one) => (isRejection(one) ? [one] : one)),
    read.cursor,
  );
}

/** Maps a page of `/markets`. */
export function mapMarkets(
  body: unknown,
  contextOf: (eventTicker: string) => MarketContext,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): MappedPage {
  noteUnknown(body, MARKET_PAGE, note);
  const read = readable(MARKETS_SOURCE, receivedAt, body, () => {
    const answer = objectIn(body, 'the answer');
    return {
      cursor: maybeText(answer, 'cursor'),
      markets: listIn(answer['markets'], 'markets').map((raw) =>
        mapMarket(
          raw,
          contextOf(typeof raw === 'object' && raw !== null ? valueText((raw as Fields)['event_ticker'] ?? '', 200) : ''),
          receivedAt,
        ),
      ),
    };
  });
  return isRejection(read) ? { markets: [], rejections: [read], cursor: null } : toPage(read.markets, read.cursor);
}

function toPage(mapped: readonly (PredictionMarket | Rejection)[], cursor: string | null): MappedPage {
  const markets = mapped.filter((one): one is PredictionMarket => !isRejection(one));
  const unknown = markets
    .filter(({ status }) => status === 'unknown')
    .map(({ receivedAt, providerStatus, providerId }) =>
      rejection('prediction', MARKETS_SOURCE, receivedAt, 'unknown_word', `status "${providerStatus}" of ${providerId}`, ''),
    );
  return { markets, rejections: [...mapped.filter(isRejection), ...unknown], cursor };
}

/** Returns the series tickers of a page's events. */
export function seriesTickersIn(body: unknown): readonly string[] {
  const events = (body as { events?: unknown } | null)?.events;
  if (!Array.isArray(events)) return [];
  const tickers = events.map((event) => (event as { series_ticker?: unknown } | null)?.series_ticker);
  return [...new Set(tickers.filter((ticker): ticker is string => typeof ticker === 'string' && ticker !== ''))];
}

/** Returns the levels `[price, size]` of one side; empty if the field is absent or null. @throws Unreadable */
function levelsIn(value: unknown, what: string): BookLevel[] {
  const levels: BookLevel[] = [];
  if (value === undefined || value === null) return levels;
  const list = listIn(value, what);
  for (let index = 0; index < list.length; index++) {
    const level = list[index];
    if (!Array.isArray(level)) throw new Unreadable('unknown_shape', `a level of ${what} is no list`);
    const price = readPrice(readDecimal(level[0], 'price'), 'price');
    const size = readSize(level[1], 'size');
    if (size !== '0') levels.push({ price, size });
  }
  return levels;
}

/** Maps the answer of `/markets/{ticker}/orderbook`, whose time is that of receipt because it has none. */
export function mapOrderBook(
  body: unknown,
  market: PredictionMarket,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): PredictionBook | Rejection {
  noteUnknown(body, ORDER_BOOK, note);
  return readable(BOOK_SOURCE, receivedAt, body, () => {
    const book = objectIn(objectIn(body, 'the answer')['orderbook_fp'], 'orderbook_fp');
    return {
      marketId: market.id,
      provider: PROVIDER,
      source: BOOK_SOURCE,
      observedAt: receivedAt,
      receivedAt,
      bids: bestFirst(levelsIn(book['yes_dollars'], 'yes_dollars'), 'bids'),
      asks: bestFirst(toAsks(levelsIn(book['no_dollars'], 'no_dollars')), 'asks'),
    };
  });
}

/** Maps a trade of `/markets/trades` or the `trade` channel: the prices of both outcomes, and the one that the taker bought. */
function readTrade(fields: Fields, market: PredictionMarket, at: EpochMs, source: string, receivedAt: EpochMs): PredictionTrade {
  const size = readDecimal(fields['count_fp'] ?? fields['count'], 'count_fp');
  if (!new Decimal(size).gt(0)) throw new Unreadable('bad_number', `count_fp ${size} is not above zero`);
  const side = textIn(fields, 'taker_side');
  if (side !== 'yes' && side !== 'no') throw new Unreadable('unknown_word', `taker_side "${side.slice(0, 40)}"`);
  return {
    id: `kalshi-${textIn(fields, 'trade_id')}`,
    marketId: market.id,
    provider: PROVIDER,
    side,
    price: readPrice(readDecimal(fields[`${side}_price_dollars`], `${side}_price_dollars`), 'price'),
    size,
    taker: 'buy',
    source,
    observedAt: at,
    receivedAt,
  };
}

/** Maps a page of `/markets/trades`, each trade separately. */
export function mapTrades(
  body: unknown,
  market: PredictionMarket,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): { readonly trades: readonly PredictionTrade[]; readonly rejections: readonly Rejection[] } {
  noteUnknown(body, TRADE_PAGE, note);
  const read = readable(TRADES_SOURCE, receivedAt, body, () =>
    listIn(objectIn(body, 'the answer')['trades'], 'trades').map((raw) =>
      readable(TRADES_SOURCE, receivedAt, raw, () => {
        const fields = objectIn(raw, 'the trade');
        if (textIn(fields, 'ticker') !== market.providerId) throw new Unreadable('unknown_instrument', 'a trade of another market');
        const at = maybeTime(fields, 'created_time');
        if (at === null) throw new Unreadable('missing_field', 'created_time is missing');
        return readTrade(fields, market, at, TRADES_SOURCE, receivedAt);
      }),
    ),
  );
  if (isRejection(read)) return { trades: [], rejections: [read] };
  return { trades: read.filter((one): one is PredictionTrade => !isRejection(one)), rejections: read.filter(isRejection) };
}

/** Message of the socket. `sid` and `seq` number the messages of one subscription. */
export type SocketMessage =
  | { readonly kind: 'subscribed'; readonly channel: string; readonly sid: number }
  | SnapshotMessage
  | DeltaMessage
  | { readonly kind: 'trade'; readonly trade: PredictionTrade }
  | { readonly kind: 'lifecycle'; readonly ticker: string }
  /** Unusable message whose number still counts, because it would otherwise look lost. */
  | { readonly kind: 'unusable'; readonly sid: number; readonly seq: number; readonly rejection: Rejection }
  | Rejection;

const FRAME_FIELDS = knownFields(PROVIDER, 'type id sid seq msg');
/** Fields of the messages that are read, used or not. */
const MESSAGE_FIELDS: ReadonlyMap<string, KnownFields> = new Map([
  ['subscribed', knownFields(PROVIDER, 'channel sid')],
  ['error', knownFields(PROVIDER, 'code msg market_id market_ticker')],
  [
    'market_lifecycle_v2',
    knownFields('kalshi:market_lifecycle', [
      'event_type market_ticker market_id open_ts close_ts result determination_ts settled_ts settlement_value is_deactivated ' +
        'price_level_structure additional_metadata',
      { additional_metadata: '*' },
    ]),
  ],
  ['orderbook_snapshot', knownFields('kalshi:orderbook_snapshot', 'market_ticker market_id yes_dollars_fp no_dollars_fp')],
  [
    'orderbook_delta',
    knownFields('kalshi:orderbook_delta', 'market_ticker market_id price_dollars delta_fp side ts ts_ms client_order_id subaccount'),
  ],
  [
    'trade',
    knownFields('kalshi:trade', 'trade_id market_ticker market_id yes_price_dollars no_price_dollars count_fp taker_side ts ts_ms'),
  ],
]);

type MarketOf = (ticker: string) => PredictionMarket | undefined;

/** Maps one frame, or returns null if it has no relevant content. `note` receives unknown fields. Never throws. */
export function mapSocketFrame(frame: Buffer, receivedAt: EpochMs, marketOf: MarketOf, note?: NoteUnknownField): SocketMessage | null {
  return scanSocketFrame(frame, (ticker) => marketOf(ticker) !== undefined) ?? mapParsedSocketFrame(frame, receivedAt, marketOf, note);
}

/** Maps a frame like `mapSocketFrame` without the scan. The scan must agree with it. */
export function mapParsedSocketFrame(
  frame: Buffer,
  receivedAt: EpochMs,
  marketOf: MarketOf,
  note?: NoteUnknownField,
): SocketMessage | null {
  let body: unknown;
  try {
    body = JSON.parse(frame.toString('utf8'));
  } catch (error) {
    return rejection('prediction', PROVIDER, receivedAt, 'not_json', (error as Error).message, frameSample(frame));
  }
  const read = readable(PROVIDER, receivedAt, body, () => mapSocketMessage(objectIn(body, 'the message'), receivedAt, marketOf, note));
  if (!isRejection(read)) return read;
  const { sid, seq } = (body ?? {}) as Fields;
  return Number.isSafeInteger(sid) && Number.isSafeInteger(seq)
    ? { kind: 'unusable', sid: sid as number, seq: seq as number, rejection: read }
    : read;
}

/** Returns the market of a message. @throws Unreadable if it is not followed */
function marketIn(message: Fields, marketOf: MarketOf): PredictionMarket {
  const ticker = textIn(message, 'market_ticker');
  const found = marketOf(ticker);
  if (found === undefined) throw new Unreadable('unknown_instrument', `${ticker.slice(0, 80)} was not asked for`);
  return found;
}

function mapSocketMessage(
  fields: Fields,
  receivedAt: EpochMs,
  marketOf: MarketOf,
  note: NoteUnknownField | undefined,
): SocketMessage | null {
  const type = textIn(fields, 'type');
  if (type === 'ok' || type === 'unsubscribed') return null;
  const message = objectIn(fields['msg'], 'msg');
  noteUnknown(fields, FRAME_FIELDS, note);
  const expected = MESSAGE_FIELDS.get(type);
  if (expected !== undefined) noteUnknown(message, expected, note);
  if (type === 'error') throw new Unreadable('venue_error', `${valueText(message['code'])}: ${valueText(message['msg'], 200)}`);
  if (type === 'subscribed') return { kind: 'subscribed', channel: textIn(message, 'channel'), sid: numberIn(message, 'sid') };
  switch (type) {
    case 'orderbook_snapshot':
      return {
        kind: 'snapshot',
        sid: numberIn(fields, 'sid'),
        seq: numberIn(fields, 'seq'),
        ticker: marketIn(message, marketOf).providerId,
        bids: levelsIn(message['yes_dollars_fp'], 'yes_dollars_fp'),
        asks: toAsks(levelsIn(message['no_dollars_fp'], 'no_dollars_fp')),
      };
    case 'orderbook_delta': {
      const word = textIn(message, 'side');
      if (word !== 'yes' && word !== 'no') throw new Unreadable('unknown_word', `side "${word.slice(0, 40)}"`);
      const price = readPrice(readDecimal(message['price_dollars'], 'price_dollars'), 'price');
      return {
        kind: 'delta',
        sid: numberIn(fields, 'sid'),
        seq: numberIn(fields, 'seq'),
        ticker: marketIn(message, marketOf).providerId,
        side: word === 'yes' ? 'bids' : 'asks',
        price: word === 'yes' ? price : complement(price),
        delta: readDecimal(message['delta_fp'], 'delta_fp'),
        at: readEpoch(message['ts_ms'], 'ts_ms'),
      };
    }
    case 'trade': {
      const at = message['ts_ms'] === undefined ? readEpoch(message['ts'], 'ts') * 1_000 : readEpoch(message['ts_ms'], 'ts_ms');
      return { kind: 'trade', trade: readTrade(message, marketIn(message, marketOf), at, 'kalshi:trade', receivedAt) };
    }
    case 'market_lifecycle_v2':
      return { kind: 'lifecycle', ticker: textIn(message, 'market_ticker') };
    default:
      throw new Unreadable('unknown_word', `type "${type.slice(0, 60)}"`);
  }
}

function numberIn(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Unreadable('missing_field', `${name} is no whole number`);
  return value;
}
