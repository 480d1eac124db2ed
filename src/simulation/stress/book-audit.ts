/**
 * Auditor of simulated trading that shares no arithmetic with the book and the risk engine. It keeps its own accounts from the fills
 * alone, and reports orders beyond their mandate and fills at invalid prices.
 */
import type { RestingAt } from '../../../actors/proposal/protocol.ts';
import type { Fill, TradingBook } from '../../domain/books/book.ts';
import { Decimal, type DecimalString } from '../../domain/values/decimal.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Quality } from '../../domain/market/quote.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';

/** Findings about a run. */
interface AuditFindings {
  /** Orders beyond the mandate, and accounts that do not match; one sentence each. */
  readonly breaches: readonly string[];
  /** Fills on a quote that was not live, of another venue, too old, or better than the market; one sentence each. */
  readonly unsafeFills: readonly string[];
}

/** Quote of the market view at the instant of a fill. */
export interface QuoteAtFill {
  readonly venue: string;
  readonly quality: Quality;
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
  readonly observedAt: EpochMs;
}

/** Maximum age of a quote at its fill (15 s is the longest of a spot market). */
const OLDEST_QUOTE_MS = 15_000;
/** Tolerance for rounding to whole lots and millionths. */
const ROUNDING_USD = '0.01';

interface Account {
  quantity: Decimal;
  costUsd: Decimal;
}

/** True if a price is worse than another for a trader on that side. */
function isWorse(side: Fill['side'], price: DecimalString, than: DecimalString): boolean {
  return side === 'buy' ? new Decimal(price).gt(than) : new Decimal(price).lt(than);
}

/** Returns doubts about a resting fill, one sentence each: trades must have passed the price while the order rested there. */
function unsafeRest(fill: Fill, { price, since }: RestingAt): string[] {
  const [quote] = fill.quotes;
  const other = (fill.side === 'buy' ? quote?.ask : quote?.bid) ?? null;
  const doubts: string[] = [];
  if (quote === undefined || other === null || !isWorse(fill.side, price, other))
    doubts.push(`${fill.id} rested at ${price} and was filled though nothing was quoted beyond it`);
  else if (quote.observedAt < since || quote.observedAt > fill.at)
    doubts.push(`${fill.id} was filled by a quote from outside of its window`);
  if (!new Decimal(fill.fillPrice).eq(price)) doubts.push(`${fill.id} rested at ${price} and was filled at ${fill.fillPrice}`);
  return doubts;
}

/** Returns doubts about a fill's price, one sentence each: the market must have had it at that instant. */
function unsafePrice(fill: Fill, order: Order, quote: QuoteAtFill | null): string[] {
  const { venue } = splitInstrumentKey(fill.instrument);
  if (quote === null) return [`${fill.id} was filled without a quote`];
  const doubts: string[] = [];
  if (quote.quality !== 'live') doubts.push(`${fill.id} was filled on a quote that was ${quote.quality}`);
  if (quote.venue !== venue || order.venue !== venue) doubts.push(`${fill.id} is priced by ${quote.venue}, not by ${venue}`);
  if (fill.at - quote.observedAt > OLDEST_QUOTE_MS) doubts.push(`${fill.id} was filled on a quote ${fill.at - quote.observedAt} ms old`);
  const touch = fill.side === 'buy' ? quote.ask : quote.bid;
  if (touch === null || isWorse(fill.side, touch, fill.fillPrice))
    doubts.push(`${fill.id} at ${fill.fillPrice} is better than the market at ${touch}`);
  return doubts;
}

/** Opens the accounts of one book at its capital. */
export function createBookAudit(manifest: Manifest, capitalUsd: DecimalString) {
  const accounts = new Map<InstrumentKey, Account>();
  const boughtByOrder = new Map<string, Decimal>();
  const breaches: string[] = [];
  const unsafeFills: string[] = [];
  let cash = new Decimal(capitalUsd);
  function book(fill: Fill): void {
    const amount = new Decimal(fill.quantity).times(fill.fillPrice);
    const account = accounts.get(fill.instrument) ?? { quantity: new Decimal(0), costUsd: new Decimal(0) };
    accounts.set(fill.instrument, account);
    cash = cash.minus(fill.feeUsd);
    if (fill.side === 'buy') {
      account.quantity = account.quantity.plus(fill.quantity);
      account.costUsd = account.costUsd.plus(amount);
      cash = cash.minus(amount);
      return;
    }
    if (account.quantity.lt(fill.quantity))
      breaches.push(`${fill.id} sells ${fill.quantity} of ${account.quantity.toFixed()} ${fill.instrument}`);
    account.costUsd = account.quantity.isZero()
      ? account.costUsd
      : account.costUsd.times(account.quantity.minus(fill.quantity)).div(account.quantity);
    account.quantity = account.quantity.minus(fill.quantity);
    cash = cash.plus(amount);
    if (account.quantity.isZero()) accounts.delete(fill.instrument);
  }

  /** Reports a fill beyond the limit of its order. */
  function checkLimit(fill: Fill, { limitPrice }: Order): void {
    if (isWorse(fill.side, fill.fillPrice, limitPrice)) breaches.push(`${fill.id} at ${fill.fillPrice} is beyond its limit ${limitPrice}`);
  }

  /** Reports an order that the mandate did not allow. */
  function checkMandate(fill: Fill, order: Order, dailyLossPct: number | null): void {
    if (!manifest.universe.some(({ key }) => key === fill.instrument))
      breaches.push(`${fill.id} is of ${fill.instrument}, outside the universe`);
    if (new Decimal(order.maxSlippageBps).gt(manifest.maxSlippageBps))
      breaches.push(`${fill.id} was ordered with ${order.maxSlippageBps} bps of slippage, allowed are ${manifest.maxSlippageBps}`);
    if (fill.side === 'sell') return;
    const bought = (boughtByOrder.get(fill.orderId) ?? new Decimal(0)).plus(new Decimal(fill.quantity).times(fill.fillPrice));
    boughtByOrder.set(fill.orderId, bought);
    if (bought.gt(new Decimal(manifest.maxTradeNotionalUsd).plus(ROUNDING_USD)))
      breaches.push(`${fill.id} brings its order to ${bought.toFixed(2)} USD, allowed are ${manifest.maxTradeNotionalUsd}`);
    if (accounts.size > manifest.maxOpenPositions)
      breaches.push(`${fill.id} opens position ${accounts.size}, allowed are ${manifest.maxOpenPositions}`);
    const invested = [...accounts.values()].reduce((sum, { costUsd }) => sum.plus(costUsd), new Decimal(0));
    const most = new Decimal(manifest.maxCapitalUsd).times(manifest.maxLeverage);
    if (invested.gt(most.plus(ROUNDING_USD)))
      breaches.push(`${fill.id} brings what is invested to ${invested.toFixed(2)} USD, allowed are ${most.toFixed()}`);
    if (cash.lt(0) && new Decimal(manifest.maxLeverage).lte(1)) breaches.push(`${fill.id} leaves ${cash.toFixed(2)} USD of cash`);
    if (dailyLossPct !== null && dailyLossPct > manifest.maxDailyDrawdownPct)
      breaches.push(`${fill.id} enters after a loss of ${dailyLossPct} % of the day, allowed are ${manifest.maxDailyDrawdownPct}`);
  }

  return {
    /** Records the initial position of the run, which is not an order. */
    forced: book,
    /** Records funding of a position, in US dollars. */
    paid: (usd: DecimalString) => void (cash = cash.minus(usd)),
    /** Records a fill with its order, the view's quote, and the day's loss so far in percent. */
    filled(fill: Fill, order: Order, quote: QuoteAtFill | null, dailyLossPct: number | null) {
      book(fill);
      unsafeFills.push(...unsafePrice(fill, order, quote));
      if (quote !== null) checkLimit(fill, order);
      checkMandate(fill, order, dailyLossPct);
    },
    /** Records a fill of a resting order, and checks it against the trades beyond its price that the fill names. */
    rested(fill: Fill, order: Order, rest: RestingAt) {
      book(fill);
      unsafeFills.push(...unsafeRest(fill, rest));
      checkLimit(fill, order);
      checkMandate(fill, order, null);
    },
    /** Compares the book with the auditor's accounts. */
    agrees(state: TradingBook, at: EpochMs) {
      const said = state.holdings.map(({ instrument, quantity }) => `${quantity} ${instrument}`).sort();
      const kept = [...accounts].map(([instrument, { quantity }]) => `${quantity.toFixed()} ${instrument}`).sort();
      if (said.join() !== kept.join())
        breaches.push(`at ${at} the book holds ${said.join() || 'nothing'}, its fills came to ${kept.join() || 'nothing'}`);
      if (!cash.eq(state.cashUsd)) breaches.push(`at ${at} the book has ${state.cashUsd} USD of cash, its fills left ${cash.toFixed()}`);
    },
    findings: (): AuditFindings => ({ breaches, unsafeFills }),
  };
}
