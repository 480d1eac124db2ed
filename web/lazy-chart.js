/** A chart of a value and its drawdown that is read and drawn when it is looked at first. */
import { fill, h } from './dom.js';
import { read } from './http.js';
import { sentenceOf } from './problem-note.js';

/** @typedef {import('./equity-chart.js').Point} Point */
/**
 * @typedef {object} Course
 * @property {readonly Point[]} points Ascending. Only for the eye.
 * @property {readonly Point[]} drawdown In percent, at or below zero.
 * @property {number} decimals
 * @property {number} base What is above it is drawn as good and what is below it as bad.
 */

/**
 * @template Answer
 * @param {object} options
 * @param {string} options.title
 * @param {() => string} options.address What is read.
 * @param {(answer: Answer) => Course | null} options.courseOf Null where there is nothing to draw.
 * @param {string} options.empty
 * @param {AbortSignal} options.signal
 */
export function lazyChart({ title, address, courseOf, empty, signal }) {
  const place = h('div', { class: 'lazy-chart' });
  /** @type {ReturnType<typeof import('./equity-chart.js').equityChart> | null} */
  let chart = null;
  const element = h('details', { class: 'chart-details', ontoggle: () => void toggle() }, h('summary', {}, title), place);

  function end() {
    chart?.end();
    chart = null;
    fill(place);
  }

  async function toggle() {
    end();
    if (!element.open) return;
    fill(place, h('p', { class: 'faint', role: 'status' }, 'Loading…'));
    try {
      const [answer, { equityChart }] = await Promise.all([read(address(), { signal }), import('./equity-chart.js')]);
      if (signal.aborted || !element.open) return;
      const course = courseOf(answer);
      if (course === null) return fill(place, h('p', { class: 'faint' }, empty));
      const { points, drawdown, decimals, base } = course;
      chart = equityChart({ label: title, points, decimals, lower: { title: 'drawdown %', points: drawdown }, base });
      fill(place, chart.element);
    } catch (error) {
      if (!signal.aborted) fill(place, h('p', { class: 'problem' }, sentenceOf(error)));
    }
  }
  return { element, end };
}
