/** Expected and realized trading costs of one agent: a picture of its newest fills and the figures by venue, algorithm, size and hour. */
import { fill, h, s, say } from './dom.js';
import { read } from './http.js';
import { dayAndTime } from './words.js';

/** @typedef {import('./wire.ts').Calibration} Calibration */
/** @typedef {import('./wire.ts').CostFigures} CostFigures */

const SIDE = 220;

/**
 * @param {{ readonly id: string, readonly signal: AbortSignal }} deps
 * @returns {Promise<Element>}
 */
export async function calibrationPanel({ id, signal }) {
  const note = h('p', { class: 'faint', role: 'status' });
  const place = h('div', {});
  /** @type {Calibration} */
  const found = await read(`/v1/agents/${id}/calibration`, { signal });
  say(note, sentenceOf(found));
  if (found.fills.length > 0) fill(place, picture(found.fills), table(found));
  return h('div', { class: 'panel' }, h('div', { class: 'panel-head' }, h('h2', {}, 'Trading costs'), note), place);
}

/** @param {Calibration} found */
function sentenceOf({ fills, drifted, promisedBps }) {
  if (fills.length === 0) return 'Expected and realized costs appear here after the first fill.';
  const promised = promisedBps === null ? '' : ` The backtest promised ${figure(promisedBps)} bps a fill.`;
  if (drifted === null) return `Too few fills to compare yet.${promised}`;
  return drifted
    ? `Fills cost more than expected: earlier backtests are optimistic.${promised}`
    : `Fills cost what was expected.${promised}`;
}

/** Expected cost to the right, realized cost upwards; fills above the diagonal cost more than expected. @param {Calibration['fills']} fills */
function picture(fills) {
  const known = fills.flatMap(({ expectedBps, ...one }) => (expectedBps === null ? [] : [{ ...one, expectedBps }]));
  const costs = known.flatMap(({ expectedBps, realizedBps }) => [expectedBps, realizedBps]);
  const [low, high] = [Math.min(0, ...costs), Math.max(1, ...costs)];
  const place = (/** @type {number} */ bps) => ((bps - low) / (high - low)) * SIDE;
  const label = `Realized cost of ${known.length} fills against the expected one, from ${figure(low)} to ${figure(high)} basis points`;
  return s(
    'svg',
    { viewBox: `-4 -4 ${SIDE + 8} ${SIDE + 8}`, width: SIDE, height: SIDE, role: 'img', 'aria-label': label },
    s('line', { x1: 0, y1: SIDE, x2: SIDE, y2: 0, stroke: 'currentColor', 'stroke-opacity': 0.4 }),
    known.map(({ at, instrument, expectedBps, realizedBps }) =>
      s(
        'circle',
        { cx: place(expectedBps), cy: SIDE - place(realizedBps), r: 3, fill: 'currentColor', 'fill-opacity': 0.5 },
        s('title', {}, `${instrument}, ${dayAndTime(at)}: expected ${figure(expectedBps)}, realized ${figure(realizedBps)} bps`),
      ),
    ),
  );
}

/** @param {Calibration} found */
function table({ paper, live, groups }) {
  const row = (/** @type {string} */ name, /** @type {CostFigures} */ of) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      [
        of.fills,
        figure(of.expectedBps),
        figure(of.realizedBps),
        figure(of.biasBps),
        figure(of.medianBps),
        `${of.dearer} / ${of.cheaper}`,
      ].map((cell) => h('td', { class: 'num' }, cell)),
    );
  const heads = ['', 'Fills', 'Expected, bps', 'Realized, bps', 'Bias, bps', 'Median, bps', 'Dearer / cheaper'];
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heads.map((head) => h('th', { scope: 'col' }, head)),
        ),
      ),
      h(
        'tbody',
        {},
        [paper, live].map((of, index) => (of.fills === 0 ? null : row(index === 0 ? 'Paper' : 'Live', of))),
        groups.map(({ by, key, ...of }) => row(by === 'hour' ? `${key}:00 UTC` : by === 'size' ? `$ ${key}` : key, of)),
      ),
    ),
  );
}

/** @param {number | null} bps */
const figure = (bps) => (bps === null ? '–' : bps.toFixed(1));
