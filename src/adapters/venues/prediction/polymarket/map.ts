/**
 * Mapping of Polymarket's answers and frames to markets, books, trades or counted rejections. Pure.
 * See docs/reference/outside/polymarket.md.
 */
import type { BookLevel } from '../../../../domain/market/order-book.ts';
import type { Listing } from '../provider-feed.ts';
import type { NoteUnknownField } from '../../../../../streams/feed-counters.ts';
import { sha256Hex } from '../../../../domain/values/canonical-json.ts';
import { Decimal, type DecimalString } from '../../../../domain/values/decimal.ts';
import {
  complement,
  evenGrid,
  OUTCOME_SIDES,
  type OutcomeSide,
  outcomeInstrument,
  type PredictionBook,
  type PredictionEventLink,
  type PredictionFee,
  type PredictionMarket,
  type PredictionOutcome,
  type PredictionStatus,
  type PredictionTrade,
  predictionEventId,
  predictionMarketId,
  type ResolutionSource,
} from '../../../../domain/prediction/market.ts';
import { readQuestion, underlyingIn } from '../../../../domain/prediction/question.ts';
import { NO_FLAGS, type Rejection } from '../../../../domain/market/quote.ts';
import type { EpochMs } from '../../../../domain/values/time.ts';
import { valueText } from '../../../../domain/values/value-text.ts';
import { frameSample, rejection } from '../../feed-messages.ts';
import { type KnownFields, knownFields, type Members, noteUnknown } from '../../known-fields.ts';
import {
  readDecimal,
  readEpoch,
  type Fields,
  flagIn,
  isRejection,
  listIn,
  maybeDecimal,
  maybeFlag,
  maybePrice,
  maybeText,
  maybeTime,
  objectIn,
  readPrice,
  readable,
  readSize,
  textIn,
  Unreadable,
} from '../fields.ts';
import { type BookSide, bestFirst } from '../level-book.ts';
import { type ChangesMessage, type LevelChange, scanMarketFrame, type TokenBook } from './scan-frames.ts';

export type { LevelChange, TokenBook } from './scan-frames.ts';

/** Provider name in `source`. */
export const PROVIDER = 'polymarket';
const GAMMA_SOURCE = 'polymarket:gamma';
export const BOOK_SOURCE = 'polymarket:book';
const TRADES_SOURCE = 'polymarket:trades';
const CLOB_SOURCE = 'polymarket:clob';

/** Fields that Gamma and the other services document or were seen to send, used or not. */
const REWARD = 'id conditionId assetAddress rewardsAmount rewardsDailyRate startDate endDate';
const TAG = 'id label slug forceShow forceHide isCarousel createdAt updatedAt publishedAt createdBy updatedBy requiresTranslation';
const EVENT_NAMES =
  'id ticker slug title subtitle description resolutionSource startDate creationDate endDate image icon active closed archived new ' +
  'featured restricted liquidity volume openInterest sortBy createdAt updatedAt competitive volume24hr volume1wk volume1mo volume1yr ' +
  'enableOrderBook liquidityClob liquidityAmm negRisk negRiskMarketID negRiskFeeBips commentCount markets tags series cyom ' +
  'showAllOutcomes showMarketImages enableNegRisk automaticallyActive automaticallyResolved startTime gmpChartMode negRiskAugmented ' +
  'countryName electionType estimateValue cumulativeMarkets pendingDeployment deploying deployingTimestamp requiresTranslation ' +
  'closedTime ended live period score seriesSlug eventDate eventWeek eventMetadata gameId';
const MARKET: Members = [
  'id question conditionId slug resolutionSource endDate startDate endDateIso startDateIso liquidity volume volumeNum liquidityNum ' +
    'image icon twitterCardImage description outcomes outcomePrices shortOutcomes active closed archived new featured restricted ' +
    'marketMakerAddress createdAt updatedAt closedTime creator submitted_by updatedBy resolvedBy groupItemTitle groupItemThreshold ' +
    'groupItemRange questionID enableOrderBook orderPriceMinTickSize orderMinSize hasReviewedDates volume24hr volume1wk volume1mo ' +
    'volume1yr volume1wkAmm volume1moAmm volume1yrAmm volume24hrAmm volumeAmm liquidityAmm volume24hrClob volume1wkClob volume1moClob ' +
    'volume1yrClob volumeClob liquidityClob clobTokenIds umaBond umaReward umaEndDate umaEndDateIso umaResolutionStatus ' +
    'umaResolutionStatuses customLiveness acceptingOrders acceptingOrdersTimestamp negRisk negRiskMarketID negRiskRequestID ' +
    'negRiskOther ready funded readyForCron fpmmLive cyom competitive pagerDutyNotificationEnabled approved rewardsMinSize ' +
    'rewardsMaxSpread spread oneHourPriceChange oneDayPriceChange oneWeekPriceChange oneMonthPriceChange oneYearPriceChange ' +
    'lastTradePrice bestBid bestAsk automaticallyActive automaticallyResolved clearBookOnStart seriesColor showGmpSeries ' +
    'showGmpOutcome manualActivation pendingDeployment deploying deployingTimestamp rfqEnabled holdingRewardsEnabled feesEnabled ' +
    'feeType feeSchedule requiresTranslation clobRewards events tags category categories marketType marketGroup mailchimpTag ' +
    'makerBaseFee takerBaseFee fee secondsDelay sportsMarketType line gameStartTime gameId eventStartTime openInterest formatType ' +
    'lowerBound upperBound lowerBoundDate upperBoundDate denominationToken commentsEnabled notificationsEnabled',
  { clobRewards: REWARD, feeSchedule: 'exponent rate rebateRate takerOnly', events: EVENT_NAMES, tags: TAG },
];
const LISTED_EVENT = knownFields(GAMMA_SOURCE, [EVENT_NAMES, { markets: MARKET, tags: TAG }]);
const LISTED_MARKET = knownFields(GAMMA_SOURCE, MARKET);
const WINNER_FIELDS = knownFields(CLOB_SOURCE, [
  'accepting_order_timestamp accepting_orders active archived closed condition_id description enable_order_book end_date_iso fpmm ' +
    'game_start_time icon image is_50_50_outcome maker_base_fee market_slug minimum_order_size minimum_tick_size neg_risk ' +
    'neg_risk_market_id neg_risk_request_id notifications_enabled question question_id rewards seconds_delay tags taker_base_fee tokens',
  {
    tokens: 'outcome price token_id winner',
    rewards: ['max_spread min_size rates', { rates: 'asset_address rewards_daily_rate' }],
  },
]);
const TRADE_FIELDS = knownFields(
  TRADES_SOURCE,
  'asset conditionId side price size timestamp transactionHash proxyWallet title slug icon eventSlug outcome outcomeIndex name pseudonym ' +
    'bio profileImage profileImageOptimized',
);

/** Returns an array of texts that is encoded as a JSON text, as Gamma does for outcomes, prices and token ids. @throws Unreadable */
function textsIn(fields: Fields, name: string): readonly string[] {
  const text = textIn(fields, name);
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new Unreadable('unknown_shape', `${name} is not JSON list`);
  }
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string'))
    throw new Unreadable('unknown_shape', `${name} is no list of texts`);
  return list as string[];
}

const UMA_STATUSES: Readonly<Record<string, PredictionStatus>> = {
  proposed: 'determined',
  challenged: 'disputed',
  disputed: 'disputed',
  reproposed: 'determined',
  resolved: 'resolved',
};

interface Stage {
  readonly status: PredictionStatus;
  readonly words: string;
  /** Payout of each outcome, or null unless the status is `resolved`. */
  readonly payouts: readonly DecimalString[] | null;
}

/**
 * Reads the stage of a market. The oracle's state overrides the prices: Gamma closes a market and sets its prices to the proposed outcome
 * while that outcome may still be disputed. A settlement is never reversed.
 */
function readStage(fields: Fields): Stage {
  const [active, closed] = [flagIn(fields, 'active'), flagIn(fields, 'closed')];
  const accepting = maybeFlag(fields, 'acceptingOrders');
  const uma = maybeText(fields, 'umaResolutionStatus');
  const words = [
    active ? 'active' : 'inactive',
    closed ? 'closed' : '',
    accepting === true ? 'accepting orders' : '',
    uma === null ? '' : `uma ${uma}`,
  ]
    .filter((word) => word !== '')
    .join(', ');
  const stage = (status: PredictionStatus): Stage => ({ status, words, payouts: null });
  if (uma !== null && !Object.hasOwn(UMA_STATUSES, uma)) return stage('unknown');
  const oracle = uma === null ? null : (UMA_STATUSES[uma] as PredictionStatus);
  if (oracle !== null && oracle !== 'resolved') return stage(oracle);
  const payouts = closed ? readPayouts(fields, oracle === 'resolved') : null;
  if (payouts !== null) return { status: 'resolved', words, payouts };
  // Closed without a payout: the winner must be requested elsewhere.
  if (closed) return stage('closed');
  if (!active) return stage('unopened');
  return stage(accepting === true ? 'open' : accepting === false ? 'paused' : 'unknown');
}

/**
 * Returns the payouts in a closed market's prices, or null if there are none. The legacy value `["0","0"]` means none. Equal prices are a
 * payout only if the oracle says so, because a market that never traded has them too.
 */
function readPayouts(fields: Fields, decided: boolean): readonly DecimalString[] | null {
  if (maybeText(fields, 'outcomePrices') === null) return null;
  const prices = textsIn(fields, 'outcomePrices').map((price) => readDecimal(price, 'outcomePrices'));
  const sum = prices.reduce((total, price) => total.plus(price), new Decimal(0));
  const whole = decided ? ['0', '0.5', '1'] : ['0', '1'];
  const settled = prices.length === 2 && sum.eq(1) && prices.every((price) => whole.includes(price));
  return settled ? prices : null;
}

function readFee(fields: Fields): PredictionFee {
  const enabled = maybeFlag(fields, 'feesEnabled');
  if (enabled === false) return { model: 'none', rate: null, exponent: 1, roundingUsd: null };
  const { feeSchedule: schedule = null } = fields;
  if (enabled !== true || schedule === null) return { model: 'unknown', rate: null, exponent: 1, roundingUsd: null };
  const terms = objectIn(schedule, 'feeSchedule');
  const exponent = terms['exponent'] ?? 1;
  if (typeof exponent !== 'number' || !Number.isInteger(exponent) || exponent < 1 || exponent > 4) {
    throw new Unreadable('bad_number', `feeSchedule.exponent ${valueText(exponent)}`);
  }
  return { model: 'quadratic', rate: readSize(terms['rate'], 'feeSchedule.rate'), exponent, roundingUsd: '0.00001' };
}

/** Returns the provider's structured source, and the one named in the rules. */
function listSources(fields: Fields, rules: string): readonly ResolutionSource[] {
  const url = maybeText(fields, 'resolutionSource');
  const said = /resolution source for this market (?:is|will be) (.+?)\.(?:\s|$)/i.exec(rules)?.[1] ?? null;
  if (url === null) return said === null ? [] : [{ name: said.slice(0, 300), url: null }];
  const host = URL.canParse(url) ? new URL(url).host : url;
  return [{ name: said?.slice(0, 300) ?? host, url: URL.canParse(url) ? url : null }];
}

function readEvent(event: Fields | null, market: Fields): PredictionEventLink | null {
  if (event === null) return null;
  const providerId = textIn(event, 'id');
  return {
    id: predictionEventId(PROVIDER, providerId),
    providerId,
    title: maybeText(event, 'title') ?? '',
    // A neg-risk event means that at most one of its markets resolves to yes.
    mutuallyExclusive: maybeFlag(event, 'negRisk') ?? maybeFlag(market, 'negRisk'),
  };
}

/** Returns the ids other than the condition id, by the provider's names. */
function readIds(fields: Fields, tokens: readonly string[]): Record<string, string> {
  const ids: Record<string, string> = { yesTokenId: tokens[0] as string, noTokenId: tokens[1] as string };
  for (const [name, ours] of [
    ['id', 'marketId'],
    ['questionID', 'questionId'],
    ['slug', 'slug'],
    ['negRiskMarketID', 'negRiskMarketId'],
  ] as const) {
    const value = maybeText(fields, name);
    if (value !== null) ids[ours] = value;
  }
  return ids;
}

/** Maps one market of Gamma, or returns a rejection if it is unreadable. `event` is the one that contained it, or null. Never throws. */
export function mapGammaMarket(raw: unknown, event: Fields | null, receivedAt: EpochMs): PredictionMarket | Rejection {
  return readable(GAMMA_SOURCE, receivedAt, raw, () => {
    const fields = objectIn(raw, 'the market');
    const providerId = textIn(fields, 'conditionId');
    const id = predictionMarketId(PROVIDER, providerId);
    const labels = textsIn(fields, 'outcomes');
    const tokens = textsIn(fields, 'clobTokenIds');
    if (labels.length !== 2 || tokens.length !== 2)
      throw new Unreadable('unknown_shape', `${labels.length} outcomes and ${tokens.length} tokens instead of two`);
    if (tokens.some((token) => token === ''))
      throw new Unreadable('missing_field', 'a token id is empty: the market is still being set up');
    const { status, words, payouts } = readStage(fields);
    const resolvedAt = status === 'resolved' ? (maybeTime(fields, 'umaEndDate') ?? maybeTime(fields, 'closedTime')) : null;
    const quoted = status === 'open' || status === 'paused';
    const [bid, ask] = quoted ? [maybePrice(fields, 'bestBid'), maybePrice(fields, 'bestAsk')] : [null, null];
    const last = maybePrice(fields, 'lastTradePrice');
    const outcome = (index: 0 | 1): PredictionOutcome => {
      const flipped = (price: DecimalString | null): DecimalString | null => (price === null || index === 0 ? price : complement(price));
      return {
        side: OUTCOME_SIDES[index],
        label: labels[index] as string,
        instrument: outcomeInstrument(id, OUTCOME_SIDES[index]),
        providerId: tokens[index] as string,
        bid: flipped(index === 0 ? bid : ask),
        ask: flipped(index === 0 ? ask : bid),
        bidSize: null,
        askSize: null,
        last: flipped(last),
        payout: payouts?.[index] ?? null,
      };
    };
    const question = textIn(fields, 'question');
    const rules = maybeText(fields, 'description') ?? '';
    const closesAt = maybeTime(fields, 'endDate');
    const parent =
      event ?? (Array.isArray(fields['events']) && fields['events'].length > 0 ? objectIn(fields['events'][0], 'events') : null);
    const volume24h = maybeDecimal(fields, 'volume24hr');
    return {
      id,
      provider: PROVIDER,
      providerId,
      providerIds: readIds(fields, tokens),
      event: readEvent(parent, fields),
      question,
      subtitle: maybeText(fields, 'groupItemTitle') ?? '',
      outcomes: [outcome(0), outcome(1)],
      priceGrid: readGrid(fields),
      minimumSize: maybeDecimal(fields, 'orderMinSize'),
      status,
      providerStatus: words,
      volume: maybeDecimal(fields, 'volume', 'volumeNum'),
      volume24h,
      liquidity: maybeDecimal(fields, 'liquidity', 'liquidityNum'),
      openInterest: maybeDecimal(fields, 'openInterest'),
      volumeUnit: 'usd',
      opensAt: maybeTime(fields, 'startDate'),
      closesAt,
      expectedResolutionAt: closesAt,
      latestResolutionAt: null,
      resolvedAt,
      resolution: {
        rules,
        secondaryRules: '',
        sources: listSources(fields, rules),
        procedure: 'optimistic_oracle',
        history: maybeText(fields, 'umaResolutionStatuses') === null ? [] : textsIn(fields, 'umaResolutionStatuses'),
        result: payouts?.[0] === '1' ? 'yes' : payouts?.[1] === '1' ? 'no' : null,
        decidedBy: maybeText(fields, 'resolvedBy'),
        mayCloseEarly: null,
        earlyCloseCondition: null,
      },
      fee: readFee(fields),
      underlying: underlyingIn(question),
      asks: readQuestion(question, rules, closesAt),
      venue: 'prediction',
      source: GAMMA_SOURCE,
      // An outcome is not older than its resolution, whatever the listing's last update.
      observedAt: Math.min(Math.max(maybeTime(fields, 'updatedAt') ?? receivedAt, resolvedAt ?? 0), receivedAt),
      receivedAt,
      quality: quoted ? 'live' : 'halted',
      flags: NO_FLAGS,
    };
  });
}

function readGrid(fields: Fields): PredictionMarket['priceGrid'] {
  const step = maybeDecimal(fields, 'orderPriceMinTickSize');
  if (step === null) return [];
  if (!new Decimal(step).gt(0) || !new Decimal(step).lt(1)) throw new Unreadable('bad_number', `orderPriceMinTickSize ${step}`);
  return evenGrid(step);
}

/** Maps a page of `/events`, each market of each event separately. `note` receives unknown fields, here and below. */
export function mapGammaEvents(body: unknown, receivedAt: EpochMs, note?: NoteUnknownField): Listing {
  noteUnknown(body, LISTED_EVENT, note);
  const read = readable(GAMMA_SOURCE, receivedAt, body, () =>
    listIn(body, 'the answer').map((raw) =>
      readable(GAMMA_SOURCE, receivedAt, raw, () => {
        const event = objectIn(raw, 'the event');
        return { event, markets: listIn(event['markets'], 'markets') };
      }),
    ),
  );
  if (isRejection(read)) return { markets: [], rejections: [read] };
  const mapped = read.flatMap((one) => (isRejection(one) ? [one] : one.markets.map((raw) => mapGammaMarket(raw, one.event, receivedAt))));
  return splitMarkets(mapped);
}

/** Maps a page of `/markets`. */
export function mapGammaMarkets(body: unknown, receivedAt: EpochMs, note?: NoteUnknownField): Listing {
  noteUnknown(body, LISTED_MARKET, note);
  const read = readable(GAMMA_SOURCE, receivedAt, body, () =>
    listIn(body, 'the answer').map((raw) => mapGammaMarket(raw, null, receivedAt)),
  );
  return isRejection(read) ? { markets: [], rejections: [read] } : splitMarkets(read);
}

/** Separates markets from rejections. A market with an unknown status is kept as `unknown`, and counted as a rejection too. */
function splitMarkets(mapped: readonly (PredictionMarket | Rejection)[]): Listing {
  const markets = mapped.filter((one): one is PredictionMarket => !isRejection(one));
  const unknown = markets
    .filter(({ status }) => status === 'unknown')
    .map(({ receivedAt, providerStatus, providerId }) =>
      rejection('prediction', GAMMA_SOURCE, receivedAt, 'unknown_word', `status "${providerStatus}" of ${providerId}`, ''),
    );
  return { markets, rejections: [...mapped.filter(isRejection), ...unknown] };
}

/**
 * Maps the winner in the order book service's catalog, for markets whose prices do not show it. Returns the side, or null if there is
 * none.
 */
export function mapClobWinner(body: unknown, receivedAt: EpochMs, note?: NoteUnknownField): { readonly winner: string | null } | Rejection {
  noteUnknown(body, WINNER_FIELDS, note);
  return readable(CLOB_SOURCE, receivedAt, body, () => {
    const tokens = listIn(objectIn(body, 'the market')['tokens'], 'tokens').map((raw) => objectIn(raw, 'a token'));
    const winners = tokens.filter((token) => maybeFlag(token, 'winner') === true);
    return { winner: winners.length === 1 ? textIn(winners[0] as Fields, 'token_id') : null };
  });
}

/** Returns a market with the winner from the order book service. */
export function withWinner(market: PredictionMarket, winner: string): PredictionMarket {
  const [yes, no] = market.outcomes;
  const pays = (outcome: PredictionOutcome): PredictionOutcome => ({ ...outcome, payout: outcome.providerId === winner ? '1' : '0' });
  const result: OutcomeSide | null = winner === yes.providerId ? 'yes' : winner === no.providerId ? 'no' : null;
  if (result === null) return market;
  return { ...market, status: 'resolved', outcomes: [pays(yes), pays(no)], resolution: { ...market.resolution, result } };
}

/** Returns the non-empty levels of one side, best first. @throws Unreadable */
function levelsIn(value: unknown, side: BookSide): BookLevel[] {
  const list = listIn(value, side);
  const levels: BookLevel[] = [];
  for (let index = 0; index < list.length; index++) {
    const level = objectIn(list[index], side);
    const price = readPrice(readDecimal(level['price'], 'price'), 'price');
    const size = readSize(level['size'], 'size');
    if (size !== '0') levels.push({ price, size });
  }
  return bestFirst(levels, side);
}

function tokenBook(fields: Fields): TokenBook {
  return {
    kind: 'book',
    token: textIn(fields, 'asset_id'),
    at: readEpoch(fields['timestamp'], 'timestamp'),
    bids: levelsIn(fields['bids'], 'bids'),
    asks: levelsIn(fields['asks'], 'asks'),
  };
}

/** Maps the answer of `/book` for a market's yes token. */
export function mapBook(body: unknown, market: PredictionMarket, receivedAt: EpochMs, note?: NoteUnknownField): PredictionBook | Rejection {
  noteUnknown(body, EVENT_FIELDS.get('book') as KnownFields, note);
  return readable(BOOK_SOURCE, receivedAt, body, () => {
    const book = tokenBook(objectIn(body, 'the book'));
    if (book.token !== market.outcomes[0].providerId)
      throw new Unreadable('unknown_instrument', `a book of ${book.token} was not asked for`);
    return {
      marketId: market.id,
      provider: PROVIDER,
      source: BOOK_SOURCE,
      observedAt: book.at,
      receivedAt,
      bids: book.bids,
      asks: book.asks,
    };
  });
}

const TAKERS: Readonly<Record<string, 'buy' | 'sell'>> = { BUY: 'buy', SELL: 'sell' };

/** Maps the Data API's `/trades`, each trade separately. Times are seconds and numbers are JSON numbers there. */
export function mapTrades(
  body: unknown,
  market: PredictionMarket,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): { readonly trades: readonly PredictionTrade[]; readonly rejections: readonly Rejection[] } {
  noteUnknown(body, TRADE_FIELDS, note);
  const read = readable(TRADES_SOURCE, receivedAt, body, () =>
    listIn(body, 'the answer').map((raw) =>
      readable(TRADES_SOURCE, receivedAt, raw, () => {
        const fields = objectIn(raw, 'the trade');
        if (textIn(fields, 'conditionId') !== market.providerId) throw new Unreadable('unknown_instrument', 'a trade of another market');
        const at = readEpoch(fields['timestamp'], 'timestamp') * 1_000;
        return readTrade(market, textIn(fields, 'asset'), fields, at, receivedAt, maybeText(fields, 'transactionHash') ?? '');
      }),
    ),
  );
  if (isRejection(read)) return { trades: [], rejections: [read] };
  return { trades: read.filter((one): one is PredictionTrade => !isRejection(one)), rejections: read.filter(isRejection) };
}

/** Maps a trade. Its id is derived from its content, because the stream has no ids and a repeated trade must be recognized. */
function readTrade(
  market: PredictionMarket,
  token: string,
  fields: Fields,
  at: EpochMs,
  receivedAt: EpochMs,
  transaction: string,
): PredictionTrade {
  const outcome = market.outcomes.find(({ providerId }) => providerId === token);
  if (outcome === undefined) throw new Unreadable('unknown_instrument', `token ${token.slice(0, 20)}… is none of the market's`);
  const price = readPrice(readDecimal(fields['price'], 'price'), 'price');
  const size = readSize(fields['size'], 'size');
  if (size === '0') throw new Unreadable('bad_number', 'size is zero');
  const word = textIn(fields, 'side');
  const taker = Object.hasOwn(TAKERS, word) ? (TAKERS[word] ?? null) : null;
  if (taker === null) throw new Unreadable('unknown_word', `side "${word.slice(0, 40)}"`);
  const source = transaction === '' ? 'polymarket:last_trade_price' : TRADES_SOURCE;
  const id = `polymarket-${sha256Hex([market.id, token, at, price, size, taker, transaction].join(' ')).slice(0, 32)}`;
  return { id, marketId: market.id, provider: PROVIDER, side: outcome.side, price, size, taker, source, observedAt: at, receivedAt };
}

/** Message of the market channel. */
export type MarketMessage =
  | TokenBook
  | ChangesMessage
  | { readonly kind: 'trade'; readonly trade: PredictionTrade }
  | { readonly kind: 'tick'; readonly token: string; readonly at: EpochMs; readonly step: DecimalString }
  | { readonly kind: 'listing'; readonly conditionId: string }
  | { readonly kind: 'pong' }
  | Rejection;

/** Frames that are ignored because books contain the same. */
const UNUSED = new Set(['best_bid_ask']);
const SIDES: Readonly<Record<string, 'bids' | 'asks'>> = { BUY: 'bids', SELL: 'asks' };

/** Fields of the frames that are read, used or not. */
const EVENT_FIELDS: ReadonlyMap<string, KnownFields> = new Map([
  [
    'book',
    knownFields(BOOK_SOURCE, [
      'event_type market asset_id timestamp hash bids asks min_order_size tick_size neg_risk last_trade_price',
      { bids: 'price size', asks: 'price size' },
    ]),
  ],
  [
    'price_change',
    knownFields('polymarket:price_change', [
      'event_type market timestamp price_changes',
      { price_changes: 'asset_id price size side hash best_bid best_ask' },
    ]),
  ],
  [
    'last_trade_price',
    knownFields('polymarket:last_trade_price', 'event_type market asset_id fee_rate_bps price side size timestamp transaction_hash'),
  ],
  ['tick_size_change', knownFields('polymarket:tick_size_change', 'event_type market asset_id old_tick_size new_tick_size side timestamp')],
  [
    'new_market',
    knownFields('polymarket:new_market', [
      'event_type market id question slug description assets_ids clob_token_ids condition_id outcomes event_message timestamp tags active ' +
        'sports_market_type line game_start_time order_price_min_tick_size group_item_title',
      { event_message: 'id ticker slug title description' },
    ]),
  ],
  [
    'market_resolved',
    knownFields('polymarket:market_resolved', [
      'event_type market id question slug description assets_ids outcomes winning_asset_id winning_outcome event_message timestamp tags',
      { event_message: 'id ticker slug title description' },
    ]),
  ],
]);

type MarketOf = (token: string) => PredictionMarket | undefined;

/** Maps one frame: an object or a list, each object separately. `note` receives unknown fields. Never throws. */
export function mapMarketFrame(frame: Buffer, receivedAt: EpochMs, marketOf: MarketOf, note?: NoteUnknownField): readonly MarketMessage[] {
  const scanned = scanMarketFrame(frame, (token) => marketOf(token) !== undefined);
  return scanned === null ? mapParsedMarketFrame(frame, receivedAt, marketOf, note) : [scanned];
}

/** Maps a frame like `mapMarketFrame` without the scan. The scan must agree with it. */
export function mapParsedMarketFrame(
  frame: Buffer,
  receivedAt: EpochMs,
  marketOf: MarketOf,
  note?: NoteUnknownField,
): readonly MarketMessage[] {
  const text = frame.toString('utf8');
  if (text === 'PONG') return [{ kind: 'pong' }];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return [rejection('prediction', PROVIDER, receivedAt, 'not_json', (error as Error).message, frameSample(frame))];
  }
  const events: readonly unknown[] = Array.isArray(body) ? body : [body];
  const messages: MarketMessage[] = [];
  for (const raw of events) {
    const read = readable(PROVIDER, receivedAt, raw, () => mapMarketEvent(objectIn(raw, 'the message'), receivedAt, marketOf, note));
    if (read !== null) messages.push(read);
  }
  return messages;
}

function known(token: string, marketOf: MarketOf): PredictionMarket {
  const market = marketOf(token);
  if (market === undefined) throw new Unreadable('unknown_instrument', `token ${token.slice(0, 20)}… was not asked for`);
  return market;
}

function mapMarketEvent(fields: Fields, receivedAt: EpochMs, marketOf: MarketOf, note: NoteUnknownField | undefined): MarketMessage | null {
  const type = textIn(fields, 'event_type');
  const expected = EVENT_FIELDS.get(type);
  if (expected !== undefined) noteUnknown(fields, expected, note);
  switch (type) {
    case 'book': {
      const book = tokenBook(fields);
      known(book.token, marketOf);
      return book;
    }
    case 'price_change':
      return {
        kind: 'changes',
        at: readEpoch(fields['timestamp'], 'timestamp'),
        changes: listIn(fields['price_changes'], 'price_changes').map((raw) => levelChange(objectIn(raw, 'a price change'), marketOf)),
      };
    case 'last_trade_price': {
      const token = textIn(fields, 'asset_id');
      const at = readEpoch(fields['timestamp'], 'timestamp');
      return { kind: 'trade', trade: readTrade(known(token, marketOf), token, fields, at, receivedAt, '') };
    }
    case 'tick_size_change': {
      const token = textIn(fields, 'asset_id');
      known(token, marketOf);
      const step = readDecimal(fields['new_tick_size'], 'new_tick_size');
      if (!new Decimal(step).gt(0) || !new Decimal(step).lt(1)) throw new Unreadable('bad_number', `new_tick_size ${step}`);
      return { kind: 'tick', token, at: readEpoch(fields['timestamp'], 'timestamp'), step };
    }
    case 'new_market':
    case 'market_resolved':
      return { kind: 'listing', conditionId: textIn(fields, 'market') };
    default:
      if (UNUSED.has(type)) return null;
      throw new Unreadable('unknown_word', `event_type "${type.slice(0, 60)}"`);
  }
}

function levelChange(fields: Fields, marketOf: MarketOf): LevelChange {
  const token = textIn(fields, 'asset_id');
  known(token, marketOf);
  const word = textIn(fields, 'side');
  const side = Object.hasOwn(SIDES, word) ? SIDES[word] : undefined;
  if (side === undefined) throw new Unreadable('unknown_word', `side "${word.slice(0, 40)}"`);
  const told = fields['best_bid'] !== undefined && fields['best_ask'] !== undefined;
  return {
    token,
    side,
    price: readPrice(readDecimal(fields['price'], 'price'), 'price'),
    size: readSize(fields['size'], 'size'),
    best: told ? { bid: maybePrice(fields, 'best_bid'), ask: maybePrice(fields, 'best_ask') } : null,
  };
}
