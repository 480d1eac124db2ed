/** Fills of people and agents, newest first. */
import { useMemo } from 'react';
import { clockTime, dayAndTime, readSymbol } from '../../words.js';
import { Instrument } from '../kit/columns.tsx';
import { FILL_COLUMNS } from '../kit/fill-columns.ts';
import { Loaded, NotRead } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { useMay } from '../member.ts';
import { useAgentName } from '../organization.ts';
import { useOrders } from './orders.tsx';
import { useProposals } from './proposals.tsx';

/** Reads fills with their instrument and trader. */
export function useFills() {
  const { data: orders } = useOrders();
  const { data: proposals } = useProposals();
  const nameOf = useAgentName();
  return useMemo(() => {
    const own = (orders ?? []).flatMap(({ fills, instrument, mode, placedBy }) =>
      fills.map((fill) => ({ ...fill, instrument, mode, by: placedBy })),
    );
    const theirs = (proposals ?? []).flatMap(({ fills, instrument, mode, agentId }) =>
      fills.map((fill) => ({ ...fill, instrument, mode, by: nameOf(agentId) })),
    );
    return [...own, ...theirs].sort((a, b) => (a.at < b.at ? 1 : -1));
  }, [orders, proposals, nameOf]);
}

export function Fills() {
  const fills = useFills();
  const [orders, proposals] = [useOrders(), useProposals()];
  const mayRead = useMay('agent:read');
  if (!mayRead) return <p className="empty">Your role may not read fills. Ask for the permission agent:read.</p>;
  if (orders.data === undefined) return <Loaded query={orders} />;
  if (proposals.data === undefined) return <Loaded query={proposals} />;
  return (
    <>
      <NotRead query={orders} />
      <NotRead query={proposals} />
      <Table
        label="List of fills"
        empty="No fills yet. Every fill of people and agents appears here with its price, slippage and fee."
        area="panel-scroll"
        isSearched={false}
        rows={fills}
        keyOf={({ id }) => id}
        attributesOf={({ id }) => ({ 'data-fill': id })}
        columns={[
          { title: 'Time', isText: true, value: ({ at }) => at, cell: ({ at }) => <span title={dayAndTime(at)}>{clockTime(at)}</span> },
          {
            title: 'Instrument',
            isName: true,
            value: ({ instrument }) => readSymbol(instrument),
            cell: ({ instrument, mode }) => (
              <>
                <Instrument of={instrument} /> <span className="tag">{mode}</span>
              </>
            ),
          },
          ...FILL_COLUMNS,
          { title: 'By', isText: true, text: ({ by }) => by },
        ]}
      />
    </>
  );
}
