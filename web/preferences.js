/** Preferences of this browser: the zone of times, keys without Ctrl, notifications. They are stored here and nowhere else. */

/** @typedef {{ zone: 'utc' | 'local', keys: boolean, notifications: boolean }} Preferences */

const KEPT = 'sevengate.preferences';
/** @type {Preferences} */
const FIRST = { zone: 'utc', keys: true, notifications: false };
/** @type {Set<() => void>} */
const listeners = new Set();
let chosen = stored();

/** @returns {Preferences} */
function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? '{}');
    return {
      zone: found.zone === 'local' ? 'local' : FIRST.zone,
      keys: found.keys !== false,
      notifications: found.notifications === true,
    };
  } catch {
    // No storage, or a text that is not ours: one begins with what everybody begins with.
    return FIRST;
  }
}

/** @returns {Readonly<Preferences>} */
export function preferences() {
  return chosen;
}

/** Changes some of them, keeps them, and tells whoever listens. @param {Partial<Preferences>} change */
export function prefer(change) {
  chosen = { ...chosen, ...change };
  try {
    localStorage.setItem(KEPT, JSON.stringify(chosen));
  } catch {
    // A browser that keeps nothing has them until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** Told when times are to be shown in another zone. @param {() => void} listener @returns {() => void} Ends it. */
export function onZone(listener) {
  let { zone } = chosen;
  const receive = () => {
    if (zone === chosen.zone) return;
    ({ zone } = chosen);
    listener();
  };
  listeners.add(receive);
  return () => listeners.delete(receive);
}

/** Tells of every change. @param {() => void} listener @returns {() => void} Ends it. */
export function onPreferences(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
