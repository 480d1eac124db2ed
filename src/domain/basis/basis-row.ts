/** Basis of one underlying: token, reference and perpetual, with the spreads between them and their costs. Pure. */
import { type CatalogEntry, isTradableAt } from '../catalog/catalog.ts';
import { isCarriedReference } from '../conditions/carried-reference.ts';
import { isQuoteLive, isReferenceLive } from '../conditions/condition.ts';
import { findCostModel, poolOfDepth, findTransferFeeBps } from '../orders/costs.ts';
import type { Cut, Observation } from '../market/cut.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { toRatioText, type PriceFact } from '../ranking/ranked-row.ts';
import { percentAbove } from '../market/valuation.ts';
import type { HalfLife } from './half-life.ts';
import { type CostTerm, netEdgeBps, type RoundTrip, roundTripCosts } from './round-trip.ts';

/** Reasons why there is no edge. */
export const NO_EDGE_REASONS = [
  'not_observed',
  'not_traded',
  'token_not_live',
  'no_reference',
  'reference_not_live',
  'reference_carried_forward',
  'perpetual_not_live',
  'no_perpetual',
  'no_funding',
  'no_pool',
  'no_half_life',
] as const;
type NoEdgeReason = (typeof NO_EDGE_REASONS)[number];

/** A spread with its costs. Basis points are ratios as decimal strings, positive if the token is the costlier leg. */
interface BasisEdge {
  readonly against: 'reference' | 'perpetual';
  readonly spreadBps: DecimalString | null;
  readonly costs: readonly { readonly name: string; readonly bps: DecimalString }[];
  /** |spread| - costs, or null if a leg is not live or a cost is unknown. */
  readonly netEdgeBps: DecimalString | null;
  readonly halfLifeHours: number | null;
  readonly reasons: readonly NoEdgeReason[];
}

export interface BasisRow {
  readonly symbol: string;
  readonly underlying: string;
  readonly at: number;
  readonly notionalUsd: DecimalString;
  readonly legs: { readonly token: PriceFact | null; readonly reference: PriceFact | null; readonly perpetual: PriceFact | null };
  readonly hourlyFunding: DecimalString | null;
  readonly liquidityUsd: DecimalString | null;
  readonly edges: readonly BasisEdge[];
}

/** Inputs of a row besides the cut. */
export interface BasisInputs {
  /** Size that costs are computed for, in US dollars. */
  readonly notionalUsd: DecimalString;
  /** Half-lives of the token against its reference and its perpetual, or null if no bars are stored. */
  readonly halfLife: { readonly reference: HalfLife | null; readonly perpetual: HalfLife | null };
}

function tokenLeg(seen: Observation | undefined): PriceFact | null {
  const quote = seen?.quote ?? null;
  if (quote === null || quote.mid === null) return null;
  const { source, observedAt, ageMs, quality, flags } = quote;
  return { price: quote.mid, source, observedAt, ageMs, quality, flags };
}

function referenceLeg(entry: CatalogEntry, seen: Observation | undefined): PriceFact | null {
  const reference = seen?.reference ?? null;
  if (reference === null) return null;
  const { ageMs, quality, flags } = reference;
  return {
    price: reference.referencePrice,
    source: reference.source ?? entry.benchmark ?? 'reference',
    observedAt: reference.feedUpdatedAt,
    ageMs,
    quality,
    flags,
  };
}

type QuotedPrices = Pick<RoundTrip, 'bid' | 'ask' | 'mid'>;

/**
 * Returns the depth of both sides, in US dollars, that a trade takes: a token's observed pools, or else the cost model's book. Null if
 * unknown.
 */
function findDepthUsd(entry: CatalogEntry, seen: Observation): DecimalString | null {
  return entry.token === null ? poolOfDepth(findCostModel(entry.key).depthUsd) : seen.liquidityUsd;
}

/** Returns the cost terms of a round trip in the token at the cut, or null if a part is unknown. */
function tokenCosts(entry: CatalogEntry, seen: Observation, notionalUsd: DecimalString): CostTerm[] | null {
  const { takerFeeBps } = findCostModel(entry.key);
  const transferFeeBps = findTransferFeeBps(entry.key);
  const quote = withoutTransferFee(seen.quote ?? { bid: null, ask: null, mid: null }, transferFeeBps);
  return roundTripCosts({ ...quote, liquidityUsd: findDepthUsd(entry, seen), notionalUsd, takerFeeBps, transferFeeBps });
}

/** Returns the best prices of a pool before the mint's transfer fee, which is a separate cost. Quoted prices are net of it. */
function withoutTransferFee({ bid, ask, mid }: QuotedPrices, transferFeeBps: number): QuotedPrices {
  if (bid === null || ask === null || mid === null || transferFeeBps === 0) return { bid, ask, mid };
  const fee = new Decimal(mid).times(transferFeeBps).div(10_000);
  const below = Decimal.min(fee.plus(bid), mid);
  return { bid: plainDecimal(below), ask: plainDecimal(Decimal.max(new Decimal(ask).minus(fee), below)), mid };
}

function shownCosts(costs: readonly CostTerm[]): BasisEdge['costs'] {
  return costs.map(({ name, bps }) => ({ name, bps: plainDecimal(bps.toDecimalPlaces(4)) }));
}

function computeEdge(
  against: BasisEdge['against'],
  spreadPct: number | null,
  costs: readonly CostTerm[] | null,
  halfLife: HalfLife | null,
  reasons: NoEdgeReason[],
): BasisEdge {
  const open = reasons.length === 0 && spreadPct !== null && costs !== null;
  return {
    against,
    spreadBps: spreadPct === null ? null : toRatioText(spreadPct * 100),
    costs: costs === null ? [] : shownCosts(costs),
    netEdgeBps: open ? plainDecimal(netEdgeBps(spreadPct, costs)) : null,
    halfLifeHours: halfLife?.hours ?? null,
    reasons,
  };
}

/** Returns why the token leg carries no edge. */
function tokenReasons(entry: CatalogEntry, seen: Observation | undefined): NoEdgeReason[] {
  if (seen === undefined) return ['not_observed'];
  if (entry.token !== null && !isTradableAt(entry.token, seen.slot)) return ['not_traded'];
  return [
    ...(isQuoteLive(seen) && seen.quote?.mid !== null ? [] : (['token_not_live'] as const)),
    ...(findDepthUsd(entry, seen) === null ? (['no_pool'] as const) : []),
  ];
}

/** Returns the reasons why the perpetual leg has no edge. */
function perpetualReasons(entry: CatalogEntry, perpetual: Observation | undefined, heldHours: number | null): NoEdgeReason[] {
  if (entry.pairedPerp === null) return ['no_perpetual'];
  return [
    ...(perpetual !== undefined && isQuoteLive(perpetual) && perpetual.quote?.mid !== null ? [] : (['perpetual_not_live'] as const)),
    ...(perpetual === undefined || perpetual.hourlyFunding === null ? (['no_funding'] as const) : []),
    ...(heldHours === null ? (['no_half_life'] as const) : []),
  ];
}

/**
 * Returns the further costs of a round trip in the perpetual: fees, spread, impact on the depth that its cost model assumes, and funding
 * for the half-life of the spread. Funding counts as a cost in both directions, because it changes sign. Null if a price or the funding is
 * unknown.
 */
function perpetualCosts(
  { instrument, quote, hourlyFunding }: Observation,
  heldHours: number,
  notionalUsd: DecimalString,
): CostTerm[] | null {
  if (quote === null || quote.bid === null || quote.ask === null || quote.mid === null || hourlyFunding === null) return null;
  const { takerFeeBps, depthUsd } = findCostModel(instrument);
  return [
    { name: 'fees of the perpetual, both ways', bps: new Decimal(takerFeeBps).times(2) },
    { name: 'spread of the perpetual', bps: new Decimal(quote.ask).minus(quote.bid).div(quote.mid).times(10_000) },
    { name: 'impact on the perpetual, both ways', bps: new Decimal(notionalUsd).div(depthUsd).times(100) },
    { name: 'funding until the mean half-life', bps: new Decimal(hourlyFunding).abs().times(heldHours).times(10_000) },
  ];
}

/**
 * Computes the basis of a tokenized instrument at a cut. A leg that is not live gives no edge. A reference carried forward from an earlier
 * session is not live. @param perpetual Observation of the perpetual on the same underlying, or undefined.
 */
export function basisRow(entry: CatalogEntry, cut: Cut, perpetual: Observation | undefined, inputs: BasisInputs): BasisRow {
  const seen = cut.observations.get(entry.key);
  const [token, reference, perp] = [tokenLeg(seen), referenceLeg(entry, seen), tokenLeg(perpetual)];
  const base = tokenReasons(entry, seen);
  const costs = seen === undefined ? null : tokenCosts(entry, seen, inputs.notionalUsd);
  const againstReference: NoEdgeReason[] = [...base];
  if (entry.benchmarkKind !== 'reference_price') againstReference.push('no_reference');
  else if (seen !== undefined && !isReferenceLive(seen)) {
    const { reference: observed, slot } = seen;
    const isCarried = isCarriedReference(observed, slot) || observed?.flags.includes('carried_forward') === true;
    againstReference.push(isCarried ? 'reference_carried_forward' : 'reference_not_live');
  }
  const held = inputs.halfLife.perpetual?.hours ?? null;
  const againstPerp: NoEdgeReason[] = [...base, ...perpetualReasons(entry, perpetual, held)];
  const own = perpetual === undefined || held === null ? null : perpetualCosts(perpetual, held, inputs.notionalUsd);
  const perpCosts = costs === null || own === null ? null : [...costs, ...own];
  const spread = (leg: PriceFact | null): number | null => (token === null || leg === null ? null : percentAbove(token.price, leg.price));
  return {
    symbol: entry.instrument,
    underlying: entry.underlying,
    at: cut.slot,
    notionalUsd: inputs.notionalUsd,
    legs: { token, reference, perpetual: perp },
    hourlyFunding: perpetual?.hourlyFunding ?? null,
    liquidityUsd: seen?.liquidityUsd ?? null,
    edges: [
      computeEdge('reference', spread(reference), costs, inputs.halfLife.reference, againstReference),
      computeEdge('perpetual', spread(perp), perpCosts, inputs.halfLife.perpetual, againstPerp),
    ],
  };
}
