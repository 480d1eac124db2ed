/** The front page: is it well, and is it making money? What was earned, what waits for somebody, what is not healthy, and every agent in a line. */
import { agentLines } from './agent-lines.js';
import { alertList } from './alert-log.js';
import { fill, h, mark, say } from './dom.js';
import { earningsTable } from './earnings-table.js';
import { moneyText } from './money.js';
import { read } from './http.js';
import { attentionList, readAttention } from './needs-attention.js';
import { TotalEquity } from './total-equity.js';
import { clockAndZone } from './words.js';

/** @typedef {import('./api.ts').Performance} Performance */

const EVERY_MS = 10_000;
const GATHER_MS = 250;

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function homeView(context) {
  const { feed, fail } = context;
  const abort = new AbortController();
  const { signal } = abort;
  const verdict = h('p', { class: 'verdict', role: 'status' }, 'Loading…');
  const when = h('span', { class: 'faint' });
  const earned = h('div', {});
  const waiting = h('div', {});
  const alerts = alertList(signal);
  const agents = agentLines({ context, signal });
  const equity = new TotalEquity(signal);
  let isReading = false;

  async function refresh() {
    if (isReading || document.hidden) return;
    isReading = true;
    try {
      const [paper, live, attention] = await Promise.all([
        readPerformance('paper', signal),
        readPerformance('live', signal),
        readAttention(signal),
        alerts.refresh(),
      ]);
      fill(earned, earningsTable({ paper, live }));
      fill(waiting, attentionList(attention));
      mark(verdict, 'data-count', String(attention.length));
      say(verdict, `${wellWords(attention.length)} ${moneyWords(paper, live)}`);
      say(when, `as of ${clockAndZone(feed.now())}`);
      await Promise.all([equity.refresh({ paper, live }), agents.refresh([...paper.books, ...live.books])]);
    } catch (error) {
      if (signal.aborted) return;
      say(verdict, 'The overview could not be loaded.');
      fill(waiting, h('div', { class: 'panel-body' }, h('p', { class: 'faint' }, 'Waiting for the service.')));
      fail(error);
    } finally {
      isReading = false;
    }
  }

  const stop = refreshWhile(feed, refresh);
  void refresh();

  return {
    element: frame({ verdict, when, earned, waiting, alerts: alerts.element, equity: equity.element, agents: agents.element }),
    title: 'Overview',
    end() {
      abort.abort();
      equity.end();
      stop();
    },
  };
}

/**
 * Reads anew every ten seconds and shortly after announcements, which come in bursts, until the function that it returns is called.
 * @param {import('./shell.js').Context['feed']} feed @param {() => Promise<void>} refresh @returns {() => void}
 */
function refreshWhile(feed, refresh) {
  /** @type {number | undefined} */
  let gathering;
  function soon() {
    clearTimeout(gathering);
    gathering = setTimeout(() => void refresh(), GATHER_MS);
  }
  const channels = /** @type {const} */ (['agents', 'proposals', 'alerts']);
  const stops = channels.map((channel) => feed.subscribe({ channel, begin: soon, receive: soon }));
  const repeating = setInterval(() => void refresh(), EVERY_MS);
  return () => {
    clearTimeout(gathering);
    clearInterval(repeating);
    for (const stop of stops) stop();
  };
}

/** @param {'paper' | 'live'} mode @param {AbortSignal} signal @returns {Promise<Performance>} */
function readPerformance(mode, signal) {
  return read(`/v1/portfolio/performance?mode=${mode}`, { signal });
}

/** @param {number} count */
function wellWords(count) {
  if (count === 0) return 'All systems normal.';
  return count === 1 ? '1 item needs your attention.' : `${count} items need your attention.`;
}

/** @param {Performance} paper @param {Performance} live */
function moneyWords(paper, live) {
  const [mode, { totals, books }] = live.books.length > 0 ? ['Live', live] : ['Paper', paper];
  if (books.length === 0) return 'No trades yet.';
  if (totals.pnlUsd === null) return `${mode} P&L is unknown: a price is missing.`;
  return `${mode} P&L ${moneyText(totals.pnlUsd, true)} USD.`;
}

/** @param {{ readonly [part in 'verdict' | 'when' | 'earned' | 'waiting' | 'alerts' | 'equity' | 'agents']: HTMLElement }} parts */
function frame({ verdict, when, earned, waiting, alerts, equity, agents }) {
  const panel = (/** @type {string} */ title, /** @type {HTMLElement} */ content) =>
    h('div', { class: 'panel' }, h('div', { class: 'panel-head' }, h('h2', {}, title)), content);
  return h(
    'section',
    { class: 'page home' },
    h('div', { class: 'page-head' }, h('h1', {}, 'Overview'), when),
    verdict,
    h('div', { class: 'two home-top' }, panel('P&L', earned), h('div', {}, panel('Needs attention', waiting), panel('Alerts', alerts))),
    equity,
    agents,
  );
}
