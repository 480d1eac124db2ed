/** Ranking of pre-IPO markets at a cut, by mode. Pure. */
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Cut, Observation } from '../market/cut.ts';
import { LIQUIDITY_FORMULA, scoreEvents, scoreGap, scoreLiquidity } from './fair-value.ts';
import { type ClosedBar, computeMomentum } from './momentum.ts';
import { FIT_FORMULA, type FitPortfolio, fitTerms } from './portfolio-fit.ts';
import { gapFlags, gapReasons, type RankedRow, rankRows, type Scored, exclusionReasons, term } from './ranked-row.ts';

export const PRIVATE_MODES = [
  'gap_to_mark',
  'deepest_discount',
  'highest_premium',
  'liquidity',
  'momentum',
  'news_intensity',
  'portfolio_fit',
] as const;
export type PrivateMode = (typeof PRIVATE_MODES)[number];

/** Formulas of the scores, one sentence per mode. */
export const PRIVATE_FORMULAS: Readonly<Record<PrivateMode, string>> = {
  gap_to_mark: 'absolute gap to the issuer mark in percent',
  deepest_discount: 'discount to the issuer mark in percent (minus the gap)',
  highest_premium: 'premium over the issuer mark in percent (the gap)',
  liquidity: LIQUIDITY_FORMULA,
  momentum: '0.6 x 24-hour return + 0.4 x 168-hour return, both in percent, from stored hourly bars',
  news_intensity: 'sum over confirmed active events of severity (1, 2, 4 or 8) x 0.5 ^ (age / 24 h)',
  portfolio_fit: FIT_FORMULA,
};

/** Inputs of the modes besides the cut. */
export interface PrivateRequest {
  readonly mode: PrivateMode;
  readonly slippageBps: number;
  /** Stored hourly bars by instrument, for `momentum`. */
  readonly bars?: ReadonlyMap<string, readonly ClosedBar[]>;
  /** Portfolio of the caller, for `portfolio_fit`. Null if it has no value. */
  readonly portfolio?: FitPortfolio | null;
}

function scoreSize(entry: CatalogEntry, seen: Observation | undefined): Scored {
  const made = scoreGap(entry, seen, 1);
  const gap = made.ranked ? (seen?.gapToMarkPct as number) : 0;
  return made.ranked ? { ...made, terms: [term('size of the gap in percent', Math.abs(gap))] } : made;
}

function scoreMomentum(entry: CatalogEntry, seen: Observation | undefined, bars: readonly ClosedBar[] | undefined): Scored {
  const exclusions = exclusionReasons(entry, seen);
  if (exclusions.length > 0 || seen === undefined) return { ranked: false, reasons: exclusions };
  const momentum = computeMomentum(bars ?? [], seen.slot);
  return momentum === null
    ? { ranked: false, reasons: ['no_bars'] }
    : { ranked: true, terms: momentum.terms, shown: { bars: momentum.bars } };
}

function scoreNews(entry: CatalogEntry, seen: Observation | undefined): Scored {
  const confirmed = seen === undefined || seen.events === null ? seen : { ...seen, events: seen.events.filter(({ rumor }) => !rumor) };
  return scoreEvents(entry, confirmed);
}

function scoreFit(entry: CatalogEntry, seen: Observation | undefined, portfolio: FitPortfolio | null | undefined): Scored {
  const reasons = gapReasons(entry, seen);
  if (seen !== undefined && seen.liquidityUsd === null) reasons.push('no_pool');
  if (portfolio === null || portfolio === undefined) reasons.push('no_portfolio');
  if (reasons.length > 0) return { ranked: false, reasons };
  const { gapToMarkPct, liquidityUsd } = seen as Observation;
  const token = {
    gapPct: gapToMarkPct as number,
    liquidityUsd: liquidityUsd as string,
    sector: entry.sector,
    underlying: entry.underlying,
  };
  return { ranked: true, terms: fitTerms(token, portfolio as FitPortfolio), flags: gapFlags(seen) };
}

function scored(entry: CatalogEntry, seen: Observation | undefined, request: PrivateRequest): Scored {
  switch (request.mode) {
    case 'gap_to_mark':
      return scoreSize(entry, seen);
    case 'deepest_discount':
      return scoreGap(entry, seen, -1);
    case 'highest_premium':
      return scoreGap(entry, seen, 1);
    case 'liquidity':
      return scoreLiquidity(entry, seen, request.slippageBps);
    case 'momentum':
      return scoreMomentum(entry, seen, request.bars?.get(entry.key));
    case 'news_intensity':
      return scoreNews(entry, seen);
    case 'portfolio_fit':
      return scoreFit(entry, seen, request.portfolio);
  }
}

/** Ranks pre-IPO tokens. An entry without an observation in the cut stays in the list, unranked. */
export function rankPrivateMarkets(entries: readonly CatalogEntry[], cut: Cut, request: PrivateRequest): RankedRow[] {
  const tokens = entries.filter(({ kind }) => kind === 'pre_ipo');
  return rankRows(
    tokens.map((entry) => {
      const seen = cut.observations.get(entry.key);
      return { entry, seen, scored: scored(entry, seen, request) };
    }),
  );
}
