/** One step of a state chart as a row of a list: its version, its event, what it changed and when. */
import { h } from './dom.js';
import { clockTime, countText, dayAndTime, eventWord, plain, stateText } from './words.js';

/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {import('./wire.ts').StateValue} StateValue */

/** Creates the cells of a step's row. @param {Step} step */
export function stepRow({ version, at, event, from, to, cause }) {
  return [
    h('span', { class: 'step-version number' }, countText(version)),
    h(
      'span',
      { class: 'step-words' },
      h('span', { class: 'step-event' }, eventWord(event.type)),
      h('span', { class: 'step-change faint' }, from === null ? stateText(to) : changed(from, to)),
    ),
    h(
      'span',
      { class: 'step-when faint', title: cause === null ? dayAndTime(at) : `${dayAndTime(at)}, ${cause}` },
      h('time', { datetime: at }, clockTime(at)),
    ),
  ];
}

/**
 * Describes what a step changed, region by region: `duty active → paused`.
 * @param {StateValue} from
 * @param {StateValue} to
 */
export function changed(from, to) {
  if (typeof from === 'string' || typeof to === 'string') return `${stateText(from)} → ${stateText(to)}`;
  const moved = Object.keys(to).filter((region) => JSON.stringify(from[region]) !== JSON.stringify(to[region]));
  if (moved.length === 0) return 'stays';
  return moved.map((region) => `${plain(region)} ${stateText(from[region] ?? '')} → ${stateText(to[region] ?? '')}`).join(', ');
}
