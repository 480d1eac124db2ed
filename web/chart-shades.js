/** Shaded stretches of time behind the candles: bands as high as the pane, without seams between bars. */

/** @typedef {import('./lightweight-charts.js').UTCTimestamp} Seconds */
/** @typedef {{ readonly from: Seconds, readonly to: Seconds, readonly colour: string }} Band From the first bar of it to the last one, both within. */

export class ChartShades {
  /** @type {readonly Band[]} */
  #bands = [];
  /** @type {import('./lightweight-charts.js').SeriesAttachedParameter<import('./lightweight-charts.js').Time> | null} */
  #at = null;
  #views = [
    { zOrder: () => /** @type {const} */ ('bottom'), renderer: () => ({ draw: (/** @type {any} */ target) => this.#draw(target) }) },
  ];

  /** @param {import('./lightweight-charts.js').SeriesAttachedParameter<import('./lightweight-charts.js').Time>} at */
  attached(at) {
    this.#at = at;
  }

  detached() {
    this.#at = null;
  }

  paneViews() {
    return this.#views;
  }

  /** @param {readonly Band[]} bands */
  show(bands) {
    this.#bands = bands;
    this.#at?.requestUpdate();
  }

  /** @param {{ useBitmapCoordinateSpace(draw: (scope: { readonly context: CanvasRenderingContext2D, readonly bitmapSize: { readonly height: number }, readonly horizontalPixelRatio: number }) => void): void }} target */
  #draw(target) {
    const scale = this.#at?.chart.timeScale();
    if (scale === undefined) return;
    const half = scale.options().barSpacing / 2;
    target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio }) => {
      for (const { from, to, colour } of this.#bands) {
        const [left, right] = [scale.timeToCoordinate(from), scale.timeToCoordinate(to)];
        if (left === null || right === null) continue;
        const begin = Math.round((left - half) * horizontalPixelRatio);
        context.fillStyle = colour;
        context.fillRect(begin, 0, Math.round((right + half) * horizontalPixelRatio) - begin, bitmapSize.height);
      }
    });
  }
}
