/** Positions of people and agents with their profit and the order that closes them. */
import { Button } from '@mantine/core';
import { decimalDifference, plain, priceText, readSymbol } from '../../words.js';
import { api, type PortfolioHolding, useRead } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { Instrument } from '../kit/columns.tsx';
import { marginColumns } from '../kit/fill-columns.ts';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { useMay } from '../member.ts';
import { useAgentName } from '../organization.ts';
import { choose } from '../place.ts';
import { writeClosingOrder } from './draft.ts';

/** Reading interval of the portfolio: prices move without an announcement. */
const MARKED_EVERY_MS = 5_000;

export const usePortfolio = () =>
  useRead(['portfolio', 'paper'], (call) => api.getPortfolio({ mode: 'paper' }, call), {
    enabled: useMay('agent:read'),
    refetchInterval: MARKED_EVERY_MS,
  });

const isManual = ({ place }: PortfolioHolding): boolean => place.startsWith('manual:');

/** Returns the quantity in the manual book, or null if there is none. */
export function usePosition(key: string): string | null {
  const { data } = usePortfolio();
  return data?.holdings.find((holding) => holding.instrument === key && isManual(holding))?.quantity ?? null;
}

const computeProfit = ({ valueUsd, costUsd }: PortfolioHolding): string | null =>
  valueUsd === null || costUsd === null ? null : decimalDifference(valueUsd, costUsd);

function profitPct(holding: PortfolioHolding): number | null {
  const profit = computeProfit(holding);
  return profit === null ? null : (Number(profit) / Number(holding.costUsd)) * 100;
}

export function Positions() {
  const portfolio = usePortfolio();
  const mayRead = useMay('agent:read');
  if (!mayRead) return <p className="empty">Your role may not read positions. Ask for the permission agent:read.</p>;
  return <Loaded query={portfolio}>{({ holdings }) => <Held held={holdings.filter(({ instrument }) => instrument !== null)} />}</Loaded>;
}

function Held({ held }: { readonly held: readonly PortfolioHolding[] }) {
  const nameOf = useAgentName();
  return (
    <Table
      label="List of positions"
      empty="No open positions. Place an order in the ticket, or let an agent trade."
      area="panel-scroll"
      isSearched={false}
      rows={held}
      keyOf={({ id }) => id}
      attributesOf={({ instrument }) => ({ 'data-position': instrument })}
      columns={[
        { title: 'Instrument', value: ({ instrument }) => readSymbol(instrument ?? ''), cell: showName },
        { title: 'Held by', isText: true, text: (holding) => (isManual(holding) ? 'You' : nameOf(agentIn(holding.place))) },
        { title: 'Quantity', quantity: ({ quantity }) => quantity },
        { title: 'Entry', price: ({ costUsd, quantity }) => (costUsd === null ? null : (Number(costUsd) / Number(quantity)).toFixed(12)) },
        { title: 'Mark', price: ({ mark }) => mark },
        { title: 'Value', isFigure: true, money: ({ valueUsd }) => valueUsd },
        { title: 'P&L', isFigure: true, gain: computeProfit },
        { title: '%', change: profitPct },
        ...marginColumns(held),
        { title: 'Close', buttons: (holding) => <Close holding={holding} /> },
      ]}
    />
  );
}

const showName = ({ instrument, side, pricing, why, margin }: PortfolioHolding) => (
  <>
    <Instrument of={instrument ?? ''} /> <span className={side === 'long' ? 'up' : 'down'}>{side}</span>{' '}
    {margin !== null && <span className="tag">{Number(margin.leverage)}×</span>}
    {pricing !== 'live' && (
      <span className="tag" title={why}>
        {plain(pricing)}
      </span>
    )}
  </>
);

function Close({ holding }: { readonly holding: PortfolioHolding }) {
  const { instrument, quantity, place, side } = holding;
  const mayTrade = useMay('trade:execute');
  if (!mayTrade || instrument === null) return null;
  if (isManual(holding))
    return (
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          choose(instrument);
          writeClosingOrder(quantity);
        }}
      >
        Close
      </Button>
    );
  if (!place.startsWith('agent:')) return null;
  return (
    <Ask
      verb="Close"
      confirm="Close position"
      title="Close this position?"
      isDangerous
      done={`The agent is paused. Its position in ${readSymbol(instrument)} is being closed.`}
      changes={['agents', 'portfolio', 'proposals', 'alerts']}
      act={() => api.closeAgentPositions({ id: agentIn(place), body: { instrument } })}
    >
      <p>
        The agent is paused and {side === 'short' ? 'buys back' : 'sells'} {priceText(quantity)} {readSymbol(instrument)} at the market,
        within its slippage limit, with another try each minute. A live position in it is closed too. Resuming the agent cancels this.
      </p>
    </Ask>
  );
}

const agentIn = (place: string): string => place.split(':')[1] ?? '';
