/** Progress of long work, its remaining time, and what it waits for: one line for everything that takes long. */
import { h, mark, say } from './dom.js';
import { priceText, remaining } from './words.js';

/**
 * @typedef {object} Work As the API says it of every record of long work.
 * @property {{ readonly done: number, readonly total: number, readonly unit: string } | null} progress
 * @property {number | null} remainingMs
 * @property {{ readonly cause: string, readonly detail: string } | null} waitingFor
 */

/** @param {string} what What is worked on, for those who do not see the bar. */
export function workLine(what) {
  const bar = h('progress', { 'aria-label': `Progress of the ${what}` });
  const left = h('span', { class: 'number' });
  const why = h('span', { class: 'faint' });
  const element = h('p', { class: 'work-line', hidden: true }, bar, left, why);
  return {
    element,
    /** @param {Work} work */
    show({ progress, remainingMs, waitingFor }) {
      element.hidden = progress === null && remainingMs === null && waitingFor === null;
      bar.hidden = progress === null;
      if (progress !== null) {
        bar.max = Math.max(1, progress.total);
        bar.value = progress.done;
      }
      const counted =
        progress === null ? '' : `${priceText(String(progress.done))} of ${priceText(String(progress.total))} ${progress.unit}`;
      const time = remainingMs === null ? '' : `${remaining(remainingMs)} left`;
      say(left, [counted, time].filter((part) => part !== '').join(', '));
      say(why, waitingFor === null ? '' : `waiting: ${waitingFor.detail}`);
      mark(element, 'data-cause', waitingFor?.cause ?? null);
    },
  };
}
