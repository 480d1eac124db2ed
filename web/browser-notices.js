/** Notifications of the browser, for who asked for them: approvals, fills, breakers and incidents, with the agent's name, while one looks elsewhere. */
import { agentNames } from './agent-names.js';
import { alertWords } from './alert-words.js';
import { preferences } from './preferences.js';
import { plain, priceText, symbolOf } from './words.js';

/** @typedef {import('./wire.ts').News<'proposals'>} ProposalNews */
/** @typedef {import('./wire.ts').News<'alerts'>} Alert */

/** Events of a proposal for notifications. */
const PROPOSALS = /** @type {{ readonly [what: string]: string }} */ ({
  proposed: 'wants to',
  filled: 'filled:',
  partially_filled: 'partially filled:',
  awaiting_signature: 'needs your wallet signature:',
  unknown: 'lost track of its order:',
  failed: 'failed to',
});

/**
 * Asks the browser; a person must have asked for it.
 * @returns {Promise<string | null>} Why it shows none; null if it does.
 */
export async function allowNotifications() {
  if (!('Notification' in globalThis)) return 'This browser does not support notifications.';
  const answer = Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  return answer === 'granted' ? null : 'Notifications are blocked. Allow them for this site in your browser settings.';
}

/**
 * Follows the feeds as long as somebody is signed in.
 * @param {ReturnType<typeof import('./feed.js').createFeed>} feed
 * @returns {() => void} Ends it.
 */
export function followForNotices(feed) {
  const stops = [
    feed.subscribe({ channel: 'proposals', receive: ({ type, data }) => void (type === 'update' && tellProposal(data)) }),
    feed.subscribe({ channel: 'alerts', receive: ({ type, data }) => void (type === 'update' && tellAlert(data)) }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** True if the page is out of sight. A user who looks at it sees the event there. */
function isWanted() {
  return preferences().notifications && (document.hidden || !document.hasFocus());
}

/** @param {ProposalNews} news */
async function tellProposal(news) {
  const { what, agentId, side, quantity, instrument, limitPrice } = news;
  const verb = PROPOSALS[what];
  if (verb === undefined || !isWanted()) return;
  const names = await agentNames(undefined, [agentId]).catch(() => new Map());
  show({
    title: names.get(agentId) ?? 'An agent',
    body: `${verb} ${side === 'entry' ? 'buy' : 'sell'} ${priceText(quantity)} ${symbolOf(instrument)} at ${priceText(limitPrice)}`,
    tag: `${'proposalId' in news ? news.proposalId : agentId} ${what}`,
    address: `#/proposals/${agentId}`,
  });
}

/** @param {Alert} alert */
async function tellAlert(alert) {
  if (!isWanted()) return;
  const subject = 'takeId' in alert ? `takes/${alert.takeId}` : 'agentId' in alert ? `agents/${alert.agentId}` : 'home';
  show({ title: 'Sevengate', body: await alertWords(alert), tag: `${subject} ${plain(alert.what)}`, address: `#/${subject}` });
}

/** @param {{ readonly title: string, readonly body: string, readonly tag: string, readonly address: string }} notice */
function show({ title, body, tag, address }) {
  try {
    // The same tag replaces what was shown before it.
    const notice = new Notification(title, { body, tag, icon: '/console/icon.svg' });
    notice.onclick = () => {
      window.focus();
      location.hash = address;
      notice.close();
    };
  } catch {
    // Browsers of phones show only what a service worker tells; the page itself has told it.
  }
}
