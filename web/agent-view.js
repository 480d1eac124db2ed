/** One agent: where its state chart stands and stood, its gates and evaluations, what it decided and why, and what it holds. */
import { agentActions } from './agent-actions.js';
import { agentOverlay } from './agent-overlay.js';
import { agentState } from './agent-state.js';
import { agentSummary } from './agent-summary.js';
import { dutyBadge, stageGates } from './agents-view.js';
import { booksPanel } from './books-panel.js';
import { CandlePanel } from './candle-panel.js';
import { closingLines } from './closing-lines.js';
import { decisionsPanel } from './decisions-panel.js';
import { fill, h, say } from './dom.js';
import { evaluationsPanel } from './evaluations-panel.js';
import { gatesPanel } from './gates-panel.js';
import { Refused, read } from './http.js';
import { lazyPanel } from './lazy-panel.js';
import { manifestPanel } from './manifest-words.js';
import { titlePage } from './page-title.js';
import { tabs } from './tabs.js';
import { vaultPanel } from './vault-panel.js';
import { versionsPanel } from './versions-panel.js';
import { dayAndTime, plain } from './words.js';

/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {import('./shell.js').Context} Context */

/**
 * @param {Context} context
 * @param {string} id
 * @param {string} [tab] Which of its tabs is shown.
 * @returns {import('./shell.js').View}
 */
export function agentView(context, id, tab = '') {
  const abort = new AbortController();
  const { signal } = abort;
  /** @type {Agent | null} */
  let agent = null;
  /** @type {CandlePanel | null} */
  let candles = null;
  const candlePlace = h('div', { class: 'panel' });
  const head = agentHead();
  const panels = panelsOf({ context: { ...context, fail: failed }, id, signal }, changedTo);
  const { actions, closings, summary, rules, state } = panels;
  const element = pageOf({ id, tab, head, panels, candlePlace });

  /** Applies an action's result. If it was refused, or concerned a gate, both are read again. @param {Partial<Agent>} change */
  function changedTo(change) {
    if (agent !== null && change.id !== undefined) return describe({ ...agent, ...change });
    void readAgent();
    void panels.gates.refresh();
  }

  /** @param {unknown} error */
  function failed(error) {
    if (signal.aborted) return;
    if (error instanceof Refused && error.status === 404 && agent === null) fill(element, ...absentAgent());
    else context.fail(error);
  }

  const readAgent = () => reading(`/v1/agents/${id}`, describe);

  /**
   * @param {string} path
   * @param {(answer: any) => void} take
   */
  async function reading(path, take) {
    try {
      take(await read(path, { signal }));
    } catch (error) {
      failed(error);
    }
  }

  /** @param {Agent & { readonly manifest?: unknown }} found */
  function describe(found) {
    agent = found;
    view.title = found.name;
    titlePage(found.name);
    head.describe(found);
    actions.describe(found);
    closings.describe(found);
    void summary.refresh(found);
    candles ??= candlesOf(context, found, signal);
    if (candles !== null) fill(candlePlace, candles.element);
    if (found.manifest !== undefined) fill(rules, manifestPanel(/** @type {import('./manifest-words.js').Rules} */ (found.manifest)));
  }

  const stops = subscribed(context.feed, id, panels, {
    stepped: () => void readAgent(),
    traded: () => {
      if (agent !== null) void summary.refresh(agent);
      candles?.refresh();
    },
  });
  actions.quarantine(false);
  void readAgent();
  void reading(`/v1/agents/${id}/chart`, (/** @type {import('./wire.ts').Chart} */ { status }) =>
    actions.quarantine(status === 'quarantined'),
  );
  void panels.gates.refresh();

  const view = {
    element,
    title: 'Agent',
    end() {
      abort.abort();
      closings.end();
      summary.end();
      candles?.end();
      state.end();
      panels.evaluations.end();
      for (const stop of stops) stop();
    },
  };
  return view;
}

/** @typedef {{ readonly context: Context, readonly id: string, readonly signal: AbortSignal }} Parts */

/**
 * @param {Parts} parts
 * @param {(change: Partial<Agent>) => void} onChanged
 */
function panelsOf(parts, onChanged) {
  const { context, id, signal } = parts;
  const { me, notify, fail } = context;
  const gates = gatesPanel({ id, me, signal, notify, fail });
  return {
    actions: agentActions({ ...parts, onChanged }),
    closings: closingLines({ id, signal, fail }),
    summary: agentSummary(parts),
    gates,
    evaluations: evaluationsPanel({ ...parts, onEnded: () => void gates.refresh() }),
    decisions: decisionsPanel(parts),
    state: agentState({ id, signal, fail }),
    vault: vaultPanel(parts),
    books: booksPanel(parts),
    versions: versionsPanel(parts),
    costs: lazyPanel(async () => (await import('./calibration-panel.js')).calibrationPanel(parts), fail),
    delegations: lazyPanel(async () => (await import('./delegation-panel.js')).delegationPanel({ ...parts, trader: 'agentId' }), fail),
    /** The manifest in sentences, once it is read. */
    rules: h('div', {}),
  };
}

/** @typedef {ReturnType<typeof panelsOf>} Panels */

/** @param {{ readonly id: string, readonly tab: string, readonly head: ReturnType<typeof agentHead>, readonly panels: Panels, readonly candlePlace: Element }} page */
function pageOf({ id, tab, head, panels, candlePlace }) {
  const { actions, closings, summary, decisions, gates, evaluations, state, vault, books, rules, versions, costs, delegations } = panels;
  const links = h('div', { class: 'actions' }, h('a', { href: `#/proposals/${id}` }, 'View proposals'), actions.elements);
  return h(
    'section',
    { class: 'page agent' },
    backToAgents(),
    h('div', { class: 'page-head' }, h('div', {}, head.heading, head.about), links),
    head.facts,
    closings.element,
    summary.element,
    candlePlace,
    tabs({
      label: 'Parts of the agent',
      address: `#/agents/${id}`,
      chosen: tab,
      tabs: [
        { name: 'decisions', title: 'Decisions', content: [decisions.element] },
        { name: 'gates', title: 'Gates and evaluations', content: [gates.element, evaluations.element] },
        { name: 'state', title: 'State', content: state.elements },
        { name: 'vault', title: 'Vault and books', content: [vault.element, books.element] },
        { name: 'costs', title: 'Costs', content: [costs] },
        { name: 'signing', title: 'Signing', content: [delegations] },
        { name: 'versions', title: 'Versions', content: [rules, versions.element] },
      ],
    }),
  );
}

const backToAgents = () => h('p', { class: 'trail' }, h('a', { href: '#/agents' }, '← Agents'));

const absentAgent = () => [
  backToAgents(),
  h('h1', {}, 'Agent not found'),
  h('p', { class: 'faint' }, 'It may belong to another organization.'),
];

/** Its name, what it is for, and where it stands. */
function agentHead() {
  const heading = h('h1', {}, '…');
  const about = h('p', { class: 'faint' });
  const facts = h('div', { class: 'facts' });
  const fact = (/** @type {string} */ title, /** @type {import('./dom.js').Child} */ content) =>
    h('div', {}, h('span', { class: 'faint' }, title), h('span', {}, content));
  return {
    heading,
    about,
    facts,
    /** @param {Agent} found */
    describe(found) {
      say(heading, found.name);
      say(about, found.description);
      fill(
        facts,
        fact('Stage', stageGates(found.stage)),
        fact('Status', dutyBadge(found.paused, found.pauseCause)),
        fact('Autonomy', plain(found.autonomy)),
        fact('Manifest', h('code', { title: found.manifestHash }, `v${found.manifestVersion} ${found.manifestHash.slice(0, 10)}`)),
        fact('Created', `${dayAndTime(found.createdAt)} by ${found.createdBy}`),
      );
    },
  };
}

/**
 * The candles of what it trades; null if its manifest is not known, or names no instrument.
 * @param {Context} context
 * @param {Agent & { readonly manifest?: unknown }} agent
 * @param {AbortSignal} signal
 */
function candlesOf(context, { id, manifest }, signal) {
  if (manifest === undefined) return null;
  const rules = /** @type {import('./agent-overlay.js').Rules & { readonly universe: readonly { readonly key: string }[] }} */ (manifest);
  const instruments = rules.universe.map(({ key }) => key);
  if (instruments.length === 0) return null;
  return new CandlePanel({ context, instruments, timeframe: '5m', overlay: agentOverlay(id, rules, signal) });
}

/**
 * Keeps the panels up to date. Runs and proposals announce themselves as actors of their own: their channels are received
 * whole, not narrowed to the agent.
 * @param {Context['feed']} feed
 * @param {string} id
 * @param {Panels} panels
 * @param {{ readonly stepped: () => void, readonly traded: () => void }} told
 */
function subscribed(feed, id, { state, gates, evaluations, decisions, vault, books, versions }, told) {
  let wasLost = false;
  return [
    feed.subscribe({
      channel: 'inspect',
      params: { actorId: id },
      begin: () => {
        state.restart();
        // A step may have been missed.
        if (wasLost) told.stepped();
        wasLost = true;
      },
      receive: ({ at, data }) => {
        const { version, machine, event, from, to } = data;
        if (!state.include({ version, at, machine, event, from, to, cause: null })) return;
        told.stepped();
        void gates.refresh();
        if (event.type === 'manifest.changed') void versions.refresh();
      },
    }),
    feed.subscribe({
      channel: 'decisions',
      params: { agentId: id },
      begin: () => void decisions.readAgain(),
      receive: ({ data }) => decisions.include(data),
    }),
    feed.subscribe({
      channel: 'agents',
      begin: () => {
        void evaluations.refresh();
        void vault.refresh();
        void versions.refresh();
      },
      receive: ({ type, data }) => {
        if (type !== 'snapshot' && data.agentId === id) evaluations.receive(data);
      },
    }),
    feed.subscribe({
      channel: 'proposals',
      begin: () => void books.refresh(),
      receive: ({ data }) => {
        // A fill changes what is held.
        if (data.agentId !== id || (data.what !== 'filled' && data.what !== 'partially_filled')) return;
        void books.refresh();
        void vault.refresh();
        told.traded();
      },
    }),
  ];
}
