/** One Take: what it waits for, where it stands, what can be done with it, and every evaluation with its rules. */
import { actorChart } from './actor-chart.js';
import { decisionCard } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { read } from './http.js';
import { lazyPanel } from './lazy-panel.js';
import { factList } from './tables.js';
import { takeActions } from './take-actions.js';
import { understoodWords } from './takes-view.js';
import { clockTime, dayAndTime, eventWord, plain, stateText } from './words.js';

/** @typedef {import('./wire.ts').Take} Take */
/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {import('./wire.ts').Decision} Decision */

const SHOWN = 20;

/**
 * @param {import('./shell.js').Context} context
 * @param {string} id
 * @returns {import('./shell.js').View}
 */
export function takeView(context, id) {
  const { feed, fail } = context;
  const abort = new AbortController();
  const { signal } = abort;
  const address = `/v1/takes/${encodeURIComponent(id)}`;
  const about = aboutTake();
  const evaluations = takeEvaluations(address, signal);
  const steps = takeSteps({ context, id, address, signal });
  const actions = takeActions({
    context,
    id,
    address,
    onChanged(take) {
      show(take);
      void steps.read();
    },
  });
  const element = h(
    'section',
    { class: 'page take' },
    h('p', { class: 'trail' }, h('a', { href: '#/takes' }, '← Takes')),
    about.head,
    actions.element,
    actions.problem,
    about.facts,
    steps.chart,
    lazyPanel(async () => (await import('./delegation-panel.js')).delegationPanel({ context, trader: 'takeId', id, signal }), fail),
    h('h2', {}, 'Evaluations'),
    evaluations.element,
    h('h2', {}, 'Steps'),
    h('div', { class: 'panel' }, steps.list),
  );

  /** @param {Take} take */
  function show(take) {
    mark(element, 'data-state', take.state);
    about.show(take);
    actions.show(take);
  }

  async function load() {
    try {
      show(await read(address, { signal }));
      await Promise.all([evaluations.read(), steps.read()]);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  const stops = [
    feed.subscribe({
      channel: 'takes',
      begin: () => void load(),
      receive: ({ data }) => {
        if (data.takeId === id) void load();
      },
    }),
    feed.subscribe({ channel: 'decisions', params: { agentId: id }, receive: ({ data }) => evaluations.include(data) }),
  ];

  return {
    element,
    title: 'Take',
    end() {
      abort.abort();
      steps.end();
      for (const stop of stops) stop();
    },
  };
}

/** Its head and its facts. */
function aboutTake() {
  const title = h('h1', {}, 'Take');
  const state = h('span', { class: 'badge' });
  const facts = h('div', {});
  const understood = h('div', {});
  return {
    head: h('div', { class: 'page-head' }, title, state),
    facts: h('div', { class: 'panel' }, facts, understood),
    /** @param {Take} take */
    show(take) {
      say(title, `Take on ${take.symbol}`);
      say(state, take.reason === null ? plain(take.state) : `${plain(take.state)}: ${plain(take.reason)}`);
      fill(facts, factList(factsOf(take)));
      fill(understood, understoodWords(take));
    },
  };
}

/** The newest evaluations, each with its rules. @param {string} address Of the Take. @param {AbortSignal} signal */
function takeEvaluations(address, signal) {
  const element = h('div', { class: 'take-decisions' });
  const card = (/** @type {Decision} */ decision) => decisionCard(decision, () => read(`${address}/decisions/${decision.id}/explain`));
  return {
    element,
    async read() {
      /** @type {import('./wire.ts').Page<Decision>} */
      const { items } = await read(`${address}/decisions?limit=${SHOWN}`, { signal });
      const none = h('p', { class: 'faint' }, 'No evaluations yet. An armed Take is evaluated every 30 seconds.');
      fill(element, items.length === 0 ? none : null, items.map(card));
    },
    /** @param {Decision} decision */
    include(decision) {
      element.querySelector('p')?.remove();
      element.prepend(card(decision));
      while (element.childElementCount > SHOWN) element.lastElementChild?.remove();
    },
  };
}

/**
 * The newest steps of its state chart, and the chart as it stands after them.
 * @param {{ readonly context: import('./shell.js').Context, readonly id: string, readonly address: string, readonly signal: AbortSignal }} options
 */
function takeSteps({ context, id, address, signal }) {
  const place = h('div', {});
  const list = h('ol', { class: 'heard-steps', 'aria-label': 'Steps, newest first' });
  /** @type {ReturnType<typeof actorChart> | null} */
  let chart = null;
  return {
    chart: place,
    list,
    async read() {
      /** @type {import('./wire.ts').Page<Step>} */
      const { items } = await read(`${address}/history?limit=${SHOWN}`, { signal });
      const [newest] = items;
      if (newest !== undefined) {
        chart ??= actorChart({ context, actorId: id, machine: newest.machine, value: newest.to });
        if (place.childElementCount === 0) fill(place, chart.element);
        chart.stand(newest.to);
      }
      fill(list, items.map(stepLine));
    },
    end: () => chart?.end(),
  };
}

/** @param {Step} step */
function stepLine({ at, event, to }) {
  return h(
    'li',
    {},
    h('time', { class: 'step-when faint', datetime: at, title: dayAndTime(at) }, clockTime(at)),
    h('span', { class: 'step-event' }, eventWord(event.type)),
    h('span', { class: 'faint' }, stateText(to)),
  );
}

/** Another Take, by the end of its id. @param {string} id @param {number} index */
function takeLink(id, index) {
  return [index > 0 ? ' → ' : '', h('a', { href: `#/takes/${id}`, title: id }, `Take ${id.slice(-8)}`)];
}

/**
 * @param {Take} take
 * @returns {readonly (readonly [string, import('./dom.js').Child])[]}
 */
function factsOf(take) {
  const words = (/** @type {readonly import('./wire.ts').Condition[]} */ conditions) =>
    conditions.map(({ type, ...fields }) => `${plain(type)} ${Object.values(fields).map(String).join(' ')}`.trim()).join(' and ') ||
    'nothing';
  return [
    ['entry', words(take.conditions.entry)],
    ['exit', words(take.conditions.exit)],
    ['allocation', `${take.allocationUsd} USD`],
    ['max slippage', `${take.maxSlippageBps} bps`],
    ['confirm before arming', take.open.length === 0 ? 'nothing' : take.open.join('; ')],
    ['mode', take.mode ?? 'not armed yet'],
    ['expires', dayAndTime(take.expiresAt)],
    ['hash', take.hash.slice(0, 12)],
    ['forked from', take.lineage.length === 0 ? 'nothing' : h('span', {}, take.lineage.flatMap(takeLink))],
  ];
}
