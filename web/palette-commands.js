/** Results of the command palette: pages, agents, instruments, and actions. */
import { agentNames } from './agent-names.js';
import { allowNotifications } from './browser-notices.js';
import { readCatalog } from './catalog.js';
import { FURTHER_PAGES, PAGES, pageAddress, pagesOf } from './pages.js';
import { may } from './permissions.js';
import { prefer, preferences } from './preferences.js';
import { IS_REPLAY } from './replay-mode.js';
import { instrumentAddress, plain } from './words.js';

/** @typedef {{ readonly kind: string, readonly title: string, readonly detail: string, readonly run: () => void }} Command */
/**
 * @typedef {object} Doings What the frame can do.
 * @property {import('./wire.ts').Me} me
 * @property {(text: string, kind?: 'info' | 'warning' | 'error') => void} notify
 * @property {(() => void) | null} onHalt Null for who may not.
 * @property {() => void} onHelp
 * @property {() => void} onSignOut
 */

/** @param {string} kind @param {string} title @param {string} detail @param {string} address @returns {Command} */
function going(kind, title, detail, address) {
  return {
    kind,
    title,
    detail,
    run: () => {
      location.hash = address;
    },
  };
}

/** Returns the commands that are known without a request. @param {Doings} doings @returns {readonly Command[]} */
export function commandsAtHand(doings) {
  const pages = pagesOf([...PAGES, ...FURTHER_PAGES]).map(({ name, title, key }) => going('page', title, `g ${key}`, pageAddress(name)));
  const mayTrade = may('agent:read') && may('trade:execute');
  const terminal = { kind: 'page', title: 'Trade', detail: 'terminal', run: () => location.assign('/terminal') };
  return [
    ...pages,
    ...(IS_REPLAY ? [] : [terminal]),
    ...(mayTrade ? [going('do', 'New agent', 'n', '#/agents/new')] : []),
    ...deeds(doings),
  ];
}

/** @param {Doings} doings @returns {readonly Command[]} */
function deeds({ notify, onHalt, onHelp, onSignOut }) {
  const { zone, notifications } = preferences();
  const other = zone === 'utc' ? 'local' : 'utc';
  return [
    { kind: 'do', title: `Show times in ${other === 'utc' ? 'UTC' : 'local time'}`, detail: 'z', run: () => prefer({ zone: other }) },
    {
      kind: 'do',
      title: notifications ? 'Turn off browser notifications' : 'Turn on browser notifications',
      detail: 'approvals, fills, circuit breakers, incidents',
      run: () => void switchNotifications(notify),
    },
    { kind: 'do', title: 'Keyboard shortcuts', detail: '?', run: onHelp },
    ...(onHalt === null ? [] : [{ kind: 'do', title: 'Halt all agents', detail: 'asks for confirmation', run: onHalt }]),
    { kind: 'do', title: 'Sign out', detail: '', run: onSignOut },
  ];
}

/** @param {Doings['notify']} notify */
async function switchNotifications(notify) {
  const { notifications } = preferences();
  const why = notifications ? null : await allowNotifications();
  if (why !== null) return notify(why, 'warning');
  prefer({ notifications: !notifications });
  notify(
    notifications ? 'Browser notifications are off.' : 'Browser notifications are on: approvals, fills, circuit breakers and incidents.',
  );
}

/** Agents and instruments, which are asked for. @returns {Promise<readonly Command[]>} */
export async function commandsAsked() {
  const [names, catalog] = await Promise.all([may('agent:read') ? agentNames() : new Map(), readCatalog()]);
  return [
    ...[...names].map(([id, name]) => going('agent', name, '', `#/agents/${id}`)),
    ...[...catalog.values()].map(({ key, instrument, name, venue }) =>
      going('instrument', instrument, `${name}, ${plain(venue)}`, instrumentAddress(key)),
    ),
  ];
}

/**
 * Returns the commands with every word of the query, best first: a title that begins with it, then a word of the title, then anything.
 * @param {readonly Command[]} commands
 * @param {string} query
 */
export function matching(commands, query) {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const rank = (/** @type {Command} */ { kind, title, detail }) => {
    const head = title.toLowerCase();
    const all = `${head} ${detail.toLowerCase()} ${kind}`;
    if (!words.every((word) => all.includes(word))) return -1;
    const whole = words.join(' ');
    if (head.startsWith(whole)) return 3;
    return ` ${head}`.includes(` ${whole}`) ? 2 : words.every((word) => head.includes(word)) ? 1 : 0;
  };
  return commands
    .map((command) => ({ command, at: rank(command) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at)
    .map(({ command }) => command);
}
