/**
 * Isolated margin of perpetuals, by the venue's published rules. A long position binds its cost divided by its leverage. Gains, losses and
 * funding change its equity, and at the maintenance margin the venue liquidates it.
 */
import { type Fill, type Position, PRICE_DECIMALS } from '../books/book.ts';
import { findCostModel } from './costs.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { SHARE_DEX } from '../venues/evmvenue.ts';

/** Tiers: maximum leverage by position value. */
export interface MarginTier {
  readonly fromUsd: number;
  readonly maxLeverage: number;
}

/** Published margin tiers of the venue (trading/margin-tiers). */
const LISTED: Readonly<Record<InstrumentKey, readonly MarginTier[]>> = {
  'evmvenue:BTC': [
    { fromUsd: 0, maxLeverage: 40 },
    { fromUsd: 150_000_000, maxLeverage: 20 },
  ],
  'evmvenue:ETH': [
    { fromUsd: 0, maxLeverage: 25 },
    { fromUsd: 100_000_000, maxLeverage: 15 },
  ],
  'evmvenue:SOL': [
    { fromUsd: 0, maxLeverage: 20 },
    { fromUsd: 70_000_000, maxLeverage: 10 },
  ],
};

/** `maxLeverage` of perpetuals on shares. */
const SHARE_PERP: readonly MarginTier[] = [{ fromUsd: 0, maxLeverage: 10 }];

/** Lowest leverage of the venue, for markets without published tiers. */
const UNLISTED: readonly MarginTier[] = [{ fromUsd: 0, maxLeverage: 3 }];

/** True if the instrument is a perpetual, which binds margin, and pays or receives funding. */
export function isPerpetual(instrument: InstrumentKey): boolean {
  return instrument.startsWith('evmvenue:');
}

/** Returns the margin tiers of a perpetual, smallest first. */
export function findMarginTiers(instrument: InstrumentKey): readonly MarginTier[] {
  if (Object.hasOwn(LISTED, instrument)) return LISTED[instrument] as readonly MarginTier[];
  return instrument.startsWith(`evmvenue:${SHARE_DEX}:`) ? SHARE_PERP : UNLISTED;
}

/**
 * Returns the leverage by which positions in an instrument are margined: the mandate's, and at most the venue's for the largest position
 * that the mandate allows. Spot is paid in full, and a perpetual never binds more than its value.
 */
export function computeLeverage(instrument: InstrumentKey, { maxLeverage, maxCapitalUsd }: LeverageLimits): DecimalString {
  if (!isPerpetual(instrument) || !new Decimal(maxLeverage).gt(1)) return '1';
  const largest = new Decimal(maxCapitalUsd).times(maxLeverage);
  const tier = findMarginTiers(instrument).findLast(({ fromUsd }) => largest.gte(fromUsd)) as MarginTier;
  return new Decimal(maxLeverage).lte(tier.maxLeverage) ? maxLeverage : String(tier.maxLeverage);
}

/** A line of the maintenance margin over the position's value: rate x value - deduction. The highest line applies. */
interface MaintenanceLine {
  readonly rate: Decimal;
  readonly deduction: Decimal;
}

/** Returns half of the initial margin at each tier's maximum leverage. Deductions make it continuous between tiers. */
function maintenanceLines(tiers: readonly MarginTier[]): MaintenanceLine[] {
  const lines: MaintenanceLine[] = [];
  for (const { fromUsd, maxLeverage } of tiers) {
    const rate = new Decimal(1).div(2 * maxLeverage);
    const before = lines.at(-1) ?? { rate, deduction: new Decimal(0) };
    lines.push({ rate, deduction: before.deduction.plus(rate.minus(before.rate).times(fromUsd)) });
  }
  return lines;
}

/** Returns the maintenance margin of a position of this value, in US dollars. */
export function maintenanceMargin(valueUsd: Decimal | DecimalString, tiers: readonly MarginTier[]): Decimal {
  return Decimal.max(0, ...maintenanceLines(tiers).map(({ rate, deduction }) => rate.times(valueUsd).minus(deduction)));
}

/** A long position and its margin. US dollars. */
export interface MarginedPosition {
  readonly quantity: Decimal | DecimalString;
  readonly costUsd: Decimal | DecimalString;
  /** Cost divided by the leverage. */
  readonly marginUsd: Decimal | DecimalString;
  readonly tiers: readonly MarginTier[];
}

/** Liquidation price as a line over the funding that each unit of the position has paid. The highest line applies. */
interface LiquidationLine {
  readonly priceUsd: Decimal;
  readonly perFundingUsd: Decimal;
}

/**
 * Returns the lines at which a position's equity equals its maintenance margin, per tier: margin - funding + value - cost = rate x value -
 * deduction.
 */
export function liquidationLines({ quantity, costUsd, marginUsd, tiers }: MarginedPosition): LiquidationLine[] {
  const borrowed = new Decimal(costUsd).minus(marginUsd);
  return maintenanceLines(tiers).map(({ rate, deduction }) => {
    const perFundingUsd = new Decimal(1).div(new Decimal(1).minus(rate));
    return { priceUsd: borrowed.minus(deduction).div(quantity).times(perFundingUsd), perFundingUsd };
  });
}

/** Returns the price at which a position is liquidated after it has paid this funding. Not positive if no price does. */
export function liquidationPrice(position: MarginedPosition, fundingUsd: Decimal | DecimalString): Decimal {
  const perUnit = new Decimal(fundingUsd).div(position.quantity);
  return Decimal.max(...liquidationLines(position).map(({ priceUsd, perFundingUsd }) => priceUsd.plus(perFundingUsd.times(perUnit))));
}

/** Limits of a book that determine its leverage. */
export interface LeverageLimits {
  readonly maxLeverage: DecimalString;
  readonly maxCapitalUsd: DecimalString;
}

/** Returns the margin of a held perpetual. */
export function marginHolding(
  { instrument, quantity, costUsd }: Position,
  limits: LeverageLimits,
): { readonly position: MarginedPosition; readonly leverage: DecimalString } {
  const leverage = computeLeverage(instrument, limits);
  return { position: { quantity, costUsd, marginUsd: new Decimal(costUsd).div(leverage), tiers: findMarginTiers(instrument) }, leverage };
}

/** Margin of a held perpetual, and the price that ends it. */
export interface HoldingMargin {
  readonly leverage: DecimalString;
  /** Cost divided by the leverage, in US dollars. */
  readonly marginUsd: DecimalString;
  /** Bid at or below which it is liquidated, rounded up; null if none above zero does. */
  readonly liquidationPrice: DecimalString | null;
}

/** Returns what a held perpetual binds, and the price at which it is liquidated after it has paid this funding. */
export function describeMargin(held: Position, limits: LeverageLimits, paidUsd: Decimal): HoldingMargin {
  const { position, leverage } = marginHolding(held, limits);
  const price = liquidationPrice(position, paidUsd).toDecimalPlaces(PRICE_DECIMALS, Decimal.ROUND_UP);
  return {
    leverage,
    marginUsd: plainDecimal(new Decimal(position.marginUsd)),
    liquidationPrice: price.gt(0) ? plainDecimal(price) : null,
  };
}

/** Liquidation by the venue: the position is sold in the book at the price met, or taken over with all of its margin. */
interface Liquidation {
  readonly by: 'market' | 'backstop';
  readonly priceUsd: Decimal;
}

/**
 * Returns the liquidation of a position at a price, or null while its equity is above the maintenance margin. Below two thirds of it the
 * venue takes the position over, and exactly the margin is lost: the price is then where the equity is zero. The venue charges no
 * liquidation fee. A sale in the book costs its taker fee.
 */
export function liquidationAt(
  position: MarginedPosition,
  fundingUsd: Decimal | DecimalString,
  priceUsd: Decimal | DecimalString,
): Liquidation | null {
  const value = new Decimal(position.quantity).times(priceUsd);
  const equity = value.minus(position.costUsd).plus(position.marginUsd).minus(fundingUsd);
  const maintenance = maintenanceMargin(value, position.tiers);
  if (equity.gt(maintenance)) return null;
  if (equity.times(3).gte(maintenance.times(2))) return { by: 'market', priceUsd: new Decimal(priceUsd) };
  return { by: 'backstop', priceUsd: new Decimal(priceUsd).minus(equity.div(position.quantity)) };
}

/** Decimals of a fee in US dollars. */
const FEE_DECIMALS = 6;

/**
 * Returns the fill by which the venue closes a whole position. Its slippage is measured against its own price, because there was no
 * decision.
 */
export function liquidationFill(
  held: Position,
  { by, priceUsd }: Liquidation,
  named: { readonly id: string; readonly bookId: string; readonly at: EpochMs },
): Fill {
  const { instrument, quantity } = held;
  const fillPrice = plainDecimal(priceUsd.toDecimalPlaces(PRICE_DECIMALS, Decimal.ROUND_FLOOR));
  const notional = new Decimal(quantity).times(fillPrice);
  const feeBps = by === 'market' ? findCostModel(instrument).takerFeeBps : 0;
  return {
    ...named,
    orderId: named.id,
    instrument,
    side: 'sell',
    quantity,
    fillPrice,
    feeUsd: plainDecimal(notional.times(feeBps).div(10_000).toDecimalPlaces(FEE_DECIMALS, Decimal.ROUND_CEIL)),
    notionalUsd: plainDecimal(notional),
    decisionPrice: fillPrice,
    slippageBps: 0,
    quotes: [],
  };
}
