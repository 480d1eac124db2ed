/** Preferences: time zone, keys without Ctrl, notifications. Stored in this browser; the first two follow the member (settings.tsx). */

/** @typedef {{ zone: 'utc' | 'local', keys: boolean, notifications: boolean }} Preferences */

const KEPT = 'sevengate.preferences';
/** @type {Preferences} */
const FIRST = { zone: 'utc', keys: true, notifications: false };
/** @type {Set<() => void>} */
const listeners = new Set();
let chosen = readPreferences(stored());

function stored() {
  try {
    return localStorage.getItem(KEPT) ?? '';
  } catch {
    return '';
  }
}

/** Reads preferences from a text. What is not JSON gives the defaults. @param {string} text @returns {Preferences} */
export function readPreferences(text) {
  try {
    const found = JSON.parse(text) ?? {};
    return {
      zone: found.zone === 'local' ? 'local' : FIRST.zone,
      keys: found.keys !== false,
      notifications: found.notifications === true,
    };
  } catch {
    return FIRST;
  }
}

/** @returns {Readonly<Preferences>} */
export function preferences() {
  return chosen;
}

/** Changes and stores preferences, and calls the listeners. @param {Partial<Preferences>} change */
export function prefer(change) {
  chosen = { ...chosen, ...change };
  try {
    localStorage.setItem(KEPT, JSON.stringify(chosen));
  } catch {
    // Without storage, preferences last until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** Calls back on every change. @param {() => void} listener @returns {() => void} Ends it. */
export function onPreferences(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
