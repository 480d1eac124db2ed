/** Keys that work wherever one is: Ctrl-K, `?`, `/`, `n`, `z`, and `g` with the letter of a page. */
import { FURTHER_PAGES, PAGES, pageAddress, pagesOf } from './pages.js';
import { may } from './permissions.js';
import { prefer, preferences } from './preferences.js';

/** Time after `g` in which the letter of a page may follow. */
const SECOND_KEY_MS = 1_500;

/**
 * @param {object} options
 * @param {() => void} options.onPalette
 * @param {() => void} options.onHelp
 * @returns {() => void} Ends it.
 */
export function listenToKeys({ onPalette, onHelp }) {
  const byKey = new Map(pagesOf([...PAGES, ...FURTHER_PAGES]).map(({ key, name }) => [key, name]));
  let wentAt = -Infinity;
  const deeds = /** @type {{ readonly [key: string]: () => void }} */ ({
    '?': onHelp,
    '/': () =>
      document
        .querySelector('main')
        ?.querySelector(/** @type {'input'} */ ('input[type=search]'))
        ?.focus(),
    n: () => {
      if (may('agent:read') && may('trade:execute')) location.hash = '#/agents/new';
    },
    z: () => prefer({ zone: preferences().zone === 'utc' ? 'local' : 'utc' }),
    g: () => {
      wentAt = performance.now();
    },
  });

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      return onPalette();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !preferences().keys || isWriting(event.target)) return;
    const page = performance.now() - wentAt < SECOND_KEY_MS ? byKey.get(event.key) : undefined;
    wentAt = -Infinity;
    const deed = page === undefined ? deeds[event.key] : () => (location.hash = pageAddress(page));
    if (deed === undefined) return;
    event.preventDefault();
    deed();
  }
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}

/** @param {EventTarget | null} target */
function isWriting(target) {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
}
