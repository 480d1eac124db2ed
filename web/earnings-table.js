/** Earnings on paper and with real money, never added up. */
import { h } from './dom.js';
import { gain, money } from './money.js';
import { dataTable } from './tables.js';

/** @typedef {import('./api.ts').Performance} Performance */

/** @param {{ readonly paper: Performance, readonly live: Performance }} both */
export function earningsTable({ paper, live }) {
  const row = (/** @type {string} */ name, /** @type {Performance} */ { totals, books }) =>
    books.length === 0
      ? [name, h('span', { class: 'faint' }, '–'), '', '', '', '', '']
      : [
          name,
          money(totals.equityUsd),
          totals.todayUsd === null ? h('span', { class: 'faint' }, '–') : gain(totals.todayUsd),
          gain(totals.pnlUsd),
          gain(totals.unrealizedPnlUsd),
          gain(totals.realizedPnlUsd),
          money(totals.feesUsd),
        ];
  return dataTable({
    caption: 'P&L in US dollars',
    head: ['Account', 'Equity', 'Today', 'Total P&L', 'Unrealized', 'Realized', 'Fees'],
    rows: [row('Live', live), row('Paper', paper)],
  });
}
