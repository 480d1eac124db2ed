/** Results of the shadow stage: each paper fill beside what its venue's real flow would have given. */
import type { Fill } from '../books/book.ts';
import { RULES_VERSION, type ShadowedFill, type ShadowSeries } from './evidence.ts';
import type { ShadowMeasurement } from '../shadow/measure.ts';
import type { EpochMs } from '../values/time.ts';

/** Time in milliseconds after which an unmeasured fill is unknown. */
const UNMEASURED_MS = 300_000;

/** Rows that a shadow evaluation reads. */
export interface ShadowRows {
  readonly enteredAt: EpochMs;
  readonly evaluatedAt: EpochMs;
  /** Slippage budget of the manifest. */
  readonly maxSlippageBps: number;
  /** Fills of the paper book, ascending by `at`. */
  readonly fills: readonly Fill[];
  /** Measured result of each fill, from the flow of its window. */
  readonly measured: ReadonlyMap<string, Pick<ShadowMeasurement, 'outcome' | 'quantity' | 'price'>>;
}

/** Returns the series of a shadow evaluation: the fills of the stage, except those whose measurement may still come. */
export function computeShadowSeries({ enteredAt, evaluatedAt, maxSlippageBps, fills, measured }: ShadowRows): ShadowSeries {
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
