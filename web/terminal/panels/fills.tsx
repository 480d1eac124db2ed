/** Fills of people and agents, newest first. */
import { useMemo } from 'react';
import { clockTime, dayAndTime, symbolOf } from '../../words.js';
import { FillCells } from '../kit/fill-cells.tsx';
import { Heads } from '../kit/heads.tsx';
import { Loaded } from '../kit/lists.tsx';
import { useAgentName } from '../organization.ts';
import { choose } from '../place.ts';
import { useOrders } from './orders.tsx';
import { useProposals } from './proposals.tsx';

/** Reads fills with their instrument and trader. */
export function useFills() {
  const { data: orders } = useOrders();
  const { data: proposals } = useProposals();
  const nameOf = useAgentName();
  return useMemo(() => {
    const own = (orders ?? []).flatMap(({ fills, instrument, placedBy }) => fills.map((fill) => ({ ...fill, instrument, by: placedBy })));
    const theirs = (proposals ?? []).flatMap(({ fills, instrument, agentId }) =>
      fills.map((fill) => ({ ...fill, instrument, by: nameOf(agentId) })),
    );
    return [...own, ...theirs].sort((a, b) => (a.at < b.at ? 1 : -1));
  }, [orders, proposals, nameOf]);
}

export function Fills() {
  const fills = useFills();
  const orders = useOrders();
  if (orders.data === undefined && orders.error !== null) return <Loaded query={orders} />;
  if (fills.length === 0)
    return <p className="empty">No fills yet. Every fill of people and agents appears here with its price, slippage and fee.</p>;
  return (
    <div className="panel-scroll">
      <table className="rows wide">
        <Heads
          titles={['Time', 'Instrument', 'Side', 'Quantity', 'Price', 'Value', 'Slippage', 'Fee', 'By']}
          words={['Instrument', 'Side', 'By']}
        />
        <tbody>
          {fills.map((fill) => (
            <tr key={fill.id} data-fill={fill.id}>
              <td className="num text" title={dayAndTime(fill.at)}>
                {clockTime(fill.at)}
              </td>
              <th scope="row">
                <button type="button" className="plain" onClick={() => choose(fill.instrument)}>
                  {symbolOf(fill.instrument)}
                </button>
              </th>
              <FillCells fill={fill} />
              <td className="text">{fill.by}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
