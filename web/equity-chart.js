/** A value over time, and beneath it another one, such as a drawdown. */
import { chartFrame } from './chart-frame.js';
import { translucent } from './chart-palette.js';
import { say } from './dom.js';
import { AreaSeries, BaselineSeries } from './lightweight-charts.js';
import { dayAndTime } from './words.js';

/** @typedef {{ readonly at: number, readonly value: number }} Point */
/** @typedef {import('./lightweight-charts.js').UTCTimestamp} Seconds */

const HEIGHT = 240;

/**
 * @param {object} options
 * @param {string} options.label Names the chart.
 * @param {readonly Point[]} options.points Ascending. Only for the eye: numbers in words are the texts of the API.
 * @param {number} options.decimals
 * @param {{ readonly title: string, readonly points: readonly Point[] } | null} options.lower
 * @param {number} [options.base] What is above it is drawn as good and what is below it as bad; 0 where nothing is said.
 */
export function equityChart({ label, points, decimals, lower, base = 0 }) {
  const frame = chartFrame({
    label,
    height: lower === null ? HEIGHT : HEIGHT + 90,
    repaint: ({ good, bad }) => {
      series.applyOptions({
        topLineColor: good,
        topFillColor1: translucent(good, 0.28),
        topFillColor2: translucent(good, 0.03),
        bottomLineColor: bad,
        bottomFillColor1: translucent(bad, 0.03),
        bottomFillColor2: translucent(bad, 0.28),
      });
      below?.applyOptions({ lineColor: bad, topColor: translucent(bad, 0.05), bottomColor: translucent(bad, 0.3) });
    },
  });
  const series = frame.chart.addSeries(BaselineSeries, {
    baseValue: { type: 'price', price: base },
    lineWidth: 2,
    priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals },
  });
  const below =
    lower === null
      ? null
      : frame.chart.addSeries(AreaSeries, { title: lower.title, lineWidth: 2, priceLineVisible: false, invertFilledArea: true }, 1);
  frame.share();

  /** @param {readonly Point[]} all */
  const data = (all) => all.map(({ at, value }) => ({ time: /** @type {Seconds} */ (Math.floor(at / 1000)), value }));
  series.setData(data(points));
  below?.setData(data(lower?.points ?? []));
  frame.fit();
  frame.paint();
  const [first] = points;
  const last = points.at(-1);
  say(
    frame.words,
    first === undefined || last === undefined
      ? 'Nothing to draw.'
      : `${points.length} points from ${dayAndTime(first.at)} to ${dayAndTime(last.at)}, the last one ${last.value.toFixed(decimals)}.`,
  );
  return { element: frame.element, end: frame.end };
}
