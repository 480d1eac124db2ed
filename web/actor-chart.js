/** The state chart of a proposal or of an evaluation run: where it stands, and its steps from the moment that it is looked at. */
import { drawChart } from './chart-drawing.js';
import { fill, h } from './dom.js';
import { layoutOf } from './machine-layouts.js';
import { clockTime, dayAndTime, eventWord, stateText } from './words.js';

/** @typedef {import('./wire.ts').StateValue} StateValue */

const STEPS_SHOWN = 50;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.actorId
 * @param {string} options.machine The machine to draw until a step names another version.
 * @param {StateValue} options.value Where it stands now.
 */
export function actorChart({ context: { feed, fail }, actorId, machine, value }) {
  const place = h(
    'div',
    { class: 'chart-place', tabindex: '0', role: 'region', 'aria-label': 'Current state' },
    h('p', { class: 'faint' }, 'Drawing…'),
  );
  const steps = h('ol', { class: 'heard-steps', 'aria-label': 'Steps since you opened this page' });
  const travel = h('p', { class: 'faint actor-travel' }, h('a', { href: `#/actors/${actorId}` }, 'All steps and what-if'));
  const element = h('div', { class: 'actor-chart' }, place, travel, steps);
  /** @type {ReturnType<typeof drawChart> | null} */
  let chart = null;
  let drawn = '';
  let ended = false;
  let current = value;
  let newest = 0;

  /**
   * @param {string} wanted
   * @param {{ readonly from: StateValue | null, readonly to: StateValue, readonly event: string } | null} taken
   */
  async function show(wanted, taken) {
    if (drawn !== wanted) {
      drawn = wanted;
      chart = null;
      try {
        const made = drawChart(await layoutOf(wanted));
        if (ended || drawn !== wanted) return;
        chart = made;
        fill(place, chart.element);
      } catch (error) {
        if (ended) return;
        // The next step tries again.
        drawn = '';
        fill(place, h('p', {}, stateText(current)), h('p', { class: 'faint' }, `No drawing for state chart ${wanted}.`));
        fail(error);
        return;
      }
    }
    // Another step may have been received while the machine was read.
    chart?.show(current, taken?.to === current ? taken : null, taken !== null);
  }

  const stop = feed.subscribe({
    channel: 'inspect',
    params: { actorId },
    receive: ({ at, data }) => {
      if (data.version <= newest) return;
      newest = data.version;
      current = data.to;
      void show(data.machine, { from: data.from, to: data.to, event: data.event.type });
      steps.prepend(stepLine(at, data));
      while (steps.childElementCount > STEPS_SHOWN) steps.lastElementChild?.remove();
    },
  });
  void show(machine, null);

  return {
    element,
    /** Marks the present state. @param {StateValue} read */
    stand(read) {
      if (JSON.stringify(read) === JSON.stringify(current)) return;
      current = read;
      if (chart !== null) void show(drawn, null);
    },
    end() {
      ended = true;
      stop();
    },
  };
}

/**
 * A chart that follows its actor only while it is unfolded.
 * @param {() => Parameters<typeof actorChart>[0]} options Asked as it is unfolded.
 */
export function foldedActorChart(options) {
  const element = h('div', {});
  /** @type {ReturnType<typeof actorChart> | null} */
  let chart = null;
  return {
    element,
    /** @param {boolean} isOpen */
    unfold(isOpen) {
      if (isOpen) chart ??= actorChart(options());
      else {
        chart?.end();
        chart = null;
      }
      fill(element, chart?.element);
    },
    /** @param {StateValue} value */
    stand: (value) => chart?.stand(value),
  };
}

/**
 * @param {string} at
 * @param {{ readonly from: StateValue | null, readonly to: StateValue, readonly event: { readonly type: string } }} step
 */
function stepLine(at, { from, to, event }) {
  return h(
    'li',
    {},
    h('time', { class: 'step-when faint', datetime: at, title: dayAndTime(at) }, clockTime(at)),
    h('span', { class: 'step-event' }, eventWord(event.type)),
    h('span', { class: 'faint' }, from === null ? stateText(to) : `${stateText(from)} → ${stateText(to)}`),
  );
}
