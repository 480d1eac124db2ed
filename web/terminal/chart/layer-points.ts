/** Premium of a token by bar, and stretches of bars with one shade. */

export interface Close {
  readonly openTime: string;
  readonly close: string;
}

interface Point {
  readonly at: number;
  readonly value: number;
}

/**
 * Returns each bar's premium over the last reference opened by then, in percent, for drawing only. Bars before the first reference
 * are left out. Both lists ascend.
 */
export function premiumPoints(bars: readonly Close[], references: readonly Close[]): readonly Point[] {
  const points: Point[] = [];
  let next = 0;
  for (const { openTime, close } of bars) {
    while (next < references.length && (references[next] as Close).openTime <= openTime) next++;
    const reference = references[next - 1];
    if (reference !== undefined) points.push({ at: Date.parse(openTime), value: (Number(close) / Number(reference.close) - 1) * 100 });
  }
  return points;
}

export interface Stretch<Time> {
  /** Open times of the first and the last bar. */
  readonly from: Time;
  readonly to: Time;
  readonly colour: string;
}

/** Joins neighbouring bars of one colour. Bars without a colour are left out. */
export function joinStretches<Time>(bars: readonly { readonly time: Time; readonly colour: string | null }[]): readonly Stretch<Time>[] {
  const stretches: Stretch<Time>[] = [];
  let before: string | null = null;
  for (const { time, colour } of bars) {
    if (colour !== null) {
      const last = stretches.at(-1);
      if (colour === before && last !== undefined) stretches[stretches.length - 1] = { ...last, to: time };
      else stretches.push({ from: time, to: time, colour });
    }
    before = colour;
  }
  return stretches;
}
