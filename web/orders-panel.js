/** Orders of people on the spot exchange: how each stands, how much of it is filled, how old it is, and the button that takes back what rests. */
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { may } from './permissions.js';
import { createProblemNote } from './problem-note.js';
import { dataTable, number } from './tables.js';
import { age, plain, symbolOf } from './words.js';

/** @typedef {import('./wire.ts').MarketOrder} MarketOrder */

const EVERY_MS = 5_000;
const PAGE = 25;
/** States in which an order may still be filled. */
const OPEN = new Set(['approved', 'executing', 'resting', 'withdrawing', 'unknown']);

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.mode
 * @param {AbortSignal} options.signal Ends the reading.
 */
export function ordersPanel({ context: { feed, fail }, mode, signal }) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const problem = createProblemNote(fail);
  const place = h('div', {});
  const options = ['open', 'all'].map((name) => h('option', { value: name }, name));
  const which = h('select', { 'aria-label': 'Order filter', onchange: () => void show(1) }, options);
  const more = h('button', { type: 'button', hidden: true, onclick: () => void show(pages + 1) }, 'More');
  /** Number of pages shown. */
  let pages = 1;
  /** The newest reading; an older one that ends later is not shown. */
  let reading = 0;

  /** @param {number} count How many pages. */
  async function show(count) {
    pages = count;
    const mine = ++reading;
    try {
      const list = `/v1/market-orders?mode=${mode}&limit=${PAGE}${which.value === 'open' ? '&open=true' : ''}`;
      const { orders, isWhole } = await firstPages(list, count, signal);
      if (mine !== reading) return;
      more.hidden = isWhole;
      const empty = which.value === 'open' ? 'No open orders.' : 'No orders yet.';
      fill(place, ordersTable({ orders, empty, now: feed.now(), takeBack }));
      say(note, '');
    } catch (error) {
      if (signal.aborted || mine !== reading) return;
      say(note, 'The orders could not be loaded.');
      fail(error);
    }
  }

  /** @param {MarketOrder} order */
  async function takeBack({ id }) {
    problem.clear();
    try {
      await change('POST', `/v1/market-orders/${id}/cancel`, {});
    } catch (error) {
      problem.show(error);
    }
    await show(pages);
  }

  const repeating = setInterval(() => {
    if (!document.hidden && !place.contains(document.activeElement)) void show(pages);
  }, EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(repeating));
  void show(pages);
  const head = h('div', { class: 'panel-head' }, h('h2', {}, 'Manual orders'), which, note);
  return h('div', { class: 'panel orders-panel' }, head, problem.element, place, h('div', { class: 'pager' }, more));
}

/**
 * Reads the first pages of a list, as they are now.
 * @param {string} list
 * @param {number} count
 * @param {AbortSignal} signal
 */
async function firstPages(list, count, signal) {
  /** @type {MarketOrder[]} */
  const orders = [];
  /** @type {string | null} */
  let cursor = null;
  for (let shown = 0; shown < count && (shown === 0 || cursor !== null); shown++) {
    /** @type {import('./wire.ts').Page<MarketOrder>} */
    const page = await read(cursor === null ? list : `${list}&cursor=${encodeURIComponent(cursor)}`, { signal });
    orders.push(...page.items);
    cursor = page.nextCursor;
  }
  return { orders, isWhole: cursor === null };
}

/**
 * @param {object} options
 * @param {readonly MarketOrder[]} options.orders
 * @param {string} options.empty What stands in the place of no orders.
 * @param {number} options.now
 * @param {(order: MarketOrder) => Promise<void>} options.takeBack
 */
function ordersTable({ orders, empty, now, takeBack }) {
  return dataTable({
    caption: 'Manual orders on the spot exchange, newest first',
    empty,
    head: ['order', 'state', 'filled', 'limit', 'age', 'placed by', ''],
    rows: orders.map((order) => [
      h('span', { 'data-order': order.id, 'data-state': order.state }, sentenceOf(order), order.postOnly ? mutedWords('post-only') : null),
      h('span', {}, stateWords(order), order.detail === null ? null : mutedWords(order.detail)),
      h('span', {}, number(order.filledQuantity), ' of ', number(order.quantity)),
      number(order.restingAt ?? order.limitPrice),
      age(now - Date.parse(order.createdAt)),
      order.placedBy,
      cancelButton(order, takeBack),
    ]),
  });
}

/**
 * Null where nothing of the order can be taken back, or who is signed in may not.
 * @param {MarketOrder} order
 * @param {(order: MarketOrder) => Promise<void>} takeBack
 */
function cancelButton(order, takeBack) {
  const mayCancel = may('trade:execute') || may('risk:manage');
  if (!mayCancel || order.timeInForce !== 'gtc' || !OPEN.has(order.state) || order.state === 'withdrawing') return null;
  /** @param {Event} event */
  const onclick = ({ currentTarget }) => {
    /** @type {HTMLButtonElement} */ (currentTarget).disabled = true;
    void takeBack(order);
  };
  return h('button', { type: 'button', 'aria-label': `Cancel ${sentenceOf(order)}`, onclick }, 'Cancel');
}

/** @param {string} text */
function mutedWords(text) {
  return h('span', { class: 'faint' }, ` ${text}`);
}

/** @param {MarketOrder} order */
function sentenceOf({ side, quantity, instrument }) {
  return `${side} ${quantity} ${symbolOf(instrument)}`;
}

/** @param {MarketOrder} order */
function stateWords({ state, reason }) {
  return reason === null ? plain(state) : `${plain(state)}: ${plain(reason)}`;
}
