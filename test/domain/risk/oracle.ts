/**
 * Pre-trade risk rules again, as naively as possible: plain decimals, one rule after another, straight
 * from the text of docs/decisions/0024. It shares no arithmetic with the product.
 */
import { Decimal as DecimalJs } from 'decimal.js';
import type { Order } from '../../../src/domain/orders/order.ts';
import type { RiskContext } from '../../../src/domain/risk/index.ts';

const D = DecimalJs.clone({ precision: 80, toExpNeg: -80, toExpPos: 80 });
type D = InstanceType<typeof D>;

export interface OracleBreach {
  readonly code: string;
  readonly limit: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

const UNDERLYINGS: Readonly<Record<string, string>> = {
  'spotexchange:BTCUSDT': 'BTC',
  'spotexchange:ETHUSDT': 'ETH',
  'spotexchange:SOLUSDT': 'SOL',
  'evmvenue:BTC': 'BTC',
  'evmvenue:ETH': 'ETH',
  'evmvenue:SOL': 'SOL',
  'spotchain:AAPLx': 'AAPL',
  'spotchain:TSLAx': 'TSLA',
  'spotchain:SPACEX': 'SPACEX',
};
const TICKS: Readonly<Record<string, string>> = {
  'spotexchange:BTCUSDT': '0.01',
  'spotexchange:ETHUSDT': '0.01',
  'spotexchange:SOLUSDT': '0.01',
  'evmvenue:BTC': '0.1',
  'evmvenue:ETH': '0.01',
  'evmvenue:SOL': '0.0001',
  'spotchain:AAPLx': '0.000001',
  'spotchain:TSLAx': '0.000001',
  'spotchain:SPACEX': '0.000001',
};
const SHARES = ['spotchain:AAPLx', 'spotchain:TSLAx'];
/** Conversion of the mint, after which it is not traded. */
const SPACEX_ENDS = Date.parse('2027-03-12T00:00:00Z');

/** Rounds to a micro-dollar, against the order: up. In its favour: down. */
const up = (value: D | string): D => new D(value).toDecimalPlaces(6, D.ROUND_CEIL);
const down = (value: D | string): D => new D(value).toDecimalPlaces(6, D.ROUND_FLOOR);
const text = (value: D): string => (value.isZero() ? '0' : value.toFixed());

/** Returns every rule that the order breaks, in the order of the codes. */
export function oracleBreaches(order: Order, context: RiskContext): OracleBreach[] {
  const { mandate, book, others, quote, reference } = context;
  const buys = order.side === 'buy';
  const n = up(new D(order.quantity).times(order.limitPrice));
  const broken: OracleBreach[] = [];
  const breach = (code: string, limit: string | null, before: string | null, after: string | null) =>
    broken.push({ code, limit, before, after });
  const pending = book.state.openProposals.filter(({ id, side }) => side === 'buy' && id !== order.id);
  const known = book.unpriced.length === 0;
  const perp = (instrument: string) => instrument.startsWith('evmvenue:');
  const sum = (amounts: readonly D[]): D => amounts.reduce((total, amount) => total.plus(amount), new D(0));

  // Exposure by instrument over all books of the organization.
  const exposures = [
    ...(known ? book.positions.map(({ instrument, valueUsd }) => ({ instrument, amount: up(valueUsd as string) })) : []),
    ...pending.map(({ instrument, notionalUsd }) => ({ instrument, amount: up(notionalUsd) })),
    ...others.exposures.map(({ instrument, valueUsd }) => ({ instrument, amount: up(valueUsd) })),
  ];
  const same = sum(exposures.filter(({ instrument }) => instrument === order.instrument).map(({ amount }) => amount));
  const kin = sum(
    exposures
      .filter(({ instrument }) => instrument !== order.instrument && UNDERLYINGS[instrument] === UNDERLYINGS[order.instrument])
      .map(({ amount }) => amount),
  );
  const equity = known ? down(book.equityUsd as string) : null;
  // Venue's maximum leverage for the mandate's largest position: BTC 40 below 150 million and 20 above, and so on.
  const largest = new D(mandate.maxCapitalUsd).times(mandate.maxLeverage);
  const venueLeverage: Readonly<Record<string, number>> = {
    'evmvenue:BTC': largest.lt(150_000_000) ? 40 : 20,
    'evmvenue:ETH': largest.lt(100_000_000) ? 25 : 15,
    'evmvenue:SOL': largest.lt(70_000_000) ? 20 : 10,
  };
  const leverageOf = (instrument: string): D =>
    perp(instrument) ? D.max(1, D.min(mandate.maxLeverage, venueLeverage[instrument] as number)) : new D(1);
  // 600 is divisible by every leverage here, so that nothing is rounded.
  const boundTimes600 = (amounts: readonly { instrument: string; amount: D }[]): D =>
    sum(amounts.map(({ instrument, amount }) => amount.times(600).div(leverageOf(instrument))));
  const orderTimes600 = n.times(600).div(leverageOf(order.instrument));

  if (buys && equity !== null) {
    const all = equity.plus(down(others.equityUsd));
    const weight = down(all.times(mandate.maxPositionWeightPct).div(100));
    if (same.plus(n).gt(weight)) breach('position_weight_breach', text(weight), text(same), text(same.plus(n)));
    if (kin.gt(0)) {
      const limit = down(all.times(mandate.maxUnderlyingWeightPct).div(100));
      const total = same.plus(kin);
      if (total.plus(n).gt(limit)) breach('duplicate_underlying_breach', text(limit), text(total), text(total.plus(n)));
    }
    if (order.venue === 'spotchain') {
      const share = context.liquidityUsd === null ? null : down(down(context.liquidityUsd).times(mandate.maxPoolSharePct).div(100));
      if (share === null || same.plus(n).gt(share)) breach('pool_liquidity_breach', share && text(share), text(same), text(same.plus(n)));
    }
    const start = up(book.state.dayStartEquityUsd as string);
    const lost = start.minus(equity);
    if (lost.gt(0) && lost.times(100).gt(D.max(0, start).times(mandate.maxDailyDrawdownPct))) {
      const drawdown = new D(book.dailyDrawdownPct as number);
      breach('daily_drawdown_breach', text(new D(mandate.maxDailyDrawdownPct)), text(drawdown), text(drawdown));
    }
  }

  const referenceLive = reference.observed?.quality === 'live';
  if (!referenceLive && (reference.required || (buys && mandate.requireLiveReference && SHARES.includes(order.instrument)))) {
    breach('stale_reference_feed', null, null, null);
  }
  const own = quote !== null && quote.venue === order.venue && `${quote.venue}:${quote.instrument}` === order.instrument;
  const touch = quote === null ? null : buys ? quote.ask : quote.bid;
  const live = quote !== null && quote.quality === 'live';
  if (!live || (own && touch === null) || (buys && !known)) breach('quote_not_live', null, null, null);
  if (quote !== null && !own) breach('venue_mismatch', null, null, null);

  if (buys && n.gt(down(mandate.maxTradeNotionalUsd)))
    breach('notional_limit_breach', text(down(mandate.maxTradeNotionalUsd)), '0', text(n));
  if (buys) {
    const before = new Set([...book.positions, ...pending].map(({ instrument }) => instrument));
    const after = new Set([...before, order.instrument]);
    if (after.size > mandate.maxOpenPositions)
      breach('open_positions_breach', `${mandate.maxOpenPositions}`, `${before.size}`, `${after.size}`);
    const costs = [
      ...book.positions.map(({ instrument, costUsd }) => ({ instrument, amount: up(costUsd) })),
      ...pending.map(({ instrument, notionalUsd }) => ({ instrument, amount: up(notionalUsd) })),
    ];
    const bound = boundTimes600(costs);
    const capital = down(mandate.maxCapitalUsd);
    if (bound.plus(orderTimes600).gt(capital.times(600)))
      breach('capital_limit_breach', text(capital), text(up(bound.div(600))), text(up(bound.plus(orderTimes600).div(600))));
  }

  if (own && live && touch !== null) {
    const tick = TICKS[order.instrument] as string;
    const factor = new D(mandate.maxSlippageBps).div(10_000);
    const moved = new D(touch).times(buys ? factor.plus(1) : new D(1).minus(factor));
    // A perpetual's price has five significant figures; integers are always allowed.
    const figures = new D(10).pow(Math.min(0, moved.e - 4));
    const step = perp(order.instrument) ? D.max(tick, figures) : new D(tick);
    const stepped = (buys ? moved.div(step).floor() : moved.div(step).ceil()).times(step);
    const worst = buys ? D.max(stepped, touch) : D.min(stepped, touch);
    const limitPrice = new D(order.limitPrice);
    if (buys ? limitPrice.gt(worst) : limitPrice.lt(worst)) {
      breach('slippage_budget_breach', text(new D(mandate.maxSlippageBps)), '0', null);
    }
  }
  if (buys && mandate.reduceOnly) breach('reduce_only', null, null, null);
  if (!buys) {
    const held = sum(book.positions.filter(({ instrument }) => instrument === order.instrument).map(({ quantity }) => new D(quantity)));
    const leaving = sum(
      book.state.openProposals
        .filter(({ id, side, instrument }) => side === 'sell' && id !== order.id && instrument === order.instrument)
        .map(({ quantity }) => new D(quantity)),
    );
    const free = D.max(0, held.minus(leaving));
    if (free.lt(order.quantity)) breach('reduce_only', '0', text(free), text(free.minus(order.quantity)));
  }
  const ended = order.instrument === 'spotchain:SPACEX' && context.at >= SPACEX_ENDS;
  if (ended || context.halt === 'all' || (buys && context.halt === 'entries')) breach('halted', null, null, null);
  if (context.disabledFeature !== null) breach('feature_disabled', null, null, null);

  if (buys && equity !== null) {
    const values = exposures.slice(0, book.positions.length + pending.length);
    const fee = n.times(D.max(0, context.feeBps)).div(10_000);
    const free = equity.times(600).minus(boundTimes600(values));
    const needs = orderTimes600.plus(fee.times(600));
    if (needs.gt(free)) breach('insufficient_balance', '0', text(down(free.div(600))), text(down(free.minus(needs).div(600))));
    const exposure = sum(values.map(({ amount }) => amount));
    const limit = down(equity.times(mandate.maxLeverage));
    if (exposure.plus(n).gt(limit)) breach('leverage_breach', text(limit), text(exposure), text(exposure.plus(n)));
  }
  return broken;
}
