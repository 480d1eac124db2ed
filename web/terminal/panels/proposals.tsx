/** Pending trade proposals, next to expire first, with a countdown and two buttons. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { plain, priceText, remaining, readSymbol } from '../../words.js';
import { api, eachOnce, type Proposal, queries, readAll, refresh, useRead } from '../api.ts';
import { clickOnce } from '../kit/browser.ts';
import { Loaded } from '../kit/lists.tsx';
import { Money, priceShown } from '../kit/numbers.tsx';
import { Refusal, describeError, Rejections } from '../kit/refusal.tsx';
import { useTicking } from '../kit/store.ts';
import { feed, readQuotePrice, useQuote } from '../market.ts';
import { useMay } from '../member.ts';
import { useAgentName } from '../organization.ts';
import { goTo } from '../place.ts';
import { Instrument } from '../kit/columns.tsx';

const LATEST = 50;
const SOON_MS = 60_000;
const NO_PROPOSALS: readonly Proposal[] = [];

export const useProposals = () =>
  useRead(
    ['proposals'],
    async (call) => {
      const [pending, latest] = await Promise.all([
        readAll(api.listProposals.items({ state: 'pending_approval', limit: 200 }, call)),
        api.listProposals({ limit: LATEST }, call),
      ]);
      return eachOnce(pending, latest.items);
    },
    { enabled: useMay('agent:read') },
  );

const isPending = ({ state }: Proposal): boolean => state === 'pending_approval';

/** Returns pending proposals, next to expire first. */
const listPending = (proposals: readonly Proposal[]): readonly Proposal[] =>
  proposals.filter(isPending).sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1));

export function usePendingProposals(): readonly Proposal[] {
  const { data = NO_PROPOSALS } = useProposals();
  return listPending(data);
}

/** Approves or declines the proposal that expires first. For the keys A and D and the palette. Opens the proposals if they are not read. */
export function answerFirst(answer: 'approve' | 'decline'): void {
  const read = queries.getQueryData<readonly Proposal[]>(['proposals']);
  if (read === undefined) return goTo('proposals');
  const [first] = listPending(read);
  if (first === undefined) notifications.show({ message: 'No proposal waits for an answer.' });
  else
    void sendAnswer(first, answer).catch((error: unknown) =>
      notifications.show({ color: 'red', title: 'Not answered', message: describeError(error) }),
    );
}

async function sendAnswer(proposal: Proposal, answer: 'approve' | 'decline'): Promise<void> {
  const { id, order, instrument } = proposal;
  const what = `${order.side} ${priceText(order.quantity)} ${readSymbol(instrument)}`;
  try {
    await (answer === 'approve' ? api.approveProposal({ id }) : api.declineProposal({ id }));
    notifications.show({
      color: answer === 'approve' ? 'teal' : 'gray',
      title: answer === 'approve' ? 'Approved' : 'Declined',
      message: what,
    });
  } finally {
    refresh('proposals', 'portfolio');
  }
}

export function Proposals() {
  const proposals = useProposals();
  const mayRead = useMay('agent:read');
  if (!mayRead) return <p className="empty">Your role may not read proposals. Ask for the permission agent:read.</p>;
  return <Loaded query={proposals}>{(all) => <ProposalCards proposals={all} />}</Loaded>;
}

function ProposalCards({ proposals }: { readonly proposals: readonly Proposal[] }) {
  const pending = listPending(proposals);
  const past = proposals.filter((proposal) => !isPending(proposal));
  return (
    <div className="panel-scroll proposals">
      {pending.length === 0 && <p className="empty">No proposals waiting. An agent at autonomy “confirm” asks here before it trades.</p>}
      {pending.map((proposal, place) => (
        <Pending key={proposal.id} proposal={proposal} isFirst={place === 0} />
      ))}
      {past.length > 0 && (
        <ul className="past">
          {past.slice(0, 20).map(({ id, order, instrument, state, reason }) => (
            <li key={id} data-proposal={id} data-state={state}>
              <span className={order.side === 'buy' ? 'up' : 'down'}>{order.side}</span>
              <span className="num">{priceText(order.quantity)}</span> {readSymbol(instrument)}
              <span className="state">{plain(state)}</span>
              {reason !== null && <span className="faint">{plain(reason)}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function Pending({ proposal, isFirst }: { readonly proposal: Proposal; readonly isFirst: boolean }) {
  const { id, agentId, order, instrument, mode, risk } = proposal;
  const nameOf = useAgentName();
  const mayTrade = useMay('trade:execute');
  const answering = useMutation({ mutationFn: (answer: 'approve' | 'decline') => sendAnswer(proposal, answer) });
  return (
    <article className="proposal" data-proposal={id} data-state="pending_approval">
      <div className="proposal-what">
        <strong>
          <span className={order.side === 'buy' ? 'up' : 'down'}>{order.side === 'buy' ? 'Buy' : 'Sell'}</span>{' '}
          <span className="num">{priceText(order.quantity)}</span> <Instrument of={instrument} />
        </strong>
        <span className="tag">{mode}</span>
        <a href={`#/proposals/${agentId}`}>{nameOf(agentId)}</a>
        <Countdown expiresAt={proposal.expiresAt} />
      </div>
      <Ground proposal={proposal} />
      <Rejections of={risk?.rejections} />
      <Refusal error={answering.error} />
      {mayTrade && (
        <div className="buttons">
          <Button variant="default" disabled={answering.isPending} onClick={clickOnce(() => answering.mutate('decline'))}>
            Decline {isFirst && <kbd aria-hidden="true">D</kbd>}
          </Button>
          <Button color="teal.9" loading={answering.isPending} onClick={clickOnce(() => answering.mutate('approve'))}>
            Approve {isFirst && <kbd aria-hidden="true">A</kbd>}
          </Button>
        </div>
      )}
    </article>
  );
}

function Countdown({ expiresAt }: { readonly expiresAt: string }) {
  useTicking();
  const left = Date.parse(expiresAt) - feed.now();
  return (
    <span className="countdown num" data-soon={left < SOON_MS}>
      {left > 0 ? `${remaining(left)} left` : 'expiring…'}
    </span>
  );
}

/** Market price next to the limit: would the proposal still fill? */
function Ground({ proposal: { order, instrument } }: { readonly proposal: Proposal }) {
  const quote = useQuote(instrument);
  const now = (order.side === 'buy' ? quote?.ask : quote?.bid) ?? readQuotePrice(quote);
  const room = now === null ? null : ((Number(order.limitPrice) - Number(now)) / Number(now)) * (order.side === 'buy' ? 10_000 : -10_000);
  return (
    <p className="ground">
      Limit <span className="num">{priceShown(order.limitPrice)}</span> · {order.side === 'buy' ? 'ask' : 'bid'}{' '}
      <span className="num">{now === null ? '–' : priceShown(now)}</span> ·{' '}
      {room !== null && (
        <span className={room >= 0 ? 'up' : 'down'}>{room >= 0 ? `${room.toFixed(0)} bps of room` : 'price has moved past the limit'}</span>
      )}{' '}
      · <Money usd={order.notionalUsd} />
    </p>
  );
}
