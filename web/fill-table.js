/** Executions as a table, each with the quotes that it was made on. */
import { h } from './dom.js';
import { instrumentName } from './outcome-names.js';
import { dataTable, number } from './tables.js';
import { clockTime, dayAndTime, plain } from './words.js';

/**
 * @param {readonly import('./wire.ts').Fill[]} fills
 * @param {string} caption
 * @param {string} empty
 */
export function fillTable(fills, caption, empty) {
  const shadowed = fills.some(({ shadow }) => shadow != null);
  const named = fills.some(({ instrument }) => instrument !== undefined);
  return dataTable({
    caption,
    empty,
    head: [
      'time',
      ...(named ? ['instrument'] : []),
      'side',
      'quantity',
      'price',
      'USD',
      'fee USD',
      'slippage',
      ...(shadowed ? ['venue trades'] : []),
      'quotes',
    ],
    rows: fills.map(({ at, instrument, side, quantity, fillPrice, notionalUsd, feeUsd, slippageBps, quotes, shadow }) => [
      h('time', { datetime: at }, dayAndTime(at)),
      ...(named ? [instrumentName(instrument ?? '')] : []),
      side,
      number(quantity),
      number(fillPrice),
      number(notionalUsd),
      number(feeUsd),
      `${Number(slippageBps.toFixed(2))} bps`,
      ...(shadowed ? [shadow == null ? '–' : flowWords(shadow)] : []),
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

/**
 * Describes what the venue's flow would have filled.
 * @param {NonNullable<import('./wire.ts').Fill['shadow']>} shadow
 */
function flowWords({ outcome, reason, quantity, price, trades }) {
  if (outcome === 'unknown') return `unknown: ${plain(reason ?? '')}`;
  const seen = `${trades} ${trades === 1 ? 'trade' : 'trades'}`;
  return price === null ? `no match (${seen})` : `${quantity} at ${price} (${seen})`;
}
