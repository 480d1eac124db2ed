/** An agent's state chart as it stands, or stood after any of its steps, beside the list of all steps. */
import { drawChart } from './chart-drawing.js';
import { fill, h, mark, say } from './dom.js';
import { Refused, read } from './http.js';
import { layoutOf } from './machine-layouts.js';
import { createStepList } from './step-list.js';
import { countText, dayAndTime, stateText } from './words.js';

/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {{ readonly id: string, readonly signal: AbortSignal, readonly fail: (error: unknown) => void }} Options */

/** @param {Options} options */
export function agentState({ id, signal, fail }) {
  /** The version of the past that is looked at; null for the present. @type {number | null} */
  let past = null;
  const drawing = chartDrawing({ signal, fail });
  const head = chartHead({ earlier: () => list.move(1), later: () => list.move(-1), present: () => look(null, false) });
  const { cache, list } = createStepList({
    id,
    label: 'Steps of the state chart, newest first',
    signal,
    choose: (version) => look(version === cache.last ? null : version, true),
    onChange: () => draw(false),
    onError: fail,
  });

  /** The step that led to where the chart is shown; null while it is not here. */
  const shown = () => cache.upTo(past ?? cache.last);

  /**
   * Looks at a version of the past, or at the present.
   * @param {number | null} version
   * @param {boolean} animate
   */
  function look(version, animate) {
    past = version;
    draw(animate);
  }

  /** @param {boolean} animate */
  function draw(animate) {
    const step = shown();
    mark(drawing.element, 'data-past', past === null ? null : String(past));
    list.show(cache.last === 0 ? null : (past ?? cache.last));
    if (step === null) return;
    head.show(step, past);
    void drawing.show(step, () => shown() ?? step, animate);
  }

  async function restart() {
    try {
      /** @type {import('./api.ts').ActorDetail} */
      const { version } = await read(`/v1/actors/${id}`, { signal });
      cache.reach(version);
      cache.want(version, version);
      draw(false);
    } catch (error) {
      fail(error);
    }
  }

  return {
    elements: [
      h('div', { class: 'panel chart-panel' }, h('div', { class: 'panel-head' }, head.elements), drawing.element),
      stepsPanel(id, list.element),
    ],
    /** Reads how far the agent is, and its steps from there. */
    restart: () => void restart(),
    /** Takes a step that was received; answers whether it was not known yet. @param {Step} step */
    include(step) {
      if (step.version <= cache.last) return false;
      const isFirst = cache.last === 0;
      cache.add(step);
      if (past === null && !isFirst) draw(true);
      return true;
    },
    end: () => list.end(),
  };
}

/**
 * Creates the head of the chart: the shown moment, and the ways to another one.
 * @param {{ readonly earlier: () => void, readonly later: () => void, readonly present: () => void }} go
 */
function chartHead(go) {
  const moment = h('span', { class: 'moment', role: 'status' });
  const by = (/** @type {string} */ title, /** @type {string} */ sign, /** @type {() => void} */ onclick) =>
    h('button', { type: 'button', 'aria-label': title, title, onclick }, sign);
  const earlier = by('One step earlier', '‹', go.earlier);
  const later = by('One step later', '›', go.later);
  const present = h('button', { type: 'button', class: 'primary', hidden: true, onclick: go.present }, 'Back to now');
  later.disabled = true;
  earlier.disabled = true;
  return {
    elements: [h('h2', {}, 'State chart'), moment, h('span', { class: 'space' }), earlier, later, present],
    /**
     * @param {Step} step
     * @param {number | null} past The version that is looked at; null for the present.
     */
    show({ version, at }, past) {
      present.hidden = past === null;
      later.disabled = past === null;
      earlier.disabled = version <= 1;
      say(moment, past === null ? `now, after step ${countText(version)}` : `after step ${countText(past)}, ${dayAndTime(at)}`);
    },
  };
}

/**
 * @param {string} id
 * @param {Element} list
 */
function stepsPanel(id, list) {
  const hint = h('span', { class: 'faint' }, 'choose a step to see the chart at that time');
  const travel = h('a', { href: `#/actors/${id}` }, 'Details and what-if');
  const head = h('div', { class: 'panel-head' }, h('h2', {}, 'Steps'), hint, h('span', { class: 'space' }), travel);
  return h('div', { class: 'panel' }, head, list);
}

/** The drawing of the machine that a step was taken by. @param {Omit<Options, 'id'>} options */
function chartDrawing({ signal, fail }) {
  const element = h('div', { class: 'chart-place' }, h('p', { class: 'faint' }, 'Drawing…'));
  let machine = '';
  /** @type {ReturnType<typeof drawChart> | null} */
  let chart = null;

  /** Draws the chart of the machine, or returns false if it has none. @param {Step} step */
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
        h('p', { class: 'faint' }, `This version of the service cannot draw state chart ${step.machine}.`),
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
