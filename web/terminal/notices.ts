/** Notifications of the browser, for who asked for them, while the page is out of sight: approvals, fills, breakers and incidents. */
import type { AlertsUpdateMessage, ProposalsUpdateMessage } from '../../clients/typescript/src/index.ts';
import { preferences } from '../preferences.js';
import { plain, priceText, symbolOf } from '../words.js';
import { feed } from './market.ts';

type NameOf = (agentId: string) => string;

/** Events of a proposal that are told, and their words. */
const PROPOSALS: { readonly [what: string]: string } = {
  proposed: 'wants to',
  filled: 'filled:',
  partially_filled: 'partially filled:',
  awaiting_signature: 'needs your wallet signature:',
  unknown: 'lost track of its order:',
  failed: 'failed to',
};

/** Asks the browser. @returns Why it shows none; null if it does. */
export async function allowNotices(): Promise<string | null> {
  if (!('Notification' in globalThis)) return 'This browser does not support notifications.';
  const answer = Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  return answer === 'granted' ? null : 'Notifications are blocked. Allow them for this site in your browser settings.';
}

/** Tells what happens until the returned function is called. */
export function followForNotices(nameOf: NameOf): () => void {
  const stops = [
    feed.subscribe({ channel: 'proposals', receive: ({ type, data }) => type === 'update' && tellProposal(data, nameOf) }),
    feed.subscribe({ channel: 'alerts', receive: ({ type, data }) => type === 'update' && tellAlert(data, nameOf) }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** True if the page is out of sight. A user who looks at it sees the event there. */
const isWanted = (): boolean => preferences().notifications && (document.hidden || !document.hasFocus());

function tellProposal(news: ProposalsUpdateMessage['data'], nameOf: NameOf): void {
  const { what, agentId, side, quantity, instrument, limitPrice } = news;
  const verb = PROPOSALS[what];
  if (verb === undefined || !isWanted()) return;
  show({
    title: nameOf(agentId),
    body: `${verb} ${side === 'entry' ? 'buy' : 'sell'} ${priceText(quantity)} ${symbolOf(instrument)} at ${priceText(limitPrice)}`,
    tag: `${'proposalId' in news ? news.proposalId : agentId} ${what}`,
    address: `#/proposals/${agentId}`,
  });
}

function tellAlert(alert: AlertsUpdateMessage['data'], nameOf: NameOf): void {
  if (!isWanted()) return;
  const subject = 'takeId' in alert ? `takes/${alert.takeId}` : 'agentId' in alert ? `agents/${alert.agentId}` : 'operate';
  show({ title: 'Sevengate', body: alertText(alert, nameOf), tag: `${subject} ${plain(alert.what)}`, address: `#/${subject}` });
}

/** `Crypto trend: data degraded on spotexchange`, and what else the alert says. */
function alertText(alert: AlertsUpdateMessage['data'], nameOf: NameOf): string {
  const about = 'takeId' in alert ? `Take on ${alert.symbol}: ` : 'agentId' in alert ? `${nameOf(alert.agentId)}: ` : '';
  const venues = 'venues' in alert ? (alert.venues ?? []) : [];
  const detail = 'detail' in alert ? (alert.detail ?? '') : '';
  return `${about}${plain(alert.what)}${venues.length > 0 ? ` on ${venues.map(plain).join(', ')}` : ''}${detail === '' ? '' : `: ${detail}`}`;
}

interface Notice {
  readonly title: string;
  readonly body: string;
  /** A notice with the same tag takes the place of the one before. */
  readonly tag: string;
  readonly address: string;
}

function show({ title, body, tag, address }: Notice): void {
  try {
    const notice = new Notification(title, { body, tag, icon: '/terminal/icon.svg' });
    notice.onclick = () => {
      window.focus();
      location.hash = address;
      notice.close();
    };
  } catch {
    // Browsers of phones show only what a service worker tells; the page itself has told it.
  }
}
