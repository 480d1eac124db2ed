/** Websocket of the page. Subscriptions survive a lost connection and resume by cursor. Reconnects with growing, spread pauses. */

import { Subscriptions } from './subscriptions.js';

/** @typedef {import('./wire.ts').Message} Message */
/**
 * @typedef {object} FeedStatus
 * @property {'connecting' | 'live' | 'late' | 'waiting'} state `waiting` until `retryAt`; `late` while frames arrive late.
 * @property {number} retryAt Milliseconds since the epoch; 0 unless waiting.
 * @property {number} since Time of the last live moment; 0 if there was none.
 * @property {number} lateS Delay of the last frame beyond that of the fastest one, in seconds.
 */

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
/** Interval of the service's heartbeat. One missed beat: not received. Two: the connection is given up. */
const BEAT_MS = 5_000;
const SLACK_MS = 1_000;
/** Frames later than this carry stale prices. */
const LATE_S = BEAT_MS / 1_000;
/** Interval between two checks of the wall clock, because timers stop while the computer sleeps. */
const LOOK_MS = 1_000;
/** @type {FeedStatus} */
const NEVER = { state: 'connecting', retryAt: 0, since: 0, lateS: 0 };
/** Errors of operations that were not carried out. Their subscriptions would stay silent on a connection that is otherwise live. */
const UNHEARD = ['rate_limited', 'unavailable'];
/** Number of failures that such an error counts as, so that a cause that lasts is not asked at once again. */
const UNHEARD_FAILURES = 3;
/** Close codes after which only signing in again helps: the token has expired or was revoked. */
const SIGNED_OUT = [4001, 4002];

/**
 * @param {object} options
 * @param {() => string} options.address
 * @param {(status: FeedStatus) => void} options.onStatus
 * @param {() => Promise<boolean>} options.signedIn Called when a connection fails to open: browsers hide the reason.
 * @param {() => void} options.onSignedOut
 * @param {() => number} [options.time] Time of a replay. Default: the service's clock.
 */
export function createFeed({ address, onStatus, signedIn, onSignedOut, time }) {
  const subscriptions = new Subscriptions((operation) => sendOver(socket, operation));
  /** @type {WebSocket | null} */
  let socket = null;
  let failures = 0;
  let isWanted = false;
  let retry = 0;
  const silence = createSilence({ onMissed: () => become({ state: 'connecting', since: Date.now() }), onLost: () => lose() });
  const clock = serviceClock();
  let status = NEVER;

  /** @param {Partial<FeedStatus>} change */
  function become(change) {
    status = { ...status, ...change };
    onStatus(status);
  }

  function open() {
    clearTimeout(retry);
    if (!isWanted || socket !== null) return;
    clock.forget();
    become({ state: 'connecting', retryAt: 0 });
    socket = openSocket(address(), { isCurrent: (one) => one === socket, onOpen, onMessage, onClose: lose });
  }

  function onOpen() {
    silence.restart();
    subscriptions.askAll();
    become({ state: 'live', retryAt: 0 });
  }

  /** @param {Message} message */
  function onMessage(message) {
    // What was sent before a sleep arrives after it.
    if (clock.sleptMs() > 0) return lose();
    silence.restart();
    failures = message.type === 'error' && UNHEARD.includes(message.code) ? Math.max(failures, UNHEARD_FAILURES) : 0;
    if (failures > 0) return lose();
    const lateS = clock.measure(message.at);
    const state = lateS > LATE_S && time === undefined ? 'late' : 'live';
    if (status.state !== state || (state === 'late' && status.lateS !== lateS)) become({ state, lateS });
    subscriptions.take(message);
  }

  /** Drops the connection without waiting for its close event. True if there was one. */
  function drop() {
    const last = socket;
    socket = null;
    silence.stop();
    return last !== null && closeQuietly(last);
  }

  /** @param {number} [code] @param {boolean} [neverOpened] */
  function lose(code = 0, neverOpened = false) {
    if (!drop()) return;
    if (SIGNED_OUT.includes(code)) onSignedOut();
    else void pause(neverOpened);
  }

  /** @param {boolean} neverOpened */
  async function pause(neverOpened) {
    const ms = spreadPause(failures++);
    if (status.state === 'live') status = { ...status, since: Date.now() };
    become({ state: 'waiting', retryAt: Date.now() + ms });
    retry = setTimeout(open, ms);
    if (neverOpened && !(await signedIn()) && isWanted) {
      clearTimeout(retry);
      onSignedOut();
    }
  }

  watchNetwork({ onBack: open, onOffline: () => lose() });

  return {
    connect() {
      isWanted = true;
      open();
    },
    /** The service's time, as far as it is known. */
    now: time ?? clock.now,
    /** True unless a heartbeat was missed, frames are late, or the connection is lost. */
    isReceived: () => status.state === 'live' && !silence.isMissed(),
    isReplay: time !== undefined,
    /**
     * Receives a channel until the returned function is called, across any number of connections and without loss or repeat.
     * @template {import('./wire.ts').Channel} Name
     * @param {import('./subscriptions.js').SubscriberTo<Name>} subscriber
     */
    subscribe: (subscriber) => subscriptions.subscribe(subscriber),
    /** Ends the connection of the signed-in member. A later connect opens a new one. */
    end() {
      isWanted = false;
      clearTimeout(retry);
      drop();
      become({ state: 'connecting', retryAt: 0 });
    },
  };
}

/**
 * Opens a connection whose events count while it is the current one.
 * @param {string} address
 * @param {object} calls
 * @param {(socket: WebSocket) => boolean} calls.isCurrent
 * @param {() => void} calls.onOpen
 * @param {(message: Message) => void} calls.onMessage
 * @param {(code: number, neverOpened: boolean) => void} calls.onClose
 */
function openSocket(address, { isCurrent, onOpen, onMessage, onClose }) {
  const socket = new WebSocket(address);
  let opened = false;
  socket.addEventListener('open', () => {
    opened = true;
    if (isCurrent(socket)) onOpen();
  });
  socket.addEventListener('message', ({ data }) => {
    if (isCurrent(socket)) onMessage(JSON.parse(data));
  });
  socket.addEventListener('close', ({ code }) => {
    if (isCurrent(socket)) onClose(code, !opened);
  });
  return socket;
}

/** Does nothing without a connection. @param {WebSocket | null} socket @param {object} operation */
function sendOver(socket, operation) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(operation));
}

/** Closes a socket once it is open: closing it earlier logs an error in the browser. @param {WebSocket} socket */
function closeQuietly(socket) {
  if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener('open', () => socket.close());
  else socket.close();
  return true;
}

/** Returns the pause before the next attempt in milliseconds. @param {number} failures */
function spreadPause(failures) {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}

/**
 * Estimates the service's time: its clock minus ours, measured by the least delayed frame. Ours is monotonic: setting the clock does not
 * move it. It stops while the computer sleeps, which the wall clock tells: until the next connection, its lead is added.
 */
function serviceClock() {
  let skewMs = 0;
  let isKnown = false;
  const ours = () => Math.round(performance.timeOrigin + performance.now());
  let awakeLead = Date.now() - ours();
  const sleptMs = () => {
    const ms = Date.now() - ours() - awakeLead;
    return ms > SLACK_MS ? ms : 0;
  };
  return {
    now: () => ours() + skewMs + sleptMs(),
    /** Time that the computer slept since the first frame of the connection, or that its clock was set ahead. */
    sleptMs: () => (isKnown ? sleptMs() : 0),
    /** @param {string} at Send time of a frame. @returns Its delay beyond the fastest frame, in seconds. */
    measure(at) {
      const skew = Date.parse(at) - ours();
      if (!isKnown || skew > skewMs) skewMs = skew;
      if (!isKnown) awakeLead = Date.now() - ours();
      isKnown = true;
      return Math.round((skewMs - skew) / 1_000);
    },
    /** Restarts the measurement with the next frame. */
    forget() {
      isKnown = false;
    },
  };
}

/**
 * Calls `onMissed` after one missed heartbeat and `onLost` after two.
 * @param {{ readonly onMissed: () => void, readonly onLost: () => void }} calls
 */
function createSilence({ onMissed, onLost }) {
  /** @type {number[]} */
  let timers = [];
  let look = 0;
  let heardAt = 0;
  const stop = () => {
    for (const timer of timers) clearTimeout(timer);
    clearInterval(look);
  };
  // The wall clock goes on while the computer sleeps; timers do not.
  const lasts = (/** @type {number} */ ms) => Date.now() - heardAt > ms;
  return {
    restart() {
      stop();
      heardAt = Date.now();
      timers = [setTimeout(onMissed, BEAT_MS + SLACK_MS), setTimeout(onLost, 2 * BEAT_MS + SLACK_MS)];
      look = setInterval(() => lasts(2 * BEAT_MS + SLACK_MS) && onLost(), LOOK_MS);
    },
    stop,
    isMissed: () => lasts(BEAT_MS + SLACK_MS),
  };
}

/**
 * Calls `onBack` when the network is back or the page becomes visible, and `onOffline` at once when the network is gone.
 * @param {{ readonly onBack: () => void, readonly onOffline: () => void }} calls
 */
function watchNetwork({ onBack, onOffline }) {
  const shown = () => {
    if (!document.hidden) onBack();
  };
  addEventListener('online', onBack);
  addEventListener('offline', onOffline);
  document.addEventListener('visibilitychange', shown);
}
