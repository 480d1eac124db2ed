/** Shades parts of a chart over its whole height, behind the series. */
import type { IChartApi, IPrimitivePaneRenderer, IPrimitivePaneView, ISeriesPrimitive, Time } from 'lightweight-charts';
import type { Stretch } from './layer-points.ts';

export class Shade implements ISeriesPrimitive<Time> {
  readonly #chart: IChartApi;
  readonly #views: readonly IPrimitivePaneView[];
  #stretches: readonly Stretch<Time>[] = [];
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

  set(stretches: readonly Stretch<Time>[]): void {
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
