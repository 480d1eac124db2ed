/** Chart of values over time, with levels and words at the moments that matter. */
import { chartFrame } from './chart-frame.js';
import { translucent } from './chart-palette.js';
import { mark, say } from './dom.js';
import { AreaSeries, createSeriesMarkers, LineSeries, LineStyle, LineType } from './lightweight-charts.js';
import { dayAndTime, grouped } from './words.js';

/** @typedef {import('./chart-palette.js').Palette} Palette */
/** @typedef {keyof Palette} Colour */
/** @typedef {import('./lightweight-charts.js').UTCTimestamp} Seconds */
/** @typedef {{ readonly at: number, readonly value: number }} Point */
/**
 * @typedef {object} Course
 * @property {readonly { readonly title: string, readonly colour: Colour, readonly points: readonly Point[] }[]} series Each value holds until the next one. Only for the eye.
 * @property {{ readonly title: string, readonly points: readonly Point[] } | null} lower A pane of its own beneath.
 * @property {readonly { readonly title: string, readonly price: number, readonly colour: Colour }[]} levels
 * @property {readonly { readonly at: number, readonly text: string }[]} marks Ascending.
 * @property {string} summary What is drawn, in words, for who cannot see it.
 */

const HEIGHT = 260;
const LOWER_HEIGHT = 90;

/** @param {number} at @returns {Seconds} */
const seconds = (at) => /** @type {Seconds} */ (Math.floor(at / 1_000));

/** One value a second, the last one: the library knows none shorter. @param {readonly Point[]} points */
function data(points) {
  return [...new Map(points.map(({ at, value }) => [seconds(at), value]))].map(([time, value]) => ({ time, value }));
}

export class CourseChart {
  /** @type {Course | null} */
  #course = null;
  /** @type {import('./lightweight-charts.js').ISeriesApi<'Line'>[]} */
  #lines = [];
  /** @type {import('./lightweight-charts.js').IPriceLine[]} */
  #levels = [];
  /** @type {ReturnType<typeof createSeriesMarkers<import('./lightweight-charts.js').Time>> | null} */
  #markers = null;

  /**
   * @param {object} options
   * @param {string} options.label Names the chart.
   * @param {number} options.decimals
   * @param {boolean} options.hasLower
   */
  constructor({ label, decimals, hasLower }) {
    this.decimals = decimals;
    this.frame = chartFrame({ label, height: HEIGHT + (hasLower ? LOWER_HEIGHT : 0), repaint: (palette) => this.#paint(palette) });
    this.below = hasLower
      ? this.frame.chart.addSeries(AreaSeries, { lineWidth: 2, priceLineVisible: false, lineType: LineType.WithSteps }, 1)
      : null;
  }

  get element() {
    return this.frame.element;
  }

  /** Draws it, in the place of what was drawn. @param {Course} course */
  draw(course) {
    this.#course = course;
    const { series, lower, marks, summary } = course;
    while (this.#lines.length < series.length) this.#lines.push(this.#newLine());
    for (const [index, { title, points }] of series.entries()) {
      this.#lines[index]?.applyOptions({ title });
      this.#lines[index]?.setData(data(points));
    }
    this.below?.applyOptions({ title: lower?.title ?? '' });
    this.below?.setData(data(lower?.points ?? []));
    this.frame.share();
    this.frame.paint();
    this.frame.fit();
    const values = series.map(({ title, points }) => `${title} ${this.#text(points.at(-1))}`);
    say(this.frame.legend, values.join('  '));
    mark(this.element, 'data-points', String(this.#lines[0]?.data().length ?? 0));
    say(this.frame.words, [summary, ...marks.map(({ at, text }) => `${dayAndTime(at)} ${text}`)].join('. '));
  }

  end() {
    this.frame.end();
  }

  /** @param {{ readonly value: number } | undefined} point */
  #text(point) {
    return point === undefined ? 'none' : grouped(point.value.toFixed(this.decimals));
  }

  #newLine() {
    return this.frame.chart.addSeries(LineSeries, {
      lineWidth: 2,
      lineType: LineType.WithSteps,
      priceLineVisible: false,
      // The library's own text of a price is wrong from the eighth decimal on.
      priceFormat: {
        type: 'custom',
        formatter: (/** @type {number} */ value) => this.#text({ value }),
        minMove: 10 ** -this.decimals,
      },
    });
  }

  /** @param {Palette} palette */
  #paint(palette) {
    const [first] = this.#lines;
    if (this.#course === null || first === undefined) return;
    const { series, levels, marks } = this.#course;
    for (const [index, line] of this.#lines.entries()) line.applyOptions({ color: palette[series[index]?.colour ?? 'accent'] });
    const { closed, accent } = palette;
    this.below?.applyOptions({ lineColor: closed, topColor: translucent(closed, 0.3), bottomColor: translucent(closed, 0.05) });
    for (const level of this.#levels) first.removePriceLine(level);
    this.#levels = levels.map(({ title, price, colour }) =>
      first.createPriceLine({ title, price, color: palette[colour], lineStyle: LineStyle.Dashed, lineWidth: 1, axisLabelVisible: true }),
    );
    this.#markers ??= createSeriesMarkers(first, []);
    this.#markers.setMarkers(
      marks.map(({ at, text }) => ({ time: seconds(at), position: 'aboveBar', shape: 'circle', color: accent, text })),
    );
  }
}
