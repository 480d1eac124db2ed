/** One decision record: what came of it, and opened up, the matrix of its rules and what was known of each instrument. */
import { fill, h } from './dom.js';
import { sentenceOf } from './problem-note.js';
import { age, clockTime, dayAndTime, flagWords, forPeople, plain, quoteText, rejectionWords, valueText } from './words.js';

/** @typedef {import('./wire.ts').Decision} Decision */
/** @typedef {import('./wire.ts').Rule} Rule */

/** @param {string} disposition */
export function dispositionBadge(disposition) {
  return h('span', { class: `badge disposition-${disposition}` }, plain(disposition));
}

/**
 * @param {Decision} decision
 * @param {() => Promise<import('./wire.ts').Explanation>} explain Asks for it in words.
 * @returns {HTMLDetailsElement}
 */
export function decisionCard(decision, explain) {
  const inside = h('div', { class: 'decision-inside' });
  const passed = (/** @type {string} */ side) => {
    const rules = decision.rules.filter((rule) => rule.side === side);
    return `${side} ${rules.filter((rule) => rule.passed).length}/${rules.length}`;
  };
  const card = h(
    'details',
    { class: 'decision', 'data-decision': decision.id },
    h(
      'summary',
      {},
      h('time', { datetime: decision.slot, title: dayAndTime(decision.slot) }, clockTime(decision.slot)),
      dispositionBadge(decision.disposition),
      h('span', { class: 'faint' }, [passed('entry'), passed('exit')].join(' · ')),
      decision.reason === null ? null : h('span', { class: 'decision-reason' }, plain(decision.reason)),
    ),
    inside,
  );
  // Most cards are never opened.
  card.addEventListener('toggle', () => {
    if (card.open && inside.childElementCount === 0) fill(inside, insideOf(decision), explanationOf(explain));
  });
  return card;
}

/** @param {Decision} decision */
function insideOf(decision) {
  return [
    decision.rules.length === 0 ? null : ruleMatrix(decision.rules),
    knownTable(decision),
    ...(decision.risk?.rejections ?? []).map((rejection) => h('p', { class: 'rejection' }, rejectionWords(rejection))),
    h(
      'p',
      { class: 'hashes faint' },
      'record ',
      h('code', { title: decision.hash }, decision.hash.slice(0, 12)),
      ' follows ',
      h('code', { title: decision.previousHash }, decision.previousHash.slice(0, 12)),
    ),
  ];
}

/**
 * A button that gives way to the decision in words.
 * @param {() => Promise<import('./wire.ts').Explanation>} explain
 */
function explanationOf(explain) {
  const place = h('div', { class: 'explanation', 'aria-live': 'polite' });
  const button = h('button', { type: 'button', onclick: () => void ask() }, 'Explain');
  fill(place, button);

  async function ask() {
    button.disabled = true;
    try {
      fill(place, explanationWords(await explain()));
    } catch (error) {
      fill(place, h('p', { class: 'problem' }, sentenceOf(error)), button);
      button.disabled = false;
    }
  }
  return place;
}

/** @param {import('./wire.ts').Explanation} explanation */
function explanationWords({ summary, why, instruments, missing }) {
  const sentences = (/** @type {readonly string[]} */ lines) =>
    h(
      'ul',
      {},
      lines.map((line) => h('li', {}, forPeople(line))),
    );
  return [
    h('p', {}, h('strong', {}, forPeople(summary))),
    sentences(why),
    ...instruments.map(({ instrument, seen, entry, exit }) =>
      h(
        'section',
        { 'aria-label': instrument },
        h('p', {}, nameOf(instrument), `: ${forPeople(seen)}`),
        sentences([
          ...entry.map(({ passed, sentence }) => `entry ${passed ? 'passed' : 'failed'} · ${sentence}`),
          ...exit.map(({ passed, sentence }) => `exit ${passed ? 'passed' : 'failed'} · ${sentence}`),
        ]),
      ),
    ),
    missing.length === 0 ? null : h('p', {}, 'Missing for a trade:'),
    missing.length === 0 ? null : sentences(missing),
  ];
}

/**
 * Rules down, instruments across: what was observed, and whether it passed.
 * @param {readonly Rule[]} rules
 */
function ruleMatrix(rules) {
  const instruments = [...new Set(rules.map(({ instrument }) => instrument))];
  /** @type {Map<string, { readonly side: string, readonly type: string, readonly threshold: Rule['threshold'], readonly cells: Map<string, Rule> }>} */
  const lines = new Map();
  const seen = new Map();
  for (const rule of rules) {
    // The same condition may stand twice in a manifest with another threshold.
    const base = `${rule.side} ${rule.type} ${rule.threshold}`;
    const count = (seen.get(`${base} ${rule.instrument}`) ?? 0) + 1;
    seen.set(`${base} ${rule.instrument}`, count);
    const key = `${base} ${count}`;
    const line = lines.get(key) ?? { side: rule.side, type: rule.type, threshold: rule.threshold, cells: new Map() };
    line.cells.set(rule.instrument, rule);
    lines.set(key, line);
  }
  return h(
    'div',
    { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Rules' },
    h(
      'table',
      { class: 'matrix' },
      h('caption', {}, 'Rules: observed value and threshold'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, 'rule'),
          h('th', { scope: 'col' }, 'threshold'),
          instruments.map((instrument) => h('th', { scope: 'col' }, nameOf(instrument))),
        ),
      ),
      h(
        'tbody',
        {},
        [...lines.values()].map(({ side, type, threshold, cells }) =>
          h(
            'tr',
            { class: `side-${side}` },
            h('th', { scope: 'row' }, h('span', { class: 'side' }, side), ' ', plain(type)),
            h('td', { class: 'number' }, valueText(threshold)),
            instruments.map((instrument) => ruleCell(cells.get(instrument))),
          ),
        ),
      ),
    ),
  );
}

/** @param {Rule | undefined} rule */
function ruleCell(rule) {
  if (rule === undefined) return h('td', {}, '');
  const word = rule.passed ? 'passed' : 'failed';
  return h(
    'td',
    { class: `verdict verdict-${word}` },
    h('span', { class: 'verdict-sign', 'aria-label': word, role: 'img' }, rule.passed ? '✓' : '✗'),
    ' ',
    rule.unknown === undefined
      ? h('span', { class: rule.observed === null ? 'faint' : '' }, valueText(rule.observed))
      : h('span', { class: 'faint' }, `${plain(rule.unknown.input)}: ${plain(rule.unknown.cause)}`),
  );
}

/** @param {Decision} decision */
function knownTable({ observed }) {
  const known = Object.entries(observed);
  if (known.length === 0) return h('p', { class: 'faint' }, 'No market data.');
  return h(
    'div',
    { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Market data' },
    h(
      'table',
      { class: 'known' },
      h('caption', {}, 'Market data at decision time'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['instrument', 'bid', 'ask', 'reference', 'age', 'quality'].map((title) => h('th', { scope: 'col' }, title)),
        ),
      ),
      h(
        'tbody',
        {},
        known.map(([instrument, { quote, reference }]) => {
          const flags = [...(quote?.flags ?? []), ...(reference?.flags ?? [])];
          return h(
            'tr',
            {},
            h('th', { scope: 'row' }, nameOf(instrument)),
            h('td', { class: 'number', title: quote?.bid ?? null }, quote?.bid == null ? '–' : quoteText(quote.bid)),
            h('td', { class: 'number', title: quote?.ask ?? null }, quote?.ask == null ? '–' : quoteText(quote.ask)),
            h('td', { class: 'number' }, reference?.referencePrice ?? '–'),
            h('td', { class: 'number' }, quote === null ? '–' : age(quote.ageMs)),
            h('td', {}, qualityWord(quote?.quality ?? 'unknown'), ' ', flagChips(flags)),
          );
        }),
      ),
    ),
  );
}

/** @param {string} quality */
export function qualityWord(quality) {
  return h('span', { class: `quality quality-${quality}` }, quality);
}

/** @param {readonly string[]} flags */
export function flagChips(flags) {
  return [...new Set(flags)].map((flag) => {
    const { word, kind, meaning } = flagWords(flag);
    return h('span', { class: `chip chip-${kind}`, title: meaning }, word);
  });
}

/** @param {string} instrument `spotchain:AAPLx` */
function nameOf(instrument) {
  const [venue, name] = instrument.split(':', 2);
  return h('span', { title: instrument }, name ?? venue ?? '', ' ', h('small', { class: 'faint' }, name === undefined ? '' : venue));
}
