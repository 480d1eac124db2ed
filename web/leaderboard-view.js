/** The leaderboard of wallets: one tab per window, a wallet with the trades behind its figure, and a form that puts an address on the board. */
import { fill, h, mark, say } from './dom.js';
import { change, read } from './http.js';
import { createProblemNote } from './problem-note.js';
import { dataTable, factList, number } from './tables.js';
import { clockAndZone, dayAndTime, plain } from './words.js';

/** @typedef {import('./shell.js').Context} Context */

const WINDOWS = ['24h', '7d', '30d'];
const EVERY_MS = 15_000;

/**
 * @param {Context} context
 * @param {string} wanted A window, or an address; the first window where it is neither.
 * @returns {import('./shell.js').View}
 */
export function leaderboardView(context, wanted) {
  const isAddress = wanted.length >= 32;
  const [address = '', within = '24h'] = isAddress ? wanted.split(' ') : ['', WINDOWS.includes(wanted) ? wanted : '24h'];
  const abort = new AbortController();
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const place = h('div', { class: 'panel' });
  const links = WINDOWS.map((window) => {
    const link = h('a', { href: `#/leaderboard/${isAddress ? encodeURIComponent(`${address} ${window}`) : window}` }, window);
    mark(link, 'aria-current', window === within ? 'page' : null);
    return link;
  });
  const source = isAddress ? `/v1/leaderboard/wallets/${address}` : '/v1/leaderboard';

  async function refresh() {
    if (document.hidden) return;
    try {
      const answer = /** @type {any} */ (await read(`${source}?window=${within}&limit=200`, { signal: abort.signal }));
      fill(place, isAddress ? walletPage(answer) : board(answer, within));
      say(note, isAddress ? `as of ${clockAndZone(context.feed.now())}` : progress(answer.refresh));
    } catch (error) {
      if (abort.signal.aborted) return;
      say(note, 'The leaderboard could not be loaded.');
      context.fail(error);
    }
  }
  void refresh();
  const repeating = setInterval(() => void refresh(), EVERY_MS);

  return {
    element: h(
      'section',
      { class: 'page leaderboard' },
      h('div', { class: 'page-head' }, h('h1', {}, isAddress ? 'Wallet' : 'Leaderboard'), note),
      h('nav', { class: 'tabs', 'aria-label': 'Windows' }, links, h('a', { href: `${source}/csv?window=${within}`, download: '' }, 'CSV')),
      place,
      isAddress ? null : registration(context, () => void refresh()),
    ),
    list: { label: isAddress ? 'Search sales' : 'Search wallets' },
    title: isAddress ? 'Wallet · Leaderboard' : `${within} · Leaderboard`,
    end() {
      abort.abort();
      clearInterval(repeating);
    },
  };
}

/** @param {{ readonly waiting: number, readonly behindSeconds: number }} refresh */
function progress({ waiting, behindSeconds }) {
  return waiting === 0
    ? 'All wallets are up to date.'
    : `${waiting} wallets are being updated, up to ${Math.round(behindSeconds)} s behind.`;
}

/**
 * @param {any} answer
 * @param {string} within
 */
function board({ items }, within) {
  return dataTable({
    caption: `Realized P&L of live trading, ${within}`,
    head: ['Wallet', 'Rank', 'Realized (USD)', 'Coverage', 'Sales', 'Remarks'],
    empty: 'No wallets yet. Register one below.',
    rows: items.map((/** @type {any} */ one) => [
      h('a', { href: `#/leaderboard/${encodeURIComponent(`${one.address} ${within}`)}` }, one.label ?? shortened(one.address)),
      one.rank === null ? 'none' : String(one.rank),
      number(one.realizedPnlUsd),
      one.coveragePct === null ? one.basis : `${one.coveragePct} % ${one.basis}`,
      String(one.sales),
      one.reasons.map(plain).join(', '),
    ]),
  });
}

/** @param {any} answer */
function walletPage({ wallet, items }) {
  return [
    factList([
      ['Address', h('code', {}, wallet.address)],
      ['Rank', wallet.rank === null ? 'none' : String(wallet.rank)],
      ['Realized (USD)', number(wallet.realizedPnlUsd)],
      ['Sales with known cost basis', `${wallet.matchedSales} of ${wallet.sales}`],
      ['Remarks', wallet.reasons.map(plain).join(', ') || 'none'],
    ]),
    dataTable({
      caption: 'Sales, newest first',
      head: ['Time', 'Asset', 'Kind', 'Proceeds', 'Cost', 'Profit'],
      empty: 'No sales in this period.',
      rows: items.map((/** @type {any} */ sale) => [
        dayAndTime(sale.at),
        shortened(sale.asset),
        plain(sale.direction),
        number(sale.proceedsUsd),
        number(sale.costUsd),
        number(sale.profitUsd),
      ]),
    }),
  ];
}

/** @param {string} text */
function shortened(text) {
  return text.length > 16 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text;
}

/**
 * @param {Context} context
 * @param {() => void} onDone
 */
function registration({ me, fail }, onDone) {
  if (!me.permissions.includes('agent:read') || me.orgId === null) return null;
  const problem = createProblemNote(fail);
  const address = h('input', { name: 'address', required: true, maxlength: '44', autocomplete: 'off' });
  const label = h('input', { name: 'label', maxlength: '60', autocomplete: 'off' });
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    problem.clear();
    try {
      await change('POST', '/v1/leaderboard/wallets', {
        address: address.value.trim(),
        ...(label.value.trim() === '' ? {} : { label: label.value.trim() }),
      });
      address.value = '';
      label.value = '';
      onDone();
    } catch (error) {
      problem.show(error);
    }
  };
  return h(
    'div',
    { class: 'panel' },
    h('div', { class: 'panel-head' }, h('h2', {}, 'Register a wallet')),
    h(
      'form',
      { class: 'wallet-form', onsubmit: submit },
      h('label', {}, 'Address (primary or EVM chain) ', address),
      h('label', {}, 'Label ', label),
      h('button', { type: 'submit' }, 'Register'),
    ),
    problem.element,
  );
}
