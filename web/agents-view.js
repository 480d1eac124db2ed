/** The organization's agents: stage, autonomy, duty, what they receive and what they decided last; alive by the feed. */
import { qualityBadge } from './aged-quality.js';
import { dispositionBadge } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { read } from './http.js';
import { may } from './permissions.js';
import { age, plain, STAGES } from './words.js';

/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {import('./shell.js').Context} Context */
/** @typedef {Map<string, ReturnType<typeof agentRow>>} Rows By the id of the agent. */

/** Each agent shown is a subscription, and a socket may hold 64. */
const SHOWN = 25;
const READS_AT_ONCE = 6;

/**
 * @param {Context} context
 * @returns {import('./shell.js').View}
 */
export function agentsView(context) {
  const { feed, fail } = context;
  /** @type {Rows} */
  const rows = new Map();
  let unfollow = () => {};
  /** @type {(string | null)[]} */
  const trail = [null];
  let generation = 0;
  let ended = false;

  const body = h('tbody', {});
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const newer = h('button', { type: 'button', hidden: true, onclick: () => turn(-1) }, '← Newer');
  const older = h('button', { type: 'button', hidden: true, onclick: () => turn(1) }, 'Older →');
  /** @type {string | null} */
  let next = null;

  /** @param {-1 | 1} by */
  function turn(by) {
    if (by < 0) trail.pop();
    else if (next !== null) trail.push(next);
    void load();
  }

  async function load() {
    const mine = ++generation;
    try {
      const cursor = trail.at(-1);
      /** @type {import('./wire.ts').Page<Agent>} */
      const page = await read(`/v1/agents?limit=${SHOWN}${cursor ? `&cursor=${cursor}` : ''}`);
      if (mine === generation && !ended) show(page);
    } catch (error) {
      say(note, '');
      fail(error);
    }
  }

  /** @param {import('./wire.ts').Page<Agent>} page */
  function show({ items, nextCursor }) {
    next = nextCursor;
    newer.hidden = trail.length < 2;
    older.hidden = next === null;
    const isOnly = trail.length < 2 && next === null;
    say(note, items.length === 0 ? 'No agents yet.' : isOnly ? `${items.length} total` : `page ${trail.length}`);
    unfollow();
    rows.clear();
    for (const agent of items) rows.set(agent.id, agentRow(agent));
    fill(
      body,
      [...rows.values()].map((row) => row.element),
    );
    unfollow = followRows(context, rows);
  }

  void load();
  const ticking = setInterval(() => {
    for (const row of rows.values()) row.tick(feed.now());
  }, 1_000);

  return {
    element: agentsPage({ context, note, body, newer, older }),
    title: 'Agents',
    list: { label: 'Search the agents of this page' },
    end() {
      ended = true;
      clearInterval(ticking);
      unfollow();
    },
  };
}

/** @param {{ context: Context, note: HTMLElement, body: HTMLElement, newer: HTMLElement, older: HTMLElement }} parts */
function agentsPage({ context, note, body, newer, older }) {
  const head = ['Agent', 'Stage', 'Autonomy', 'Status', 'Data', 'Last decision'].map((title) => h('th', { scope: 'col' }, title));
  return h(
    'section',
    { class: 'page' },
    h('div', { class: 'page-head' }, h('h1', {}, 'Agents'), note, h('span', { class: 'space' }), pageActions(context)),
    h('table', { class: 'agents' }, h('thead', {}, h('tr', {}, head)), body),
    h('div', { class: 'pager' }, newer, older),
  );
}

/**
 * Keeps rows up to date: what happened before they were there is read, and what happens from then on is received.
 * @param {Context} context
 * @param {Rows} rows
 * @returns {() => void} Ends it.
 */
function followRows({ feed, fail }, rows) {
  const abort = new AbortController();
  const { signal } = abort;
  const failUnlessOver = (/** @type {unknown} */ error) => {
    if (!signal.aborted) fail(error);
  };
  const stops = [
    feed.subscribe({
      channel: 'inspect',
      receive: ({ data }) => rows.get(data.actorId)?.stand(data.to, data.version),
      begin: () => void forEachRow(rows, (id, row) => readState(id, row, signal).catch(failUnlessOver)),
    }),
    feed.subscribe({
      channel: 'agents',
      receive: ({ type, data }) => {
        if (type === 'snapshot') for (const agent of data) rows.get(agent.id)?.describe(agent);
        // An evaluation announces here how far it is, and that says nothing of how the agent stands.
        else if ('stage' in data) {
          const { autonomy, stage, duty, pauseCause } = data;
          rows.get(data.agentId)?.describe({ autonomy, stage, paused: duty === 'paused', pauseCause });
        }
      },
    }),
    ...[...rows].map(([id, row]) =>
      feed.subscribe({
        channel: 'decisions',
        params: { agentId: id },
        receive: ({ data }) => row.decide(data),
        begin: () => void readDecision(id, row, signal).catch(failUnlessOver),
      }),
    ),
  ];
  return () => {
    abort.abort();
    for (const stop of stops) stop();
  };
}

/** A few at once. @param {Rows} rows @param {(id: string, row: ReturnType<typeof agentRow>) => Promise<void>} each */
async function forEachRow(rows, each) {
  const waiting = rows.entries();
  await Promise.all(
    Array.from({ length: READS_AT_ONCE }, async () => {
      for (const [id, row] of waiting) await each(id, row);
    }),
  );
}

/** @param {string} id @param {ReturnType<typeof agentRow>} row @param {AbortSignal} signal */
async function readState(id, row, signal) {
  /** @type {import('./wire.ts').Page<import('./wire.ts').Step>} */
  const { items } = await read(`/v1/agents/${id}/history?limit=1`, { signal });
  const [step] = items;
  if (step !== undefined) row.stand(step.to, step.version);
}

/** @param {string} id @param {ReturnType<typeof agentRow>} row @param {AbortSignal} signal */
async function readDecision(id, row, signal) {
  /** @type {import('./wire.ts').Page<import('./wire.ts').Decision>} */
  const { items } = await read(`/v1/agents/${id}/decisions?limit=1`, { signal });
  if (items[0] !== undefined) row.decide(items[0]);
}

/** Creates the actions for all agents. @param {Context} context */
function pageActions(context) {
  const resume = () => void import('./resume-all.js').then(({ askResumeAll }) => askResumeAll(context), context.fail);
  const isAllowed = may('risk:manage');
  const title = isAllowed ? 'Select paused agents to resume' : 'Requires risk:manage';
  return h(
    'div',
    { class: 'actions' },
    h('button', { type: 'button', disabled: !isAllowed, title, onclick: resume }, 'Resume all'),
    h('a', { href: '#/agents/new', hidden: !may('trade:execute') }, 'New agent'),
  );
}

/** @param {Agent} agent */
function agentRow(agent) {
  const name = h('a', { href: `#/agents/${agent.id}` }, agent.name);
  const stage = h('td', { 'data-title': 'Stage' });
  const autonomy = h('td', { 'data-title': 'Autonomy' });
  const duty = h('td', { 'data-title': 'Status' });
  const data = h('td', { 'data-title': 'Data' }, h('span', { class: 'faint' }, '…'));
  const badge = h('span', {}, h('span', { class: 'faint' }, 'none yet'));
  const when = h('span', { class: 'faint' });
  const last = h('td', { 'data-title': 'Last decision' }, badge, ' ', when);
  const element = h(
    'tr',
    { 'data-agent': agent.id },
    h('th', { scope: 'row' }, name, h('p', { class: 'faint description' }, agent.description)),
    stage,
    autonomy,
    duty,
    data,
    last,
  );
  let version = 0;
  let slot = 0;
  let shown = { stage: agent.stage, autonomy: agent.autonomy, paused: agent.paused, pauseCause: agent.pauseCause };

  function draw() {
    fill(stage, stageGates(shown.stage));
    fill(autonomy, plain(shown.autonomy));
    fill(duty, dutyBadge(shown.paused, shown.pauseCause));
    mark(element, 'data-duty', shown.paused ? 'paused' : 'active');
  }
  draw();

  return {
    element,
    /** @param {Partial<typeof shown>} change */
    describe(change) {
      const { stage: gate, autonomy: level, paused, pauseCause } = { ...shown, ...change };
      shown = { stage: gate, autonomy: level, paused, pauseCause };
      draw();
    },
    /** @param {import('./wire.ts').StateValue} value @param {number} at */
    stand(value, at) {
      if (at < version || typeof value === 'string') return;
      version = at;
      const feed = String(value['feed'] ?? 'unknown');
      fill(data, qualityBadge({ quality: feed }, 'hears-'));
      const paused = value['duty'] === 'paused';
      const stage = /** @type {Agent['stage']} */ (value['stage'] ?? shown.stage);
      shown = { ...shown, stage, paused, pauseCause: paused ? shown.pauseCause : null };
      draw();
    },
    /** @param {import('./wire.ts').Decision} decision */
    decide(decision) {
      const at = Date.parse(decision.slot);
      if (at < slot) return;
      slot = at;
      fill(badge, dispositionBadge(decision.disposition));
    },
    /** @param {number} now */
    tick(now) {
      if (slot > 0) say(when, `${age(Math.floor((now - slot) / 1000) * 1000)} ago`);
    },
  };
}

/**
 * The seven gates, those passed filled, and the stage in words.
 * @param {string} stage
 */
export function stageGates(stage) {
  const at = STAGES.indexOf(stage);
  return h(
    'span',
    { class: 'gates' },
    h(
      'span',
      { class: 'gates-row', 'aria-hidden': 'true' },
      STAGES.map((_, index) => h('i', { class: index < at ? 'gate is-passed' : index === at ? 'gate is-here' : 'gate' })),
    ),
    h('span', {}, plain(stage)),
  );
}

/**
 * @param {boolean} paused
 * @param {string | null} cause
 */
export function dutyBadge(paused, cause) {
  return h(
    'span',
    { class: `badge duty-${paused ? 'paused' : 'active'}` },
    paused ? (cause === null ? 'Paused' : `Paused: ${plain(cause)}`) : 'Running',
  );
}
