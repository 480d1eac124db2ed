/** One agent: where its state chart stands and stood, its gates and evaluations, what it decided and why, and what it holds. */
import { dutyBadge, stageGates } from './agents-view.js';
import { booksPanel } from './books-panel.js';
import { drawChart } from './chart-drawing.js';
import { decisionCard } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { evaluationsPanel } from './evaluations-panel.js';
import { gatesPanel } from './gates-panel.js';
import { change, Refused, read } from './http.js';
import { layoutOf } from './machine-layouts.js';
import { createPagedList } from './paged-list.js';
import { vaultPanel } from './vault-panel.js';
import { versionsPanel } from './versions-panel.js';
import { createWindowList } from './window-list.js';
import { clockTime, dayAndTime, eventWord, plain, standing } from './words.js';

/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {import('./wire.ts').Decision} Decision */
/** @typedef {import('./wire.ts').StateValue} StateValue */
/** @typedef {import('./shell.js').Context} Context */

const STEPS_PER_PAGE = 200;
const DECISIONS_PER_PAGE = 20;
const STEP_HEIGHT = 46;

/**
 * @param {Context} context
 * @param {string} id
 * @returns {import('./shell.js').View}
 */
export function agentView(context, id) {
  const { feed, fail, me, notify } = context;
  const abort = new AbortController();
  /** @type {Agent | null} */
  let agent = null;
  /** The newest step that is known. @type {Step | null} */
  let newest = null;
  /** The step of the past that is looked at; null for the present. @type {Step | null} */
  let past = null;
  let machine = '';
  /** @type {ReturnType<typeof drawChart> | null} */
  let chart = null;

  const heading = h('h1', {}, '…');
  const about = h('p', { class: 'faint' });
  const facts = h('div', { class: 'facts' });
  const pause = h('button', { type: 'button', onclick: () => command('pause') }, 'Pause');
  const resume = h('button', { type: 'button', onclick: () => command('resume') }, 'Resume');
  const chartPlace = h('div', { class: 'chart-place' }, h('p', { class: 'faint' }, 'Drawing…'));
  const moment = h('span', { class: 'moment', role: 'status' });
  const earlier = h(
    'button',
    { type: 'button', 'aria-label': 'One step earlier', title: 'One step earlier', onclick: () => steps.move(1) },
    '‹',
  );
  const later = h(
    'button',
    { type: 'button', 'aria-label': 'One step later', title: 'One step later', onclick: () => steps.move(-1) },
    '›',
  );
  const present = h('button', { type: 'button', class: 'primary', onclick: () => look(null, false) }, 'Back to the present');
  const cards = h('div', { class: 'decisions' });
  const more = h('button', { type: 'button', hidden: true, onclick: () => void readDecisions() }, 'Earlier decisions');
  const noDecision = h('p', { class: 'faint' }, 'Reading…');

  const gates = gatesPanel({ id, me, signal: abort.signal, notify, fail: failed });
  const parts = { context: { ...context, fail: failed }, id, signal: abort.signal };
  const evaluations = evaluationsPanel({ ...parts, onEnded: () => void gates.refresh() });
  const vault = vaultPanel(parts);
  const books = booksPanel(parts);
  const versions = versionsPanel(parts);

  const history = createPagedList({
    fetchPage: (cursor) =>
      read(`/v1/agents/${id}/history?limit=${STEPS_PER_PAGE}${cursor === null ? '' : `&cursor=${cursor}`}`, { signal: abort.signal }),
    keyOf: (/** @type {Step} */ step) => step.version,
    onChange: () => {
      const first = history.at(0);
      if (first !== null && (newest === null || first.version > newest.version)) {
        newest = first;
        if (past === null) draw(false);
      }
      steps.refresh();
    },
    onError: failed,
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

  const element = h(
    'section',
    { class: 'page agent' },
    h('p', { class: 'trail' }, h('a', { href: '#/agents' }, '← Agents')),
    h(
      'div',
      { class: 'page-head' },
      h('div', {}, heading, about),
      h('div', { class: 'actions' }, h('a', { href: `#/proposals/${id}` }, 'Its proposals'), pause, resume),
    ),
    facts,
    h(
      'div',
      { class: 'panel chart-panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'State chart'), moment, h('span', { class: 'space' }), earlier, later, present),
      chartPlace,
    ),
    gates.element,
    evaluations.element,
    h(
      'div',
      { class: 'two' },
      h(
        'div',
        { class: 'panel' },
        h('div', { class: 'panel-head' }, h('h2', {}, 'Steps'), h('span', { class: 'faint' }, 'choose one to see the chart as it stood')),
        steps.element,
      ),
      h(
        'div',
        { class: 'panel' },
        h('div', { class: 'panel-head' }, h('h2', {}, 'Decisions'), h('span', { class: 'faint' }, 'times in UTC')),
        h('div', { class: 'decisions-place' }, noDecision, cards, more),
      ),
    ),
    vault.element,
    books.element,
    versions.element,
  );

  /** @param {unknown} error */
  function failed(error) {
    if (abort.signal.aborted) return;
    if (error instanceof Refused && error.status === 404 && agent === null) {
      fill(
        element,
        h('p', { class: 'trail' }, h('a', { href: '#/agents' }, '← Agents')),
        h('h1', {}, 'There is no such agent'),
        h('p', { class: 'faint' }, 'It may belong to another organization.'),
      );
      return;
    }
    fail(error);
  }

  async function readAgent() {
    try {
      describe(await read(`/v1/agents/${id}`, { signal: abort.signal }));
    } catch (error) {
      failed(error);
    }
  }

  /** @param {Agent} found */
  function describe(found) {
    agent = found;
    view.title = found.name;
    document.title = `${found.name} · Sevengate`;
    say(heading, found.name);
    say(about, found.description);
    const fact = (/** @type {string} */ title, /** @type {import('./dom.js').Child} */ content) =>
      h('div', {}, h('span', { class: 'faint' }, title), h('span', {}, content));
    fill(
      facts,
      fact('Stage', stageGates(found.stage)),
      fact('Duty', dutyBadge(found.paused, found.pauseCause)),
      fact('Autonomy', plain(found.autonomy)),
      fact('Manifest', h('code', { title: found.manifestHash }, `v${found.manifestVersion} ${found.manifestHash.slice(0, 10)}`)),
      fact('Created', `${dayAndTime(found.createdAt)} by ${found.createdBy}`),
    );
    const mayPause = me.permissions.includes('trade:execute') || me.permissions.includes('risk:manage');
    const mayResume = me.permissions.includes('risk:manage');
    pause.hidden = found.paused;
    resume.hidden = !found.paused;
    pause.disabled = !mayPause;
    resume.disabled = !mayResume;
    pause.title = mayPause ? 'It is ticked no more, and its pending proposals are cancelled' : 'This needs trade:execute or risk:manage';
    resume.title = mayResume ? 'It goes on at the stage it was paused from' : 'This needs risk:manage';
  }

  /** @param {'pause' | 'resume'} what */
  async function command(what) {
    pause.disabled = resume.disabled = true;
    try {
      describe({ ...agent, ...(await change('POST', `/v1/agents/${id}/${what}`)) });
      notify(what === 'pause' ? 'Paused.' : 'On duty again.');
    } catch (error) {
      fail(error);
      void readAgent();
    }
  }

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
    present.hidden = past === null;
    later.disabled = past === null;
    earlier.disabled = step === null || step.version <= 1;
    mark(chartPlace, 'data-past', past === null ? null : String(past.version));
    if (step === null) return;
    say(moment, past === null ? `now, after step ${step.version}` : `as it stood after step ${step.version}, ${dayAndTime(step.at)}`);
    steps.show(step.version);
    void show(step, animate);
  }

  /**
   * @param {Step} step
   * @param {boolean} animate
   */
  async function show(step, animate) {
    if (step.machine !== machine || chart === null) {
      machine = step.machine;
      chart = null;
      try {
        const made = drawChart(await layoutOf(step.machine));
        if (abort.signal.aborted || machine !== step.machine) return;
        chart = made;
        fill(chartPlace, chart.element);
      } catch (error) {
        if (abort.signal.aborted) return;
        // A machine of an earlier version of the service: its words are still true.
        fill(
          chartPlace,
          h('p', {}, standing(step.to)),
          h('p', { class: 'faint' }, `The machine ${step.machine} cannot be drawn by this version of the service.`),
        );
        if (!(error instanceof Refused && error.status === 404)) fail(error);
        return;
      }
    }
    const current = past ?? newest ?? step;
    if (current.version !== step.version) animate = false;
    chart.show(current.to, { from: current.from, to: current.to, event: current.event.type }, animate);
  }

  /** @type {Decision[]} */
  let decisions = [];
  /** @type {string | null} */
  let decisionCursor = null;
  const knownDecisions = new Set();

  async function readDecisions(again = false) {
    more.disabled = true;
    try {
      /** @type {import('./wire.ts').Page<Decision>} */
      const page = await read(
        `/v1/agents/${id}/decisions?limit=${DECISIONS_PER_PAGE}${decisionCursor === null || again ? '' : `&cursor=${decisionCursor}`}`,
        {
          signal: abort.signal,
        },
      );
      // Read again after a new beginning: what is known stays, and the place below it too.
      if (!again || decisions.length === 0) decisionCursor = page.nextCursor;
      for (const decision of page.items) include(decision);
      more.hidden = decisionCursor === null;
      say(noDecision, decisions.length === 0 ? 'No decision yet: an agent on duty decides once a minute.' : '');
    } catch (error) {
      say(noDecision, decisions.length === 0 ? 'The decisions cannot be read at the moment.' : '');
      failed(error);
    } finally {
      more.disabled = false;
    }
  }

  /** @param {Decision} decision */
  function include(decision) {
    if (knownDecisions.has(decision.id)) return;
    knownDecisions.add(decision.id);
    const at = decisions.findIndex(({ slot }) => slot < decision.slot);
    const place = at < 0 ? decisions.length : at;
    decisions = decisions.toSpliced(place, 0, decision);
    cards.insertBefore(
      decisionCard(decision, () => read(`/v1/agents/${id}/decisions/${decision.id}/explain`)),
      cards.children[place] ?? null,
    );
    say(noDecision, '');
  }

  const stops = [
    feed.subscribe({
      channel: 'inspect',
      params: { actorId: id },
      begin: () => history.restart(),
      hear: ({ at, data }) => {
        /** @type {Step} */
        const step = { version: data.version, at, machine: data.machine, event: data.event, from: data.from, to: data.to, cause: null };
        const before = newest;
        if (!history.add(step)) return;
        newest = before === null || step.version > before.version ? step : before;
        if (past === null) draw(before !== null);
        void readAgent();
        void gates.refresh();
        if (data.event.type === 'manifest.changed') void versions.refresh();
      },
    }),
    feed.subscribe({
      channel: 'decisions',
      params: { agentId: id },
      begin: () => void readDecisions(true),
      hear: ({ data }) => include(data),
    }),
    // Runs and proposals announce themselves as actors of their own: the channels are heard whole, not narrowed to the agent.
    feed.subscribe({
      channel: 'agents',
      begin: () => {
        void evaluations.refresh();
        void vault.refresh();
        void versions.refresh();
      },
      hear: ({ type, data }) => {
        if (type !== 'snapshot' && data.agentId === id) evaluations.hear(data);
      },
    }),
    feed.subscribe({
      channel: 'proposals',
      begin: () => void books.refresh(),
      hear: ({ data }) => {
        // A fill changes what is held.
        if (data.agentId !== id || (data.state !== 'filled' && data.state !== 'partially_filled')) return;
        void books.refresh();
        void vault.refresh();
      },
    }),
  ];
  draw(false);
  void readAgent();
  void gates.refresh();

  const view = {
    element,
    title: 'Agent',
    end() {
      abort.abort();
      steps.end();
      evaluations.end();
      for (const stop of stops) stop();
    },
  };
  return view;
}

/** @param {Step} step */
function stepRow({ version, at, event, from, to, cause }) {
  return [
    h('span', { class: 'step-version number' }, String(version)),
    h(
      'span',
      { class: 'step-words' },
      h('span', { class: 'step-event' }, eventWord(event.type)),
      h('span', { class: 'step-change faint' }, from === null ? standing(to) : changed(from, to)),
    ),
    h(
      'span',
      { class: 'step-when faint', title: cause === null ? dayAndTime(at) : `${dayAndTime(at)}, ${cause}` },
      h('time', { datetime: at }, clockTime(at)),
    ),
  ];
}

/**
 * What a step changed, region by region: `duty active → paused`.
 * @param {StateValue} from
 * @param {StateValue} to
 */
function changed(from, to) {
  if (typeof from === 'string' || typeof to === 'string') return `${standing(from)} → ${standing(to)}`;
  const moved = Object.keys(to).filter((region) => JSON.stringify(from[region]) !== JSON.stringify(to[region]));
  if (moved.length === 0) return 'stays';
  return moved.map((region) => `${plain(region)} ${standing(from[region] ?? '')} → ${standing(to[region] ?? '')}`).join(', ');
}
