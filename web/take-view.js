/** One Take: what it waits for, where it stands, what can be done with it, and every evaluation with its rules. */
import { actorChart } from './actor-chart.js';
import { decisionCard } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { change, read } from './http.js';
import { lazyPanel } from './lazy-panel.js';
import { createProblemNote } from './problem-note.js';
import { factList } from './tables.js';
import { understoodWords } from './takes-view.js';
import { clockTime, dayAndTime, eventWord, plain, stateText } from './words.js';

/** @typedef {import('./wire.ts').Take} Take */

const SHOWN = 20;

/**
 * @param {import('./shell.js').Context} context
 * @param {string} id
 * @returns {import('./shell.js').View}
 */
export function takeView(context, id) {
  const { me, feed, fail, notify } = context;
  const abort = new AbortController();
  const { signal } = abort;
  const address = `/v1/takes/${encodeURIComponent(id)}`;
  const mayTrade = me.permissions.includes('trade:execute');
  const mayStop = mayTrade || me.permissions.includes('risk:manage');
  /** @type {Take | null} */
  let take = null;
  /** @type {ReturnType<typeof actorChart> | null} */
  let chart = null;
  let isAsking = false;

  const title = h('h1', {}, 'Take');
  const state = h('span', { class: 'badge' });
  const facts = h('div', {});
  const understood = h('div', {});
  const note = createProblemNote(fail);
  const chartPlace = h('div', {});
  const decisions = h('div', { class: 'take-decisions' });
  const history = h('ol', { class: 'heard-steps', 'aria-label': 'Steps, newest first' });
  const live = h('input', { type: 'checkbox' });
  const buttons = {
    arm: button('Arm', () => act('POST', '/v1/takes/arm', { takeId: id, mode: live.checked ? 'live' : 'paper' })),
    disarm: button('Disarm', () => act('POST', `${address}/disarm`)),
    close: button('Close position', () => act('POST', `${address}/close`)),
    fork: button('Fork', () => made('/v1/takes/fork', { takeId: id })),
    publish: button('Publish', () => act('POST', `${address}/publish`)),
    tokenize: button('Make an agent of it', () => made('/v1/takes/tokenize', { takeId: id, as: 'agent' })),
  };
  const element = h(
    'section',
    { class: 'page take' },
    h('p', { class: 'trail' }, h('a', { href: '#/takes' }, '← Takes')),
    h('div', { class: 'page-head' }, title, state),
    h('div', { class: 'actions' }, buttons.arm, h('label', {}, live, ' with real money'), Object.values(buttons).slice(1)),
    note.element,
    h('div', { class: 'panel' }, facts, understood),
    chartPlace,
    lazyPanel(async () => (await import('./delegation-panel.js')).delegationPanel({ context, trader: 'takeId', id, signal }), fail),
    h('h2', {}, 'Evaluations'),
    decisions,
    h('h2', {}, 'Steps'),
    h('div', { class: 'panel' }, history),
  );

  /** @param {string} text @param {() => Promise<void>} call */
  function button(text, call) {
    return h('button', { type: 'button', disabled: true, onclick: () => void ask(call) }, text);
  }

  /** @param {() => Promise<void>} call */
  async function ask(call) {
    isAsking = true;
    note.clear();
    draw();
    try {
      await call();
    } catch (error) {
      note.show(error);
    } finally {
      isAsking = false;
      draw();
    }
  }

  /** @param {'POST'} method @param {string} path @param {unknown} [body] */
  async function act(method, path, body) {
    take = /** @type {Take} */ (await change(method, path, body));
    void readSteps();
  }

  /** @param {string} path @param {unknown} body */
  async function made(path, body) {
    /** @type {{ readonly id?: string, readonly agent?: { readonly id: string } | null }} */
    const answer = await change('POST', path, body);
    const agent = answer.agent;
    notify(agent ? 'A draft agent was made of it.' : 'It was forked into a new draft.');
    location.hash = agent ? `#/agents/${agent.id}` : `#/takes/${answer.id}`;
  }

  function draw() {
    if (take === null) return;
    say(title, `Take on ${take.symbol}`);
    mark(element, 'data-state', take.state);
    say(state, take.reason === null ? plain(take.state) : `${plain(take.state)}: ${plain(take.reason)}`);
    const holds = take.state === 'filled' || (take.state === 'disarmed' && take.reason !== 'closing');
    buttons.arm.disabled = isAsking || !mayTrade || (take.state !== 'draft' && take.state !== 'disarmed');
    buttons.disarm.disabled = isAsking || !mayStop || !take.onDuty;
    buttons.close.disabled = isAsking || !mayStop || !holds;
    buttons.fork.disabled = isAsking || !mayTrade;
    buttons.publish.disabled = isAsking || !mayTrade || take.published;
    buttons.tokenize.disabled = isAsking || !mayTrade;
    fill(facts, factList(factsOf(take)));
    fill(understood, understoodWords(take));
  }

  async function load() {
    try {
      take = await read(address, { signal });
      draw();
      await Promise.all([readDecisions(), readSteps()]);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  async function readDecisions() {
    /** @type {import('./wire.ts').Page<import('./wire.ts').Decision>} */
    const { items } = await read(`${address}/decisions?limit=${SHOWN}`, { signal });
    fill(
      decisions,
      items.length === 0 ? h('p', { class: 'faint' }, 'None yet: armed, it is evaluated at every full half minute.') : null,
      items.map(card),
    );
  }

  /** @param {import('./wire.ts').Decision} decision */
  function card(decision) {
    return decisionCard(decision, () => read(`${address}/decisions/${decision.id}/explain`));
  }

  async function readSteps() {
    /** @type {import('./wire.ts').Page<import('./wire.ts').Step>} */
    const { items } = await read(`${address}/history?limit=${SHOWN}`, { signal });
    const [newest] = items;
    if (newest !== undefined) {
      chart ??= actorChart({ context, actorId: id, machine: newest.machine, value: newest.to });
      if (chartPlace.childElementCount === 0) fill(chartPlace, chart.element);
      chart.stand(newest.to);
    }
    fill(
      history,
      items.map(({ at, event, to }) =>
        h(
          'li',
          {},
          h('time', { class: 'step-when faint', datetime: at, title: dayAndTime(at) }, clockTime(at)),
          h('span', { class: 'step-event' }, eventWord(event.type)),
          h('span', { class: 'faint' }, stateText(to)),
        ),
      ),
    );
  }

  const stops = [
    feed.subscribe({
      channel: 'takes',
      begin: () => void load(),
      receive: ({ type, data }) => {
        if (type === 'update' && data.takeId === id) void load();
      },
    }),
    feed.subscribe({
      channel: 'decisions',
      params: { agentId: id },
      receive: ({ type, data }) => {
        if (type !== 'update') return;
        decisions.querySelector('p')?.remove();
        decisions.prepend(card(data));
        while (decisions.childElementCount > SHOWN) decisions.lastElementChild?.remove();
      },
    }),
  ];

  return {
    element,
    title: 'Take',
    end() {
      abort.abort();
      chart?.end();
      for (const stop of stops) stop();
    },
  };
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
    ['opens when', words(take.conditions.entry)],
    ['leaves when', words(take.conditions.exit)],
    ['allocation', `${take.allocationUsd} USD`],
    ['slippage at most', `${take.maxSlippageBps} bps`],
    ['mode', take.mode ?? 'not armed yet'],
    ['expires', dayAndTime(take.expiresAt)],
    ['hash', take.hash.slice(0, 12)],
    ['forked from', take.lineage.length === 0 ? 'nothing' : h('span', {}, take.lineage.flatMap(takeLink))],
  ];
}
