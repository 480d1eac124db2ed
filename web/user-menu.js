/** User menu: the signed-in member, permissions, and preferences of this browser. It closes on any other action. */
import { allowNotifications } from './browser-notices.js';
import { h, say } from './dom.js';
import { pageAddress } from './pages.js';
import { prefer, preferences } from './preferences.js';
import { clockAndZone } from './words.js';

/**
 * @param {object} options
 * @param {import('./wire.ts').Me} options.me
 * @param {() => void} options.onSignOut
 * @param {() => void} options.onHelp
 * @param {(text: string, kind?: 'warning') => void} options.notify
 */
export function userMenu({ me, onSignOut, onHelp, notify }) {
  const name = me.name ?? me.subject;
  const expiry = h('p', { class: 'faint' });
  const element = h(
    'details',
    { class: 'who', ontoggle: () => say(expiry, `The token expires at ${clockAndZone(me.expiresAt)}.`) },
    h('summary', {}, h('span', {}, name)),
    h(
      'div',
      { class: 'who-card' },
      h('p', {}, h('strong', {}, name), h('br', {}), h('span', { class: 'faint' }, me.subject)),
      h('p', { class: 'faint' }, me.viewerOnly ? 'Read-only access to market data.' : 'Permissions:'),
      h(
        'ul',
        {},
        me.permissions.map((permission) => h('li', {}, h('code', {}, permission))),
      ),
      preferenceFields(notify),
      expiry,
      me.orgId === null ? null : h('a', { href: pageAddress('members') }, 'Members of the organization'),
      h('button', { type: 'button', onclick: onHelp }, 'Keyboard shortcuts'),
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

/** @param {(text: string, kind?: 'warning') => void} notify */
function preferenceFields(notify) {
  const { zone, keys, notifications } = preferences();
  const zones = h(
    'select',
    { onchange: () => prefer({ zone: zones.value === 'local' ? 'local' : 'utc' }) },
    h('option', { value: 'utc' }, 'UTC'),
    h('option', { value: 'local' }, 'local time'),
  );
  zones.value = zone;
  const single = h('input', { type: 'checkbox', onchange: () => prefer({ keys: single.checked }) });
  single.checked = keys;
  const told = h('input', { type: 'checkbox', onchange: () => void tell() });
  told.checked = notifications;

  async function tell() {
    const why = told.checked ? await allowNotifications() : null;
    if (why !== null) {
      told.checked = false;
      notify(why, 'warning');
    }
    prefer({ notifications: told.checked });
  }
  return h(
    'div',
    { class: 'preferences' },
    h('label', {}, 'Times in ', zones),
    h('label', {}, told, ' Browser notifications'),
    h('label', {}, single, ' Single-key shortcuts'),
  );
}
