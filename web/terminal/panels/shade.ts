/** Shades stretches of a chart over its whole height, behind what is drawn there. */
import type { IChartApi, IPrimitivePaneRenderer, IPrimitivePaneView, ISeriesPrimitive, Time } from 'lightweight-charts';

export interface Stretch {
  /** Open times of its first and its last bar. */
  readonly from: Time;
  readonly to: Time;
  readonly colour: string;
}

/** Joins neighbouring bars of one colour. Bars without a colour are not shaded. */
export function stretchesOf(bars: readonly { readonly time: Time; readonly colour: string | null }[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
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

export class Shade implements ISeriesPrimitive<Time> {
  readonly #chart: IChartApi;
  readonly #views: readonly IPrimitivePaneView[];
  #stretches: readonly Stretch[] = [];
  #redraw = (): void => {};

  constructor(chart: IChartApi) {
    this.#chart = chart;
    const renderer: IPrimitivePaneRenderer = { draw: (target) => this.#draw(target) };
    this.#views = [{ zOrder: () => 'bottom', renderer: () => renderer }];
  }

  attached({ requestUpdate }: { readonly requestUpdate: () => void }): void {
    this.#redraw = requestUpdate;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  set(stretches: readonly Stretch[]): void {
    this.#stretches = stretches;
    this.#redraw();
  }

  #draw(target: Parameters<IPrimitivePaneRenderer['draw']>[0]): void {
    const scale = this.#chart.timeScale();
    const half = scale.options().barSpacing / 2;
    target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio }) => {
      for (const { from, to, colour } of this.#stretches) {
        const [left, right] = [scale.timeToCoordinate(from), scale.timeToCoordinate(to)];
        if (left === null || right === null) continue;
        const begin = Math.round((left - half) * horizontalPixelRatio);
        context.fillStyle = colour;
        context.fillRect(begin, 0, Math.round((right + half) * horizontalPixelRatio) - begin, bitmapSize.height);
      }
    });
  }
}
