/** The frame around every page: where one is, whether one hears the service, who one is, and the emergency halt. */
import { fill, h, mark, say } from './dom.js';
import { change } from './http.js';
import { userMenu } from './user-menu.js';

/** @typedef {import('./wire.ts').Me} Me */
/**
 * @typedef {object} Context What every view is given.
 * @property {Me} me
 * @property {ReturnType<typeof import('./feed.js').createFeed>} feed
 * @property {(text: string, kind?: 'info' | 'warning' | 'error') => void} notify
 * @property {(error: unknown) => void} fail Shows a refusal; leads to the sign-in where nobody is signed in any more.
 */
/** @typedef {{ readonly element: HTMLElement, readonly title: string, end(): void }} View */

const NOTICE_MS = 8_000;
/** A refusal stays long enough to be read twice. */
const ERROR_MS = 25_000;
const NOTICES_SHOWN = 4;

/**
 * @param {string} href
 * @param {string} text
 */
function link(href, text) {
  return h('a', { href }, text);
}

/** @param {boolean} maySeeAgents */
function pageLinks(maySeeAgents) {
  const ofAgents = {
    home: link('#/home', 'Overview'),
    agents: link('#/agents', 'Agents'),
    takes: link('#/takes', 'Takes'),
    proposals: link('#/proposals', 'Proposals'),
    portfolio: link('#/portfolio', 'Portfolio'),
    bridge: link('#/bridge', 'Transfers'),
    launches: link('#/launches', 'Launches'),
    marketplace: link('#/marketplace', 'Marketplace'),
  };
  return {
    ...(maySeeAgents ? ofAgents : {}),
    quotes: link('#/quotes', 'Quotes'),
    markets: link('#/markets', 'Markets'),
    leaderboard: link('#/leaderboard', 'Leaderboard'),
  };
}

/**
 * @param {object} options
 * @param {Me} options.me
 * @param {() => void} options.onSignOut
 * @param {() => void} options.onHurry
 * @param {(error: unknown) => void} options.fail
 */
export function createShell({ me, onSignOut, onHurry, fail }) {
  const main = h('main', { id: 'main', tabindex: '-1' });
  const notices = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });
  const light = h('span', { class: 'light', 'aria-hidden': 'true' });
  const words = h('span', { class: 'connection-words', role: 'status' });
  const connection = h('button', { class: 'connection', type: 'button', title: 'Try again now', onclick: onHurry }, light, words);
  const maySeeAgents = me.permissions.includes('agent:read') && me.orgId !== null;
  const links = pageLinks(maySeeAgents);
  const mayHalt = me.permissions.includes('trade:execute') || me.permissions.includes('risk:manage');
  const who = userMenu(me, onSignOut);
  const header = h(
    'header',
    { class: 'bar' },
    h('a', { class: 'skip', href: '#main', onclick: skip }, 'To the content'),
    h(
      'a',
      { class: 'brand', href: '#/', 'aria-label': 'Sevengate' },
      h('img', { src: '/console/icon.svg', alt: '', width: 22, height: 22 }),
      h('span', {}, 'Sevengate'),
    ),
    h('nav', { 'aria-label': 'Pages' }, Object.values(links)),
    h('span', { class: 'space' }),
    connection,
    mayHalt ? h('button', { class: 'danger', type: 'button', onclick: askHalt }, 'Halt all') : null,
    who.element,
  );
  const element = h('div', { class: 'shell' }, header, main, notices);
  /** @type {number | undefined} */
  let counting;

  /** @param {Event} event The address after # names the page and must stay. */
  function skip(event) {
    event.preventDefault();
    main.focus();
  }

  /** @type {Context['notify']} */
  function notify(text, kind = 'info') {
    const notice = h(
      'div',
      { class: `notice notice-${kind}` },
      h('p', {}, text),
      h('button', { type: 'button', 'aria-label': 'Close', onclick: () => notice.remove() }, '×'),
    );
    // The same words once more are no news.
    for (const other of Array.from(notices.children)) if (other.firstElementChild?.textContent === text) other.remove();
    notices.append(notice);
    while (notices.childElementCount > NOTICES_SHOWN) notices.firstElementChild?.remove();
    setTimeout(() => notice.remove(), kind === 'error' ? ERROR_MS : NOTICE_MS);
  }

  function askHalt() {
    const sure = h('button', { type: 'button', class: 'danger', onclick: carryOut }, 'Halt all agents');
    const dialog = h(
      'dialog',
      { class: 'dialog', 'aria-labelledby': 'halt-title', onclose: () => dialog.remove() },
      h('h2', { id: 'halt-title' }, 'Emergency halt'),
      h(
        'p',
        {},
        'Every agent of the organization is paused and its pending proposals are cancelled. Nothing that leads to a venue begins after the halt. Each agent has to be resumed by somebody with ',
        h('code', {}, 'risk:manage'),
        '.',
      ),
      h('form', { method: 'dialog', class: 'dialog-buttons' }, h('button', { autofocus: true }, 'Cancel'), sure),
    );
    async function carryOut() {
      sure.disabled = true;
      say(sure, 'Halting…');
      try {
        /** @type {{ readonly paused: readonly string[], readonly pausing: number, readonly cancelledProposals: number }} */
        const { paused, pausing, cancelledProposals } = await change('POST', '/v1/agents/emergency-halt');
        const agents = `${paused.length} ${paused.length === 1 ? 'agent' : 'agents'} paused`;
        const more = pausing === 0 ? '' : ` and ${pausing} more being paused`;
        notify(`Halted: ${agents}${more}, ${cancelledProposals} proposals cancelled.`, 'warning');
        dialog.close();
      } catch (error) {
        sure.disabled = false;
        say(sure, 'Try again');
        fail(error);
      }
    }
    element.append(dialog);
    dialog.showModal();
  }

  /** @param {import('./feed.js').FeedStatus} status */
  function tell({ state, retryAt, since }) {
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
    const first = since === 0 ? 'connecting' : 'reconnecting';
    say(words, state === 'live' ? 'live' : state === 'connecting' || seconds === 0 ? `${first}…` : `${first} in ${seconds} s`);
    mark(connection, 'data-state', state);
    connection.disabled = state === 'live';
  }

  return {
    element,
    notify,
    /** @param {import('./feed.js').FeedStatus} status */
    showConnection(status) {
      clearInterval(counting);
      tell(status);
      mark(element, 'data-connection', status.state);
      if (status.state === 'waiting') counting = setInterval(() => tell(status), 500);
    },
    /**
     * @param {View} view
     * @param {'home' | 'instruments' | 'agents' | 'actors' | 'takes' | 'proposals' | 'portfolio' | 'bridge' | 'launches' | 'marketplace' | 'quotes' | 'markets' | 'leaderboard'} page
     */
    showView(view, page) {
      who.close();
      fill(main, view.element);
      document.title = `${view.title} · Sevengate`;
      for (const [name, anchor] of Object.entries(links))
        mark(anchor, 'aria-current', name === (page === 'instruments' ? 'quotes' : page) ? 'page' : null);
      scrollTo(0, 0);
    },
    end() {
      clearInterval(counting);
      who.end();
    },
  };
}
