/** The console begins here: who is signed in, which page is shown, and the one connection that all pages share. */

import { keepBadgesAging } from './aged-quality.js';
import { forgetAgentNames } from './agent-names.js';
import { agentView } from './agent-view.js';
import { agentsView } from './agents-view.js';
import { alertWords } from './alert-words.js';
import { followForNotices } from './browser-notices.js';
import { fill, h } from './dom.js';
import { createFeed } from './feed.js';
import { askHalt } from './halt-dialog.js';
import { homeView } from './home-view.js';
import { change, Refused, read } from './http.js';
import { instrumentView } from './instrument-view.js';
import { withListTools } from './list-tools.js';
import { titlePage } from './page-title.js';
import { pageNamed } from './pages.js';
import { actAs, may, withheld } from './permissions.js';
import { onZone } from './preferences.js';
import { sentenceOf } from './problem-note.js';
import { proposalsView } from './proposals-view.js';
import { quotesView } from './quotes-view.js';
import { IS_REPLAY } from './replay-mode.js';
import { createShell, mayHalt } from './shell.js';
import { listenToKeys } from './shortcuts.js';
import { redeemSignInLink } from './sign-in-link.js';
import { signInView } from './sign-in-view.js';
import { waitingProposals } from './waiting-proposals.js';

/** @typedef {import('./wire.ts').Me} Me */
/** @typedef {import('./shell.js').View} View */

const place = /** @type {HTMLElement} */ (document.getElementById('console'));
const RETRY_MS = 2_000;
/** @typedef {(context: import('./shell.js').Context, id: string, rest: string) => View} MakeView */

const launchPages = {
  all: later('Launches', async () => (await import('./launches-view.js')).launchesView),
  new: later('Launch a token', async () => (await import('./launch-form.js')).launchForm),
  launcher: later('Launch with the external launcher', async () => (await import('./launcher-form.js')).launcherForm),
  one: later('Launch', async () => (await import('./launch-view.js')).launchView),
};
const takePages = {
  all: later('Takes', async () => (await import('./takes-view.js')).takesView),
  one: later('Take', async () => (await import('./take-view.js')).takeView),
};
const runtime = later('Runtime', async () => (await import('./runtime-view.js')).runtimeView);
const pastOfActor = later('Time travel', async () => (await import('./actor-view.js')).actorView);
const manifest = later('Manifest', async () => {
  const { manifestView } = await import('./manifest-view.js');
  return (context, id, purpose) => manifestView(context, id, purpose === 'edit' || purpose === 'clone' ? purpose : 'new');
});
/** Every page; the further arguments are what follows it in the address. @type {{ readonly [page: string]: MakeView }} */
const VIEWS = {
  home: homeView,
  agents: (context, id, rest) => {
    if (id === '') return agentsView(context);
    if (id !== 'new' && rest !== 'edit' && rest !== 'clone') return agentView(context, id, rest);
    return withheldView('trade:execute', 'Manifest') ?? manifest(context, id === 'new' ? '' : id, rest);
  },
  actors: (context, id, rest) => (id === '' ? runtime(context, 'actors', rest) : pastOfActor(context, id, rest)),
  runtime,
  instruments: instrumentView,
  reports: later('Backtest', async () => (await import('./report-view.js')).reportView),
  members: later('Members', async () => (await import('./members-view.js')).membersView),
  join: later('Join an organization', async () => (await import('./join-view.js')).joinView),
  replay: later('Replay', async () => (await import('./replay-view.js')).replayView),
  quotes: quotesView,
  markets: later('Markets', async () => (await import('./markets-view.js')).marketsView),
  leaderboard: later('Leaderboard', async () => (await import('./leaderboard-view.js')).leaderboardView),
  marketplace: later('Marketplace', async () => (await import('./marketplace-view.js')).marketplaceView),
  proposals: proposalsView,
  portfolio: later('Portfolio', async () => (await import('./portfolio-view.js')).portfolioView),
  bridge: later('Transfers', async () => (await import('./bridge-view.js')).bridgeView),
  launches: (context, id, rest) => launchPages[id === '' ? 'all' : id === 'new' || id === 'launcher' ? id : 'one'](context, id, rest),
  takes: (context, id, rest) => takePages[id === '' ? 'all' : 'one'](context, id, rest),
};
/** Until when somebody is signed in here; the token itself is in a cookie that no script can read. */
const HINT = 'sevengate.signedInUntil';
/** Ends what is shown and lets go of all it holds. */
let end = () => {};

/**
 * A page that few look at first: its modules are loaded when it is shown.
 * @param {string} title
 * @param {() => Promise<MakeView>} load
 * @returns {MakeView}
 */
function later(title, load) {
  return (context, id, rest) => {
    const element = h('div', {}, h('section', { class: 'page' }, h('h1', {}, title), h('p', { class: 'faint' }, 'Loading…')));
    /** @type {View | null} */
    let view = null;
    let isOver = false;
    const show = async () => {
      const make = await load();
      if (isOver) return;
      view = withListTools(make(context, id, rest), context.fail);
      fill(element, view.element);
    };
    show().catch(context.fail);
    return {
      element,
      title,
      end() {
        isOver = true;
        view?.end();
      },
    };
  };
}

async function begin() {
  end();
  end = () => {};
  if (IS_REPLAY) return beginReplay();
  const refused = await signInByLink();
  if (refused !== null) return signIn(refused);
  if (!(Number(localStorage.getItem(HINT)) > Date.now())) return signIn(null);
  try {
    open(await read('/v1/me'));
  } catch (error) {
    if (error instanceof Refused && error.signedOut) return signIn(null);
    fill(place, `${sentenceOf(error)}. Trying again…`);
    tryAgain();
  }
}

function tryAgain() {
  const retry = setTimeout(begin, RETRY_MS);
  end = () => clearTimeout(retry);
}

/** Nobody signs in to a tape. */
async function beginReplay() {
  try {
    const [me, first, { createReplayBar }] = await Promise.all([read('/v1/me'), read('/v1/replay'), import('./replay-bar.js')]);
    open(me, (options) => createReplayBar({ first, ...options }));
  } catch (error) {
    fill(place, `${sentenceOf(error)}. Trying again…`);
    tryAgain();
  }
}

/** Returns why the link in the address signed nobody in; null if it did, or there is none. */
async function signInByLink() {
  try {
    const until = await redeemSignInLink();
    if (until !== null) localStorage.setItem(HINT, String(Date.parse(until)));
    return null;
  } catch (error) {
    return sentenceOf(error);
  }
}

/** @param {string | null} reason */
function signIn(reason) {
  end();
  end = () => {};
  localStorage.removeItem(HINT);
  forgetAgentNames();
  titlePage('Sign in');
  const onSignedIn = (/** @type {string} */ until) => {
    localStorage.setItem(HINT, String(Date.parse(until)));
    void begin();
  };
  fill(place, signInView({ reason, onSignedIn }));
}

/**
 * Ends the page and then the session: whatever the page asked after it would be refused.
 * @param {() => (error: unknown) => void} reopen Opens the page again, where the session did not end, and gives what tells the error on it.
 */
async function signOut(reopen) {
  end();
  end = () => {};
  try {
    await change('DELETE', '/v1/session');
    signIn(null);
  } catch (error) {
    reopen()(error);
  }
}

/**
 * The palette and the sheet of keys, whose modules come as they are asked for.
 * @param {object} options
 * @param {Me} options.me
 * @param {() => void} options.onSignOut
 * @param {(error: unknown) => void} options.fail
 * @param {import('./shell.js').Context['notify']} options.notify
 */
function aids({ me, onSignOut, fail, notify }) {
  const help = () => void import('./help-sheet.js').then(({ openHelp }) => openHelp(), fail);
  const onHalt = mayHalt(me) ? () => askHalt({ notify, fail }) : null;
  const doings = { me, notify, onHalt, onHelp: help, onSignOut, fail };
  return { help, palette: () => void import('./palette.js').then(({ openPalette }) => openPalette(doings), fail) };
}

/**
 * A page in one sentence, where the role does not permit it.
 * @param {import('./pages.js').PageEntry['needs']} needs
 * @param {string} title
 * @returns {View | null}
 */
function withheldView(needs, title) {
  const words = needs === null ? null : withheld(needs, 'This page');
  return words === null ? null : { element: h('section', { class: 'page' }, h('h1', {}, title), words), title, end: () => {} };
}

/** True if the service still knows who is signed in, and if it does not answer. */
async function isSignedIn() {
  try {
    await read('/v1/me');
    return true;
  } catch (error) {
    return !(error instanceof Refused && error.signedOut);
  }
}

/**
 * @param {Me} me
 * @param {((options: { onMoved: () => void, fail: (error: unknown) => void }) => ReturnType<typeof import('./replay-bar.js').createReplayBar>) | null} [makeBar]
 *   What stands above every page of a replay, and tells its time.
 * @returns {(error: unknown) => void} Tells an error on the page.
 */
function open(me, makeBar = null) {
  actAs(me);
  const signedOut = () => signIn('Your session has ended. Please sign in again.');
  /** @param {unknown} error */
  const fail = (error) => {
    // A page that was left waits for nothing any more.
    if (error instanceof DOMException && error.name === 'AbortError') return;
    if (error instanceof Refused && error.signedOut) signedOut();
    else shell.notify(sentenceOf(error), 'error');
  };
  const bar = makeBar?.({ onMoved: () => route(), fail }) ?? null;
  const feed = createFeed({
    ...(bar === null ? {} : { time: bar.now }),
    address: () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/feeds`,
    onStatus: (status) => shell.showConnection(status),
    signedIn: isSignedIn,
    onSignedOut: signedOut,
  });
  const onSignOut = () => void signOut(() => open(me, makeBar));
  const { palette, help } = aids({ me, onSignOut, fail, notify: (...said) => shell.notify(...said) });
  const shell = createShell({
    me,
    onSignOut,
    onHurry: () => feed.hurry(),
    onPalette: palette,
    onHelp: help,
    fail,
  });
  const context = { me, feed, notify: shell.notify, fail };
  /** @type {View | null} */
  let view = null;

  function route() {
    const [path = ''] = location.hash.split('?');
    const [, page = '', id = '', rest = ''] = path.split('/');
    view?.end();
    const { name, title, needs } = pageNamed(page);
    const made = withheldView(needs, title) ?? VIEWS[name]?.(context, decodeURIComponent(id), rest);
    if (made === undefined) return;
    view = withListTools(made, fail);
    shell.showView(view, name);
  }

  const stopFollowing = may('agent:read') ? followOrganization(context, shell) : () => {};
  // Every time on the page is written anew.
  const stops = [keepBadgesAging(place, feed), listenToKeys({ onPalette: palette, onHelp: help }), onZone(route), stopFollowing];
  addEventListener('hashchange', route);
  end = () => {
    removeEventListener('hashchange', route);
    for (const stop of stops) stop();
    view?.end();
    feed.end();
    shell.end();
    bar?.end();
  };
  fill(place, bar?.element, shell.element);
  route();
  feed.connect();
  return fail;
}

/**
 * Follows the organization for members who may see agents: alerts, and the number of waiting proposals, on every page.
 * @param {import('./shell.js').Context} context
 * @param {ReturnType<typeof createShell>} shell
 */
function followOrganization(context, shell) {
  const waiting = waitingProposals(context);
  shell.badge('proposals', waiting.badge);
  const stop = context.feed.subscribe({
    channel: 'alerts',
    receive: ({ data }) => void alertWords(data).then((words) => shell.notify(words, 'warning')),
  });
  const stopNotices = followForNotices(context.feed);
  return () => {
    stop();
    stopNotices();
    waiting.end();
  };
}

void begin();
