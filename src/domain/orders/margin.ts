/**
 * Isolated margin of perpetuals, by the venue's published rules. A long position binds its cost divided by its leverage;
 * gains, losses and funding move its equity, and at the maintenance margin the venue closes it.
 */
import { type Fill, type Position, PRICE_DECIMALS } from '../books/book.ts';
import { costModelOf } from './costs.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { SHARE_DEX } from '../venues/evmvenue.ts';

/** Tiers: the highest leverage that the venue gives from a position value on. */
export interface MarginTier {
  readonly fromUsd: number;
  readonly maxLeverage: number;
}

/** The venue's published margin tiers (trading/margin-tiers). */
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

/** Lowest leverage of the venue on any market, for markets without published tiers. */
const UNLISTED: readonly MarginTier[] = [{ fromUsd: 0, maxLeverage: 3 }];

/** True if the instrument is a perpetual: it binds margin, and pays or receives funding. */
export function isPerpetual(instrument: InstrumentKey): boolean {
  return instrument.startsWith('evmvenue:');
}

/** The margin tiers of a perpetual, the smallest first. */
export function marginTiersOf(instrument: InstrumentKey): readonly MarginTier[] {
  if (Object.hasOwn(LISTED, instrument)) return LISTED[instrument] as readonly MarginTier[];
  return instrument.startsWith(`evmvenue:${SHARE_DEX}:`) ? SHARE_PERP : UNLISTED;
}

/**
 * The leverage that positions in an instrument are margined by: the mandate's, and at most the venue's for the largest
 * position that the mandate lets a book hold. Spot is paid in full, and a perpetual never binds more than its value.
 */
export function leverageOf(
  instrument: InstrumentKey,
  { maxLeverage, maxCapitalUsd }: { readonly maxLeverage: DecimalString; readonly maxCapitalUsd: DecimalString },
): DecimalString {
  if (!isPerpetual(instrument) || !new Decimal(maxLeverage).gt(1)) return '1';
  const largest = new Decimal(maxCapitalUsd).times(maxLeverage);
  const tier = marginTiersOf(instrument).findLast(({ fromUsd }) => largest.gte(fromUsd)) as MarginTier;
  return new Decimal(maxLeverage).lte(tier.maxLeverage) ? maxLeverage : String(tier.maxLeverage);
}

/** The maintenance margin as lines over the position's value: rate x value - deduction. The highest line holds. */
interface MaintenanceLine {
  readonly rate: Decimal;
  readonly deduction: Decimal;
}

/** Half of the initial margin at the tier's largest leverage; deductions make it continuous from tier to tier. */
function maintenanceLines(tiers: readonly MarginTier[]): MaintenanceLine[] {
  const lines: MaintenanceLine[] = [];
  for (const { fromUsd, maxLeverage } of tiers) {
    const rate = new Decimal(1).div(2 * maxLeverage);
    const before = lines.at(-1) ?? { rate, deduction: new Decimal(0) };
    lines.push({ rate, deduction: before.deduction.plus(rate.minus(before.rate).times(fromUsd)) });
  }
  return lines;
}

/** Maintenance margin of a position of this value, in US dollars. */
export function maintenanceMargin(valueUsd: Decimal | DecimalString, tiers: readonly MarginTier[]): Decimal {
  return Decimal.max(0, ...maintenanceLines(tiers).map(({ rate, deduction }) => rate.times(valueUsd).minus(deduction)));
}

/** A long position with the margin that lies behind it. Amounts in US dollars. */
export interface MarginedPosition {
  readonly quantity: Decimal | DecimalString;
  readonly costUsd: Decimal | DecimalString;
  /** Cost divided by the leverage. */
  readonly marginUsd: Decimal | DecimalString;
  readonly tiers: readonly MarginTier[];
}

/** Liquidation price as a line over the funding that each unit of the position has paid; of several the highest holds. */
export interface LiquidationLine {
  readonly priceUsd: Decimal;
  readonly perFundingUsd: Decimal;
}

/** Returns the line at which a position's equity equals its maintenance margin, tier by tier: margin - funding + value - cost = rate x value - deduction. */
export function liquidationLines({ quantity, costUsd, marginUsd, tiers }: MarginedPosition): LiquidationLine[] {
  const borrowed = new Decimal(costUsd).minus(marginUsd);
  return maintenanceLines(tiers).map(({ rate, deduction }) => {
    const perFundingUsd = new Decimal(1).div(new Decimal(1).minus(rate));
    return { priceUsd: borrowed.minus(deduction).div(quantity).times(perFundingUsd), perFundingUsd };
  });
}

/** Returns the price at which a position is liquidated after it has paid this funding; not above zero if no price does. */
export function liquidationPrice(position: MarginedPosition, fundingUsd: Decimal | DecimalString): Decimal {
  const perUnit = new Decimal(fundingUsd).div(position.quantity);
  return Decimal.max(...liquidationLines(position).map(({ priceUsd, perFundingUsd }) => priceUsd.plus(perFundingUsd.times(perUnit))));
}

/** Liquidation by the venue: the position is sold in the book at the price met, or taken over with all of its margin. */
export interface Liquidation {
  readonly by: 'market' | 'backstop';
  readonly priceUsd: Decimal;
}

/**
 * Returns the liquidation of a position at a price, or null while its equity is above the maintenance margin. Below two thirds of
 * it the venue takes the position over and the margin is lost, and no more than the margin: its price is then where the equity is
 * zero. The venue takes no liquidation fee; a sale in the book costs its taker fee.
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

/** Returns the fill by which the venue ends a whole position. It is measured against its own price, because there was no decision. */
export function liquidationFill(
  held: Position,
  { by, priceUsd }: Liquidation,
  named: { readonly id: string; readonly bookId: string; readonly at: EpochMs },
): Fill {
  const { instrument, quantity } = held;
  const fillPrice = plainDecimal(priceUsd.toDecimalPlaces(PRICE_DECIMALS, Decimal.ROUND_FLOOR));
  const notional = new Decimal(quantity).times(fillPrice);
  const feeBps = by === 'market' ? costModelOf(instrument).takerFeeBps : 0;
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
