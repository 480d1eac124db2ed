/** The frame around every page: where one is, whether the service answers, who one is, and the emergency halt. */
import { connectionLight } from './connection-light.js';
import { fill, h, mark } from './dom.js';
import { askHalt } from './halt-dialog.js';
import { createNotices } from './notices.js';
import { titlePage } from './page-title.js';
import { PAGES, pageAddress, pagesOf, THUMB_PAGES } from './pages.js';
import { IS_REPLAY } from './replay-mode.js';
import { userMenu } from './user-menu.js';

/** @typedef {import('./wire.ts').Me} Me */
/**
 * @typedef {object} Context What every view is given.
 * @property {Me} me
 * @property {ReturnType<typeof import('./feed.js').createFeed>} feed
 * @property {(text: string, kind?: 'info' | 'warning' | 'error') => void} notify
 * @property {(error: unknown) => void} fail Shows a refusal; leads to the sign-in where nobody is signed in any more.
 */

/** Under which link a page stands that has none of its own. */
const PARENTS = /** @type {{ readonly [page: string]: string }} */ ({ instruments: 'quotes', actors: 'runtime', reports: 'agents' });

/**
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {string} title
 * @property {Omit<import('./list-tools.js').Options, 'place' | 'fail'>} [list] Where its rows are searched and sorted.
 * @property {() => void} end
 */

/** @param {Me} me */
export function mayHalt(me) {
  return me.permissions.includes('trade:execute') || me.permissions.includes('risk:manage');
}

/**
 * @param {object} options
 * @param {Me} options.me
 * @param {() => void} options.onSignOut
 * @param {() => void} options.onHurry
 * @param {() => void} options.onPalette Opens what finds every page, agent and instrument.
 * @param {() => void} options.onHelp
 * @param {(error: unknown) => void} options.fail
 */
export function createShell({ me, onSignOut, onHurry, onPalette, onHelp, fail }) {
  const main = h('main', { id: 'main', tabindex: '-1' });
  const { element: notices, notify } = createNotices();
  const connection = connectionLight(onHurry);
  const who = userMenu({ me, onSignOut, onHelp, notify });
  const pages = pagesOf(PAGES);
  const links = pages.map(pageLink);
  const thumbLinks = pages.filter(({ name }) => THUMB_PAGES.includes(name)).map(pageLink);
  const halt = () => askHalt({ notify, fail });
  const header = h(
    'header',
    { class: 'bar' },
    h('a', { class: 'skip', href: '#main', onclick: skip }, 'Skip to content'),
    h(
      'a',
      { class: 'brand', href: '#/', 'aria-label': 'Sevengate' },
      h('img', { src: '/console/icon.svg', alt: '', width: 22, height: 22 }),
      h('span', {}, 'Sevengate'),
    ),
    h(
      'nav',
      { 'aria-label': 'Pages' },
      IS_REPLAY ? null : h('a', { href: '/terminal' }, 'Trade'),
      links.map(({ anchor }) => anchor),
    ),
    h('span', { class: 'space' }),
    h(
      'button',
      { class: 'find', type: 'button', 'aria-keyshortcuts': 'Control+K Meta+K', onclick: onPalette },
      'Find ',
      h('kbd', { 'aria-hidden': 'true' }, 'Ctrl K'),
    ),
    connection.element,
    mayHalt(me) ? h('button', { class: 'danger', type: 'button', onclick: halt }, 'Halt all') : null,
    who.element,
  );
  const thumbs = h(
    'nav',
    { class: 'thumbs', 'aria-label': 'Main pages' },
    thumbLinks.map(({ anchor }) => anchor),
    h('button', { type: 'button', onclick: onPalette }, 'More'),
  );
  const element = h('div', { class: 'shell' }, header, main, thumbs, notices);

  /** @param {Event} event The address after # names the page and must stay. */
  function skip(event) {
    event.preventDefault();
    main.focus();
  }

  return {
    element,
    notify,
    /** Puts something beside the link of a page. @param {string} page @param {HTMLElement} content */
    badge(page, content) {
      links.find(({ name }) => name === page)?.anchor.append(content);
    },
    /** @param {import('./feed.js').FeedStatus} status */
    showConnection(status) {
      connection.show(status);
      mark(element, 'data-connection', status.state);
    },
    /**
     * @param {View} view
     * @param {string} page Its name; an instrument is found under the quotes.
     */
    showView(view, page) {
      who.close();
      fill(main, view.element);
      titlePage(view.title);
      const shown = PARENTS[page] ?? page;
      for (const { name, anchor } of [...links, ...thumbLinks]) mark(anchor, 'aria-current', name === shown ? 'page' : null);
      scrollTo(0, 0);
    },
    end() {
      connection.end();
      who.end();
    },
  };
}

/** @param {import('./pages.js').PageEntry} page */
function pageLink({ name, title }) {
  return { name, anchor: h('a', { href: pageAddress(name) }, title) };
}
