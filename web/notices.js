/** Notices in a corner: they disappear by themselves, and repeated ones are shown once. */
import { h } from './dom.js';

const NOTICE_MS = 8_000;
/** A refusal stays long enough to be read twice. */
const ERROR_MS = 25_000;
const SHOWN = 4;

export function createNotices() {
  const element = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });
  return {
    element,
    /** @param {string} text @param {'info' | 'warning' | 'error'} [kind] */
    notify(text, kind = 'info') {
      const notice = h(
        'div',
        { class: `notice notice-${kind}` },
        h('p', {}, text),
        h('button', { type: 'button', 'aria-label': 'Close', onclick: () => notice.remove() }, '×'),
      );
      for (const other of Array.from(element.children)) if (other.firstElementChild?.textContent === text) other.remove();
      element.append(notice);
      while (element.childElementCount > SHOWN) element.firstElementChild?.remove();
      setTimeout(() => notice.remove(), kind === 'error' ? ERROR_MS : NOTICE_MS);
    },
  };
}
