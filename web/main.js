/** The console begins here: who is signed in, which page is shown, and the one connection that all pages share. */

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
import { joinView } from './join-view.js';
import { launchesView } from './launches-view.js';
import { withListTools } from './list-tools.js';
import { manifestView } from './manifest-view.js';
import { marketplaceView } from './marketplace-view.js';
import { marketsView } from './markets-view.js';
import { maySeeAgents } from './pages.js';
import { titlePage } from './page-title.js';
import { portfolioView } from './portfolio-view.js';
import { onZone } from './preferences.js';
import { sentenceOf } from './problem-note.js';
import { proposalsView } from './proposals-view.js';
import { quotesView } from './quotes-view.js';
import { IS_REPLAY } from './replay-mode.js';
import { createShell, mayHalt } from './shell.js';
import { listenToKeys } from './shortcuts.js';
import { redeemSignInLink } from './sign-in-link.js';
import { signInView } from './sign-in-view.js';
import { takeView } from './take-view.js';
import { takesView } from './takes-view.js';
import { waitingProposals } from './waiting-proposals.js';

/** @typedef {import('./wire.ts').Me} Me */
/** @typedef {import('./shell.js').View} View */

const place = /** @type {HTMLElement} */ (document.getElementById('console'));
const RETRY_MS = 2_000;
/** Pages for whoever may see agents. */
const OF_AGENTS = /** @type {const} */ ([
  'agents',
  'runtime',
  'actors',
  'reports',
  'takes',
  'launches',
  'proposals',
  'portfolio',
  'bridge',
  'marketplace',
]);
/** Pages for whoever is signed in. */
const OF_ANYBODY = /** @type {const} */ (['instruments', 'quotes', 'markets', 'leaderboard', 'join', 'members']);
/** Every page but that of agents; its further arguments are what follows it in the address. */
const VIEWS = {
  home: homeView,
  actors: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id, /** @type {string} */ rest) =>
    id === '' ? runtime(context, 'actors', rest) : pastOfActor(context, id, rest),
  runtime: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id, /** @type {string} */ rest) =>
    runtime(context, id, rest),
  instruments: instrumentView,
  reports: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id, /** @type {string} */ rest) =>
    reportOfRun(context, id, rest),
  members: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id, /** @type {string} */ rest) =>
    members(context, id, rest),
  join: joinView,
  replay: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id, /** @type {string} */ rest) =>
    tapeOfReplay(context, id, rest),
  quotes: quotesView,
  markets: marketsView,
  leaderboard: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id, /** @type {string} */ rest) =>
    leaderboard(context, id, rest),
  marketplace: marketplaceView,
  proposals: proposalsView,
  portfolio: portfolioView,
  bridge: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id, /** @type {string} */ rest) =>
    transfers(context, id, rest),
  launches: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id, /** @type {string} */ rest) =>
    id === '' ? launchesView(context) : (LAUNCHING[id] ?? oneLaunch)(context, id, rest),
  takes: (/** @type {import('./shell.js').Context} */ context, /** @type {string} */ id) =>
    id === '' ? takesView(context) : takeView(context, id),
};
/** Until when somebody is signed in here; the token itself is in a cookie that no script can read. */
const HINT = 'sevengate.signedInUntil';
/** Ends what is shown and lets go of all it holds. */
let end = () => {};

/**
 * A page that few look at first: its modules are loaded when it is shown.
 * @param {string} title
 * @param {() => Promise<(context: import('./shell.js').Context, id: string, rest: string) => View>} load
 * @returns {(context: import('./shell.js').Context, id: string, rest: string) => View}
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

const transfers = later('Transfers', async () => (await import('./bridge-view.js')).bridgeView);
const tapeOfReplay = later('Replay', async () => (await import('./replay-view.js')).replayView);
const reportOfRun = later('Backtest', async () => (await import('./report-view.js')).reportView);
const runtime = later('Runtime', async () => (await import('./runtime-view.js')).runtimeView);
/** What stands in the place of a launch's id. @type {Readonly<Record<string, ReturnType<typeof later>>>} */
const LAUNCHING = {
  new: later('Launch a token', async () => (await import('./launch-form.js')).launchForm),
  launcher: later('Launch by the external launcher', async () => (await import('./launcher-form.js')).launcherForm),
};
const oneLaunch = later('Launch', async () => (await import('./launch-view.js')).launchView);
const leaderboard = later('Leaderboard', async () => (await import('./leaderboard-view.js')).leaderboardView);
const members = later('Members', async () => (await import('./members-view.js')).membersView);
const pastOfActor = later('Time travel', async () => (await import('./actor-view.js')).actorView);

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

/** Why the link in the address signed nobody in; null where it did, or there is none. */
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
 * The palette and the sheet of keys, whose modules come as they are asked for.
 * @param {object} options
 * @param {Me} options.me
 * @param {() => void} options.onSignOut
 * @param {(error: unknown) => void} options.fail
 * @param {import('./shell.js').Context['notify']} options.notify
 */
function aids({ me, onSignOut, fail, notify }) {
  const help = () => void import('./help-sheet.js').then(({ openHelp }) => openHelp(me), fail);
  const onHalt = mayHalt(me) ? () => askHalt({ notify, fail }) : null;
  const doings = { me, notify, onHalt, onHelp: help, onSignOut, fail };
  return { help, palette: () => void import('./palette.js').then(({ openPalette }) => openPalette(doings), fail) };
}

/** @param {string} page What the address says. @param {boolean} seesAgents */
function pageOf(page, seesAgents) {
  if (IS_REPLAY && page === 'replay') return page;
  const open = OF_ANYBODY.find((one) => one === page);
  if (open !== undefined) return open;
  if (!seesAgents) return 'quotes';
  return OF_AGENTS.find((one) => one === page) ?? 'home';
}

/**
 * @param {import('./shell.js').Context} context
 * @param {ReturnType<typeof pageOf>} page
 * @param {string} id An instrument, an agent, a Take, a launch, a listing, a wallet, the tab of the markets, or the mode of the portfolio; empty for none.
 * @param {string} rest What follows it: the length of a bar.
 */
function viewOf(context, page, id, rest) {
  if (page !== 'agents') return VIEWS[page](context, id, rest);
  if (id === '') return agentsView(context);
  if (id === 'new') return manifestView(context, '', 'new');
  return rest === 'edit' || rest === 'clone' ? manifestView(context, id, rest) : agentView(context, id, rest);
}

/**
 * @param {Me} me
 * @param {((options: { onMoved: () => void, fail: (error: unknown) => void }) => ReturnType<typeof import('./replay-bar.js').createReplayBar>) | null} [makeBar]
 *   What stands above every page of a replay, and tells its time.
 */
function open(me, makeBar = null) {
  const signedOut = () => signIn('Your session has ended. Please sign in again.');
  /** @param {unknown} error */
  const fail = (error) => {
    if (error instanceof Refused && error.signedOut) signedOut();
    else shell.notify(sentenceOf(error), 'error');
  };
  const bar = makeBar?.({ onMoved: () => route(), fail }) ?? null;
  const feed = createFeed({
    ...(bar === null ? {} : { time: bar.now }),
    address: () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/feeds`,
    onStatus: (status) => shell.showConnection(status),
    signedIn: async () => {
      try {
        await read('/v1/me');
        return true;
      } catch (error) {
        return !(error instanceof Refused && error.signedOut);
      }
    },
    onSignedOut: signedOut,
  });
  const { palette, help } = aids({ me, onSignOut: () => void signOut(), fail, notify: (...said) => shell.notify(...said) });
  const shell = createShell({
    me,
    onSignOut: () => void signOut(),
    onHurry: () => feed.hurry(),
    onPalette: palette,
    onHelp: help,
    fail,
  });
  const context = { me, feed, notify: shell.notify, fail };
  const seesAgents = maySeeAgents(me);
  /** @type {View | null} */
  let view = null;

  function route() {
    const [path = ''] = location.hash.split('?');
    const [, page = '', id = '', rest = ''] = path.split('/');
    view?.end();
    const name = pageOf(page, seesAgents);
    view = withListTools(viewOf(context, name, decodeURIComponent(id), rest), fail);
    shell.showView(view, name);
  }

  async function signOut() {
    try {
      await change('DELETE', '/v1/session');
      signIn(null);
    } catch (error) {
      fail(error);
    }
  }

  const stopFollowing = seesAgents ? followOrganization(context, shell) : () => {};
  // Every time on the page is written anew.
  const stops = [listenToKeys({ me, onPalette: palette, onHelp: help }), onZone(route), stopFollowing];
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
}

/**
 * What whoever may see agents is told on every page and beside it: alerts, and how many proposals wait.
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
