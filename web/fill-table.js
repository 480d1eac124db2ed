/** Executions as a table, each with the quotes that it was made on. */
import { h } from './dom.js';
import { instrumentName } from './outcome-names.js';
import { dataTable, number } from './tables.js';
import { clockTime, dayAndTime } from './words.js';

/**
 * @param {readonly import('./wire.ts').Fill[]} fills
 * @param {string} caption
 * @param {string} empty
 */
export function fillTable(fills, caption, empty) {
  const named = fills.some(({ instrument }) => instrument !== undefined);
  return dataTable({
    caption,
    empty,
    head: ['time', ...(named ? ['instrument'] : []), 'side', 'quantity', 'price', 'USD', 'fee USD', 'slippage', 'quotes'],
    rows: fills.map(({ at, instrument, side, quantity, fillPrice, notionalUsd, feeUsd, slippageBps, quotes }) => [
      h('time', { datetime: at }, dayAndTime(at)),
      ...(named ? [instrumentName(instrument ?? '')] : []),
      side,
      number(quantity),
      number(fillPrice),
      number(notionalUsd),
      number(feeUsd),
      `${Number(slippageBps.toFixed(2))} bps`,
      h(
        'ul',
        { class: 'quote-list' },
        quotes.map(({ source, observedAt, bid, ask }) =>
          h('li', {}, `${source} ${bid ?? '–'} / ${ask ?? '–'} at `, h('time', { datetime: observedAt }, clockTime(observedAt))),
        ),
      ),
    ]),
  });
}
