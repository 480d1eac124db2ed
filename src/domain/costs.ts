/** What a simulated trade costs: spread, venue fee, depth and latency under a named model, the same on paper and in a backtest. */
import { Decimal, type DecimalString, plainDecimal } from './decimal.ts';
import { EXECUTABLE_VENUES, type ExecutableVenue, isExecutable, type InstrumentKey, splitInstrumentKey, VENUE_FACTS } from './venue.ts';
import type { CostModel } from './venues/venue-facts.ts';

/** What trading costs on each venue that trades. */
export const COST_MODELS = Object.fromEntries(EXECUTABLE_VENUES.map((venue) => [venue, VENUE_FACTS[venue].costs])) as Readonly<
  Record<ExecutableVenue, CostModel>
>;

/** The model of the instrument: its own where its venue has one for it, else the venue's. @throws Error for an instrument of a venue where nothing trades. */
export function costModelOf(instrument: InstrumentKey): CostModel {
  const { venue, instrument: name } = splitInstrumentKey(instrument);
  if (!isExecutable(venue)) throw new Error(`${instrument} never trades: the prices of ${venue} are for comparison`);
  return VENUE_FACTS[venue].costsOf?.(name) ?? COST_MODELS[venue];
}

/** Ten thousand basis points are the whole. */
const BPS = 10_000;

/** The venue's fee of a notional, in US dollars, rounded up to a millionth: never in the trader's favour. */
export function feeUsdOf(notionalUsd: Decimal | DecimalString, model: CostModel): DecimalString {
  return plainDecimal(new Decimal(notionalUsd).times(model.takerFeeBps).div(BPS).toDecimalPlaces(6, Decimal.ROUND_UP));
}

/**
 * The average price of taking `quantity` out of a constant-product pool at `startPrice`: for a buy of notional N against
 * one side worth U the average is startPrice x (1 + N/U), for a sell startPrice x U/(U + N). `liquidityUsd` is both
 * sides together.
 */
export function pooledPrice(
  side: 'buy' | 'sell',
  startPrice: Decimal | DecimalString,
  quantity: Decimal | DecimalString,
  liquidityUsd: Decimal | DecimalString,
): Decimal {
  const start = new Decimal(startPrice);
  const notional = start.times(quantity);
  const oneSide = new Decimal(liquidityUsd).div(2);
  // A buy of q tokens out of T = U/p leaves T - q: the average price is U/(T - q) = p U/(U - N).
  if (side === 'buy')
    return notional.gte(oneSide) ? new Decimal(Number.POSITIVE_INFINITY) : start.times(oneSide).div(oneSide.minus(notional));
  return start.times(oneSide).div(oneSide.plus(notional));
}

/** How far a price lies on the bad side of the one that was decided on, in basis points; below zero where it is better. A ratio, hence a number. */
export function slippageBpsOf(side: 'buy' | 'sell', decisionPrice: Decimal | DecimalString, fillPrice: Decimal | DecimalString): number {
  const decided = new Decimal(decisionPrice);
  const away = new Decimal(fillPrice).minus(decided).div(decided).times(BPS);
  return (side === 'buy' ? away : away.neg()).toDecimalPlaces(4).toNumber() + 0;
}
