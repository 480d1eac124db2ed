/** Fills of people and agents, newest first. */
import { useMemo } from 'react';
import { clockTime, dayAndTime, priceText, symbolOf } from '../../words.js';
import { Heads } from '../kit/heads.tsx';
import { Money, Price } from '../kit/numbers.tsx';
import { useAgentName } from '../organization.ts';
import { choose } from '../place.ts';
import { useOrders } from './orders.tsx';
import { useProposals } from './proposals.tsx';

/** Every fill with its instrument and who traded. */
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
  if (fills.length === 0)
    return <p className="empty">No fills yet. Every fill of people and agents stands here with its price, slippage and fee.</p>;
  return (
    <div className="panel-scroll">
      <table className="rows wide">
        <Heads
          titles={['Time', 'Instrument', 'Side', 'Quantity', 'Price', 'Value', 'Slippage', 'Fee', 'By']}
          words={['Instrument', 'Side', 'By']}
        />
        <tbody>
          {fills.map(({ id, at, instrument, side, quantity, fillPrice, notionalUsd, slippageBps, feeUsd, by }) => (
            <tr key={id} data-fill={id}>
              <td className="num text" title={dayAndTime(at)}>
                {clockTime(at)}
              </td>
              <th scope="row">
                <button type="button" className="plain" onClick={() => choose(instrument)}>
                  {symbolOf(instrument)}
                </button>
              </th>
              <td className={`text ${side === 'buy' ? 'up' : 'down'}`}>{side}</td>
              <td className="num" title={quantity}>
                {priceText(quantity)}
              </td>
              <td>
                <Price price={fillPrice} />
              </td>
              <td>
                <Money usd={notionalUsd} />
              </td>
              <td className="num">{slippageBps.toFixed(2)} bps</td>
              <td>
                <Money usd={feeUsd} />
              </td>
              <td className="text">{by}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
