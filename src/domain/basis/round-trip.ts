/** Cost of a round trip in a token, in basis points of its size: fees, spread, pool impact and the mint's transfer fee. */
import { pooledPrice } from '../orders/costs.ts';
import { Decimal, type DecimalString } from '../values/decimal.ts';

/** Inputs of the costs. Liquidity is both sides of the pools in US dollars. */
export interface RoundTrip {
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
  readonly mid: DecimalString | null;
  readonly liquidityUsd: DecimalString | null;
  readonly notionalUsd: DecimalString;
  readonly takerFeeBps: number;
  readonly transferFeeBps: number;
}

export interface CostTerm {
  readonly name: string;
  readonly bps: Decimal;
}

/** Returns the cost terms, or null if a price or the liquidity is unknown or the pools hold less than the size. */
export function roundTripCosts({ bid, ask, mid, liquidityUsd, notionalUsd, takerFeeBps, transferFeeBps }: RoundTrip): CostTerm[] | null {
  if (bid === null || ask === null || mid === null || liquidityUsd === null) return null;
  const quantity = new Decimal(notionalUsd).div(mid);
  const buy = pooledPrice('buy', mid, quantity, liquidityUsd);
  if (!buy.isFinite()) return null;
  const sell = pooledPrice('sell', mid, quantity, liquidityUsd);
  return [
    { name: 'venue fees, both ways', bps: new Decimal(takerFeeBps).times(2) },
    { name: 'spread of the token', bps: new Decimal(ask).minus(bid).div(mid).times(10_000) },
    { name: 'impact, both ways', bps: buy.minus(sell).div(mid).times(10_000) },
    { name: 'transfer fee of the mint, both ways', bps: new Decimal(transferFeeBps).times(2) },
  ];
}

/** Returns the size of a spread in percent minus the costs, in basis points to four decimals. */
export function netEdgeBps(spreadPct: number, costs: readonly CostTerm[]): Decimal {
  const total = costs.reduce((sum, { bps }) => sum.plus(bps), new Decimal(0));
  return new Decimal(spreadPct).abs().times(100).minus(total).toDecimalPlaces(4);
}
