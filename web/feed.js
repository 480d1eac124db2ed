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
/** The service beats every 15 s; after two missed beats nobody is there. */
const SILENCE_MS = 35_000;
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
  const silence = createSilence(() => socket?.close());
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
      silence.restart();
      failures = 0;
      /** @type {Message} */
      const message = JSON.parse(data);
      clock.measure(message.at);
      subscriptions.take(message);
    });
    opening.addEventListener('close', ({ code }) => {
      if (socket !== opening) return;
      socket = null;
      silence.stop();
      if (ended) return;
      if (SIGNED_OUT.includes(code)) return onSignedOut();
      if (status.state === 'live') status = { ...status, since: Date.now() };
      void pause(!opened);
    });
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
  const stopWatching = whenBack(hurry);

  return {
    connect,
    /** The service's time, as far as it is known. */
    now: time ?? clock.now,
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

/** Calls once nothing was received for too long. @param {() => void} onSilence */
function createSilence(onSilence) {
  /** @type {number | undefined} */
  let timer;
  return {
    restart() {
      clearTimeout(timer);
      timer = setTimeout(onSilence, SILENCE_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Calls when the network is back, and when the page is looked at again; answers what ends that.
 * @param {() => void} call
 */
function whenBack(call) {
  const shown = () => {
    if (!document.hidden) call();
  };
  addEventListener('online', call);
  document.addEventListener('visibilitychange', shown);
  return () => {
    removeEventListener('online', call);
    document.removeEventListener('visibilitychange', shown);
  };
}
