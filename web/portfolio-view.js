/**
 * Holdings of the organization in books of one mode, and in named wallets beside the live ones: each holding with the quality of its price,
 * its weight and its exit cost, the five stress scenarios, people's orders, and the impact of an allocation.
 */
import { qualityBadge } from './aged-quality.js';
import { agentNames, placeWords } from './agent-names.js';
import { flagChips } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { read } from './http.js';
import { impactPanel } from './impact-panel.js';
import { walletButtons } from './linked-wallets.js';
import { money } from './money.js';
import { ordersPanel } from './orders-panel.js';
import { createProblemNote } from './problem-note.js';
import { dataTable, factList, number } from './tables.js';
import { age, clockAndZone, dayAndTime, plain } from './words.js';

/** @typedef {import('./wire.ts').Portfolio} Portfolio */

const EVERY_MS = 10_000;
const MODES = ['paper', 'live'];

/**
 * @param {import('./shell.js').Context} context
 * @param {string} wanted The mode; paper where it is none.
 * @returns {import('./shell.js').View}
 */
export function portfolioView(context, wanted) {
  const { feed, fail } = context;
  const abort = new AbortController();
  const mode = MODES.includes(wanted) ? wanted : 'paper';
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const place = h('div', { class: 'panel market-panel' });
  const links = MODES.map((name) => {
    const link = h('a', { href: `#/portfolio/${name}` }, plain(name));
    mark(link, 'aria-current', name === mode ? 'page' : null);
    return link;
  });
  /** Read with every refresh, and kept nowhere but on this page. @type {readonly string[]} */
  let wallets = [];
  let isReading = false;

  async function refresh() {
    if (isReading || document.hidden || place.contains(document.activeElement)) return;
    isReading = true;
    try {
      await show(wallets);
    } catch (error) {
      if (abort.signal.aborted) return;
      say(note, 'The portfolio could not be loaded.');
      fail(error);
    } finally {
      isReading = false;
    }
  }

  /**
   * @param {readonly string[]} named
   * @returns {Promise<Portfolio>}
   */
  function asked(named) {
    const query = named.length === 0 ? '' : `&wallets=${encodeURIComponent(named.join())}`;
    return read(`/v1/portfolio?mode=${mode}${query}`, { signal: abort.signal });
  }

  /** Draws the books with these wallets beside them. @param {readonly string[]} named */
  async function show(named) {
    fill(place, drawn(...(await Promise.all([asked(named), agentNames(abort.signal)]))));
    say(note, `as of ${clockAndZone(feed.now())}`);
  }

  /** Wallets that are refused are not asked for again: the page stays with those of before. @param {readonly string[]} named */
  async function lookAt(named) {
    await show(named);
    wallets = named;
  }
  void refresh();
  const repeating = setInterval(() => void refresh(), EVERY_MS);

  return {
    element: h(
      'section',
      { class: 'page portfolio' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Portfolio'), note),
      h('nav', { class: 'tabs', 'aria-label': 'Books' }, links),
      // Wallets hold real money, which is never added to paper books.
      mode === 'live' ? walletsForm({ lookAt, fail, signal: abort.signal }) : null,
      place,
      [ordersPanel({ context, mode, signal: abort.signal }), impactPanel({ context, mode, wallets: () => wallets })],
    ),
    title: `Portfolio, ${mode}`,
    list: { label: 'Search the portfolio' },
    end() {
      abort.abort();
      clearInterval(repeating);
    },
  };
}

/**
 * Names wallets that are shown beside the books.
 * @param {object} options
 * @param {(named: readonly string[]) => Promise<void>} options.lookAt
 * @param {(error: unknown) => void} options.fail
 * @param {AbortSignal} options.signal
 */
function walletsForm({ lookAt, fail, signal }) {
  const problem = createProblemNote(fail);
  const input = h('input', {
    type: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    size: 46,
    placeholder: '0x… or a primary chain address',
  });
  const look = h('button', { type: 'submit', class: 'primary' }, 'Show');
  const named = () => input.value.split(/[\s,]+/).filter((text) => text !== '');

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    look.disabled = true;
    problem.clear();
    try {
      await lookAt(named());
    } catch (error) {
      if (!signal.aborted) problem.show(error);
    } finally {
      look.disabled = false;
    }
  }

  /** @param {import('./wire.ts').LinkedWallet} wallet */
  const onPick = ({ address }) => {
    input.value = [...named().filter((text) => text !== address), address].join(', ');
    form.requestSubmit();
  };
  const form = h(
    'form',
    { class: 'wallet-form', onsubmit: (/** @type {Event} */ event) => void submit(event) },
    h('label', {}, 'Additional wallets ', input),
    look,
    walletButtons({ onPick, fail, signal }),
    h('span', { class: 'faint' }, 'Up to five addresses, separated by commas. They are not stored.'),
  );
  return [form, problem.element];
}

/** @param {Portfolio} portfolio @param {ReadonlyMap<string, string>} names */
function drawn({ totals, unread, holdings, scenarios, sectors, duplicates, exits }, names) {
  return [
    factList([
      ['Value USD', money(totals.valueUsd)],
      ['Cash USD', money(totals.cashUsd)],
      ['Value at live quotes USD', money(totals.liveUsd)],
      ['Qualified USD', money(totals.qualifiedUsd)],
      ['Leverage', number(totals.leverage)],
      ['Coverage', totals.coverage],
    ]),
    h('p', { class: 'faint' }, `Includes ${totals.includes}.`),
    ...unread.map(({ address, asked, why }) => h('p', { class: 'unread' }, `${address} could not be read at ${asked}: ${why}`)),
    dataTable({
      caption: 'Holdings',
      empty: 'No holdings.',
      head: ['holding', 'location', 'quantity', 'mark', 'value USD', 'price', 'age'],
      rows: holdings.map((holding) => holdingRow(holding, names)),
    }),
    dataTable({
      caption: 'Stress scenarios',
      head: ['scenario', 'loss USD', 'loss %', 'value after USD', 'excluded'],
      rows: scenarios.map(({ id, lossUsd, lossPct, afterUsd, opensAt, leftOut }) => [
        h('span', {}, plain(id), opensAt === null ? null : h('span', { class: 'faint' }, ` to the open of ${dayAndTime(opensAt)}`)),
        money(lossUsd),
        number(lossPct),
        money(afterUsd),
        String(leftOut.length),
      ]),
    }),
    dataTable({
      caption: 'Sectors',
      head: ['sector', 'net USD', 'weight %'],
      rows: sectors.map(({ sector, netUsd, weightPct }) => [plain(sector), money(netUsd), number(weightPct)]),
    }),
    dataTable({
      caption: 'Concentration by underlying',
      empty: 'No underlying is held in more than one instrument.',
      head: ['underlying', 'held in', 'weight %', 'limit %', ''],
      rows: duplicates.map(({ underlying, members, weightPct, limitPct, exceedsLimit }) => [
        underlying,
        members.map(({ instrument, relation }) => (relation === 'paired_stock' ? `${instrument} (paired)` : instrument)).join(', '),
        number(weightPct),
        number(limitPct),
        exceedsLimit ? 'over the limit' : '',
      ]),
    }),
    dataTable({
      caption: 'Pool liquidity',
      empty: 'No holdings trade in a pool.',
      head: ['instrument', 'position USD', 'share of pool %', 'limit %', 'sellable within slippage budget USD', ''],
      rows: exits.map(({ instrument, positionUsd, sharePct, limitSharePct, exitableUsd, why }) => [
        instrument,
        money(positionUsd),
        number(sharePct),
        number(limitSharePct),
        money(exitableUsd),
        why,
      ]),
    }),
  ];
}

/** @param {Portfolio['holdings'][number]} holding @param {ReadonlyMap<string, string>} names */
function holdingRow({ symbol, name, place, quantity, mark: price, valueUsd, pricing, why, quote }, names) {
  return [
    // An outcome of a prediction market has no symbol that says anything.
    h('span', { title: symbol.startsWith('pm-') ? symbol : name }, symbol.startsWith('pm-') ? name : symbol),
    h('span', { class: 'faint', title: place }, placeWords(place, names)),
    number(quantity),
    number(price),
    money(valueUsd),
    h(
      'span',
      { title: why },
      pricing === 'live' ? '' : `${pricing} `,
      quote === null ? 'no quote' : qualityBadge(quote),
      quote === null ? null : flagChips(quote.flags),
    ),
    quote === null ? '' : age(quote.ageMs),
  ];
}
