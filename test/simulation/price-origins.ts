// Origins of a run's prices: everything that prices an order, fill or mark is traced back to a quote of
// its own venue. Each venue's prices have their own digits, so equality proves the origin.
import { Decimal as DecimalJs } from 'decimal.js';
import type { Fill, MarkedBook, TradingBook } from '../../src/domain/books/book.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import type { DecisionRow } from '../../src/domain/agents/decision.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

const D = DecimalJs.clone({ precision: 60 });
type D = InstanceType<typeof D>;

/** Prices of a run's result. */
export interface PricedRun {
  readonly received: readonly FeedMessage[];
  readonly cuts: ReadonlyMap<EpochMs, Cut>;
  readonly rows: readonly DecisionRow[];
  readonly slippageBps: number;
  /** Liquidity of every pool, if fills move along its curve. */
  readonly poolUsd: string;
  readonly orders: readonly { readonly order: Order; readonly decisionPrice: string }[];
  readonly fills: readonly Fill[];
  readonly marks: readonly MarkedBook[];
  /** Quotes that priced orders at approval or execution. */
  readonly quotes: readonly { readonly order: Order; readonly bid: string | null; readonly ask: string | null }[];
  readonly books: readonly TradingBook[];
}

interface Said {
  readonly bids: Set<string>;
  readonly asks: Set<string>;
  /** Mids as text. */
  readonly mids: Set<string>;
  /** Bid, ask and receipt time together. */
  readonly quotes: Set<string>;
}

/** Prices by instrument, as published by the venues. @throws Error if two venues published the same price: equality would prove nothing. */
export class Origins {
  readonly #said = new Map<string, Said>();
  readonly #references = new Map<string, Set<string>>();
  /** Owner of each price. */
  readonly #owner = new Map<string, string>();

  constructor(received: readonly FeedMessage[]) {
    for (const message of received) {
      if (message.kind === 'reference') {
        const key = `reference:${message.instrument}`;
        this.#own(message.referencePrice, key);
        const prices = this.#references.get(key) ?? new Set();
        this.#references.set(key, prices.add(message.referencePrice));
      }
      if (message.kind !== 'quote' || message.bid === null || message.ask === null) continue;
      const key = `${message.venue}:${message.instrument}`;
      const said = this.#said.get(key) ?? { bids: new Set(), asks: new Set(), mids: new Set(), quotes: new Set() };
      this.#said.set(key, said);
      const middle = new D(message.bid).plus(message.ask).div(2).toFixed();
      for (const price of [message.bid, message.ask, middle]) this.#own(price, key);
      said.bids.add(message.bid);
      said.asks.add(message.ask);
      said.mids.add(middle);
      said.quotes.add(`${message.bid} ${message.ask} ${message.receivedAt}`);
    }
  }

  #own(price: string, key: string): void {
    const owner = this.#owner.get(price) ?? key;
    if (owner !== key) throw new Error(`${owner} and ${key} both said ${price}`);
    this.#owner.set(price, key);
  }

  #of(key: string): Said {
    return this.#said.get(key) ?? { bids: new Set(), asks: new Set(), mids: new Set(), quotes: new Set() };
  }

  touch(key: string, side: Order['side']): ReadonlySet<string> {
    const { bids, asks } = this.#of(key);
    return side === 'buy' ? asks : bids;
  }

  spoke(key: string, bid: string | null, ask: string | null, receivedAt: EpochMs): boolean {
    return this.#of(key).quotes.has(`${bid} ${ask} ${receivedAt}`);
  }

  mids(key: string): ReadonlySet<string> {
    return this.#of(key).mids;
  }

  references(key: string): ReadonlySet<string> {
    return this.#references.get(key) ?? new Set();
  }

  /** Returns the owner of a foreign price. */
  whose(price: string): string {
    return this.#owner.get(price) ?? 'nobody';
  }
}

const TICKS: Readonly<Record<string, string>> = {
  'spotexchange:BTCUSDT': '0.01',
  'spotexchange:ETHUSDT': '0.01',
  'evmvenue:BTC': '0.1',
  'spotchain:AAPLx': '0.000001',
};

/** Computes the worst price of a slippage budget plainly: on the tick, never better than the touch. */
function worstPrice(instrument: string, side: Order['side'], touch: string, bps: number): string {
  const tick = TICKS[instrument] as string;
  const moved = new D(touch).times(side === 'buy' ? 1 + bps / 10_000 : 1 - bps / 10_000);
  // A perpetual's price has five significant figures; integers are always allowed.
  const step = instrument.startsWith('evmvenue:') ? D.max(tick, new D(10).pow(Math.min(0, moved.e - 4))) : new D(tick);
  const stepped = (side === 'buy' ? moved.div(step).floor() : moved.div(step).ceil()).times(step);
  return (side === 'buy' ? D.max(stepped, touch) : D.min(stepped, touch)).toFixed();
}

/** Returns every number of a run without a quote of its own venue, in words; empty if there are none. */
export function foreignPrices(run: PricedRun): string[] {
  const origins = new Origins(run.received);
  return [
    ...foreignObservations(run, origins),
    ...foreignOrders(run, origins),
    ...foreignFills(run, origins),
    ...foreignMarks(run, origins),
  ];
}

function foreignObservations({ cuts }: PricedRun, origins: Origins): string[] {
  const wrong: string[] = [];
  for (const { slot, observations } of cuts.values()) {
    for (const [key, { quote, reference }] of observations) {
      if (quote !== null && !origins.spoke(key, quote.bid, quote.ask, quote.receivedAt))
        wrong.push(`the cut of ${slot} has for ${key} a quote of ${origins.whose(quote.bid ?? '')}`);
      if (quote?.mid != null && !origins.mids(key).has(quote.mid)) wrong.push(`the cut of ${slot} has for ${key} the middle ${quote.mid}`);
      const benchmark = CATALOG.byKey(key)?.benchmark ?? 'none';
      if (reference !== null && !origins.references(benchmark).has(reference.referencePrice))
        wrong.push(`the cut of ${slot} has for ${key} a reference price of ${origins.whose(reference.referencePrice)}`);
    }
  }
  return wrong;
}

function foreignOrders({ cuts, rows, orders, quotes, slippageBps }: PricedRun, origins: Origins): string[] {
  const wrong: string[] = [];
  // Orders that a tick sized and assessed, passed by risk or not, at the touch of their own cut.
  for (const { slot, instrument, risk } of rows) {
    if (risk?.order === undefined || instrument === null) continue;
    const { side, limitPrice, quantity, notionalUsd } = risk.order;
    const observed = cuts.get(slot)?.observations.get(instrument)?.quote;
    const touch = (side === 'buy' ? observed?.ask : observed?.bid) ?? 'nothing';
    if (!origins.touch(instrument, side).has(touch))
      wrong.push(`a ${side} of ${instrument} at ${slot} was sized at ${origins.whose(touch)}`);
    else if (worstPrice(instrument, side, touch, slippageBps) !== limitPrice)
      wrong.push(`a ${side} of ${instrument} at ${slot} has the limit ${limitPrice}, its touch was ${touch}`);
    const cost = new D(quantity).times(limitPrice).toDecimalPlaces(6, D.ROUND_CEIL);
    if (!cost.eq(notionalUsd)) wrong.push(`a ${side} of ${instrument} at ${slot} reserves ${notionalUsd} for ${quantity} at ${limitPrice}`);
  }
  for (const { order, decisionPrice } of orders) {
    if (order.instrument.split(':')[0] !== order.venue) wrong.push(`an order of ${order.instrument} goes to ${order.venue}`);
    if (!origins.touch(order.instrument, order.side).has(decisionPrice))
      wrong.push(`order ${order.id} of ${order.instrument} was decided on a price of ${origins.whose(decisionPrice)}`);
    else if (worstPrice(order.instrument, order.side, decisionPrice, slippageBps) !== order.limitPrice)
      wrong.push(`order ${order.id} of ${order.instrument} has the limit ${order.limitPrice}, decided on ${decisionPrice}`);
  }
  for (const { order, bid, ask } of quotes) {
    for (const [side, price] of [['sell', bid] as const, ['buy', ask] as const])
      if (price !== null && !origins.touch(order.instrument, side).has(price))
        wrong.push(`risk saw order ${order.id} of ${order.instrument} at a price of ${origins.whose(price)}`);
  }
  return wrong;
}

/** Returns the average price along a constant-product curve that starts at a touch, rounded against the trader. */
function alongCurve({ side, quantity }: Fill, touch: string, poolUsd: string): string {
  const half = new D(poolUsd).div(2);
  const base = half.div(touch);
  const average = half.div(side === 'buy' ? base.minus(quantity) : base.plus(quantity));
  return average.toSignificantDigits(12, side === 'buy' ? D.ROUND_UP : D.ROUND_DOWN).toFixed();
}

function foreignFills({ fills, books, poolUsd, slippageBps }: PricedRun, origins: Origins): string[] {
  const wrong: string[] = [];
  const bought = new Map<string, D>();
  for (const fill of fills) {
    const { id, bookId, instrument, side, fillPrice, decisionPrice, quantity, notionalUsd, quotes } = fill;
    const own = origins.touch(instrument, side);
    if (!own.has(decisionPrice)) wrong.push(`fill ${id} of ${instrument} was decided on a price of ${origins.whose(decisionPrice)}`);
    const touch = (side === 'buy' ? quotes[0]?.ask : quotes[0]?.bid) ?? 'nothing';
    const curved = fill.instrument.startsWith('spotchain:') && own.has(touch) && alongCurve(fill, touch, poolUsd) === fillPrice;
    // A resting order is filled at the near side, or at its limit if the market went beyond it.
    const rested =
      origins.touch(instrument, side === 'buy' ? 'sell' : 'buy').has(fillPrice) ||
      worstPrice(instrument, side, decisionPrice, slippageBps) === fillPrice;
    if (!own.has(fillPrice) && !curved && !(rested && instrument.startsWith('spotexchange:')))
      wrong.push(`fill ${id} of ${instrument} has the price ${fillPrice} of ${origins.whose(fillPrice)}`);
    for (const { bid, ask } of quotes)
      if (!origins.touch(instrument, 'sell').has(bid ?? '') || !origins.touch(instrument, 'buy').has(ask ?? ''))
        wrong.push(`fill ${id} of ${instrument} names a quote of ${origins.whose(bid ?? '')}`);
    if (!new D(quantity).times(fillPrice).eq(notionalUsd)) wrong.push(`fill ${id} costs ${notionalUsd}`);
    const sign = side === 'buy' ? 1 : -1;
    bought.set(bookId, (bought.get(bookId) ?? new D(0)).plus(new D(notionalUsd).times(sign)));
  }
  // A book paid exactly what its fills cost: no other price was involved.
  for (const { id, capitalUsd, cashUsd, feesUsd } of books) {
    const paid = new D(capitalUsd).minus(cashUsd).minus(feesUsd);
    if (!paid.eq(bought.get(id) ?? 0))
      wrong.push(`book ${id} paid ${paid.toFixed()}, its fills cost ${(bought.get(id) ?? new D(0)).toFixed()}`);
  }
  return wrong;
}

function foreignMarks({ marks }: PricedRun, origins: Origins): string[] {
  const wrong: string[] = [];
  for (const { state, positions, exposureUsd, equityUsd } of marks) {
    let sum: D | null = new D(0);
    for (const { instrument, quantity, valueUsd } of positions) {
      sum = valueUsd === null || sum === null ? null : sum.plus(valueUsd);
      const mark = valueUsd === null ? null : new D(valueUsd).div(quantity).toFixed();
      if (mark !== null && !origins.mids(instrument).has(mark))
        wrong.push(`book ${state.id} marks ${instrument} at ${mark} of ${origins.whose(mark)}`);
    }
    if (sum === null ? exposureUsd !== null : !sum.eq(exposureUsd ?? 'NaN')) wrong.push(`book ${state.id} has the exposure ${exposureUsd}`);
    if (sum !== null && !sum.plus(state.cashUsd).eq(equityUsd ?? 'NaN')) wrong.push(`book ${state.id} has the equity ${equityUsd}`);
  }
  return wrong;
}
