/** Limits of the pre-trade risk function that do not depend on an order's size: prices, halts, drawdown, positions. */
import { isPosition } from '../books/book.ts';
import { CATALOG, isTradableAt } from '../catalog/catalog.ts';
import { Decimal, plainDecimal } from '../values/decimal.ts';
import { floorToStep, findMarketStep } from '../market/market-step.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';
import { numberRatio } from './capacity.ts';
import { RISK_BITS } from './codes.ts';
import type { RiskCatalog, RiskContext } from './context.ts';
import { ceilScaled, floorScaled, stepScale, USD_SCALE } from '../values/exact.ts';

/** Limits that a buy or a sell breaches at any size. */
export function sizeIndependentBreaches(
  instrument: InstrumentKey,
  venue: ExecutableVenue,
  context: RiskContext,
  catalog: RiskCatalog = CATALOG,
): number {
  const { quote, reference, halt, disabledFeature } = context;
  const name = splitInstrumentKey(instrument);
  let mask = 0;
  if (reference.required && reference.observed?.quality !== 'live' && reference.carried !== true) mask |= RISK_BITS.stale_reference_feed;
  if (quote === null || quote.quality !== 'live') mask |= RISK_BITS.quote_not_live;
  const priced = quote === null || (quote.venue === venue && quote.instrument === name.instrument);
  if (!priced || name.venue !== venue) mask |= RISK_BITS.venue_mismatch;
  if (halt === 'all' || !isMintTradable(instrument, context, catalog)) mask |= RISK_BITS.halted;
  if (disabledFeature !== null) mask |= RISK_BITS.feature_disabled;
  return mask;
}

/** False for a token whose mint is not valid yet or no longer. It is neither bought nor sold. */
export function isMintTradable(instrument: InstrumentKey, { at }: Pick<RiskContext, 'at'>, catalog: RiskCatalog = CATALOG): boolean {
  const token = catalog.byKey(instrument)?.token ?? null;
  return token === null || isTradableAt(token, at);
}

/** Returns the limits that only a buy breaches, at any size. */
export function buyBreaches(
  instrument: InstrumentKey,
  context: RiskContext,
  exceptProposalId: string,
  catalog: RiskCatalog = CATALOG,
): number {
  const { book, mandate, reference, halt } = context;
  let mask = 0;
  if (drawdownBreached(context)) mask |= RISK_BITS.daily_drawdown_breach;
  const benchmarked = catalog.byKey(instrument)?.benchmarkKind === 'reference_price';
  if (mandate.requireLiveReference && benchmarked && reference.observed?.quality !== 'live') mask |= RISK_BITS.stale_reference_feed;
  if (book.unpriced.length > 0) mask |= RISK_BITS.quote_not_live;
  if (openPositionsAfter(instrument, context, exceptProposalId) > mandate.maxOpenPositions) mask |= RISK_BITS.open_positions_breach;
  if (mandate.reduceOnly) mask |= RISK_BITS.reduce_only;
  if (halt === 'entries') mask |= RISK_BITS.halted;
  return mask;
}

/** True if (first equity of the day - equity) / first equity x 100 > limit, multiplied out to avoid division. */
function drawdownBreached({ book, mandate }: RiskContext): boolean {
  if (book.equityUsd === null || book.state.dayStartEquityUsd === null) return false;
  const start = ceilScaled(book.state.dayStartEquityUsd, USD_SCALE);
  const lost = start - floorScaled(book.equityUsd, USD_SCALE);
  const { numerator, denominator } = numberRatio(mandate.maxDailyDrawdownPct);
  return lost > 0n && lost * 100n * denominator > numerator * (start > 0n ? start : 0n);
}

/** Counts the instruments that are held, being bought, or would be bought. With null the last is left out. */
export function openPositionsAfter(instrument: InstrumentKey | null, { book }: RiskContext, exceptProposalId: string): number {
  const open = new Set<InstrumentKey>(instrument === null ? [] : [instrument]);
  for (const held of book.positions) if (isPosition(held)) open.add(held.instrument);
  for (const pending of book.state.openProposals) {
    if (pending.side === 'buy' && pending.id !== exceptProposalId) open.add(pending.instrument);
  }
  return open.size;
}

/** Returns the larger of the holdings of the book and of the account of the sale, minus pending sells, in lots. */
export function sellableLots(instrument: InstrumentKey, { book, accountHolds = '0' }: RiskContext, exceptProposalId: string): bigint {
  let left = new Decimal(0);
  for (const position of book.positions) if (position.instrument === instrument) left = left.plus(position.quantity);
  left = Decimal.max(left, accountHolds);
  for (const pending of book.state.openProposals) {
    if (pending.side === 'sell' && pending.id !== exceptProposalId && pending.instrument === instrument)
      left = left.minus(pending.quantity);
  }
  const { lot } = findMarketStep(instrument);
  return left.isNegative() ? 0n : floorScaled(floorToStep(plainDecimal(left), lot), stepScale(lot));
}
