/** net_edge_above: buying a token at its discount earns more than a round trip costs, by a margin. */
import { netEdgeBps, roundTripCosts } from '../basis/round-trip.ts';
import { findCostModel } from '../orders/costs.ts';
import type { Observation } from '../market/cut.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import { type ConditionDefinition, compileNumber, NO_NEEDS, numberField, textField } from './condition.ts';

/** Inputs of the net edge. */
export type NetEdgeSeen = Pick<Observation, 'instrument' | 'premiumPct' | 'liquidityUsd'> & {
  readonly quote: Pick<NonNullable<Observation['quote']>, 'bid' | 'ask' | 'mid'> | null;
};

/** Returns the net edge of buying at a discount, in basis points, or null if a part is unknown. */
export function netEdge(condition: ManifestCondition): (observation: NetEdgeSeen) => number | null {
  const notionalUsd = textField(condition, 'notionalUsd');
  const transferFeeBps = numberField(condition, 'transferFeeBps');
  return ({ instrument, quote, premiumPct, liquidityUsd }) => {
    if (quote === null || premiumPct === null) return null;
    const { bid, ask, mid } = quote;
    const costs = roundTripCosts({
      bid,
      ask,
      mid,
      liquidityUsd,
      notionalUsd,
      takerFeeBps: findCostModel(instrument).takerFeeBps,
      transferFeeBps,
    });
    if (costs === null) return null;
    const edge = netEdgeBps(premiumPct, costs);
    // A premium is no discount: buying at it has the costs and no spread.
    return (premiumPct < 0 ? edge : netEdgeBps(0, costs)).toNumber();
  };
}

export const NET_EDGE_ABOVE: ConditionDefinition = {
  type: 'net_edge_above',
  description: 'The discount to the reference less the costs of a round trip lies above this. Needs a live quote and a live reference.',
  sides: ['entry'],
  kinds: ['tokenized_equity'],
  inputs: ['quote', 'reference', 'pool'],
  fields: {
    bps: { type: 'number', min: -10_000, max: 10_000, description: 'Basis points; passes strictly above it.' },
    notionalUsd: { type: 'decimal', min: '1', max: '10000000', description: 'The size that costs are computed for, in US dollars.' },
    transferFeeBps: {
      type: 'number',
      min: 0,
      max: 10_000,
      default: 0,
      description: 'Fee that the mint takes of each transfer, in basis points.',
    },
  },
  needs: NO_NEEDS,
  compile: (condition, carriedIn) =>
    compileNumber(netEdge(condition), 'above', numberField(condition, 'bps'), 'quote_and_reference', carriedIn),
  threshold: (condition) => numberField(condition, 'bps'),
};
