/** The course of a value as a line no larger than a word. */
import { h, s } from './dom.js';

const WIDTH = 110;
const HEIGHT = 28;

/**
 * @param {readonly number[]} values Ascending in time; only for the eye.
 * @param {string} label What it shows, for who cannot see it.
 */
export function sparkline(values, label) {
  if (values.length < 2) return h('span', { class: 'faint' }, '–');
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (/** @type {number} */ index) => ((index / (values.length - 1)) * (WIDTH - 2) + 1).toFixed(1);
  const y = (/** @type {number} */ value) => (HEIGHT - 3 - ((value - low) / (high - low || 1)) * (HEIGHT - 6)).toFixed(1);
  const last = values.at(-1) ?? 0;
  return s(
    'svg',
    {
      class: `sparkline ${last < 0 ? 'gain-loss' : last > 0 ? 'gain-profit' : 'gain-even'}`,
      width: WIDTH,
      height: HEIGHT,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: 'img',
      'aria-label': label,
    },
    s('polyline', { points: values.map((value, index) => `${x(index)},${y(value)}`).join(' ') }),
  );
}
