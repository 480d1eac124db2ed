/** The steps of an actor as a list, newest first: of a history of any length only what is looked at is read and built. */
import { h } from './dom.js';
import { read } from './http.js';
import { StepCache } from './step-cache.js';
import { stepRow } from './step-row.js';
import { createWindowList } from './window-list.js';
import { countText } from './words.js';

/** @typedef {import('./wire.ts').Step} Step */

/** Height of a row, in pixels. */
export const STEP_HEIGHT = 46;

/**
 * @param {object} options
 * @param {string} options.id Of the actor.
 * @param {string} options.label For screen readers.
 * @param {AbortSignal} options.signal
 * @param {(version: number) => void} options.choose
 * @param {() => void} options.onChange Steps were read or received.
 * @param {(error: unknown) => void} options.onError
 */
export function createStepList({ id, label, signal, choose, onChange, onError }) {
  const cache = new StepCache({
    fetch: (from, to) => read(`/v1/actors/${id}/steps?from=${from}&to=${to}`, { signal }),
    onChange: () => {
      list.refresh();
      onChange();
    },
    onError,
  });
  /** @type {ReturnType<typeof createWindowList<{ readonly version: number, readonly step: Step | undefined }>>} */
  const list = createWindowList({
    label,
    rowHeight: STEP_HEIGHT,
    size: () => ({ length: cache.last, complete: cache.last > 0 }),
    at: (index) => {
      const version = cache.last - index;
      const step = version < 1 ? null : cache.at(version);
      return step === null ? null : { version, step };
    },
    want: (first, last) => cache.want(cache.last - last, cache.last - first),
    keyOf: ({ version }) => version,
    indexOf: (version) => cache.last - version,
    choose: ({ version }) => choose(version),
    row: ({ version, step }) => {
      if (step !== undefined) return stepRow(step);
      const { archived } = cache;
      if (archived === null) return rowWithoutStep(version, 'quarantined or released', 'not a step');
      return rowWithoutStep(version, `archived on ${archived.at.slice(0, 10)}`, `in file ${archived.file}`);
    },
  });
  return { cache, list };
}

/** @param {number} version @param {string} what @param {string} why */
function rowWithoutStep(version, what, why) {
  return [
    h('span', { class: 'step-version number' }, countText(version)),
    h('span', { class: 'step-words' }, h('span', { class: 'step-event' }, what), h('span', { class: 'faint' }, why)),
  ];
}
