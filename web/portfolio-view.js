/** What the organization holds in books of one mode: each holding with the quality of its price, what it weighs, how it could be left, and the five stress scenarios. */
import { flagChips, qualityWord } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { read } from './http.js';
import { dataTable, factList, number } from './tables.js';
import { age, clockTime, dayAndTime, plain, priceText } from './words.js';

/** @typedef {import('./wire.ts').Portfolio} Portfolio */

const EVERY_MS = 10_000;
const MODES = ['paper', 'live'];

/**
 * @param {import('./shell.js').Context} context
 * @param {string} wanted The mode; paper where it is none.
 * @returns {import('./shell.js').View}
 */
export function portfolioView({ feed, fail }, wanted) {
  const abort = new AbortController();
  const mode = MODES.includes(wanted) ? wanted : 'paper';
  const note = h('p', { class: 'faint', role: 'status' }, 'Reading…');
  const place = h('div', { class: 'panel market-panel' });
  const links = MODES.map((name) => {
    const link = h('a', { href: `#/portfolio/${name}` }, plain(name));
    mark(link, 'aria-current', name === mode ? 'page' : null);
    return link;
  });
  let isReading = false;

  async function refresh() {
    if (isReading || document.hidden || place.contains(document.activeElement)) return;
    isReading = true;
    try {
      /** @type {Portfolio} */
      const portfolio = await read(`/v1/portfolio?mode=${mode}`, { signal: abort.signal });
      fill(place, drawn(portfolio));
      say(note, `as of ${clockTime(feed.now())} UTC`);
    } catch (error) {
      if (abort.signal.aborted) return;
      say(note, 'The portfolio cannot be read at the moment.');
      fail(error);
    } finally {
      isReading = false;
    }
  }
  void refresh();
  const repeating = setInterval(() => void refresh(), EVERY_MS);

  return {
    element: h(
      'section',
      { class: 'page portfolio' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Portfolio'), note),
      h('nav', { class: 'tabs', 'aria-label': 'Books' }, links),
      place,
    ),
    title: `Portfolio, ${mode}`,
    end() {
      abort.abort();
      clearInterval(repeating);
    },
  };
}

/** @param {Portfolio} portfolio */
function drawn({ totals, holdings, scenarios, sectors, duplicates, exits }) {
  return [
    factList([
      ['Value USD', number(priceText(totals.valueUsd))],
      ['Cash USD', number(priceText(totals.cashUsd))],
      ['At live quotes USD', number(priceText(totals.liveUsd))],
      ['Qualified USD', number(priceText(totals.qualifiedUsd))],
      ['Leverage', number(totals.leverage)],
      ['Coverage', totals.coverage],
    ]),
    h('p', { class: 'faint' }, `Includes ${totals.includes}.`),
    dataTable({
      caption: 'Holdings',
      empty: 'Nothing is held.',
      head: ['holding', 'where', 'quantity', 'mark', 'value USD', 'price', 'age'],
      rows: holdings.map(holdingRow),
    }),
    dataTable({
      caption: 'Stress scenarios',
      head: ['scenario', 'loss USD', 'loss %', 'value after USD', 'left out'],
      rows: scenarios.map(({ id, lossUsd, lossPct, afterUsd, opensAt, leftOut }) => [
        h('span', {}, plain(id), opensAt === null ? null : h('span', { class: 'faint' }, ` to the open of ${dayAndTime(opensAt)}`)),
        number(priceText(lossUsd)),
        number(lossPct),
        number(priceText(afterUsd)),
        String(leftOut.length),
      ]),
    }),
    dataTable({
      caption: 'Sectors',
      head: ['sector', 'net USD', 'weight %'],
      rows: sectors.map(({ sector, netUsd, weightPct }) => [plain(sector), number(priceText(netUsd)), number(weightPct)]),
    }),
    dataTable({
      caption: 'Held twice',
      empty: 'No underlying is held through more than one instrument.',
      head: ['underlying', 'through', 'weight %', 'limit %', ''],
      rows: duplicates.map(({ underlying, members, weightPct, limitPct, exceedsLimit }) => [
        underlying,
        members.map(({ instrument, relation }) => (relation === 'paired_stock' ? `${instrument} (paired)` : instrument)).join(', '),
        number(weightPct),
        number(limitPct),
        exceedsLimit ? 'over the limit' : '',
      ]),
    }),
    dataTable({
      caption: 'Leaving pools',
      empty: 'Nothing held trades in a pool.',
      head: ['instrument', 'position USD', 'share of the pool %', 'limit %', 'leaves within the budget USD', ''],
      rows: exits.map(({ instrument, positionUsd, sharePct, limitSharePct, exitableUsd, why }) => [
        instrument,
        number(priceText(positionUsd)),
        number(sharePct),
        number(limitSharePct),
        number(exitableUsd === null ? null : priceText(exitableUsd)),
        why,
      ]),
    }),
  ];
}

/** @param {Portfolio['holdings'][number]} holding */
function holdingRow({ symbol, name, place, quantity, mark: price, valueUsd, pricing, why, quote }) {
  return [
    h('span', { title: name }, symbol),
    h('code', { class: 'faint' }, place),
    number(quantity),
    number(price === null ? null : priceText(price)),
    number(valueUsd === null ? null : priceText(valueUsd)),
    h(
      'span',
      { title: why },
      pricing === 'live' ? '' : `${pricing} `,
      quote === null ? 'no quote' : qualityWord(quote.quality),
      quote === null ? null : flagChips(quote.flags),
    ),
    quote === null ? '' : age(quote.ageMs),
  ];
}
