/** The seven gates of one agent: which are behind it, what the one it stands at asks and what was observed, and the button that asks for it to open. */
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { dayAndTime, GATE_RULES, plain } from './words.js';

/** @typedef {import('./wire.ts').Gate} Gate */
/** @typedef {import('./wire.ts').GateCheck} GateCheck */

/**
 * @param {{
 *   readonly id: string,
 *   readonly me: import('./wire.ts').Me,
 *   readonly signal: AbortSignal,
 *   readonly notify: (text: string) => void,
 *   readonly fail: (error: unknown) => void,
 * }} deps
 */
export function gatesPanel({ id, me, signal, notify, fail }) {
  const list = h('ol', { class: 'gate-list' });
  const note = h('p', { class: 'faint', role: 'status' }, 'Reading…');
  const mayPromote = me.permissions.includes('trade:execute');
  const promote = h(
    'button',
    {
      type: 'button',
      disabled: !mayPromote,
      title: mayPromote ? 'Asks for the gate that the agent stands at to open' : 'This needs trade:execute',
      onclick: () => void ask(),
    },
    'Promote',
  );

  async function refresh() {
    try {
      /** @type {{ readonly stage: string, readonly gates: readonly Gate[] }} */
      const { stage, gates } = await read(`/v1/agents/${id}/gates`, { signal });
      fill(list, gates.map(gateItem));
      promote.hidden = stage === 'live';
      say(note, stage === 'live' ? 'Every gate is behind it.' : '');
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The gates cannot be read at the moment.');
      fail(error);
    }
  }

  async function ask() {
    promote.disabled = true;
    try {
      /** @type {import('./wire.ts').Agent} */
      const agent = await change('POST', `/v1/agents/${id}/promote`);
      notify(`Promoted to ${plain(agent.stage)}.`);
    } catch (error) {
      fail(error);
    } finally {
      promote.disabled = !mayPromote;
      void refresh();
    }
  }

  return {
    element: h(
      'div',
      { class: 'panel gates-panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Gates'), note, h('span', { class: 'space' }), promote),
      list,
    ),
    refresh,
  };
}

/** @param {Gate} gate */
function gateItem({ from, to, state, passed, checks, problems, evidence }) {
  const word = passed ? (state === 'here' ? 'ready' : 'passed') : evidence === null && state !== 'here' ? 'no evidence' : 'shut';
  const tone = passed ? 'good' : state === 'here' ? 'bad' : 'none';
  return h(
    'li',
    { 'data-gate': from, 'data-state': state },
    h(
      'details',
      { open: state === 'here' },
      h(
        'summary',
        {},
        h('span', { class: 'gate-name' }, `${plain(from)} → ${plain(to)}`),
        h('span', { class: `badge gate-${tone}` }, word),
        h('span', { class: 'faint' }, evidence === null ? '' : dayAndTime(evidence.at)),
      ),
      problems.length === 0
        ? null
        : h(
            'ul',
            { class: 'gate-problems' },
            problems.map((problem) => h('li', {}, problem)),
          ),
      h('div', { class: 'gate-checks' }, checks.map(checkRow)),
    ),
  );
}

/** @param {GateCheck} check */
function checkRow({ name, observed, rule, limit, passed }) {
  return h(
    'div',
    { class: `gate-check ${passed ? 'is-met' : 'is-missed'}`, 'data-check': name },
    h('span', { class: 'gate-mark' }, passed ? '✓' : '✗'),
    h('span', {}, plain(name)),
    h('span', { class: 'number' }, observed === null ? 'unknown' : short(observed)),
    h('span', { class: 'number faint' }, `${GATE_RULES[rule] ?? rule} ${limit === null ? 'unknown' : short(limit)}`),
  );
}

/**
 * At most four digits behind the point, and none that say nothing.
 * @param {number} value
 */
function short(value) {
  return String(Number(value.toFixed(4)));
}
