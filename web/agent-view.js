/** One agent: where its state chart stands and stood, its gates and evaluations, what it decided and why, and what it holds. */
import { agentActions } from './agent-actions.js';
import { agentOverlay } from './agent-overlay.js';
import { agentSummary } from './agent-summary.js';
import { dutyBadge, stageGates } from './agents-view.js';
import { booksPanel } from './books-panel.js';
import { CandlePanel } from './candle-panel.js';
import { drawChart } from './chart-drawing.js';
import { decisionsPanel } from './decisions-panel.js';
import { fill, h, mark, say } from './dom.js';
import { evaluationsPanel } from './evaluations-panel.js';
import { gatesPanel } from './gates-panel.js';
import { Refused, read } from './http.js';
import { layoutOf } from './machine-layouts.js';
import { manifestPanel } from './manifest-words.js';
import { titlePage } from './page-title.js';
import { createPagedList } from './paged-list.js';
import { stepRow } from './step-row.js';
import { tabs } from './tabs.js';
import { vaultPanel } from './vault-panel.js';
import { versionsPanel } from './versions-panel.js';
import { createWindowList } from './window-list.js';
import { dayAndTime, plain, standing } from './words.js';

/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {import('./wire.ts').StateValue} StateValue */
/** @typedef {import('./shell.js').Context} Context */

const STEPS_PER_PAGE = 200;
const STEP_HEIGHT = 46;

/**
 * @param {Context} context
 * @param {string} id
 * @param {string} [tab] Which of its tabs is shown.
 * @returns {import('./shell.js').View}
 */
export function agentView(context, id, tab = '') {
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

  const actions = agentActions({ context: { ...context, fail: failed }, id, signal: abort.signal, onChanged: changedTo });
  const summary = agentSummary({ context: { ...context, fail: failed }, id, signal: abort.signal });
  const candlePlace = h('div', { class: 'panel' });
  /** @type {CandlePanel | null} */
  let candles = null;
  const gates = gatesPanel({ id, me, signal: abort.signal, notify, fail: failed });
  const parts = { context: { ...context, fail: failed }, id, signal: abort.signal };
  const evaluations = evaluationsPanel({ ...parts, onEnded: () => void gates.refresh() });
  const decisions = decisionsPanel(parts);
  const vault = vaultPanel(parts);
  const books = booksPanel(parts);
  const versions = versionsPanel(parts);
  const rules = h('div', {});

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
      h('div', { class: 'actions' }, h('a', { href: `#/proposals/${id}` }, 'Its proposals'), actions.elements),
    ),
    facts,
    summary.element,
    candlePlace,
    tabs({
      label: 'Parts of the agent',
      address: `#/agents/${id}`,
      chosen: tab,
      tabs: [
        { name: 'decisions', title: 'Decisions', content: [decisions.element] },
        { name: 'gates', title: 'Gates and evaluations', content: [gates.element, evaluations.element] },
        { name: 'state', title: 'State', content: [chartPanel(), stepsPanel()] },
        { name: 'vault', title: 'Vault and books', content: [vault.element, books.element] },
        { name: 'versions', title: 'Versions', content: [rules, versions.element] },
      ],
    }),
  );

  function chartPanel() {
    const head = [h('h2', {}, 'State chart'), moment, h('span', { class: 'space' }), earlier, later, present];
    return h('div', { class: 'panel chart-panel' }, h('div', { class: 'panel-head' }, head), chartPlace);
  }

  function stepsPanel() {
    const hint = h('span', { class: 'faint' }, 'choose one to see the chart as it stood');
    const travel = h('a', { href: `#/actors/${id}` }, 'Why, and what if');
    const head = h('div', { class: 'panel-head' }, h('h2', {}, 'Steps'), hint, h('span', { class: 'space' }), travel);
    return h('div', { class: 'panel' }, head, steps.element);
  }

  /** What an action made of it; where it was refused, it is read again. @param {Partial<Agent>} change */
  function changedTo(change) {
    if (agent !== null && change.id !== undefined) describe({ ...agent, ...change });
    else void readAgent();
  }

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
    titlePage(found.name);
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
    actions.describe(found);
    void summary.refresh(found);
    drawCandles(found);
    if ('manifest' in found) fill(rules, manifestPanel(/** @type {import('./manifest-words.js').Rules} */ (found.manifest)));
  }

  /** @param {Agent & { readonly manifest?: unknown }} found */
  function drawCandles({ manifest }) {
    if (candles !== null || manifest === undefined) return;
    const rules =
      /** @type {{ readonly universe: readonly { readonly key: string }[], readonly stopLossPct: number, readonly takeProfitPct: number }} */ (
        manifest
      );
    const instruments = rules.universe.map(({ key }) => key);
    if (instruments.length === 0) return;
    candles = new CandlePanel({ context, instruments, timeframe: '5m', overlay: agentOverlay(id, rules, abort.signal) });
    fill(candlePlace, candles.element);
  }

  async function readQuarantine() {
    try {
      /** @type {import('./wire.ts').Chart} */
      const { status } = await read(`/v1/agents/${id}/chart`, { signal: abort.signal });
      actions.quarantine(status === 'quarantined');
    } catch (error) {
      failed(error);
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
      begin: () => void decisions.readAgain(),
      hear: ({ data }) => decisions.include(data),
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
        if (agent !== null) void summary.refresh(agent);
        candles?.refresh();
      },
    }),
  ];
  draw(false);
  actions.quarantine(false);
  void readAgent();
  void readQuarantine();
  void gates.refresh();

  const view = {
    element,
    title: 'Agent',
    end() {
      abort.abort();
      summary.end();
      candles?.end();
      steps.end();
      evaluations.end();
      for (const stop of stops) stop();
    },
  };
  return view;
}
