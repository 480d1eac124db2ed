/** The price of a launched token over time, beside how full its curve was, with what the organization traded of it. */
import { h, fill } from './dom.js';
import { read } from './http.js';
import { exact } from './money.js';
import { sentenceOf } from './problem-note.js';
import { dataTable, number } from './tables.js';
import { dayAndTime, percentText, plain, priceText, quoteText } from './words.js';

/** @typedef {import('./api.ts').LaunchPriceHistory} LaunchPriceHistory */
/** @typedef {LaunchPriceHistory['points'][number]} Point */

const MOST_DECIMALS = 12;

/**
 * @param {AbortSignal} signal
 */
export function launchCourse(signal) {
  const place = h('div', {});
  const fills = h('div', {});
  const element = h(
    'div',
    { class: 'panel launch-course', hidden: true },
    h('div', { class: 'panel-head' }, h('h2', {}, 'Price over time')),
    place,
    fills,
  );
  /** @type {import('./course-chart.js').CourseChart | null} */
  let chart = null;
  let drawn = '';

  /** @param {import('./wire.ts').Launch} launch */
  async function refresh({ id, symbol, quoteSymbol }) {
    try {
      /** @type {[LaunchPriceHistory, typeof import('./course-chart.js')]} */
      const [course, { CourseChart }] = await Promise.all([
        read(`/v1/launches/${id}/price-history`, { signal }),
        import('./course-chart.js'),
      ]);
      const text = JSON.stringify(course);
      if (signal.aborted || text === drawn || course.points.length === 0) return;
      drawn = text;
      element.hidden = false;
      if (chart === null) {
        chart = new CourseChart({ label: `Price of ${symbol} in ${quoteSymbol}`, decimals: decimalsOf(course.points), hasLower: true });
        fill(place, chart.element);
      }
      chart.draw(drawingOf(course, quoteSymbol));
      fill(fills, course.fills.length === 0 ? null : fillTable(course.fills));
    } catch (error) {
      if (!signal.aborted) fill(place, h('p', { class: 'problem' }, sentenceOf(error)));
    }
  }

  return {
    element,
    refresh,
    end() {
      chart?.end();
      chart = null;
    },
  };
}

/** Four digits of the smallest price are seen. @param {readonly Point[]} points */
function decimalsOf(points) {
  const smallest = Math.min(...points.map(({ price }) => Number(price)));
  return Math.max(2, Math.min(MOST_DECIMALS, 3 - Math.floor(Math.log10(smallest || 1))));
}

/** @param {LaunchPriceHistory} course @param {string} quote @returns {import('./course-chart.js').Course} */
function drawingOf({ points, fills }, quote) {
  const [first] = points;
  const last = points.at(-1);
  const at = (/** @type {Point} */ point) => Date.parse(point.at);
  const moved = points.filter(({ progress }, index) => index > 0 && progress !== points[index - 1]?.progress);
  const times = points.map(at);
  const marks = [
    ...moved.map((point) => ({ at: at(point), text: plain(point.progress) })),
    ...fills.map((one) => ({
      at: placeOf(times, Date.parse(one.at)),
      text: `${one.side === 'buy' ? 'bought' : 'sold'} ${priceText(one.quantity)}`,
    })),
  ].sort((a, b) => a.at - b.at);
  return {
    series: [
      { title: `price in ${quote}`, colour: 'accent', points: points.map((point) => ({ at: at(point), value: Number(point.price) })) },
    ],
    lower: { title: 'fill %', points: points.map((point) => ({ at: at(point), value: Number(point.fillPct) })) },
    levels: [{ title: 'first', price: Number(first?.price ?? 0), colour: 'closed' }],
    marks,
    summary: `${points.length} prices from ${quoteText(first?.price ?? '0')} to ${quoteText(last?.price ?? '0')} ${quote}, curve ${percentText(last?.fillPct ?? 0)} full`,
  };
}

/** The drawn moment before an instant, or the first one: between two points the chart has no place. @param {readonly number[]} times @param {number} at */
function placeOf(times, at) {
  return times.findLast((time) => time <= at) ?? times[0] ?? at;
}

/** @param {LaunchPriceHistory['fills']} fills */
function fillTable(fills) {
  return dataTable({
    caption: 'Trades of your organization',
    head: ['at', 'side', 'tokens', 'price USD'],
    rows: fills.map(({ at, side, quantity, priceUsd }) => [dayAndTime(at), side, number(quantity), exact(priceText(priceUsd), priceUsd)]),
  });
}
