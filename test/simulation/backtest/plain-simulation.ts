/** Rules of the simulation, slowly: the plain decider on cuts from raw rows, and a book in exact decimals. */

import type { Assumptions } from '../../../src/domain/backtest/assumptions.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { COST_MODELS } from '../../../src/domain/orders/costs.ts';
import { compileManifest, type RiskAssessor } from '../../../src/domain/agents/decide.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import type { AgentBook, BookPosition } from '../../../src/domain/agents/decision.ts';
import { findMarketStep } from '../../../src/domain/market/market-step.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../../src/domain/market/venue.ts';
import { fillPlainly, halfSpreadOf } from './plain-fill.ts';
import type { Fact } from '../../../src/domain/backtest/fact.ts';
import { cutFromRows, HOUR, type QuoteOf, type RandomCase } from './random-histories.ts';

export interface PlainBar {
  readonly disposition: string;
  readonly reason: string | null;
  readonly instrument: string | null;
  readonly outcome: string;
  readonly cash: string;
  readonly equity: number;
}

export interface PlainTrade {
  readonly instrument: string;
  readonly entryPrice: string;
  readonly exitPrice: string | null;
  readonly quantity: string;
  readonly profit: string | null;
}

interface Held extends BookPosition {
  readonly cost: Decimal;
  readonly fees: Decimal;
  readonly margin: Decimal;
}

const DAY = 24 * HOUR;
const floorTo = (value: Decimal, digits: number): Decimal => value.toDecimalPlaces(digits, Decimal.ROUND_FLOOR);
const ceilTo = (value: Decimal, digits: number): Decimal => value.toDecimalPlaces(digits, Decimal.ROUND_CEIL);

/** Returns the decimals that leave `digits` significant ones at a price. */
function digitsAt(price: string, digits: number): number {
  return Math.min(18, Math.max(0, digits - 1 - Math.floor(Math.log10(Number(price)))));
}

/** Returns the decimals of a step, a power of ten. */
function digitsOf(step: string): number {
  return new Decimal(step).decimalPlaces();
}

/** Returns the decimals of the venue's price grid: a perpetual has five significant figures, and integers are always allowed. */
function gridDigitsOf(key: InstrumentKey, price: Decimal): number {
  const tick = digitsOf(findMarketStep(key).tick);
  return key.startsWith('evmvenue:') ? Math.min(tick, Math.max(0, 4 - price.e)) : tick;
}

/** Plays a case bar by bar. `count` bars on the grid from `first`. */
export function playPlainly(
  { manifest, inputs }: RandomCase,
  assumptions: Assumptions,
): { readonly bars: PlainBar[]; readonly trades: PlainTrade[] } {
  const compiled = compileManifest(manifest);
  const first = Math.min(...inputs.map(({ candles }) => candles[0]?.openTime ?? Infinity));
  const last = Math.max(...inputs.map(({ candles }) => candles.at(-1)?.openTime ?? 0));
  const capital = new Decimal(manifest.maxCapitalUsd);
  /** Five is the preferences' default, and every venue allows it. */
  const leverageOf = (key: InstrumentKey): Decimal =>
    key.startsWith('evmvenue:') ? Decimal.max(1, Decimal.min(manifest.maxLeverage, 5)) : new Decimal(1);
  const mostCapital = Number(manifest.maxCapitalUsd) * Math.max(...inputs.map(({ entry }) => leverageOf(entry.key).toNumber()));
  const moneyDigits = Math.min(12, Math.max(0, Math.floor(Math.log10(2 ** 53 / (mostCapital * 8)))));
  const unit = new Decimal(10).pow(-moneyDigits);
  const micro = new Decimal('0.000001');
  const model = (key: InstrumentKey) => COST_MODELS[splitInstrumentKey(key).venue as ExecutableVenue];
  const inputOf = (key: InstrumentKey) => inputs.find(({ entry }) => entry.key === key) as (typeof inputs)[number];
  const firstOpen = (key: InstrumentKey): string => (inputOf(key).candles[0] as Candle).open;
  const fillDigits = (key: InstrumentKey): number => Math.min(moneyDigits, digitsAt(firstOpen(key), 7));
  const barAt = (key: InstrumentKey, openTime: number): Candle | undefined => inputOf(key).candles.find((bar) => bar.openTime === openTime);
  const quoteOf: QuoteOf = (key, close) => {
    const digits = digitsAt(firstOpen(key), 11);
    return around(close, halfSpreadOf({ key }), digits);
  };
  const around = (close: string, halfSpreadBps: number, digits: number) => {
    const half = ceilTo(new Decimal(close).times(halfSpreadBps * assumptions.costMultiplier).div(10_000), digits);
    return { bid: plainDecimal(new Decimal(close).minus(half)), ask: plainDecimal(new Decimal(close).plus(half)) };
  };
  /** Returns the market recorded by a slot, at most two days before. */
  const recorded = (key: InstrumentKey, slot: number) => {
    const last = (facts: readonly Fact[] | undefined): string | null => {
      const known = facts?.filter(({ receivedAt }) => receivedAt <= slot).at(-1);
      return known === undefined || slot - known.receivedAt > 2 * DAY ? null : known.value;
    };
    const half = last(inputOf(key).halfSpread);
    return { halfSpreadBps: half === null ? null : Number(half), liquidityUsd: last(inputOf(key).liquidity) };
  };
  /** Returns the best prices that price an order. */
  const touchOf = (key: InstrumentKey, close: string, slot: number) =>
    around(close, halfSpreadOf({ key, ...recorded(key, slot) }), digitsAt(firstOpen(key), 11));
  /** Returns a position's funding by a slot: hourly a rate on the last close, per unit in whole millionths, rounded up. */
  const fundingOf = (key: InstrumentKey, { quantity, openedAt }: Held, slot: number): Decimal => {
    const { entry, candles, funding = [] } = inputOf(key);
    let micros = new Decimal(0);
    for (let hour = openedAt + HOUR; entry.kind === 'perp' && hour <= slot; hour += HOUR) {
      const rate = funding.find(({ receivedAt }) => receivedAt === hour)?.value ?? '0.000025';
      const { close } = candles.findLast(({ openTime }) => openTime + HOUR <= hour) as Candle;
      micros = micros.plus(ceilTo(new Decimal(rate).times(close).times(1e6), 0));
    }
    return ceilTo(micros.times(quantity).div(1e6), moneyDigits);
  };
  /** Returns a position's equity at a price, and whether it is liquidated: below half of BTC's margin at 40 times leverage. */
  const marginAt = (key: InstrumentKey, position: Held, price: Decimal, slot: number) => {
    const value = price.times(position.quantity);
    const equity = value
      .minus(position.cost)
      .plus(position.margin)
      .minus(fundingOf(key, position, slot));
    const maintenance = value.div(80);
    const isLiquidated = inputOf(key).entry.kind === 'perp' && equity.lte(maintenance);
    return { equity, isLiquidated, isTakenOver: equity.lt(maintenance.times(2).div(3)) };
  };
  let cash = floorTo(capital, moneyDigits);
  const held = new Map<InstrumentKey, Held>();
  const trades: PlainTrade[] = [];
  const bars: PlainBar[] = [];
  let day = Number.NaN;
  let dayStart: Decimal | null = null;
  let drawnDown = false;

  for (let slot = first + HOUR; slot <= last + HOUR; slot += HOUR) {
    for (const { entry } of inputs) {
      const [key, position, bar] = [entry.key, held.get(entry.key), barAt(entry.key, slot - HOUR)];
      if (position === undefined || bar === undefined) continue;
      const { equity, isLiquidated, isTakenOver } = marginAt(key, position, new Decimal(bar.low), slot - HOUR);
      if (!isLiquidated) continue;
      const quantity = new Decimal(position.quantity);
      const order = { key, side: 'sell', quantity, limit: new Decimal(0), bar: { ...bar, open: bar.low } } as const;
      const digits = { priceDigits: fillDigits(key), quantityDigits: moneyDigits - fillDigits(key), moneyDigits };
      const how = { algorithm: 'taker_immediate', urgency: manifest.urgency, costMultiplier: assumptions.costMultiplier } as const;
      const sold = fillPlainly({ ...order, ...how, ...recorded(key, slot - HOUR), ...digits });
      const price = isTakenOver ? floorTo(new Decimal(bar.low).minus(equity.div(quantity)), fillDigits(key)) : (sold?.price as Decimal);
      const fees = isTakenOver ? new Decimal(0) : (sold?.fees as Decimal);
      const funding = fundingOf(key, position, slot - HOUR);
      cash = cash.plus(price.times(quantity)).minus(fees).minus(funding);
      held.delete(key);
      trades.push({
        instrument: key,
        entryPrice: position.averageEntryPrice,
        exitPrice: plainDecimal(price),
        quantity: position.quantity,
        profit: plainDecimal(price.times(quantity).minus(position.cost).minus(fees).minus(position.fees).minus(funding)),
      });
    }
    const cut = cutFromRows(inputs, compiled.needs, slot, quoteOf);
    const middle = (key: InstrumentKey): Decimal => new Decimal(cut.observations.get(key)?.quote?.mid ?? Number.NaN);
    const exactEquity = [...held].reduce(
      (sum, [key, position]) => sum.plus(middle(key).times(position.quantity)).minus(fundingOf(key, position, slot)),
      cash,
    );
    const equity = exactEquity.toNumber();
    const priced = [...held.keys()].every((key) => cut.observations.get(key)?.quote?.quality === 'live');
    if (Math.floor(slot / DAY) !== day) {
      day = Math.floor(slot / DAY);
      dayStart = null;
      drawnDown = false;
    }
    if (priced) {
      dayStart ??= ceilTo(exactEquity, 6);
      const lost = dayStart.minus(floorTo(exactEquity, 6));
      if (lost.gt(0) && lost.times(100).gt(dayStart.times(Math.min(manifest.maxDailyDrawdownPct, 20)))) drawnDown = true;
    }

    const orders: { readonly key: InstrumentKey; readonly buy: { readonly quantity: Decimal; readonly limit: Decimal } | null }[] = [];
    let reserved = new Decimal(0);
    const size = (key: InstrumentKey): { readonly code: string } | { readonly quantity: Decimal; readonly limit: Decimal } => {
      const fee = model(key).takerFeeBps * assumptions.costMultiplier;
      const bar = barAt(key, slot - HOUR) as Candle;
      const volume = new Decimal(bar.volume).times(bar.close).times(assumptions.maxParticipationPct).div(100);
      const depthNow = cut.observations.get(key)?.liquidityUsd ?? null;
      const pool = depthNow === null ? new Decimal(0) : Decimal.max(0, new Decimal(depthNow).times('0.05').minus(micro));
      const pooled = key.startsWith('spotchain:') && inputOf(key).liquidity !== undefined;
      const traded = pooled ? pool : volume;
      if (traded.lt(assumptions.minOrderUsd)) return { code: 'pool_liquidity_breach' };
      if (drawnDown) return { code: 'daily_drawdown_breach' };
      if (!priced) return { code: 'quote_not_live' };
      if (new Decimal(manifest.maxTradeNotionalUsd).lt(assumptions.minOrderUsd)) return { code: 'notional_limit_breach' };
      if (held.size + orders.filter(({ buy }) => buy !== null).length >= manifest.maxOpenPositions)
        return { code: 'open_positions_breach' };
      const invested = [...held.values()].reduce((sum, { margin }) => sum.plus(margin), new Decimal(0));
      const beyondMargin = [...held].reduce((sum, [one, { quantity }]) => {
        const bidShare = new Decimal(1).minus(new Decimal(halfSpreadOf({ key: one })).times(assumptions.costMultiplier).div(10_000));
        const value = middle(one).times(quantity).times(bidShare);
        return leverageOf(one).gt(1)
          ? sum.plus(floorTo(value.times(new Decimal(1).minus(new Decimal(1).div(leverageOf(one)))), moneyDigits))
          : sum;
      }, new Decimal(0));
      // In live trading every position, order, fee and the cash are whole micro-dollars.
      const amounts = held.size + 2 * (orders.filter(({ buy }) => buy !== null).length + 1) + 1;
      const due = [...held].reduce((sum, [one, position]) => sum.plus(Decimal.max(0, fundingOf(one, position, slot))), new Decimal(0));
      const free = Decimal.min(cash.minus(due).plus(beyondMargin), floorTo(capital, 6).minus(invested))
        .minus(reserved)
        .minus(micro.times(amounts))
        .minus(unit);
      // Exposure to an underlying stays within the equity, as by default.
      const underlyingOf = (one: InstrumentKey): string => inputOf(one).entry.underlying;
      const kin = [
        ...[...held].map(([one, { quantity }]) => ({ one, value: ceilTo(middle(one).times(quantity), moneyDigits) })),
        ...orders.flatMap(({ key: one, buy }) => (buy === null ? [] : [{ one, value: buy.quantity.times(buy.limit) }])),
      ].filter(({ one }) => underlyingOf(one) === underlyingOf(key));
      const exposed = kin.reduce((sum, { value }) => sum.plus(value), new Decimal(0));
      const isMargined = inputs.some(({ entry }) => leverageOf(entry.key).gt(1));
      const room = floorTo(exactEquity, moneyDigits).minus(exposed).minus(micro.times(amounts)).minus(unit);
      if (isMargined && room.lt(assumptions.minOrderUsd)) return { code: 'duplicate_underlying_breach' };
      const most = floorTo(new Decimal(manifest.maxTradeNotionalUsd), 6);
      const affordable = free.div(new Decimal(1).div(leverageOf(key)).plus(fee / 10_000));
      const wanted = Decimal.min(isMargined ? Decimal.min(most, room) : most, traded, affordable);
      if (wanted.lt(assumptions.minOrderUsd)) return { code: 'capital_limit_breach' };
      const ask = new Decimal(touchOf(key, bar.close, slot).ask);
      const { lot } = findMarketStep(key);
      const worst = ask.times(new Decimal(manifest.maxSlippageBps).div(10_000).plus(1));
      const moved = floorTo(worst, Math.min(fillDigits(key), gridDigitsOf(key, worst)));
      const limit = moved.gte(ask) ? moved : floorTo(ask, fillDigits(key));
      const quantity = floorTo(wanted.div(limit), Math.min(moneyDigits - fillDigits(key), digitsOf(lot)));
      return quantity.gt(0) ? { quantity, limit } : { code: 'capital_limit_breach' };
    };
    const asked = new Set<InstrumentKey>();
    const assess: RiskAssessor = ({ side, instrument }) => {
      asked.add(instrument);
      if (side === 'exit') {
        orders.push({ key: instrument, buy: null });
        return { verdict: 'passed', rejections: [] };
      }
      const sized = size(instrument);
      if ('code' in sized)
        return { verdict: 'blocked', rejections: [{ code: sized.code, limit: null, before: null, after: null, suggestion: null }] };
      const cost = sized.quantity.times(sized.limit);
      reserved = reserved
        .plus(ceilTo(cost.div(leverageOf(instrument)), moneyDigits))
        .plus(ceilTo(cost.times(model(instrument).takerFeeBps * assumptions.costMultiplier).div(10_000), moneyDigits));
      orders.push({ key: instrument, buy: sized });
      return { verdict: 'passed', rejections: [] };
    };
    const book: AgentBook = {
      positions: inputs.flatMap(({ entry }) => held.get(entry.key) ?? []),
      openProposals: 0,
      fills: 0,
      realizedPnlUsd: '0',
      slippageBps: null,
    };
    const verdict = compiled.decide(cut, book, 'autonomous', assess);
    const verdicts = [verdict];
    const isStopped = ({ outcome }: typeof verdict, key: InstrumentKey): boolean =>
      compiled.unpack(outcome).some(({ instrument, type, passed }) => instrument === key && type === 'stop_loss' && passed);
    bars.push({
      disposition: verdict.disposition,
      reason: verdict.reason,
      instrument: verdict.instrument,
      outcome: verdict.outcome,
      cash: plainDecimal(cash),
      equity,
    });
    // Following minutes: the same cut without instruments already rejected by risk; each is proposed once per bar.
    const rest = new Map(cut.observations);
    for (let acted = verdict; acted.disposition === 'propose_entry' || acted.disposition === 'propose_exit'; ) {
      for (const key of asked) rest.delete(key);
      acted = compiled.decide({ slot, observations: rest }, book, 'autonomous', assess);
      verdicts.push(acted);
    }
    for (const { key, buy } of orders) {
      const bar = barAt(key, slot);
      if (bar === undefined) continue;
      const position = held.get(key);
      const quantity = buy?.quantity ?? new Decimal((position as Held).quantity);
      const bid = new Decimal(touchOf(key, (barAt(key, slot - HOUR) as Candle).close, slot).bid);
      const worst = bid.times(1 - manifest.maxSlippageBps / 10_000);
      const stopped = verdicts.some((one) => buy === null && isStopped(one, key));
      // Nothing rests on the venue of perpetuals, so everything but slices fills at the open.
      const met = manifest.algorithm !== 'twap' || stopped ? bar.open : bar.low;
      if (buy === null && marginAt(key, position as Held, new Decimal(met), slot).isLiquidated) continue;
      const filled = fillPlainly({
        key,
        side: buy === null ? 'sell' : 'buy',
        quantity,
        limit: buy?.limit ?? ceilTo(worst, Math.min(fillDigits(key), gridDigitsOf(key, worst))),
        bar,
        algorithm: stopped ? 'taker_immediate' : manifest.algorithm,
        urgency: manifest.urgency,
        costMultiplier: assumptions.costMultiplier,
        ...recorded(key, slot),
        priceDigits: fillDigits(key),
        quantityDigits: moneyDigits - fillDigits(key),
        moneyDigits,
      });
      if (filled === null) continue;
      const { price, fees, quantity: done } = filled;
      const value = price.times(done);
      if (buy !== null) {
        cash = cash.minus(value).minus(fees);
        held.set(key, {
          instrument: key,
          quantity: plainDecimal(done),
          averageEntryPrice: plainDecimal(price),
          openedAt: slot,
          cost: value,
          fees,
          margin: ceilTo(value.div(leverageOf(key)), moneyDigits),
        });
        continue;
      }
      const { averageEntryPrice, cost, fees: entryFees } = position as Held;
      const funding = fundingOf(key, position as Held, slot);
      cash = cash.plus(value).minus(fees).minus(funding);
      held.delete(key);
      trades.push({
        instrument: key,
        entryPrice: averageEntryPrice,
        exitPrice: plainDecimal(price),
        quantity: plainDecimal(done),
        profit: plainDecimal(value.minus(cost).minus(fees).minus(entryFees).minus(funding)),
      });
    }
  }
  for (const { entry } of inputs) {
    const position = held.get(entry.key);
    if (position !== undefined)
      trades.push({
        instrument: entry.key,
        entryPrice: position.averageEntryPrice,
        exitPrice: null,
        quantity: position.quantity,
        profit: null,
      });
  }
  return { bars, trades };
}
