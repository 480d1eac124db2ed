/**
 * What trading in parallel to the live market has shown: each paper fill of the shadow stage beside the price at which
 * the live market would have taken the same order a moment later.
 */
import type { Fill } from './book.ts';
import type { DecimalString } from './decimal.ts';
import type { ShadowFill, ShadowSeries } from './evidence.ts';
import type { EpochMs } from './time.ts';

/** The rows that a shadow evaluation looks at. */
export interface ShadowRows {
  readonly enteredAt: EpochMs;
  readonly evaluatedAt: EpochMs;
  /** The manifest's slippage budget. */
  readonly maxSlippageBps: number;
  /** Fills of the paper book, ascending by `at`. */
  readonly fills: readonly Fill[];
  /** By fill: the live ask (of a buy) or bid (of a sell) at the first cut after it, at most a minute later; missing where it was not live. */
  readonly marketPrices: ReadonlyMap<string, DecimalString>;
}

/** The series of a shadow evaluation: the fills of the stage that have a live market price beside them. */
export function shadowSeriesOf(rows: ShadowRows): ShadowSeries {
  const fills: ShadowFill[] = [];
  for (const fill of rows.fills) {
    if (fill.at < rows.enteredAt || fill.at > rows.evaluatedAt) continue;
    const market = rows.marketPrices.get(fill.id);
    if (market !== undefined) fills.push([fill.at, fill.side, fill.decisionPrice, fill.fillPrice, market, fill.notionalUsd]);
  }
  return { enteredAt: rows.enteredAt, evaluatedAt: rows.evaluatedAt, maxSlippageBps: rows.maxSlippageBps, fills };
}
