/**
 * Remaining capacity of every limit for an order of one instrument, in whole micro-dollars. Amounts are rounded once, when they enter,
 * against the order: usage up, capacity down. All that follows is exact.
 */
import { CATALOG } from '../catalog.ts';
import { type DecimalString, plainDecimal } from '../decimal.ts';
import type { InstrumentKey } from '../venue.ts';
import type { RiskCode } from './codes.ts';
import type { RiskCatalog, RiskContext } from './context.ts';
import { ceilScaled, floorDivide, floorScaled, type Ratio, ratioOf, USD_SCALE } from './exact.ts';

/**
 * One limit on what an order adds, as a straight line: (left - notional x each) / unit is what would be left of it.
 * It holds where the order's notional is not above `free`.
 */
export interface LimitCapacity {
  readonly code: RiskCode;
  /** Micro-dollars of notional; not above zero if nothing more fits. */
  readonly free: bigint;
  /** In micro-dollars; null if the limit is unknown. */
  readonly limit: bigint | null;
  readonly left: bigint;
  readonly each: bigint;
  readonly unit: bigint;
}

/** Returns the usage of a limit after an order of that notional; for the balance, the remainder. In micro-dollars. */
export function usedAfter(capacity: LimitCapacity, notional: bigint): bigint {
  const remains = floorDivide(capacity.left - notional * capacity.each, capacity.unit);
  return capacity.code === 'insufficient_balance' ? remains : (capacity.limit ?? 0n) - remains;
}

/** The limits that a buy's size has to keep, in the order of the codes. */
export type LimitCapacities = readonly LimitCapacity[];

const HUNDRED = 100n;
const ONE: Ratio = { numerator: 1n, denominator: 1n };

/** A ratio given as a number, read as its shortest decimal form. */
export function numberRatio(value: number): Ratio {
  return ratioOf(plainDecimal(value));
}

function amountUp(usd: DecimalString): bigint {
  return ceilScaled(usd, USD_SCALE);
}

function amountDown(usd: DecimalString): bigint {
  return floorScaled(usd, USD_SCALE);
}

/** Spot is paid in full; a perpetual binds its value divided by the leverage. */
interface Split {
  spot: bigint;
  perp: bigint;
}

interface Sums {
  /** Value of the book's positions and pending buys; null while a position has no mark. */
  readonly value: Split | null;
  /** Cost of the book's positions, and pending buys. */
  readonly cost: Split;
  /** Exposure to the instrument over all books, pending buys included. */
  readonly instrument: bigint | null;
  /** Exposure to its underlying through other instruments, agent tokens that are paired with a share of it included. */
  readonly duplicates: bigint | null;
}

function isPerp(instrument: InstrumentKey): boolean {
  return instrument.startsWith('evmvenue:');
}

/** Returns the underlying of an instrument. Both outcomes of a prediction market are one exposure, even if nothing else is known of it. */
export function underlyingOf(catalog: RiskCatalog, instrument: InstrumentKey): string {
  const known = catalog.byKey(instrument)?.underlying;
  if (known !== undefined) return known;
  return instrument.startsWith('prediction:') ? instrument.replace(/\.(yes|no)$/, '') : instrument;
}

/** The underlying that counts as one exposure with the instrument: an agent token rises and falls with the share that it is paired with. */
export function exposureGroupOf(catalog: RiskCatalog, instrument: InstrumentKey): string {
  return underlyingOf(catalog, catalog.byKey(instrument)?.pairedStock ?? instrument);
}

function sumsOf(context: RiskContext, instrument: InstrumentKey, exceptProposalId: string, catalog: RiskCatalog): Sums {
  const { book, others } = context;
  const value: Split = { spot: 0n, perp: 0n };
  const cost: Split = { spot: 0n, perp: 0n };
  const exposure: Exposure = { instrument, group: exposureGroupOf(catalog, instrument), same: 0n, duplicates: 0n };
  for (const position of book.positions) {
    const kind = isPerp(position.instrument) ? 'perp' : 'spot';
    const worth = amountUp(position.valueUsd ?? '0');
    value[kind] += worth;
    cost[kind] += amountUp(position.costUsd);
    expose(exposure, position.instrument, worth, catalog);
  }
  for (const pending of book.state.openProposals) {
    if (pending.side === 'sell' || pending.id === exceptProposalId) continue;
    const kind = isPerp(pending.instrument) ? 'perp' : 'spot';
    const reserved = amountUp(pending.notionalUsd);
    value[kind] += reserved;
    cost[kind] += reserved;
    expose(exposure, pending.instrument, reserved, catalog);
  }
  for (const each of others.exposures) expose(exposure, each.instrument, amountUp(each.valueUsd), catalog);
  const known = book.equityUsd !== null;
  return { value: known ? value : null, cost, instrument: known ? exposure.same : null, duplicates: known ? exposure.duplicates : null };
}

interface Exposure {
  readonly instrument: InstrumentKey;
  readonly group: string;
  same: bigint;
  duplicates: bigint;
}

function expose(exposure: Exposure, key: InstrumentKey, amount: bigint, catalog: RiskCatalog): void {
  if (key === exposure.instrument) exposure.same += amount;
  else if (exposureGroupOf(catalog, key) === exposure.group) exposure.duplicates += amount;
}

/** The capacity of every limit on a buy's size. What needs the book's equity is left out while a position has no mark. */
export function limitCapacitiesOf(
  context: RiskContext,
  instrument: InstrumentKey,
  exceptProposalId: string,
  catalog: RiskCatalog = CATALOG,
): LimitCapacities {
  const { mandate, book, others } = context;
  const sums = sumsOf(context, instrument, exceptProposalId, catalog);
  const capacities: LimitCapacity[] = [];
  const leverage = ratioOf(mandate.maxLeverage);
  const equity = book.equityUsd === null ? null : amountDown(book.equityUsd);
  if (equity !== null && sums.instrument !== null && sums.duplicates !== null) {
    const all = equity + amountDown(others.equityUsd);
    capacities.push(sumCapacity('position_weight_breach', shareOf(all, mandate.maxPositionWeightPct), sums.instrument));
    if (sums.duplicates > 0n) {
      const total = sums.instrument + sums.duplicates;
      capacities.push(sumCapacity('duplicate_underlying_breach', shareOf(all, mandate.maxUnderlyingWeightPct), total));
    }
    if (instrument.startsWith('spotchain:')) capacities.push(poolCapacity(context, sums.instrument));
  }
  capacities.push(sumCapacity('notional_limit_breach', amountDown(mandate.maxTradeNotionalUsd), 0n));
  capacities.push(capitalCapacity(amountDown(mandate.maxCapitalUsd), sums.cost, marginLeverage(leverage), isPerp(instrument)));
  if (equity !== null && sums.value !== null) {
    capacities.push(balanceCapacity(equity, sums.value, marginLeverage(leverage), isPerp(instrument), context.feeBps));
    const limit = floorDivide(equity * leverage.numerator, leverage.denominator);
    capacities.push(sumCapacity('leverage_breach', limit, sums.value.spot + sums.value.perp));
  }
  return capacities;
}

/** before + notional <= limit. */
function sumCapacity(code: RiskCode, limit: bigint, before: bigint): LimitCapacity {
  const left = limit - before;
  return { code, free: left, limit, left, each: 1n, unit: 1n };
}

/** A part of an amount in percent, rounded down. */
function shareOf(amount: bigint, pct: number): bigint {
  const { numerator, denominator } = numberRatio(pct);
  return floorDivide(amount * numerator, denominator * HUNDRED);
}

/** A position may be a part of its pool only; of a pool of unknown depth it may be nothing. */
function poolCapacity({ liquidityUsd, mandate }: RiskContext, before: bigint): LimitCapacity {
  const code = 'pool_liquidity_breach';
  if (liquidityUsd !== null) return sumCapacity(code, shareOf(amountDown(liquidityUsd), mandate.maxPoolSharePct), before);
  return { code, free: -before, limit: null, left: -before, each: 1n, unit: 1n };
}

/** A perpetual never binds more than its value. */
function marginLeverage(leverage: Ratio): Ratio {
  return leverage.numerator < leverage.denominator ? ONE : leverage;
}

/** spot + perp / leverage <= capital, at cost. Compared as spot x L + perp x 1, so that nothing is divided. */
function capitalCapacity(
  capital: bigint,
  { spot, perp }: Split,
  { numerator: up, denominator: down }: Ratio,
  perpOrder: boolean,
): LimitCapacity {
  const left = (capital - spot) * up - perp * down;
  const each = perpOrder ? down : up;
  return { code: 'capital_limit_breach', free: floorDivide(left, each), limit: capital, left, each, unit: up };
}

/** Returns the capacity of the balance. Free equity must pay for the order (for a perpetual, its margin) and its fee. */
function balanceCapacity(equity: bigint, { spot, perp }: Split, leverage: Ratio, perpOrder: boolean, feeBps: number): LimitCapacity {
  const { numerator: up, denominator: down } = leverage;
  const fee = numberRatio(Math.max(0, feeBps));
  const feeUnit = fee.denominator * 10_000n;
  const left = ((equity - spot) * up - perp * down) * feeUnit;
  const each = (perpOrder ? down : up) * feeUnit + fee.numerator * up;
  return { code: 'insufficient_balance', free: floorDivide(left, each), limit: 0n, left, each, unit: up * feeUnit };
}
