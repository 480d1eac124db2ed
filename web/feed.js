/** The one websocket of the console: subscriptions that survive it, resumed by cursor, reconnected with growing, spread pauses. */

import { Subscriptions } from './subscriptions.js';

/** @typedef {import('./wire.ts').Message} Message */
/**
 * @typedef {object} FeedStatus
 * @property {'connecting' | 'live' | 'waiting'} state `waiting` until `retryAt`.
 * @property {number} retryAt Milliseconds since the epoch; 0 unless waiting.
 * @property {number} since When it was last live; 0 where it never was.
 */

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
/** The service beats every 5 s. After one missed beat it is not received; after two its connection is given up. */
const BEAT_MS = 5_000;
const SLACK_MS = 1_000;
/** The token has expired, or was taken back: only signing in again helps. */
const SIGNED_OUT = [4001, 4002];

/**
 * @param {object} options
 * @param {() => string} options.address
 * @param {(status: FeedStatus) => void} options.onStatus
 * @param {() => Promise<boolean>} options.signedIn Asked where a connection cannot be opened, as a browser is not told why.
 * @param {() => void} options.onSignedOut
 * @param {() => number} [options.time] The service's time where it is not that of the day: a replay's.
 */
export function createFeed({ address, onStatus, signedIn, onSignedOut, time }) {
  const subscriptions = new Subscriptions(send);
  /** @type {WebSocket | null} */
  let socket = null;
  let failures = 0;
  let ended = false;
  /** @type {number | undefined} */
  let retry;
  const silence = createSilence({ onMissed: () => become({ state: 'connecting', since: Date.now() }), onLost: () => lose(socket) });
  const clock = serviceClock();
  /** @type {FeedStatus} */
  let status = { state: 'connecting', retryAt: 0, since: 0 };

  /** @param {Partial<FeedStatus>} change */
  function become(change) {
    status = { ...status, ...change };
    onStatus(status);
  }

  function connect() {
    clearTimeout(retry);
    if (ended || socket !== null) return;
    become({ state: 'connecting', retryAt: 0 });
    const opening = new WebSocket(address());
    socket = opening;
    let opened = false;
    opening.addEventListener('open', () => {
      opened = true;
      silence.restart();
      subscriptions.askAll();
      become({ state: 'live', retryAt: 0 });
    });
    opening.addEventListener('message', ({ data }) => {
      if (socket !== opening) return;
      silence.restart();
      if (status.state !== 'live') become({ state: 'live' });
      failures = 0;
      /** @type {Message} */
      const message = JSON.parse(data);
      clock.measure(message.at);
      subscriptions.take(message);
    });
    opening.addEventListener('close', ({ code }) => {
      if (socket !== opening) return;
      if (SIGNED_OUT.includes(code) && !ended) {
        drop();
        return onSignedOut();
      }
      lose(opening, !opened);
    });
  }

  function drop() {
    socket = null;
    silence.stop();
  }

  /**
   * Connects again after a pause, without waiting for the close event of a connection that is gone.
   * @param {WebSocket | null} lost
   * @param {boolean} [neverOpened]
   */
  function lose(lost, neverOpened = false) {
    if (lost === null) return;
    drop();
    lost.close();
    if (ended) return;
    if (status.state === 'live') status = { ...status, since: Date.now() };
    void pause(neverOpened);
  }

  /** @param {boolean} neverOpened */
  async function pause(neverOpened) {
    const ms = spreadPause(failures++);
    become({ state: 'waiting', retryAt: Date.now() + ms });
    retry = setTimeout(connect, ms);
    if (neverOpened && !(await signedIn()) && !ended) {
      clearTimeout(retry);
      onSignedOut();
    }
  }

  /** @param {object} operation */
  function send(operation) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(operation));
  }

  const hurry = () => {
    if (socket === null && !ended) connect();
  };
  const stopWatching = watchNetwork({ onBack: hurry, onOffline: () => lose(socket) });

  return {
    connect,
    /** The service's time, as far as it is known. */
    now: time ?? clock.now,
    /** True unless a heartbeat was missed or the connection is lost. */
    isReceived: () => status.state === 'live',
    isReplay: time !== undefined,
    /** Tries at once instead of at the end of the pause. */
    hurry,
    /**
     * Receives a channel until the returned function is called, across any number of connections and without loss or repeat.
     * @template {import('./wire.ts').Channel} Name
     * @param {import('./subscriptions.js').SubscriberTo<Name>} subscriber
     * @returns {() => void}
     */
    subscribe: (subscriber) => subscriptions.subscribe(subscriber),
    end() {
      ended = true;
      clearTimeout(retry);
      silence.stop();
      stopWatching();
      const last = socket;
      socket = null;
      // One that is closed before it is open is complained of by the browser.
      if (last?.readyState === WebSocket.CONNECTING) last.addEventListener('open', () => last.close());
      else last?.close();
    },
  };
}

/** The pause before the next attempt in milliseconds, after so many that failed in a row. @param {number} failures */
function spreadPause(failures) {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}

/** The service's time: its clock minus ours, as the least delayed frame tells it best. */
function serviceClock() {
  let skewMs = 0;
  let isKnown = false;
  return {
    now: () => Date.now() + skewMs,
    /** @param {string} at When the service sent a frame. */
    measure(at) {
      const skew = Date.parse(at) - Date.now();
      if (!isKnown || skew > skewMs) skewMs = skew;
      isKnown = true;
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
  const stop = () => {
    for (const timer of timers) clearTimeout(timer);
  };
  return {
    restart() {
      stop();
      timers = [setTimeout(onMissed, BEAT_MS + SLACK_MS), setTimeout(onLost, 2 * BEAT_MS + SLACK_MS)];
    },
    stop,
  };
}

/**
 * Calls when the network is back, when the page is looked at again, and at once when the network is gone; answers what ends that.
 * @param {{ readonly onBack: () => void, readonly onOffline: () => void }} calls
 */
function watchNetwork({ onBack, onOffline }) {
  const shown = () => {
    if (!document.hidden) onBack();
  };
  addEventListener('online', onBack);
  addEventListener('offline', onOffline);
  document.addEventListener('visibilitychange', shown);
  return () => {
    removeEventListener('online', onBack);
    removeEventListener('offline', onOffline);
    document.removeEventListener('visibilitychange', shown);
  };
}
