/** Fair-value ranking of tokenized equities at a cut, by mode. Pure: the same cut gives the same ranking. */
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Cut, Observation } from '../market/cut.ts';
import { expectedSlippageBps, assumedMarketState, observedState } from '../orders/costs.ts';
import { DEFAULT_DEPTH_LIMITS, type DepthAnswer, findDepth } from './depth-search.ts';
import type { DecimalString } from '../values/decimal.ts';
import { eventIntensity } from './event-intensity.ts';
import { gapFlags, gapReasons, type RankedRow, rankRows, type Scored, exclusionReasons, term } from './ranked-row.ts';

export const FAIR_VALUE_MODES = ['deepest_discount', 'highest_premium', 'liquidity', 'event_intensity'] as const;
export type FairValueMode = (typeof FAIR_VALUE_MODES)[number];

const GAP_PRICES =
  'only tokens with a live price are ranked; while the exchange is closed, the reference is the price of its last session (flag carried_reference)';

export const LIQUIDITY_FORMULA =
  'largest buy in US dollars whose average price stays within the slippage budget, as the cost model estimates it from the observed pool liquidity';

/** Formulas of the scores, one sentence per mode. */
export const FAIR_VALUE_FORMULAS: Readonly<Record<FairValueMode, string>> = {
  deepest_discount: `discount to the reference price in percent (minus the gap); ${GAP_PRICES}`,
  highest_premium: `premium over the reference price in percent (the gap); ${GAP_PRICES}`,
  liquidity: LIQUIDITY_FORMULA,
  event_intensity: 'sum over active events of severity (1, 2, 4 or 8) x 0.5 ^ (age / 24 h) x 1 if confirmed or 0.5 if a rumor',
};

export const DEFAULT_SLIPPAGE_BUDGET_BPS = 50;

interface FairValueRequest {
  readonly mode: FairValueMode;
  /** Slippage budget of a trade in basis points, for `liquidity` alone. */
  readonly slippageBps: number;
}

/** The gap as a score; `sign` -1 ranks the deepest discount first. */
export function scoreGap(entry: CatalogEntry, seen: Observation | undefined, sign: 1 | -1): Scored {
  const reasons = gapReasons(entry, seen);
  const gap = (entry.benchmarkKind === 'issuer_mark' ? seen?.gapToMarkPct : seen?.premiumPct) ?? null;
  if (reasons.length > 0 || gap === null) return { ranked: false, reasons: reasons.length > 0 ? reasons : ['no_reference'] };
  return { ranked: true, terms: [term(sign < 0 ? 'discount in percent' : 'premium in percent', gap * sign + 0)], flags: gapFlags(seen) };
}

/** The slippage that the cost model expects of a buy, by its notional at the best price, to a millionth of a basis point; no route in an empty pool. */
export function slippageOfBuys({ key }: Pick<CatalogEntry, 'key'>, liquidityUsd: DecimalString): (sizeUsd: DecimalString) => DepthAnswer {
  const pool = Number(liquidityUsd);
  if (!(pool > 0)) return () => null;
  const state = observedState(assumedMarketState(key), { halfSpreadBps: null, liquidityUsd: pool });
  return (sizeUsd) => Math.round(expectedSlippageBps('buy', Number(sizeUsd), state) * 1e6) / 1e6;
}

/** The largest trade within the slippage budget as a score. */
export function scoreLiquidity(entry: CatalogEntry, seen: Observation | undefined, slippageBps: number): Scored {
  const exclusions = exclusionReasons(entry, seen);
  if (exclusions.length > 0 || seen === undefined) return { ranked: false, reasons: exclusions };
  if (seen.liquidityUsd === null) return { ranked: false, reasons: ['no_pool'] };
  const depth = findDepth(slippageOfBuys(entry, seen.liquidityUsd), { ...DEFAULT_DEPTH_LIMITS, budgetBps: slippageBps });
  const shown = {
    poolLiquidityUsd: seen.liquidityUsd,
    slippageBudgetBps: slippageBps,
    maxTradeUsd: depth.maxUsd,
    maxTradeCostBps: depth.costBps,
    bound: depth.bound,
    requests: depth.requests,
    depthSource: 'constant_product_of_observed_liquidity',
  };
  if (depth.maxUsd === null) return { ranked: false, reasons: ['no_depth'], shown };
  return { ranked: true, terms: [term('largest trade in US dollars', depth.maxUsd)], shown };
}

/** The intensity of what is being said as a score. Nothing said scores zero; nobody listening has no rank. */
export function scoreEvents(entry: CatalogEntry, seen: Observation | undefined): Scored {
  const exclusions = exclusionReasons(entry, seen);
  if (exclusions.length > 0 || seen === undefined) return { ranked: false, reasons: exclusions };
  if (seen.events === null) return { ranked: false, reasons: ['events_unheard'] };
  const { terms, events } = eventIntensity(seen.events, seen.slot);
  return { ranked: true, terms, shown: { events } };
}

function scored(entry: CatalogEntry, seen: Observation | undefined, { mode, slippageBps }: FairValueRequest): Scored {
  switch (mode) {
    case 'deepest_discount':
      return scoreGap(entry, seen, -1);
    case 'highest_premium':
      return scoreGap(entry, seen, 1);
    case 'liquidity':
      return scoreLiquidity(entry, seen, slippageBps);
    case 'event_intensity':
      return scoreEvents(entry, seen);
  }
}

/** Ranks tokenized equities. An entry that the cut does not observe stays in the list, without a rank. */
export function rankFairValue(entries: readonly CatalogEntry[], cut: Cut, request: FairValueRequest): RankedRow[] {
  const equities = entries.filter(({ kind }) => kind === 'tokenized_equity');
  return rankRows(
    equities.map((entry) => {
      const seen = cut.observations.get(entry.key);
      return { entry, seen, scored: scored(entry, seen, request) };
    }),
  );
}
