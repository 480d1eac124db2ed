/** Premium of a token to its reference over the bars of a chart. */
import type { ChartCurve } from './price-chart.ts';

export interface Close {
  readonly openTime: string;
  readonly close: string;
}

/**
 * Premium of each bar over the last reference that had opened by then, in percent, for the eye alone. Bars before the first reference
 * are left out. Both ascend.
 */
export function premiumPoints(bars: readonly Close[], references: readonly Close[]): ChartCurve['points'] {
  const points: ChartCurve['points'][number][] = [];
  let next = 0;
  for (const { openTime, close } of bars) {
    while (next < references.length && (references[next] as Close).openTime <= openTime) next++;
    const reference = references[next - 1];
    if (reference !== undefined) points.push({ at: Date.parse(openTime), value: (Number(close) / Number(reference.close) - 1) * 100 });
  }
  return points;
}
