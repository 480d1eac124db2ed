/** Positions of people and agents with their profit and the order that closes them. */
import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { decimalDifference, plain, priceText, symbolOf } from '../../words.js';
import { api, type PortfolioHolding, refresh, useRead } from '../api.ts';
import { Heads } from '../kit/heads.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Change, Gain, Money, Price } from '../kit/numbers.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { useAgentName } from '../organization.ts';
import { choose } from '../place.ts';
import { writeOrder } from './draft.ts';

/** Reading interval of the portfolio: prices move without an announcement. */
const MARKED_EVERY_MS = 5_000;

export function usePortfolio() {
  return useRead(['portfolio', 'paper'], (call) => api.getPortfolio({ mode: 'paper' }, call), {
    enabled: useMay('agent:read'),
    refetchInterval: MARKED_EVERY_MS,
  });
}

const isManual = ({ place }: PortfolioHolding): boolean => place.startsWith('manual:');

/** Returns the quantity in the manual book, or null if there is none. */
export function usePosition(key: string): string | null {
  const { data } = usePortfolio();
  return data?.holdings.find((holding) => holding.instrument === key && isManual(holding))?.quantity ?? null;
}

const profitOf = ({ valueUsd, costUsd }: PortfolioHolding): string | null =>
  valueUsd === null || costUsd === null ? null : decimalDifference(valueUsd, costUsd);

export function Positions() {
  const portfolio = usePortfolio();
  const mayRead = useMay('agent:read');
  if (!mayRead) return <p className="empty">Your role may not read positions. Ask for the permission agent:read.</p>;
  return <Loaded query={portfolio}>{({ holdings }) => <Held held={holdings.filter(({ instrument }) => instrument !== null)} />}</Loaded>;
}

function Held({ held }: { readonly held: readonly PortfolioHolding[] }) {
  const nameOf = useAgentName();
  if (held.length === 0) return <p className="empty">No open positions. Place an order in the ticket, or let an agent trade.</p>;
  return (
    <div className="panel-scroll">
      <table className="rows wide">
        <Heads titles={['Instrument', 'Held by', 'Quantity', 'Entry', 'Mark', 'Value', 'P&L', '%']} words={['Held by']} buttons="Close" />
        <tbody>
          {held.map((holding) => (
            <Position key={holding.id} holding={holding} holder={isManual(holding) ? 'You' : nameOf(agentIn(holding.place))} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Position({ holding, holder }: { readonly holding: PortfolioHolding; readonly holder: string }) {
  const { instrument, quantity, costUsd, mark, valueUsd, side, pricing, why } = holding;
  const profit = profitOf(holding);
  const entry = costUsd === null ? null : (Number(costUsd) / Number(quantity)).toFixed(6);
  return (
    <tr data-position={instrument}>
      <th scope="row">
        <button type="button" className="plain" onClick={() => choose(instrument ?? '')}>
          {symbolOf(instrument ?? '')}
        </button>{' '}
        <span className={side === 'long' ? 'up' : 'down'}>{side}</span>
        {pricing !== 'live' && (
          <span className="tag" title={why}>
            {plain(pricing)}
          </span>
        )}
      </th>
      <td className="text">{holder}</td>
      <td className="num" title={quantity}>
        {priceText(quantity)}
      </td>
      <td>
        <Price price={entry} />
      </td>
      <td>
        <Price price={mark} />
      </td>
      <td>
        <Money usd={valueUsd} />
      </td>
      <td>
        <Gain usd={profit} />
      </td>
      <td>
        <Change percent={profit === null || costUsd === null ? null : (Number(profit) / Number(costUsd)) * 100} />
      </td>
      <td className="action">
        <Close holding={holding} />
      </td>
    </tr>
  );
}

function Close({ holding }: { readonly holding: PortfolioHolding }) {
  const [isAsking, setAsking] = useState(false);
  const { instrument, quantity, place } = holding;
  const mayTrade = useMay('trade:execute');
  const closing = useMutation({
    mutationFn: () => api.closeAgentPositions({ id: agentIn(place), body: { instrument: instrument ?? '' } }),
    onSuccess: () => {
      setAsking(false);
      refresh('portfolio', 'proposals', 'alerts');
    },
  });
  if (!mayTrade || instrument === null) return null;
  if (isManual(holding))
    return (
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          choose(instrument);
          writeOrder({ side: 'sell', kind: 'market', unit: 'units', size: quantity });
        }}
      >
        Close
      </Button>
    );
  if (!place.startsWith('agent:')) return null;
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setAsking(true)}>
        Close
      </Button>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Close this position?"
        centered
        closeButtonProps={{ 'aria-label': 'Close dialog' }}
      >
        <p>
          The agent sells {priceText(quantity)} {symbolOf(instrument)} at the market, within its slippage limit.
        </p>
        <Refusal error={closing.error} />
        <div className="buttons">
          <Button variant="default" onClick={() => setAsking(false)}>
            Cancel
          </Button>
          <Button color="red.9" loading={closing.isPending} onClick={() => closing.mutate()}>
            Close position
          </Button>
        </div>
      </Modal>
    </>
  );
}

const agentIn = (place: string): string => place.split(':')[1] ?? '';
