/** Impact of proposed allocations on the portfolio: the form, and before and after side by side. Nothing is stored. */
import { fill, h, say } from './dom.js';
import { change } from './http.js';
import { money } from './money.js';
import { createProblemNote } from './problem-note.js';
import { dataTable, factList, number } from './tables.js';
import { plain, priceText, rejectionWords } from './words.js';

/** @typedef {import('./wire.ts').Impact} Impact */
/** @typedef {import('./wire.ts').Portfolio} Portfolio */
/** @typedef {import('./dom.js').Child} Child */

/** Allocations that one request may name. */
const MOST = 20;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.mode
 * @param {() => readonly string[]} options.wallets The wallets that are looked at beside the books.
 */
export function impactPanel({ context: { fail }, mode, wallets }) {
  const note = h('p', { class: 'faint', role: 'status' });
  const problem = createProblemNote(fail);
  const rows = h('div', { class: 'impact-rows' });
  const answer = h('div', { class: 'impact-answer' });
  const add = h('button', { type: 'button', onclick: () => addRow() }, 'Add another');
  const ask = h('button', { type: 'submit', class: 'primary' }, 'Simulate');

  function addRow() {
    if (rows.childElementCount < MOST) rows.append(allocationRow());
    add.disabled = rows.childElementCount === MOST;
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    ask.disabled = true;
    problem.clear();
    say(note, 'Simulating…');
    try {
      const named = wallets();
      const allocations = [...rows.children].map(allocationOf);
      /** @type {Impact} */
      const impact = await change('POST', '/v1/portfolio/impact', { mode, ...(named.length === 0 ? {} : { wallets: named }), allocations });
      fill(answer, drawn(impact));
      say(note, 'Simulation only. No order was placed.');
    } catch (error) {
      fill(answer);
      say(note, '');
      problem.show(error);
    } finally {
      ask.disabled = false;
    }
  }

  addRow();
  return h(
    'div',
    { class: 'panel impact-panel' },
    h('div', { class: 'panel-head' }, h('h2', {}, 'Allocation impact'), note),
    h('form', { class: 'impact-form', onsubmit: (/** @type {Event} */ event) => void submit(event) }, rows, add, ask),
    problem.element,
    answer,
  );
}

function allocationRow() {
  const what = { type: 'text', name: 'what', autocomplete: 'off', spellcheck: 'false', size: 18, placeholder: 'AAPLx' };
  const amount = { type: 'text', name: 'amount', inputmode: 'decimal', autocomplete: 'off', size: 12, placeholder: '2500.00' };
  return h(
    'div',
    { class: 'impact-row' },
    h('label', {}, 'Symbol or instrument ', h('input', what)),
    h('label', {}, 'Side ', h('select', { name: 'side' }, h('option', { value: 'buy' }, 'buy'), h('option', { value: 'sell' }, 'sell'))),
    h('label', {}, 'Amount in USD ', h('input', amount)),
  );
}

/** @param {Element} row */
function allocationOf(row) {
  /** @param {string} name */
  const given = (name) => /** @type {HTMLInputElement | HTMLSelectElement} */ (row.querySelector(`[name=${name}]`)).value.trim();
  const what = given('what');
  return { ...(what.includes(':') ? { instrument: what } : { symbol: what }), side: given('side'), notionalUsd: given('amount') };
}

/** @param {Impact} impact */
function drawn({ allocations, before, after }) {
  return [
    dataTable({
      caption: 'Allocations',
      head: ['allocation', 'risk check', 'price', 'quantity', 'fee USD', 'reason'],
      rows: allocations.map(({ instrument, side, notionalUsd, wouldPass, risk, price, quantity, feeUsd, note }) => [
        `${side} ${instrument} for ${notionalUsd}`,
        wouldPass ? 'would pass' : 'would be rejected',
        number(price),
        number(quantity),
        number(feeUsd),
        [note, ...(risk?.rejections ?? []).map(rejectionWords)].filter((words) => words !== '').join('; '),
      ]),
    }),
    factList([
      ['Value USD', h('span', {}, money(before.totals.valueUsd), ' → ', money(after.totals.valueUsd))],
      ['Cash USD', h('span', {}, money(before.totals.cashUsd), ' → ', money(after.totals.cashUsd))],
      ['Leverage', fromTo(before.totals.leverage, after.totals.leverage)],
    ]),
    sideBySide({
      caption: 'Sector weights, before and after',
      head: ['sector', 'weight % before', 'weight % after'],
      before: before.sectors,
      after: after.sectors,
      nameOf: ({ sector }) => plain(sector),
      cellOf: ({ weightPct }) => weightPct,
    }),
    sideBySide({
      caption: 'Concentration by underlying, before and after',
      head: ['underlying', 'weight % before', 'weight % after'],
      before: before.duplicates,
      after: after.duplicates,
      nameOf: ({ underlying }) => underlying,
      cellOf: ({ weightPct, exceedsLimit, limitPct }) => (exceedsLimit ? `${weightPct}, over the limit of ${limitPct}` : weightPct),
    }),
    sideBySide({
      caption: 'Share of pool liquidity, before and after',
      head: ['instrument', 'share % before', 'share % after'],
      before: before.exits,
      after: after.exits,
      nameOf: ({ instrument }) => instrument,
      cellOf: ({ sharePct, why }) => (sharePct === null ? why : sharePct),
    }),
    sideBySide({
      caption: 'Scenario losses, before and after',
      head: ['scenario', 'loss USD before', 'loss USD after'],
      before: before.scenarios,
      after: after.scenarios,
      nameOf: ({ id }) => plain(id),
      cellOf: ({ lossUsd }) => priceText(lossUsd),
    }),
  ];
}

/**
 * @param {string | number | null} one
 * @param {string | number | null} other
 */
function fromTo(one, other) {
  return h('span', {}, number(one), ' → ', number(other));
}

/**
 * One row for everything that stands on either side.
 * @template Row
 * @param {object} options
 * @param {string} options.caption
 * @param {readonly string[]} options.head
 * @param {readonly Row[]} options.before
 * @param {readonly Row[]} options.after
 * @param {(row: Row) => string} options.nameOf
 * @param {(row: Row) => string | number | null} options.cellOf
 */
function sideBySide({ caption, head, before, after, nameOf, cellOf }) {
  const sides = [before, after].map((rows) => new Map(rows.map((row) => [nameOf(row), cellOf(row)])));
  const names = [...new Set(sides.flatMap((side) => [...side.keys()]))];
  if (names.length === 0) return null;
  /** @param {Map<string, string | number | null>} side @param {string} name @returns {Child} */
  const cell = (side, name) => (side.has(name) ? number(/** @type {string | number | null} */ (side.get(name) ?? null)) : '');
  return dataTable({ caption, head, rows: names.map((name) => [name, ...sides.map((side) => cell(side, name))]) });
}
