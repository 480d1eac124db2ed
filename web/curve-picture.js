/** The curve of a launch as a picture: the price over the fill, and how far it has come. */
import { h, s } from './dom.js';
import { quoteText } from './words.js';

/** @typedef {import('./wire.ts').LadderStep} LadderStep */

const WIDTH = 640;
const HEIGHT = 260;
const LEFT = 16;
const RIGHT = 16;
const TOP = 34;
const BOTTOM = 34;

/**
 * @param {readonly LadderStep[]} ladder From the start to graduation.
 * @param {import('./wire.ts').LaunchMonitor['curve']} curve Where it stands; null if it is not on the chain.
 * @param {Pick<import('./wire.ts').Launch, 'symbol' | 'quoteSymbol'>} launch
 */
export function curvePicture(ladder, curve, { symbol, quoteSymbol }) {
  const highest = Number(ladder.at(-1)?.price ?? 1);
  const x = (/** @type {number} */ fillPct) => LEFT + ((WIDTH - LEFT - RIGHT) * fillPct) / 100;
  const y = (/** @type {number} */ price) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * price) / highest;
  const points = ladder.map(({ fillPct, price }) => `${x(fillPct).toFixed(1)},${y(Number(price)).toFixed(1)}`);
  const fillPct = Number(curve?.fillPct ?? 0);
  const price = curve === null ? Number(ladder[0]?.price ?? 0) : Number(curve.price);
  const words = `Bonding curve of ${symbol}: ${curve === null ? 'not on chain yet' : `${Number(curve.fillPct).toFixed(2)} % full at ${quoteText(curve.price)} ${quoteSymbol}`}`;
  return h(
    'figure',
    { class: 'curve' },
    s(
      'svg',
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': words },
      s('rect', { class: 'curve-ground', width: WIDTH, height: HEIGHT }),
      s('polygon', {
        class: 'curve-filled',
        points: [`${x(0)},${y(0)}`, ...filledPart(ladder, fillPct, price, x, y), `${x(fillPct).toFixed(1)},${y(0)}`].join(' '),
      }),
      s('polyline', { class: 'curve-line', points: points.join(' ') }),
      s('line', { class: 'curve-mark', x1: x(fillPct), x2: x(fillPct), y1: y(0), y2: y(price) }),
      s('circle', { class: 'curve-mark', cx: x(fillPct), cy: y(price), r: 5, 'data-fill': curve?.fillPct ?? '0' }),
      s('text', { class: 'curve-word', x: LEFT, y: HEIGHT - 12 }, `start at ${quoteText(ladder[0]?.price ?? '0')} ${quoteSymbol}`),
      s('text', { class: 'curve-word', x: WIDTH - RIGHT, y: HEIGHT - 12, 'text-anchor': 'end' }, 'graduation'),
      s(
        'text',
        { class: 'curve-word', x: WIDTH - RIGHT, y: 22, 'text-anchor': 'end' },
        `${quoteText(ladder.at(-1)?.price ?? '0')} ${quoteSymbol}`,
      ),
    ),
    h('figcaption', { class: 'faint' }, words),
  );
}

/**
 * The curve up to the point where it stands.
 * @param {readonly LadderStep[]} ladder
 * @param {number} fillPct
 * @param {number} price
 * @param {(fillPct: number) => number} x
 * @param {(price: number) => number} y
 */
function filledPart(ladder, fillPct, price, x, y) {
  const passed = ladder
    .filter((step) => step.fillPct < fillPct)
    .map((step) => `${x(step.fillPct).toFixed(1)},${y(Number(step.price)).toFixed(1)}`);
  return [...passed, `${x(fillPct).toFixed(1)},${y(price).toFixed(1)}`];
}
