/** An agent's state chart as it stands, or stood after any of its steps, beside the list of all steps. */
import { drawChart } from './chart-drawing.js';
import { fill, h, mark, say } from './dom.js';
import { Refused, read } from './http.js';
import { layoutOf } from './machine-layouts.js';
import { createPagedList } from './paged-list.js';
import { stepRow } from './step-row.js';
import { createWindowList } from './window-list.js';
import { dayAndTime, stateText } from './words.js';

/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {{ readonly id: string, readonly signal: AbortSignal, readonly fail: (error: unknown) => void }} Options */

const STEPS_PER_PAGE = 200;
const STEP_HEIGHT = 46;

/** @param {Options} options */
export function agentState({ id, signal, fail }) {
  /** The newest step that is known. @type {Step | null} */
  let newest = null;
  /** The step of the past that is looked at; null for the present. @type {Step | null} */
  let past = null;
  const drawing = chartDrawing({ signal, fail });
  const head = chartHead({ earlier: () => steps.move(1), later: () => steps.move(-1), present: () => look(null, false) });

  const history = createPagedList({
    fetchPage: (cursor) =>
      read(`/v1/agents/${id}/history?limit=${STEPS_PER_PAGE}${cursor === null ? '' : `&cursor=${cursor}`}`, { signal }),
    keyOf: (/** @type {Step} */ step) => step.version,
    onChange: () => {
      const first = history.at(0);
      if (first !== null && (newest === null || first.version > newest.version)) {
        newest = first;
        if (past === null) draw(false);
      }
      steps.refresh();
    },
    onError: fail,
  });
  const steps = createWindowList({
    label: 'Steps of the state chart, newest first',
    rowHeight: STEP_HEIGHT,
    size: () => history,
    at: (index) => history.at(index),
    want: (first, last) => history.want(first, last),
    keyOf: (/** @type {Step} */ step) => step.version,
    choose: (step) => look(step.version === newest?.version ? null : step, true),
    row: stepRow,
    empty: 'No step yet.',
  });

  /**
   * Looks at a step of the past, or at the present.
   * @param {Step | null} step
   * @param {boolean} animate
   */
  function look(step, animate) {
    past = step;
    draw(animate);
  }

  /** @param {boolean} animate */
  function draw(animate) {
    const step = past ?? newest;
    head.show(step, past !== null);
    mark(drawing.element, 'data-past', past === null ? null : String(past.version));
    if (step === null) return;
    steps.show(step.version);
    void drawing.show(step, () => past ?? newest ?? step, animate);
  }

  draw(false);
  return {
    elements: [
      h('div', { class: 'panel chart-panel' }, h('div', { class: 'panel-head' }, head.elements), drawing.element),
      stepsPanel(id, steps.element),
    ],
    /** Reads the steps anew. */
    restart: () => history.restart(),
    /** Takes a step that was received; answers whether it was not known yet. @param {Step} step */
    include(step) {
      const before = newest;
      if (!history.add(step)) return false;
      newest = before === null || step.version > before.version ? step : before;
      if (past === null) draw(before !== null);
      return true;
    },
    end: () => steps.end(),
  };
}

/**
 * Which moment is shown, and the ways to another one.
 * @param {{ readonly earlier: () => void, readonly later: () => void, readonly present: () => void }} go
 */
function chartHead(go) {
  const moment = h('span', { class: 'moment', role: 'status' });
  const by = (/** @type {string} */ title, /** @type {string} */ sign, /** @type {() => void} */ onclick) =>
    h('button', { type: 'button', 'aria-label': title, title, onclick }, sign);
  const earlier = by('One step earlier', '‹', go.earlier);
  const later = by('One step later', '›', go.later);
  const present = h('button', { type: 'button', class: 'primary', onclick: go.present }, 'Back to the present');
  return {
    elements: [h('h2', {}, 'State chart'), moment, h('span', { class: 'space' }), earlier, later, present],
    /**
     * @param {Step | null} step
     * @param {boolean} isPast
     */
    show(step, isPast) {
      present.hidden = !isPast;
      later.disabled = !isPast;
      earlier.disabled = step === null || step.version <= 1;
      if (step === null) return;
      say(moment, isPast ? `as it stood after step ${step.version}, ${dayAndTime(step.at)}` : `now, after step ${step.version}`);
    },
  };
}

/**
 * @param {string} id
 * @param {Element} list
 */
function stepsPanel(id, list) {
  const hint = h('span', { class: 'faint' }, 'choose one to see the chart as it stood');
  const travel = h('a', { href: `#/actors/${id}` }, 'Why, and what if');
  const head = h('div', { class: 'panel-head' }, h('h2', {}, 'Steps'), hint, h('span', { class: 'space' }), travel);
  return h('div', { class: 'panel' }, head, list);
}

/** The drawing of the machine that a step was taken by. @param {Omit<Options, 'id'>} options */
function chartDrawing({ signal, fail }) {
  const element = h('div', { class: 'chart-place' }, h('p', { class: 'faint' }, 'Drawing…'));
  let machine = '';
  /** @type {ReturnType<typeof drawChart> | null} */
  let chart = null;

  /** Whether the machine's chart stands there. @param {Step} step */
  async function drawn(step) {
    if (step.machine === machine && chart !== null) return true;
    machine = step.machine;
    chart = null;
    try {
      const made = drawChart(await layoutOf(step.machine));
      if (signal.aborted || machine !== step.machine) return false;
      chart = made;
      fill(element, chart.element);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      // A machine of an earlier version of the service: its words are still true.
      fill(
        element,
        h('p', {}, stateText(step.to)),
        h('p', { class: 'faint' }, `The machine ${step.machine} cannot be drawn by this version of the service.`),
      );
      if (!(error instanceof Refused && error.status === 404)) fail(error);
      return false;
    }
  }

  return {
    element,
    /**
     * @param {Step} step
     * @param {() => Step} current Which step is to be shown once the machine is drawn.
     * @param {boolean} animate
     */
    async show(step, current, animate) {
      if (!(await drawn(step))) return;
      const { version, from, to, event } = current();
      chart?.show(to, { from, to, event: event.type }, animate && version === step.version);
    },
  };
}
