/**
 * Result of trading in parallel to the live market: each paper fill of the shadow stage beside what the flow of its venue would have given.
 */
import type { Fill } from '../books/book.ts';
import { RULES_VERSION, type ShadowedFill, type ShadowSeries } from './evidence.ts';
import type { ShadowMeasurement } from '../shadow/measure.ts';
import type { EpochMs } from '../values/time.ts';

/** A fill that nobody has measured for so long is unknown. Milliseconds. */
export const UNMEASURED_MS = 300_000;

/** The rows that a shadow evaluation looks at. */
export interface ShadowRows {
  readonly enteredAt: EpochMs;
  readonly evaluatedAt: EpochMs;
  /** The manifest's slippage budget. */
  readonly maxSlippageBps: number;
  /** Fills of the paper book, ascending by `at`. */
  readonly fills: readonly Fill[];
  /** Result that the flow of its window gave, by fill. */
  readonly measured: ReadonlyMap<string, Pick<ShadowMeasurement, 'outcome' | 'quantity' | 'price'>>;
}

/** The series of a shadow evaluation: the fills of the stage, but for those whose measurement may still come. */
export function shadowSeriesOf({ enteredAt, evaluatedAt, maxSlippageBps, fills, measured }: ShadowRows): ShadowSeries {
  const orders: ShadowedFill[] = [];
  for (const { id, at, side, decisionPrice, fillPrice, quantity } of fills) {
    if (at < enteredAt || at > evaluatedAt) continue;
    const found = measured.get(id);
    if (found === undefined && at >= evaluatedAt - UNMEASURED_MS) continue;
    const { outcome, ...flow } = found ?? { outcome: 'unknown', quantity: null, price: null };
    orders.push([at, side, decisionPrice, fillPrice, quantity, outcome, flow.quantity, flow.price]);
  }
  return { rules: RULES_VERSION.shadow, enteredAt, evaluatedAt, maxSlippageBps, orders };
}
