/** Connection light of the service, with words. A click reconnects at once. */
import { h, mark, say } from './dom.js';
import { IS_REPLAY } from './replay-mode.js';

/** Word for the state of a connected feed. */
const CONNECTED = IS_REPLAY ? 'replayed' : 'live';

/** @param {() => void} onHurry */
export function connectionLight(onHurry) {
  const words = h('span', { class: 'connection-words', role: 'status' });
  const element = h(
    'button',
    { class: 'connection', type: 'button', title: 'Retry now', onclick: onHurry },
    h('span', { class: 'light', 'aria-hidden': 'true' }),
    words,
  );
  /** @type {number | undefined} */
  let counting;

  /** @param {import('./feed.js').FeedStatus} status */
  function tell({ state, retryAt, since }) {
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
    const first = since === 0 ? 'connecting' : 'reconnecting';
    say(words, state === 'live' ? CONNECTED : state === 'connecting' || seconds === 0 ? `${first}…` : `${first} in ${seconds} s`);
    mark(element, 'data-state', state);
    element.disabled = state === 'live';
  }
  return {
    element,
    /** @param {import('./feed.js').FeedStatus} status */
    show(status) {
      clearInterval(counting);
      tell(status);
      if (status.state === 'waiting') counting = setInterval(() => tell(status), 500);
    },
    end: () => clearInterval(counting),
  };
}
