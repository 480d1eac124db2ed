/** The runtime: actors, activities, timers, incidents, queues, and who intervened; how it stands in numbers above. */
import { actorLink, actorsPanel } from './actors-panel.js';
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { createInterventions } from './interventions.js';
import { lazyPanel } from './lazy-panel.js';
import { pagedTable, wordFilter } from './paged-table.js';
import { dataTable } from './tables.js';
import { tabs } from './tabs.js';
import { age, clockAndZone, dayAndTime, eventWord, plain, zoneWord } from './words.js';

/** @typedef {import('./api.ts').Runtime} Runtime */
/**
 * @typedef {object} RuntimeParts
 * @property {AbortSignal} signal
 * @property {(error: unknown) => void} fail
 * @property {() => number} now
 * @property {import('./interventions.js').Interventions} interventions
 */
/** @typedef {{ readonly content: readonly Node[], begin(): Promise<void> }} RuntimePanel */

const EVERY_MS = 10_000;
const PER_PAGE = 50;

/**
 * @param {import('./shell.js').Context} context
 * @param {string} tab
 * @returns {import('./shell.js').View}
 */
export function runtimeView(context, tab) {
  const { feed, fail } = context;
  const abort = new AbortController();
  const { signal } = abort;
  const tiles = h('div', { class: 'tiles', role: 'status' });
  const queues = h('div', {});
  const when = h('span', { class: 'faint' });
  const search = h('input', { type: 'search', maxlength: 80, placeholder: 'Search, or column:word', 'aria-label': 'Search the runtime' });
  const interventions = createInterventions(context, () => void refresh(true));
  const work = lazyPanel(async () => (await import('./long-work-panel.js')).longWorkPanel({ signal, fail }), fail);
  const parts = { signal, fail, now: () => feed.now(), interventions };
  const panels = {
    actors: actorsPanel(parts, search),
    activities: activitiesPanel(parts),
    timers: timersPanel(parts),
    incidents: incidentsPanel(parts),
    alerts: alertsPanel(parts),
    interventions: interventionsPanel(parts),
  };

  /** @param {boolean} withLists What somebody looks at is not read anew beneath them. */
  async function refresh(withLists) {
    if (document.hidden) return;
    if (withLists) for (const { begin } of Object.values(panels)) void begin();
    try {
      /** @type {Runtime} */
      const runtime = await read('/v1/runtime', { signal });
      fill(tiles, tilesOf(runtime));
      fill(queues, queueTables(runtime));
      say(when, `as of ${clockAndZone(runtime.at)}`);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }
  const stop = feed.subscribe({
    channel: 'alerts',
    begin: () => {},
    receive: () => void Promise.all([panels.incidents.begin(), panels.alerts.begin()]),
  });
  const repeating = setInterval(() => void refresh(false), EVERY_MS);
  void refresh(true);
  const shown = runtimeTabs(tab, { ...panels, queues: { content: [queues] }, work: { content: [work] } });

  return {
    element: h('section', { class: 'page runtime' }, h('div', { class: 'page-head' }, h('h1', {}, 'Runtime'), search, when), tiles, shown),
    title: 'Runtime',
    list: { label: 'Search the runtime', search, filters: panels.actors.filters },
    end() {
      abort.abort();
      clearInterval(repeating);
      stop();
    },
  };
}

/** The names of the parts, in their order; that of each stands in the address. */
const PARTS = /** @type {const} */ (['actors', 'activities', 'timers', 'incidents', 'alerts', 'queues', 'work', 'interventions']);

/** @param {string} chosen @param {Readonly<Record<typeof PARTS[number], { readonly content: readonly Node[] }>>} parts */
function runtimeTabs(chosen, parts) {
  const shown = PARTS.map((name) => ({ name, title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, content: parts[name].content }));
  return tabs({ label: 'Parts of the runtime', address: '#/runtime', chosen, tabs: shown });
}

/** Creates the numbers, with those that need attention marked. @param {Runtime} runtime */
function tilesOf({ actors, activities, timers, incidents, queues }) {
  const sum = (/** @type {readonly { readonly count: number }[]} */ all) => all.reduce((total, { count }) => total + count, 0);
  const quarantined = sum(actors.filter(({ status }) => status === 'quarantined'));
  const givenUp = sum(activities.filter(({ state }) => state === 'given_up'));
  const stalled = queues.ticks.filter(({ isStalled }) => isStalled).length;
  const failed = queues.recurring.filter(({ hasFailed }) => hasFailed).length;
  return [
    tile('actors running', sum(actors.filter(({ status }) => status === 'running')), quarantined, 'quarantined'),
    tile('activities pending', sum(activities.filter(({ state }) => state === 'pending')), givenUp, 'failed'),
    tile('timers', timers.count, timers.overdue, 'overdue'),
    tile('incidents (24 h)', sum(incidents), 0, ''),
    tile('tick shards', queues.ticks.length, stalled, 'stalled'),
    tile('recurring jobs', queues.recurring.length, failed, 'failed'),
  ];
}

/** @param {string} title @param {number} count @param {number} wrong @param {string} how */
function tile(title, count, wrong, how) {
  return h(
    'div',
    { class: 'tile', 'data-wrong': wrong > 0 },
    h('span', { class: 'tile-number number' }, String(count)),
    h('span', { class: 'faint' }, title),
    wrong > 0 ? h('strong', {}, `${wrong} ${how}`) : null,
  );
}

/** @param {Runtime} runtime */
function queueTables({ at, activities, queues }) {
  const since = (/** @type {string} */ time) => `${age(Date.parse(at) - Date.parse(time))} ago`;
  return [
    dataTable({
      caption: 'Activities by kind',
      head: ['kind', 'state', 'count', 'max attempts', 'next due'],
      rows: activities.map(({ kind, state, count, attempts, firstDueAt }) => [
        plain(kind),
        plain(state),
        String(count),
        String(attempts),
        dayAndTime(firstDueAt),
      ]),
      empty: 'No pending or failed activities.',
    }),
    dataTable({
      caption: 'Ticks by shard',
      head: ['shard', 'every', 'last tick', 'status'],
      rows: queues.ticks.map(({ shard, periodMs, lastSlot, isStalled }) => [
        String(shard),
        age(periodMs),
        `${dayAndTime(lastSlot)}, ${since(lastSlot)}`,
        isStalled ? h('strong', { class: 'wrong' }, 'stalled') : 'advances',
      ]),
      empty: 'No ticks yet.',
    }),
    dataTable({
      caption: 'Recurring jobs',
      head: ['work', 'last run', 'status'],
      rows: queues.recurring.map(({ name, lastSlot, isUnderWay, hasFailed }) => [
        plain(name).replace(/\b(\d+) ms\b/g, (_, ms) => age(Number(ms))),
        lastSlot === null ? 'never' : `${dayAndTime(lastSlot)}, ${since(lastSlot)}`,
        isUnderWay ? 'running' : hasFailed ? h('strong', { class: 'wrong' }, 'failed, retrying') : 'waiting',
      ]),
      empty: 'No recurring jobs yet.',
    }),
  ];
}

/** @param {RuntimeParts} parts @returns {RuntimePanel} */
function activitiesPanel({ signal, fail, now, interventions }) {
  const state = wordFilter('State', ['pending', 'given_up'], plain, () => void table.begin());
  state.firstElementChild?.remove();
  const table = pagedTable({
    label: 'Activities, of the newest actors first',
    head: ['activity', 'actor', 'attempts', `due, ${zoneWord()}`, 'error', ...(interventions.may ? ['intervene'] : [])],
    address: () => `/v1/runtime/activities?limit=${PER_PAGE}&state=${state.value}`,
    row: (/** @type {import('./api.ts').WaitingActivity} */ activity) => [
      h('span', { title: activity.key }, plain(activity.kind)),
      actorLink(activity),
      h('span', { class: 'number' }, String(activity.attempts)),
      h('span', { class: 'number' }, dueText(activity.dueAt, now())),
      answerText(activity.answer),
      ...(interventions.may ? [interventions.ofActivity(activity)] : []),
    ],
    empty: 'No matching activities.',
    signal,
    fail,
  });
  return { content: [h('div', { class: 'filters' }, state), table.element], begin: table.begin };
}

/** @param {RuntimeParts} parts @returns {RuntimePanel} */
function timersPanel({ signal, fail, now }) {
  const table = pagedTable({
    label: 'Timers, next due first',
    head: ['timer', 'actor', `due, ${zoneWord()}`, 'event'],
    address: () => `/v1/runtime/timers?limit=${PER_PAGE}`,
    row: (/** @type {import('./api.ts').WaitingTimer} */ { timerId, dueAt, event, ...actor }) => [
      eventWord(timerId),
      actorLink(actor),
      h('span', { class: 'number' }, actor.actorStatus === 'quarantined' ? 'after release' : dueText(dueAt, now())),
      eventWord(String(/** @type {{ readonly type?: unknown }} */ (event).type)),
    ],
    empty: 'No timers.',
    signal,
    fail,
  });
  return { content: [table.element], begin: table.begin };
}

/** @param {RuntimeParts} parts @returns {RuntimePanel} */
function incidentsPanel({ signal, fail, interventions }) {
  const table = pagedTable({
    label: 'Incidents, newest first',
    head: ['incident', 'actor', `at, ${zoneWord()}`, 'detail', ...(interventions.may ? ['intervene'] : [])],
    address: () => `/v1/runtime/incidents?limit=${PER_PAGE}`,
    row: (/** @type {import('./api.ts').ActorIncident} */ { kind, at, detail, ...actor }) => [
      plain(kind),
      actorLink(actor),
      h('span', { class: 'number' }, dayAndTime(at)),
      h('span', { class: 'long' }, detail),
      ...(interventions.may ? [actor.actorStatus === 'quarantined' ? interventions.ofActor(actor) : null] : []),
    ],
    empty: 'No incidents.',
    signal,
    fail,
  });
  return { content: [table.element], begin: table.begin };
}

/** @param {RuntimeParts} parts @returns {RuntimePanel} */
function alertsPanel({ signal, fail }) {
  const table = pagedTable({
    label: 'Alerts, newest first',
    head: ['alert', 'agent', 'venues', `at, ${zoneWord()}`, 'detail'],
    address: () => `/v1/alerts?limit=${PER_PAGE}`,
    row: (/** @type {import('./api.ts').Alert} */ { what, agentId, agentName, venues, at, detail, ofService }) => [
      plain(what),
      agentId === null ? (ofService ? 'service' : '') : h('a', { href: `#/agents/${agentId}` }, agentName ?? 'an agent'),
      venues.map(plain).join(', '),
      h('span', { class: 'number' }, dayAndTime(at)),
      h('span', { class: 'long' }, detail ?? ''),
    ],
    empty: 'No recent alerts.',
    signal,
    fail,
  });
  return { content: [table.element], begin: table.begin };
}

/** @param {RuntimeParts} parts @returns {RuntimePanel} */
function interventionsPanel({ signal, fail }) {
  const table = pagedTable({
    label: 'Interventions, newest first',
    head: ['intervention', 'actor', `at, ${zoneWord()}`, 'by', 'reason'],
    address: () => `/v1/runtime/interventions?limit=${PER_PAGE}`,
    row: (/** @type {import('./api.ts').RecordedIntervention} */ { action, activities, at, subject, reason, ...actor }) => [
      action === 'release' ? 'release' : `${action} of ${activities} ${activities === 1 ? 'activity' : 'activities'}`,
      actorLink(actor),
      h('span', { class: 'number' }, dayAndTime(at)),
      subject,
      h('span', { class: 'long' }, reason),
    ],
    empty: 'No interventions yet.',
    signal,
    fail,
  });
  return { content: [table.element], begin: table.begin };
}

/** @param {string} time @param {number} now */
function dueText(time, now) {
  const left = Date.parse(time) - now;
  return `${dayAndTime(time)}, ${left > 0 ? `in ${age(left)}` : 'now'}`;
}

/** Returns the answer of an activity that was given up: a sentence of the worker, or the actor's refusal. @param {unknown} answer */
function answerText(answer) {
  const { detail, refused } = /** @type {{ readonly detail?: unknown, readonly refused?: unknown }} */ (answer ?? {});
  if (typeof detail === 'string') return h('span', { class: 'long' }, detail);
  return typeof refused === 'string' ? `the actor refused the result: ${plain(refused)}` : '';
}
