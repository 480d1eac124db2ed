/**
 * Remaining capacity of every limit for an order of one instrument, in whole micro-dollars. Amounts are rounded once, on input, against the
 * order: usage up, capacity down. Everything after that is exact.
 */
import { CATALOG } from '../catalog/catalog.ts';
import { type DecimalString, plainDecimal } from '../values/decimal.ts';
import { isPerpetual, computeLeverage } from '../orders/margin.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { RiskCode } from './codes.ts';
import type { RiskCatalog, RiskContext } from './context.ts';
import type { Mandate } from './mandate.ts';
import { ceilScaled, floorDivide, floorScaled, type Ratio, toRatio, USD_SCALE } from '../values/exact.ts';

/**
 * A limit on an order's size as a straight line: (left - notional x each) / unit would be left of it. It holds if the order's notional does
 * not exceed `free`.
 */
export interface LimitCapacity {
  readonly code: RiskCode;
  /** Micro-dollars of notional. Not positive if nothing more fits. */
  readonly free: bigint;
  /** Capacity in micro-dollars, or null if the limit is unknown. */
  readonly limit: bigint | null;
  readonly left: bigint;
  readonly each: bigint;
  readonly unit: bigint;
}

/** Returns the usage of a limit after an order of that notional, or for the balance the remainder. Micro-dollars. */
export function usedAfter(capacity: LimitCapacity, notional: bigint): bigint {
  const remains = floorDivide(capacity.left - notional * capacity.each, capacity.unit);
  return capacity.code === 'insufficient_balance' ? remains : (capacity.limit ?? 0n) - remains;
}

/** Limits on a buy's size, in the order of the codes. */
export type LimitCapacities = readonly LimitCapacity[];

const HUNDRED = 100n;

/** Reads a ratio given as a number by its shortest decimal form. */
export function numberRatio(value: number): Ratio {
  return toRatio(plainDecimal(value));
}

function amountUp(usd: DecimalString): bigint {
  return ceilScaled(usd, USD_SCALE);
}

function amountDown(usd: DecimalString): bigint {
  return floorScaled(usd, USD_SCALE);
}

/** Amounts at work in a book: spot in full, perpetuals by their margin. */
interface Split {
  spot: bigint;
  /** Capacity by leverage as decimal text. */
  readonly perps: Map<DecimalString, bigint>;
}

interface Sums {
  /** Value of the book's positions and pending buys, or null while a position has no mark. */
  readonly value: Split | null;
  /** Cost of the book's positions and pending buys. */
  readonly cost: Split;
  /** Exposure to the instrument over all books, including pending buys. */
  readonly instrument: bigint | null;
  /** Exposure to its underlying through other instruments, including agent tokens paired with a share of it. */
  readonly duplicates: bigint | null;
}

/** Returns the underlying of an instrument. Both outcomes of a prediction market are one exposure, even if nothing else is known of it. */
export function findExposureUnderlying(catalog: RiskCatalog, instrument: InstrumentKey): string {
  const known = catalog.byKey(instrument)?.underlying;
  if (known !== undefined) return known;
  return instrument.startsWith('prediction:') ? instrument.replace(/\.(yes|no)$/, '') : instrument;
}

/** Returns the underlying with which the instrument is one exposure. An agent token moves with its paired share. */
export function findExposureGroup(catalog: RiskCatalog, instrument: InstrumentKey): string {
  return findExposureUnderlying(catalog, catalog.byKey(instrument)?.pairedStock ?? instrument);
}

function sumExposures(context: RiskContext, instrument: InstrumentKey, exceptProposalId: string, catalog: RiskCatalog): Sums {
  const { book, others, mandate } = context;
  const value: Split = { spot: 0n, perps: new Map() };
  const cost: Split = { spot: 0n, perps: new Map() };
  const exposure: Exposure = { instrument, group: findExposureGroup(catalog, instrument), same: 0n, duplicates: 0n };
  for (const position of book.positions) {
    const worth = amountUp(position.valueUsd ?? '0');
    addTo(value, position.instrument, worth, mandate);
    addTo(cost, position.instrument, amountUp(position.costUsd), mandate);
    expose(exposure, position.instrument, worth, catalog);
  }
  for (const pending of book.state.openProposals) {
    if (pending.side === 'sell' || pending.id === exceptProposalId) continue;
    const reserved = amountUp(pending.notionalUsd);
    addTo(value, pending.instrument, reserved, mandate);
    addTo(cost, pending.instrument, reserved, mandate);
    expose(exposure, pending.instrument, reserved, catalog);
  }
  for (const each of others.exposures) expose(exposure, each.instrument, amountUp(each.valueUsd), catalog);
  const known = book.equityUsd !== null;
  return { value: known ? value : null, cost, instrument: known ? exposure.same : null, duplicates: known ? exposure.duplicates : null };
}

function addTo(split: Split, instrument: InstrumentKey, amount: bigint, mandate: Mandate): void {
  if (!isPerpetual(instrument)) {
    split.spot += amount;
    return;
  }
  const leverage = computeLeverage(instrument, mandate);
  split.perps.set(leverage, (split.perps.get(leverage) ?? 0n) + amount);
}

function sumMargin({ perps }: Split): Ratio {
  let [numerator, denominator] = [0n, 1n];
  for (const [leverage, amount] of perps) {
    const { numerator: up, denominator: down } = toRatio(leverage);
    numerator = numerator * up + amount * down * denominator;
    denominator *= up;
  }
  return { numerator, denominator };
}

function sumSplit({ spot, perps }: Split): bigint {
  return [...perps.values()].reduce((sum, amount) => sum + amount, spot);
}

interface Exposure {
  readonly instrument: InstrumentKey;
  readonly group: string;
  same: bigint;
  duplicates: bigint;
}

function expose(exposure: Exposure, key: InstrumentKey, amount: bigint, catalog: RiskCatalog): void {
  if (key === exposure.instrument) exposure.same += amount;
  else if (findExposureGroup(catalog, key) === exposure.group) exposure.duplicates += amount;
}

/** Returns the capacity of every limit on a buy's size. Limits that need the book's equity are left out while a position has no mark. */
export function computeLimitCapacities(
  context: RiskContext,
  instrument: InstrumentKey,
  exceptProposalId: string,
  catalog: RiskCatalog = CATALOG,
): LimitCapacities {
  const { mandate, book, others } = context;
  const sums = sumExposures(context, instrument, exceptProposalId, catalog);
  const capacities: LimitCapacity[] = [];
  const equity = book.equityUsd === null ? null : amountDown(book.equityUsd);
  if (equity !== null && sums.instrument !== null && sums.duplicates !== null) {
    const all = equity + amountDown(others.equityUsd);
    capacities.push(sumCapacity('position_weight_breach', computeShare(all, mandate.maxPositionWeightPct), sums.instrument));
    if (sums.duplicates > 0n) {
      const total = sums.instrument + sums.duplicates;
      capacities.push(sumCapacity('duplicate_underlying_breach', computeShare(all, mandate.maxUnderlyingWeightPct), total));
    }
    if (instrument.startsWith('spotchain:')) capacities.push(poolCapacity(context, sums.instrument));
  }
  capacities.push(sumCapacity('notional_limit_breach', amountDown(mandate.maxTradeNotionalUsd), 0n));
  const own = toRatio(computeLeverage(instrument, mandate));
  capacities.push(capitalCapacity(amountDown(mandate.maxCapitalUsd), sums.cost, own));
  if (equity !== null && sums.value !== null) {
    capacities.push(balanceCapacity(equity, sums.value, own, context.feeBps));
    const { numerator, denominator } = toRatio(mandate.maxLeverage);
    capacities.push(sumCapacity('leverage_breach', floorDivide(equity * numerator, denominator), sumSplit(sums.value)));
  }
  return capacities;
}

/** Returns the capacity of before + notional <= limit. */
function sumCapacity(code: RiskCode, limit: bigint, before: bigint): LimitCapacity {
  const left = limit - before;
  return { code, free: left, limit, left, each: 1n, unit: 1n };
}

/** Returns a percentage of an amount, rounded down. */
function computeShare(amount: bigint, pct: number): bigint {
  const { numerator, denominator } = numberRatio(pct);
  return floorDivide(amount * numerator, denominator * HUNDRED);
}

/** Limits a position to a part of its pool. With an unknown depth nothing is allowed. */
function poolCapacity({ liquidityUsd, mandate }: RiskContext, before: bigint): LimitCapacity {
  const code = 'pool_liquidity_breach';
  if (liquidityUsd !== null) return sumCapacity(code, computeShare(amountDown(liquidityUsd), mandate.maxPoolSharePct), before);
  return { code, free: -before, limit: null, left: -before, each: 1n, unit: 1n };
}

/** Returns the capacity of spot + margin of perpetuals + order / leverage <= capital, at cost. Multiplied out, to avoid division. */
function capitalCapacity(capital: bigint, cost: Split, { numerator: up, denominator: down }: Ratio): LimitCapacity {
  const margin = sumMargin(cost);
  const left = ((capital - cost.spot) * margin.denominator - margin.numerator) * up;
  const each = down * margin.denominator;
  return { code: 'capital_limit_breach', free: floorDivide(left, each), limit: capital, left, each, unit: margin.denominator * up };
}

/** Returns the capacity of the balance. Free equity must pay for the order (or the margin of a perpetual) and its fee. */
function balanceCapacity(equity: bigint, value: Split, { numerator: up, denominator: down }: Ratio, feeBps: number): LimitCapacity {
  const margin = sumMargin(value);
  const fee = numberRatio(Math.max(0, feeBps));
  const feeUnit = fee.denominator * 10_000n;
  const left = ((equity - value.spot) * margin.denominator - margin.numerator) * up * feeUnit;
  const each = (down * feeUnit + fee.numerator * up) * margin.denominator;
  const unit = margin.denominator * up * feeUnit;
  return { code: 'insufficient_balance', free: floorDivide(left, each), limit: 0n, left, each, unit };
}
