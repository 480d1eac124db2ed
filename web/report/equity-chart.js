/** Chart of values over time with an optional lower pane, such as the drawdown. Has a cursor, zoom, and a linear or logarithmic scale. */
import { chartFrame } from './chart-frame.js';
import { translucent } from './chart-palette.js';
import { h, mark, say } from './dom.js';
import { AreaSeries, BaselineSeries, LineSeries, LineStyle, PriceScaleMode } from 'lightweight-charts';
import { dayAndTime, priceText } from '../words.js';

/** @typedef {{ readonly at: number, readonly value: number, readonly text?: string }} Point The text has every digit of the value. */
/** @typedef {{ readonly title: string, readonly points: readonly Point[] }} Curve */
/** @typedef {import('lightweight-charts').UTCTimestamp} Seconds */

const HEIGHT = 240;
const LOWER_HEIGHT = 90;
/** Factor of the visible range per zoom step. */
const ZOOM = 0.5;
const COLOURS = /** @type {const} */ (['closed', 'carried']);

/**
 * @param {object} options
 * @param {string} options.label Names the chart.
 * @param {string} [options.name] Name of the first curve, if there are others.
 * @param {readonly Point[]} options.points Ascending. For drawing only.
 * @param {number} options.decimals
 * @param {Curve | null} options.lower
 * @param {number} [options.base] Values above it are drawn as good, below it as bad. Default: 0.
 * @param {readonly Curve[]} [options.others] Drawn over the first curve. At most two.
 * @param {number} [options.height] Height of the upper pane in pixels.
 */
export function equityChart({ label, name = '', points, decimals, lower, base = 0, others = [], height = HEIGHT }) {
  const frame = chartFrame({
    label,
    height: lower === null ? height : height + LOWER_HEIGHT,
    repaint: (palette) => {
      const { good, bad } = palette;
      series.applyOptions({
        topLineColor: good,
        topFillColor1: translucent(good, 0.28),
        topFillColor2: translucent(good, 0.03),
        bottomLineColor: bad,
        bottomFillColor1: translucent(bad, 0.03),
        bottomFillColor2: translucent(bad, 0.28),
      });
      for (const [index, line] of lines.entries()) line.applyOptions({ color: palette[COLOURS[index] ?? 'closed'] });
      below?.applyOptions({ lineColor: bad, topColor: translucent(bad, 0.05), bottomColor: translucent(bad, 0.3) });
    },
  });
  const priceFormat = {
    type: /** @type {const} */ ('custom'),
    formatter: (/** @type {number} */ value) => priceText(value.toFixed(decimals)),
    minMove: 10 ** -decimals,
  };
  const series = frame.chart.addSeries(BaselineSeries, {
    baseValue: { type: 'price', price: base },
    lineWidth: 2,
    title: name,
    priceFormat,
  });
  const lines = others.map(({ title }) =>
    frame.chart.addSeries(LineSeries, { title, lineWidth: 2, lineStyle: LineStyle.Dashed, priceLineVisible: false, priceFormat }),
  );
  const below =
    lower === null
      ? null
      : frame.chart.addSeries(AreaSeries, { title: lower.title, lineWidth: 2, priceLineVisible: false, invertFilledArea: true }, 1);
  frame.share();

  series.setData(toData(points));
  for (const [index, line] of lines.entries()) line.setData(toData(others[index]?.points ?? []));
  below?.setData(toData(lower?.points ?? []));
  frame.fit();
  frame.paint();
  const upper = [{ title: name, points }, ...others];
  followPointer(frame, upper, lower, decimals);
  followStretch(frame, points, decimals);
  const canBeLogarithmic = points.length > 1 && upper.every((curve) => curve.points.every(({ value }) => value > 0));
  const element = h('div', { class: 'equity-chart' }, controls(frame, canBeLogarithmic), frame.element);
  return { element, end: frame.end };
}

/** @param {readonly Point[]} all */
function toData(all) {
  return all.map(({ at, value }) => ({ time: /** @type {Seconds} */ (Math.floor(at / 1000)), value }));
}

/**
 * Shows the values at the cursor, or the last ones without a cursor.
 * @param {ReturnType<typeof chartFrame>} frame
 * @param {readonly Curve[]} upper
 * @param {Curve | null} lower
 * @param {number} decimals
 */
function followPointer({ chart, legend }, upper, lower, decimals) {
  const curves = [...upper, ...(lower === null ? [] : [lower])].map(({ title, points }) => ({
    title,
    last: points.at(-1),
    at: new Map(points.map((point) => [Math.floor(point.at / 1000), point])),
  }));
  /** @param {number | null} seconds */
  const tell = (seconds) => {
    const told = curves.flatMap(({ title, last, at }, index) => {
      const point = seconds === null ? last : at.get(seconds);
      if (point === undefined) return [];
      const value = index < upper.length ? formatPoint(point, decimals) : point.value.toFixed(2);
      return [{ at: point.at, words: `${title} ${value}`.trim().replaceAll(' ', '\u00a0') }];
    });
    const [first] = told;
    say(legend, first === undefined ? '' : [dayAndTime(first.at).slice(0, 16), ...told.map(({ words }) => words)].join('   '));
  };
  chart.subscribeCrosshairMove(({ time }) => tell(typeof time === 'number' ? time : null));
  tell(null);
}

/** @param {Point} point @param {number} decimals */
function formatPoint({ value, text }, decimals) {
  return priceText(text ?? value.toFixed(decimals));
}

/**
 * Describes the visible range for screen readers.
 * @param {ReturnType<typeof chartFrame>} frame
 * @param {readonly Point[]} points
 * @param {number} decimals
 */
function followStretch({ chart, words }, points, decimals) {
  const last = points.at(-1);
  const whole =
    points[0] === undefined || last === undefined
      ? 'No data yet.'
      : `${points.length} points from ${dayAndTime(points[0].at)} to ${dayAndTime(last.at)}. Last value ${formatPoint(last, decimals)}.`;
  say(words, whole);
  chart.timeScale().subscribeVisibleTimeRangeChange((range) => {
    if (range === null) return;
    const [from, to] = [Number(range.from) * 1000, Number(range.to) * 1000];
    const isWhole = points[0] === undefined || last === undefined || (from <= points[0].at && to >= last.at - (last.at % 1000));
    say(words, isWhole ? whole : `${whole} In view: ${dayAndTime(from)} to ${dayAndTime(to)}.`);
  });
}

/**
 * @param {ReturnType<typeof chartFrame>} frame
 * @param {boolean} canBeLogarithmic False if a value is zero or below.
 */
function controls({ chart, element }, canBeLogarithmic) {
  const scales = /** @type {const} */ ([
    ['Linear', PriceScaleMode.Normal],
    ['Logarithmic', PriceScaleMode.Logarithmic],
  ]);
  const buttons = scales.map(([word, mode]) => h('button', { type: 'button', onclick: () => choose(mode) }, word));
  /** @param {number} mode */
  const choose = (mode) => {
    chart.priceScale('right', 0).applyOptions({ mode });
    for (const [index, [word, one]] of scales.entries()) {
      if (one === mode) mark(element, 'data-scale', word.toLowerCase());
      const button = buttons[index];
      if (button !== undefined) mark(button, 'aria-pressed', String(one === mode));
    }
  };
  choose(PriceScaleMode.Normal);
  /** @param {number} part Factor of the visible range. */
  const zoom = (part) => {
    const shown = chart.timeScale().getVisibleLogicalRange();
    if (shown === null) return;
    const [middle, half] = [(shown.from + shown.to) / 2, ((shown.to - shown.from) / 2) * part];
    chart.timeScale().setVisibleLogicalRange({ from: middle - half, to: middle + half });
  };
  return h(
    'div',
    { class: 'candle-controls' },
    canBeLogarithmic ? h('div', { class: 'segments', role: 'group', 'aria-label': 'Scale' }, buttons) : null,
    h(
      'div',
      { class: 'segments', role: 'group', 'aria-label': 'Zoom' },
      h('button', { type: 'button', 'aria-label': 'Zoom out', onclick: () => zoom(1 / ZOOM) }, '−'),
      h('button', { type: 'button', 'aria-label': 'Zoom in', onclick: () => zoom(ZOOM) }, '+'),
      h('button', { type: 'button', onclick: () => chart.timeScale().fitContent() }, 'All'),
    ),
  );
}
