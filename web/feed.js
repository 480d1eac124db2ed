/** The one websocket of the page: subscriptions that survive it, resumed by cursor, reconnected with growing, spread pauses. */

import { Subscriptions } from './subscriptions.js';

/** @typedef {import('./wire.ts').Message} Message */
/**
 * @typedef {object} FeedStatus
 * @property {'connecting' | 'live' | 'late' | 'waiting'} state `waiting` until `retryAt`; `late` while what comes was sent long ago.
 * @property {number} retryAt Milliseconds since the epoch; 0 unless waiting.
 * @property {number} since When it was last live; 0 if it never was.
 * @property {number} lateS Seconds between the sending of the last frame and its arrival, beyond those of the fastest frame.
 */

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
/** The service beats every 5 s. After one missed beat it is not received; after two its connection is given up. */
const BEAT_MS = 5_000;
const SLACK_MS = 1_000;
/** Frames that are so late bring prices that are stale. */
const LATE_S = BEAT_MS / 1_000;
/** Pause between two looks at the day's clock: timers stand still while the computer sleeps. */
const LOOK_MS = 1_000;
/** @type {FeedStatus} */
const NEVER = { state: 'connecting', retryAt: 0, since: 0, lateS: 0 };
/** The token has expired, or was taken back: only signing in again helps. */
const SIGNED_OUT = [4001, 4002];

/**
 * @param {object} options
 * @param {() => string} options.address
 * @param {(status: FeedStatus) => void} options.onStatus
 * @param {() => Promise<boolean>} options.signedIn Called when a connection cannot be opened, since a browser is not told why.
 * @param {() => void} options.onSignedOut
 * @param {() => number} [options.time] The service's time where it is not that of the day: a replay's.
 */
export function createFeed({ address, onStatus, signedIn, onSignedOut, time }) {
  const subscriptions = new Subscriptions(send);
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
    silence.restart();
    failures = 0;
    const lateS = clock.measure(message.at);
    const state = lateS > LATE_S && time === undefined ? 'late' : 'live';
    if (status.state !== state || (state === 'late' && status.lateS !== lateS)) become({ state, lateS });
    subscriptions.take(message);
  }

  /** Lets go of the connection without waiting for its close event; true if there was one. */
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

  /** @param {object} operation */
  function send(operation) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(operation));
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
    /** Ends the connection, which is that of the member who opened it, until somebody connects again. */
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

/** A browser complains of a connection that is closed before it is open. @param {WebSocket} socket */
function closeQuietly(socket) {
  if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener('open', () => socket.close());
  else socket.close();
  return true;
}

/** The pause before the next attempt in milliseconds, after so many that failed in a row. @param {number} failures */
function spreadPause(failures) {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}

/** The service's time: its clock minus ours, as the least delayed frame tells it best. Ours does not step where the computer's is set. */
function serviceClock() {
  let skewMs = 0;
  let isKnown = false;
  const ours = () => Math.round(performance.timeOrigin + performance.now());
  return {
    now: () => ours() + skewMs,
    /** @param {string} at When the service sent a frame. @returns Seconds by which it came later than the fastest one. */
    measure(at) {
      const skew = Date.parse(at) - ours();
      if (!isKnown || skew > skewMs) skewMs = skew;
      isKnown = true;
      return Math.round((skewMs - skew) / 1_000);
    },
    /** Begins to measure anew with the next frame. */
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
  // The day's clock goes on while the computer sleeps, timers do not.
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
 * Calls when the network is back, when the page is looked at again, and at once when the network is gone.
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
