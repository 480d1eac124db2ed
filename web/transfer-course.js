/** A transfer over its steps: what left and what arrived, held against what was quoted. */
import { fill, h } from './dom.js';
import { read } from './http.js';
import { sentenceOf } from './problem-note.js';
import { plain } from './words.js';

/** @typedef {import('./wire.ts').BridgeTransfer} BridgeTransfer */
/** @typedef {import('./api.ts').BridgeTransferPoint} Point */

const DECIMALS = 6;

/** @param {AbortSignal} signal */
export function transferCourse(signal) {
  const element = h('div', { class: 'transfer-course' });
  /** @type {import('./course-chart.js').CourseChart | null} */
  let chart = null;
  return {
    element,
    /** @param {BridgeTransfer} transfer */
    async refresh(transfer) {
      try {
        /** @type {[{ readonly items: readonly Point[] }, typeof import('./course-chart.js')]} */
        const [{ items }, { CourseChart }] = await Promise.all([
          read(`/v1/bridge/transfers/${transfer.id}/timeline`, { signal }),
          import('./course-chart.js'),
        ]);
        if (signal.aborted || items.length === 0) return;
        if (chart === null) {
          chart = new CourseChart({ label: `Transfer of ${transfer.amount} ${transfer.token}`, decimals: DECIMALS, hasLower: false });
          fill(element, chart.element);
        }
        chart.draw(drawingOf(transfer, items));
      } catch (error) {
        if (!signal.aborted) fill(element, h('p', { class: 'problem' }, sentenceOf(error)));
      }
    },
    end() {
      chart?.end();
      chart = null;
      fill(element);
    },
  };
}

/**
 * @param {BridgeTransfer} transfer
 * @param {readonly Point[]} points
 * @returns {import('./course-chart.js').Course}
 */
function drawingOf({ amount, token, expectedReceived, minimumReceived }, points) {
  const at = (/** @type {Point} */ point) => Date.parse(point.at);
  const hasLeft = (/** @type {Point} */ { source }) => source === 'included' || source === 'final';
  /** Several states within a second stand at one place. @type {Map<number, string[]>} */
  const words = new Map();
  for (const [index, point] of points.entries()) {
    if (index > 0 && point.state === points[index - 1]?.state) continue;
    const second = Math.floor(at(point) / 1_000) * 1_000;
    words.set(second, [...(words.get(second) ?? []), plain(point.state)]);
  }
  const refunded = points.some((point) => point.refundedUsd !== null);
  const last = points.at(-1);
  return {
    series: [
      { title: 'left', colour: 'closed', points: points.map((point) => ({ at: at(point), value: hasLeft(point) ? Number(amount) : 0 })) },
      { title: 'arrived', colour: 'good', points: points.map((point) => ({ at: at(point), value: Number(point.arrivedUsd ?? 0) })) },
      ...(refunded
        ? [
            {
              title: 'refunded',
              colour: /** @type {const} */ ('warn'),
              points: points.map((point) => ({ at: at(point), value: Number(point.refundedUsd ?? 0) })),
            },
          ]
        : []),
    ],
    lower: null,
    levels: [
      { title: 'quoted', price: Number(expectedReceived), colour: 'accent' },
      { title: 'at least', price: Number(minimumReceived), colour: 'warn' },
    ],
    marks: [...words].map(([moment, states]) => ({ at: moment, text: states.join(', ') })),
    summary: `Sent ${amount} ${token}, arrived ${last?.arrivedUsd ?? 'nothing'}. Quoted ${expectedReceived}, minimum ${minimumReceived}`,
  };
}
