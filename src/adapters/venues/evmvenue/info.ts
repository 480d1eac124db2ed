/**
 * `POST /info` of the perpetuals venue: markets, contexts, books, funding and read-only wallets.
 * See docs/reference/outside/perpetuals-venue.md.
 */
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { DecimalString } from '../../../domain/values/decimal.ts';
import { NO_FLAGS, type PerpContext } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { FILLS_CAP, type PublicPosition } from '../../../domain/identity/wallet.ts';
import { knownFields } from '../known-fields.ts';
import type { OrderBook } from '../order-book.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError } from '../venue-feed.ts';
import { createVenueHttp, type Patience, type VenueHttp } from '../venue-http.ts';
import { isCount, wireDecimal } from '../wire-decimal.ts';
import { BOOK_SOURCE, perpContext, perpLevels } from './map.ts';

const CONTEXTS_SOURCE = 'hyperliquid:metaAndAssetCtxs';
/** Maximum rows of `fundingHistory` in one answer. */
const FUNDING_PAGE = 500;
/** Weight of a request for new fills: 20, plus 1 per 20 rows, of which there are few. */
const FEW_FILLS_WEIGHT = 40;

const MARGIN = 'accountValue totalNtlPos totalRawUsd totalMarginUsed';
const UNIVERSE =
  'name szDecimals maxLeverage marginTableId onlyIsolated isDelisted marginMode growthMode lastGrowthModeChangeTime lastFeeScaleChangeTime deployerFeeScale';
const META = 'universe marginTables collateralToken';
const CONTEXT = 'dayNtlVlm dayBaseVlm funding impactPxs markPx midPx openInterest oraclePx premium prevDayPx';
/** Known fields of an answer. */
const FILL_FIELDS = [
  'coin px sz side time startPosition dir closedPnl hash oid crossed fee tid feeToken twapId cloid builderFee feeTrialEscrow liquidation',
  { liquidation: 'liquidatedUser markPx method' },
] as const;
const SHAPES = {
  meta: knownFields('hyperliquid:meta', [META, { universe: UNIVERSE }]),
  // The answer is a pair of a description and a list, which are checked alike.
  metaAndAssetCtxs: knownFields(CONTEXTS_SOURCE, [`${META} ${CONTEXT}`, { universe: UNIVERSE }]),
  l2Book: knownFields('hyperliquid:info.l2Book', ['coin time levels spread', { levels: 'px sz n' }]),
  fundingHistory: knownFields('hyperliquid:fundingHistory', 'coin fundingRate premium time'),
  clearinghouseState: knownFields('hyperliquid:clearinghouseState', [
    'marginSummary crossMarginSummary crossMaintenanceMarginUsed withdrawable assetPositions time',
    {
      marginSummary: MARGIN,
      crossMarginSummary: MARGIN,
      assetPositions: [
        'type position',
        {
          position: [
            'coin szi leverage entryPx positionValue unrealizedPnl returnOnEquity liquidationPx marginUsed maxLeverage maxTradeSzs cumFunding',
            { leverage: 'type value rawUsd', cumFunding: 'allTime sinceOpen sinceChange' },
          ],
        },
      ],
    },
  ]),
  userFills: knownFields('hyperliquid:userFills', FILL_FIELDS),
  userFillsByTime: knownFields('hyperliquid:userFillsByTime', FILL_FIELDS),
} as const;

interface PerpInfoOptions extends Patience {
  /** Base URL: `https://api.hyperliquid.xyz`. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Request weight allowed in any 60 s. The venue allows 1200 per address. Default 1200. */
  readonly weightPerMinute?: number;
  /** Budget of the address, if several clients share it. */
  readonly budget?: RequestBudget;
  /** Counts unknown fields of answers. */
  readonly note?: NoteUnknownField;
}

/** Market of a dex. */
interface PerpMarket {
  /** Name at the venue: `BTC`, `kPEPE`, `xyz:TSLA`. */
  readonly coin: string;
  readonly sizeDecimals: number;
  readonly maxLeverage: number;
  readonly onlyIsolated: boolean;
  readonly delisted: boolean;
}

/** Market with its numbers. `context` is null if they are unusable (a delisted market without a price). */
interface PerpMarketContext {
  readonly market: PerpMarket;
  readonly context: PerpContext | null;
  /** Mid price, or null if there is no book. */
  readonly midPrice: DecimalString | null;
  readonly premium: DecimalString | null;
}

/** Funding of one hour, as a fraction per hour; positive if longs pay shorts. */
interface FundingRate {
  readonly coin: string;
  readonly at: EpochMs;
  readonly hourlyFunding: DecimalString;
  readonly premium: DecimalString | null;
}

/** Margin of a wallet as the venue computes it, in US dollars. Unknown addresses have zeros. */
interface WalletState {
  readonly address: string;
  readonly observedAt: EpochMs | null;
  readonly receivedAt: EpochMs;
  readonly accountValue: DecimalString;
  readonly totalNotional: DecimalString;
  readonly totalMarginUsed: DecimalString;
  readonly withdrawable: DecimalString;
  readonly positions: readonly PublicPosition[];
}

/** Fill of a wallet. `closedPnl` is gross of `fee` (negative: rebate). `direction` is the venue's display text. */
interface WalletFill {
  readonly coin: string;
  readonly price: DecimalString;
  readonly size: DecimalString;
  readonly side: 'buy' | 'sell';
  readonly at: EpochMs;
  readonly direction: string;
  readonly closedPnl: DecimalString;
  readonly fee: DecimalString;
  readonly feeToken: string;
  readonly startPosition: DecimalString;
  readonly taker: boolean;
  /** Trade id. Only (at, coin, tradeId, orderId, hash) together identify a fill. */
  readonly tradeId: number;
  readonly orderId: number;
  readonly hash: string;
}

export interface PerpInfo {
  /** The HTTP client, for the candle history. */
  readonly http: VenueHttp;
  markets(dex?: string): Promise<readonly PerpMarket[]>;
  marketContexts(dex?: string): Promise<readonly PerpMarketContext[]>;
  /** Returns the book with 20 levels per side, or null for an unknown coin. */
  orderBook(coin: string): Promise<OrderBook | null>;
  /** Returns hourly rates with from <= at < to, ascending. Requests as many pages as needed. */
  fundingHistory(coin: string, from: EpochMs, to: EpochMs): Promise<readonly FundingRate[]>;
  /** Returns a wallet's margin. @throws VenueError `bad_address` if it is not an EVM address */
  walletState(address: string): Promise<WalletState>;
  /** Returns the latest fills, newest first, at most 2000, so a busy wallet's history is truncated. @throws VenueError `bad_address` */
  walletFills(address: string): Promise<readonly WalletFill[]>;
  /** Returns the fills at or after a time, in at most five pages of 2000. @throws VenueError `bad_address` */
  walletFillsSince(address: string, from: EpochMs): Promise<readonly WalletFill[]>;
}

export function badAnswer(type: string, what: string): VenueError {
  return new VenueError('evmvenue', 200, 'bad_answer', `${type}: ${what}`);
}

/** Fields of a venue object, each checked on access. */
class Fields {
  readonly #type: string;
  readonly #object: Record<string, unknown>;

  constructor(type: string, value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badAnswer(type, 'an entry is not an object');
    this.#type = type;
    this.#object = value as Record<string, unknown>;
  }

  raw(name: string): unknown {
    return this.#object[name];
  }
  object(name: string): Fields {
    return new Fields(`${this.#type}.${name}`, this.#object[name]);
  }
  list(name: string): readonly unknown[] {
    const value = this.#object[name];
    if (!Array.isArray(value)) throw badAnswer(this.#type, `${name} is no list`);
    return value as unknown[];
  }
  text(name: string): string {
    const value = this.#object[name];
    if (typeof value !== 'string') throw badAnswer(this.#type, `${name} is no text`);
    return value;
  }
  /** Checks a field's value, so that another coin's numbers are never taken for this one's. @throws VenueError if it differs */
  expect(name: string, asked: string): void {
    const value = this.#object[name];
    if (value !== asked) throw badAnswer(this.#type, `${name} is ${valueText(value, 40)}, asked for was ${asked}`);
  }
  decimal(name: string): DecimalString {
    const value = wireDecimal(this.#object[name]);
    if (value === null) throw badAnswer(this.#type, `${name} is not a plain decimal`);
    return value;
  }
  optionalDecimal(name: string): DecimalString | null {
    const value = this.#object[name];
    return value === undefined || value === null ? null : this.decimal(name);
  }
  /** Returns a word. @throws VenueError if it is not one of the known words */
  word<Word extends string>(name: string, known: readonly Word[]): Word {
    const value = this.#object[name];
    const word = known.find((one) => one === value);
    if (word === undefined) throw badAnswer(this.#type, `${name} is ${valueText(value, 40)}, known are ${known.join(', ')}`);
    return word;
  }
  /** Returns a boolean. @throws VenueError if it is neither true nor false */
  flag(name: string): boolean {
    const value = this.#object[name];
    if (typeof value !== 'boolean') throw badAnswer(this.#type, `${name} is neither true nor false`);
    return value;
  }
  /** Returns a flag that the venue omits or sends as null if it is false. @throws VenueError as `flag` */
  optionalFlag(name: string): boolean {
    const value = this.#object[name];
    return value !== undefined && value !== null && this.flag(name);
  }
  count(name: string): number {
    const value = this.#object[name];
    if (!isCount(value)) throw badAnswer(this.#type, `${name} is no whole number`);
    return value;
  }
}

function parseMarket(entry: unknown): PerpMarket {
  const fields = new Fields('meta', entry);
  return {
    coin: fields.text('name'),
    sizeDecimals: fields.count('szDecimals'),
    maxLeverage: fields.count('maxLeverage'),
    onlyIsolated: fields.optionalFlag('onlyIsolated'),
    delisted: fields.optionalFlag('isDelisted'),
  };
}

function parsePosition(entry: unknown): PublicPosition {
  const position = new Fields('clearinghouseState', entry).object('position');
  const leverage = position.object('leverage');
  return {
    coin: position.text('coin'),
    size: position.decimal('szi'),
    entryPrice: position.optionalDecimal('entryPx'),
    positionValue: position.decimal('positionValue'),
    unrealizedPnl: position.decimal('unrealizedPnl'),
    liquidationPrice: position.optionalDecimal('liquidationPx'),
    marginUsed: position.decimal('marginUsed'),
    leverage: leverage.count('value'),
    marginMode: leverage.word('type', ['cross', 'isolated']),
    fundingSinceOpen: position.raw('cumFunding') === undefined ? null : position.object('cumFunding').optionalDecimal('sinceOpen'),
  };
}

function parseFill(entry: unknown): WalletFill {
  const fields = new Fields('userFills', entry);
  return {
    coin: fields.text('coin'),
    price: fields.decimal('px'),
    size: fields.decimal('sz'),
    side: fields.word('side', ['B', 'A']) === 'B' ? 'buy' : 'sell',
    at: fields.count('time'),
    direction: fields.text('dir'),
    closedPnl: fields.decimal('closedPnl'),
    // Older recordings lack these two, because fees were not reported yet.
    fee: fields.optionalDecimal('fee') ?? '0',
    feeToken: fields.raw('feeToken') === undefined ? 'USDC' : fields.text('feeToken'),
    startPosition: fields.decimal('startPosition'),
    taker: fields.flag('crossed'),
    tradeId: fields.raw('tid') === undefined ? 0 : fields.count('tid'),
    orderId: fields.count('oid'),
    hash: fields.text('hash'),
  };
}

/** Returns the address in lower case. @throws VenueError `bad_address` if it is invalid */
function checkedAddress(address: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) return address.toLowerCase();
  throw new VenueError('evmvenue', 400, 'bad_address', `"${address.slice(0, 60)}" is no EVM address; 0x and 40 hexadecimal digits are`);
}

type Ask = (weight: number, body: { readonly type: keyof typeof SHAPES; readonly [name: string]: unknown }) => Promise<unknown>;

/** Returns the markets with their contexts. @throws VenueError `bad_answer` if the two lists do not match */
function readContexts(answer: unknown, receivedAt: EpochMs): readonly PerpMarketContext[] {
  if (!Array.isArray(answer) || !Array.isArray(answer[1])) throw badAnswer('metaAndAssetCtxs', 'not a pair');
  const universe = new Fields('meta', answer[0]).list('universe');
  const contexts = answer[1] as unknown[];
  // Only the index joins the two lists, so with unequal lengths coins would get each other's prices.
  if (universe.length !== contexts.length)
    throw badAnswer('metaAndAssetCtxs', `${universe.length} markets with ${contexts.length} contexts`);
  return universe.map((entry, index) => {
    const market = parseMarket(entry);
    const fields = new Fields('metaAndAssetCtxs', contexts[index]);
    return {
      market,
      context: perpContext(market.coin, contexts[index], receivedAt, CONTEXTS_SOURCE),
      midPrice: fields.optionalDecimal('midPx'),
      premium: fields.optionalDecimal('premium'),
    };
  });
}

/** Returns the hourly rates of a coin for `PerpInfo.fundingHistory`. */
async function fundingRates(ask: Ask, coin: string, from: EpochMs, to: EpochMs): Promise<readonly FundingRate[]> {
  const rates: FundingRate[] = [];
  let startTime = Math.max(0, from);
  while (startTime < to) {
    const page = await ask(20 + FUNDING_PAGE / 20, { type: 'fundingHistory', coin, startTime, endTime: to - 1 });
    if (!Array.isArray(page)) throw badAnswer('fundingHistory', 'not a list');
    let last = startTime - 1;
    for (const entry of page as unknown[]) {
      const fields = new Fields('fundingHistory', entry);
      const at = fields.count('time');
      if (at <= last) throw badAnswer('fundingHistory', 'rows are not ascending');
      last = at;
      fields.expect('coin', coin);
      rates.push({
        coin,
        at,
        hourlyFunding: fields.decimal('fundingRate'),
        premium: fields.optionalDecimal('premium'),
      });
    }
    if (page.length < FUNDING_PAGE) break;
    startTime = last + 1;
  }
  return rates;
}

function marketQuestions(
  ask: Ask,
  clock: Pick<Clock, 'now'>,
): Pick<PerpInfo, 'markets' | 'marketContexts' | 'orderBook' | 'fundingHistory'> {
  const pickDex = (dex: string | undefined): { readonly dex?: string } => (dex === undefined ? {} : { dex });
  return {
    async markets(dex) {
      const answer = new Fields('meta', await ask(20, { type: 'meta', ...pickDex(dex) }));
      return answer.list('universe').map(parseMarket);
    },

    async marketContexts(dex) {
      const answer = await ask(20, { type: 'metaAndAssetCtxs', ...pickDex(dex) });
      return readContexts(answer, clock.now());
    },

    async orderBook(coin) {
      const answer = await ask(2, { type: 'l2Book', coin });
      if (answer === null) return null;
      const fields = new Fields('l2Book', answer);
      const sides = perpLevels(fields.raw('levels'));
      if (typeof sides === 'string') throw badAnswer('l2Book', `the levels cannot be read (${sides})`);
      fields.expect('coin', coin);
      return {
        venue: 'evmvenue',
        instrument: coin,
        source: BOOK_SOURCE,
        observedAt: fields.count('time'),
        receivedAt: clock.now(),
        sourceTime: true,
        sequence: null,
        bids: sides[0],
        asks: sides[1],
        quality: 'live',
        flags: NO_FLAGS,
      };
    },

    fundingHistory: (coin, from, to) => fundingRates(ask, coin, from, to),
  };
}

function walletQuestions(ask: Ask, clock: Pick<Clock, 'now'>): Pick<PerpInfo, 'walletState' | 'walletFills' | 'walletFillsSince'> {
  return {
    async walletState(address) {
      const user = checkedAddress(address);
      const fields = new Fields('clearinghouseState', await ask(2, { type: 'clearinghouseState', user }));
      const margin = fields.object('marginSummary');
      const time = fields.raw('time');
      return {
        address: user,
        observedAt: isCount(time) ? time : null,
        receivedAt: clock.now(),
        accountValue: margin.decimal('accountValue'),
        totalNotional: margin.decimal('totalNtlPos'),
        totalMarginUsed: margin.decimal('totalMarginUsed'),
        withdrawable: fields.decimal('withdrawable'),
        positions: fields.list('assetPositions').map(parsePosition),
      };
    },

    async walletFills(address) {
      const user = checkedAddress(address);
      // Weight 20, plus 1 per 20 rows of up to 2000.
      const answer = await ask(120, { type: 'userFills', user });
      if (!Array.isArray(answer)) throw badAnswer('userFills', 'not a list');
      return (answer as unknown[]).map(parseFill);
    },

    async walletFillsSince(address, from) {
      const user = checkedAddress(address);
      let fills: WalletFill[] = [];
      for (let startTime = from; ; ) {
        const answer = await ask(FEW_FILLS_WEIGHT, { type: 'userFillsByTime', user, startTime });
        if (!Array.isArray(answer)) throw badAnswer('userFillsByTime', 'not a list');
        const page = (answer as unknown[]).map(parseFill);
        fills.push(...page);
        const last = page.reduce((most, { at }) => Math.max(most, at), startTime);
        // A full page is the oldest part. A page that ends where it began would repeat forever.
        if (page.length < FILLS_CAP || last === startTime || fills.length >= 5 * FILLS_CAP) return fills;
        // Trades of that millisecond are returned again.
        fills = fills.filter(({ at }) => at < last);
        startTime = last;
      }
    },
  };
}

/** Creates a client of the venue's information endpoint. Share one per address, because weight is counted per address. */
export function createPerpInfo(options: PerpInfoOptions): PerpInfo {
  const { clock } = options;
  const http = createVenueHttp({
    venue: 'evmvenue',
    baseUrl: options.baseUrl,
    clock,
    random: options.random,
    weightPerMinute: options.weightPerMinute ?? 1_200,
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    ...(options.maxWaitMs === undefined ? {} : { maxWaitMs: options.maxWaitMs }),
    ...(options.totalMs === undefined ? {} : { totalMs: options.totalMs }),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
  const ask: Ask = (weight, body) => http.post('/info', body, weight, SHAPES[body.type]);
  return { http, ...marketQuestions(ask, clock), ...walletQuestions(ask, clock) };
}
