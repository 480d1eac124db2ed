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
  const why = h('div', { class: 'gate-problems' });
  const list = h('ol', { class: 'gate-list' });
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const mayPromote = me.permissions.includes('trade:execute');
  const promote = promoteButton(mayPromote, () => void ask());

  async function refresh() {
    try {
      /** @type {import('./wire.ts').Gates} */
      const { stage, progress, next, whyNoTrades, missingHistory, liveLimit, execution, simulated, gates } = await read(
        `/v1/agents/${id}/gates`,
        {
          signal,
        },
      );
      const limit = liveLimit === null ? [] : [h('p', { 'data-live-limit': '' }, `${liveLimit}.`)];
      const orders = execution.map((sentence) => h('p', { class: 'faint', 'data-execution': '' }, sentence));
      fill(why, [...limit, ...missingLines(missingHistory), ...whyLines(whyNoTrades), ...orders]);
      fill(list, gates.map(gateItem));
      promote.hidden = stage === 'live';
      say(note, `${progress}${simulated ? ', simulated' : ''}. Next: ${next}`);
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The gates could not be loaded.');
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
      why,
      list,
    ),
    refresh,
  };
}

/**
 * @param {boolean} mayPromote
 * @param {() => void} onclick
 */
function promoteButton(mayPromote, onclick) {
  const title = mayPromote ? 'Moves the agent to the next stage if every condition is met' : 'Requires trade:execute';
  return h('button', { type: 'button', disabled: !mayPromote, title, onclick }, 'Promote');
}

/** @param {readonly { readonly text: string }[]} missing */
function missingLines(missing) {
  if (missing.length === 0) return [];
  return [
    h('h3', {}, 'Data missing for a backtest'),
    h(
      'ul',
      { 'data-missing-history': '' },
      missing.map(({ text }) => h('li', {}, text)),
    ),
  ];
}

/** @param {readonly string[]} lines */
function whyLines(lines) {
  if (lines.length === 0) return [];
  const items = lines.map((line) => h('li', {}, line));
  return [h('h3', {}, 'Why no trades?'), h('ul', {}, items)];
}

/** @param {Gate} gate */
function gateItem({ from, to, state, passed, checks, problems, evidence }) {
  const isOutdated = state === 'behind' && problems.length > 0;
  const shut = isOutdated ? 'outdated' : evidence === null && state !== 'here' ? 'no evidence' : 'shut';
  const word = passed ? (state === 'here' ? 'ready' : 'passed') : shut;
  const tone = passed ? 'good' : state === 'here' || isOutdated ? 'bad' : 'none';
  return h(
    'li',
    { 'data-gate': from, 'data-state': state },
    h(
      'details',
      { open: state === 'here' || isOutdated },
      h(
        'summary',
        {},
        h('span', { class: 'gate-name' }, `${plain(from)} → ${plain(to)}`),
        h('span', { class: `badge gate-${tone}` }, word),
        h('span', { class: 'faint' }, evidence === null ? '' : `${dayAndTime(evidence.at)}${evidence.simulated ? ', simulated' : ''}`),
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
