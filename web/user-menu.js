/** Who is signed in and what they may do; it closes as one turns to anything else. */
import { h } from './dom.js';

/**
 * @param {import('./wire.ts').Me} me
 * @param {() => void} onSignOut
 */
export function userMenu(me, onSignOut) {
  const name = me.name ?? me.subject;
  const element = h(
    'details',
    { class: 'who' },
    h('summary', {}, h('span', {}, name)),
    h(
      'div',
      { class: 'who-card' },
      h('p', {}, h('strong', {}, name), h('br', {}), h('span', { class: 'faint' }, me.subject)),
      h('p', { class: 'faint' }, me.viewerOnly ? 'May look at the market only.' : 'May:'),
      h(
        'ul',
        {},
        me.permissions.map((permission) => h('li', {}, h('code', {}, permission))),
      ),
      h('p', { class: 'faint' }, `The token expires at ${me.expiresAt.slice(11, 16)} UTC.`),
      h('button', { type: 'button', onclick: onSignOut }, 'Sign out'),
    ),
  );
  const close = () => {
    element.open = false;
  };

  /** @param {PointerEvent | FocusEvent} event */
  function leave({ target }) {
    if (target instanceof Node && !element.contains(target)) close();
  }

  /** @param {KeyboardEvent} event */
  function escape({ key }) {
    if (key !== 'Escape' || !element.open) return;
    close();
    element.querySelector('summary')?.focus();
  }
  document.addEventListener('pointerdown', leave);
  document.addEventListener('focusin', leave);
  document.addEventListener('keydown', escape);
  return {
    element,
    close,
    end() {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
      document.removeEventListener('keydown', escape);
    },
  };
}
