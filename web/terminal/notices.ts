/** Browser notifications while the page is not visible: approvals, fills, breakers and incidents. Off by default. */
import type { AlertsUpdateMessage, ProposalsUpdateMessage } from '../../clients/typescript/src/index.ts';
import { preferences } from '../preferences.js';
import { isolated, plain, priceText, readSymbol } from '../words.js';
import { feed } from './market.ts';

type NameOf = (agentId: string) => string;

/** Proposal events that notify, with their texts. */
const PROPOSALS: { readonly [what: string]: string } = {
  proposed: 'wants to',
  filled: 'filled:',
  partially_filled: 'partially filled:',
  awaiting_signature: 'needs your wallet signature:',
  unknown: 'lost track of its order:',
  failed: 'failed to',
};

/** Asks the browser for permission. @returns The reason if it shows no notifications, or null. */
export async function allowNotices(): Promise<string | null> {
  if (!('Notification' in globalThis)) return 'This browser does not support notifications.';
  const answer = Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  return answer === 'granted' ? null : 'Notifications are blocked. Allow them for this site in your browser settings.';
}

/** Notifies until the returned function is called. */
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
    body: `${verb} ${side === 'entry' ? 'buy' : 'sell'} ${priceText(quantity)} ${readSymbol(instrument)} at ${priceText(limitPrice)}`,
    tag: `${'proposalId' in news ? news.proposalId : agentId} ${what}`,
    address: `#/proposals/${agentId}`,
  });
}

function tellAlert(alert: AlertsUpdateMessage['data'], nameOf: NameOf): void {
  if (!isWanted()) return;
  const subject = 'takeId' in alert ? `takes/${alert.takeId}` : 'agentId' in alert ? `agents/${alert.agentId}` : 'operate';
  show({ title: 'Sevengate', body: alertText(alert, nameOf), tag: `${subject} ${plain(alert.what)}`, address: `#/${subject}` });
}

/** Formats an alert: `Crypto trend: data degraded on spotexchange`, and its further details. */
function alertText(alert: AlertsUpdateMessage['data'], nameOf: NameOf): string {
  const about = 'takeId' in alert ? `Take on ${alert.symbol}: ` : 'agentId' in alert ? `${isolated(nameOf(alert.agentId))}: ` : '';
  const venues = 'venues' in alert ? (alert.venues ?? []) : [];
  const detail = 'detail' in alert ? (alert.detail ?? '') : '';
  return `${about}${plain(alert.what)}${venues.length > 0 ? ` on ${venues.map(plain).join(', ')}` : ''}${detail === '' ? '' : `: ${detail}`}`;
}

interface Notice {
  readonly title: string;
  readonly body: string;
  /** A notification replaces an earlier one with the same tag. */
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
    // Mobile browsers allow notifications only from a service worker; the page itself shows the event.
  }
}
