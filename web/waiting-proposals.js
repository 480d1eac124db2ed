/** Number of waiting proposals: a badge beside the link to them, and in the title of the window. */
import { h, mark, say } from './dom.js';
import { read } from './http.js';
import { titleWaiting } from './page-title.js';

/** Beyond so many they are not counted. */
const MOST = 200;
/** Announcements come in bursts. */
const GATHER_MS = 250;

/** @param {import('./shell.js').Context} context */
export function waitingProposals({ feed, fail }) {
  const abort = new AbortController();
  const badge = h('span', { class: 'nav-badge', hidden: true });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let gathering;

  async function count() {
    gathering = undefined;
    try {
      /** @type {import('./wire.ts').Page<import('./wire.ts').Proposal>} */
      const { items, nextCursor } = await read(`/v1/agent-orders?state=pending_approval&limit=${MOST}`, { signal: abort.signal });
      badge.hidden = items.length === 0;
      say(badge, nextCursor === null ? String(items.length) : `${MOST}+`);
      mark(badge, 'title', `${badge.textContent} awaiting approval`);
      titleWaiting(items.length);
    } catch (error) {
      if (!abort.signal.aborted) fail(error);
    }
  }

  const soon = () => {
    gathering ??= setTimeout(() => void count(), GATHER_MS);
  };
  const stop = feed.subscribe({ channel: 'proposals', begin: soon, receive: soon });
  return {
    badge,
    end() {
      abort.abort();
      clearTimeout(gathering);
      stop();
      titleWaiting(0);
    },
  };
}
