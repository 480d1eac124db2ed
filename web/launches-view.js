/** Launches of tokens: the list with the market of agent tokens. */
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { may, withheld } from './permissions.js';
import { money } from './money.js';
import { dataTable, number } from './tables.js';
import { clockAndZone, dayAndTime, percentText, plain, symbolOf } from './words.js';

/** @typedef {import('./shell.js').Context} Context */
/** @typedef {import('./wire.ts').Launch} Launch */

const EVERY_MS = 5_000;

/**
 * Reads again at intervals and whenever the feed tells of a launch; a page that is hidden is not read for.
 * @param {Context} context
 * @param {(signal: AbortSignal) => Promise<void>} refresh
 * @param {(launchId: string) => boolean} concerns
 */
export function followed({ feed, fail }, refresh, concerns) {
  const abort = new AbortController();
  let isReading = false;
  let isWanted = false;
  async function again() {
    if (isReading || document.hidden) {
      isWanted = true;
      return;
    }
    isReading = true;
    isWanted = false;
    try {
      await refresh(abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) fail(error);
    } finally {
      isReading = false;
      if (isWanted && !abort.signal.aborted) void again();
    }
  }
  const repeating = setInterval(() => void again(), EVERY_MS);
  const unsubscribe = feed.subscribe({
    channel: 'launches',
    receive: ({ data }) => {
      if (concerns(data.launchId)) void again();
    },
  });
  void again();
  return () => {
    abort.abort();
    clearInterval(repeating);
    unsubscribe();
  };
}

/**
 * @param {Context} context
 * @returns {import('./shell.js').View}
 */
export function launchesView(context) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const place = h('div', { class: 'panel market-panel' });
  const market = h('div', { class: 'panel market-panel' });
  const end = followed(
    context,
    async (signal) => {
      const [launches, ranking] = await Promise.all([
        read('/v1/launches?limit=100', { signal }),
        may('market:read') ? read('/v1/agent-market/rank?mode=lowest_risk&limit=50', { signal }) : null,
      ]);
      fill(place, launchTable(launches.items));
      fill(market, ranking === null ? withheld('market:read', 'The agent token ranking') : tokenTable(ranking.items));
      say(note, `as of ${clockAndZone(context.feed.now())}`);
    },
    () => true,
  );
  return {
    element: h(
      'section',
      { class: 'page launches' },
      h(
        'div',
        { class: 'page-head' },
        h('h1', {}, 'Launches'),
        note,
        h('span', { class: 'space' }),
        newLaunchLink(context.me, 'new', 'Launch a token'),
        newLaunchLink(context.me, 'launcher', 'Launch with the external launcher'),
      ),
      place,
      h('h2', {}, 'Agent tokens, lowest risk first'),
      market,
    ),
    title: 'Launches',
    list: { label: 'Search launches and tokens' },
    end,
  };
}

/**
 * @param {import('./wire.ts').Me} me
 * @param {string} form
 * @param {string} words
 */
function newLaunchLink({ permissions }, form, words) {
  if (permissions.includes('trade:execute')) return h('a', { href: `#/launches/${form}` }, words);
  return h('button', { type: 'button', disabled: true, title: 'Requires trade:execute' }, words);
}

/** @param {readonly Launch[]} launches */
function launchTable(launches) {
  return dataTable({
    caption: 'Launches, newest first',
    head: ['Token', 'By', 'State', 'Quote token', 'Prepared'],
    rows: launches.map((launch) => [
      h('a', { href: `#/launches/${launch.id}` }, `${launch.symbol} ${launch.name}`),
      launch.kind === 'curve' ? 'bonding curve' : 'launcher',
      plain(launch.state),
      launch.quoteSymbol,
      dayAndTime(launch.createdAt),
    ]),
    empty: 'No launches yet.',
  });
}

/** @param {readonly import('./wire.ts').RankedAgentToken[]} tokens */
function tokenTable(tokens) {
  return dataTable({
    caption: 'Agent tokens by risk',
    head: ['Token', 'Rank', 'Risk', 'Unknown', 'Paired with', 'Top 10 holders', 'Sell-side liquidity (USD)'],
    rows: tokens.map(({ symbol, rank, risk, pairedStock, holders, depth }) => [
      symbol,
      number(rank),
      number(Number(risk.score)),
      risk.unknown.length === 0 ? 'nothing' : risk.unknown.map(plain).join(', '),
      pairedStock === null ? 'nothing' : symbolOf(pairedStock),
      holders?.top10Pct == null ? number(null) : percentText(holders.top10Pct),
      money(depth?.depthUsd),
    ]),
    empty: 'No agent tokens yet.',
  });
}
