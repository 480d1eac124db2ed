/** Orders on prediction markets, newest first, each with its fills, risk check and transaction. */
import { useState } from 'react';
import { forPeople, plain, priceText } from '../../words.js';
import { api, useRead, type PredictionOrder } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { Opener } from '../kit/beside.tsx';
import { FigureList, List, Loaded, useList } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Money } from '../kit/numbers.tsx';
import { Rejections } from '../kit/refusal.tsx';

const READ_EVERY_MS = 5_000;
const TONES: { readonly [state: string]: string } = { filled: 'up', partially_filled: 'warn', open: '', failed: 'down', prepared: 'warn' };

export function PredictionOrders() {
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <>
      <h2>Orders</h2>
      <List
        list={useList(['prediction-orders'], api.listPredictionOrders, { everyMs: READ_EVERY_MS })}
        label="Prediction orders"
        empty="No orders yet. Choose a market and place one on paper."
        keyOf={({ id }) => id}
        markOf={({ state }) => state}
        columns={[
          {
            title: 'Order',
            value: ({ side, quantity, outcome }) => `${side} ${priceText(quantity)} ${outcome}`,
            cell: (order) => (
              <Opener isOpen={chosen === order.id} toggle={() => setChosen(chosen === order.id ? null : order.id)}>
                {order.side} {priceText(order.quantity)} {order.outcome}
              </Opener>
            ),
          },
          { title: 'State', isText: true, cell: showState },
          { title: 'Account', isText: true, text: ({ mode }) => mode },
          { title: 'Limit', text: ({ limitPrice }) => limitPrice },
          { title: 'Filled', text: ({ filledQuantity }) => priceText(filledQuantity) },
          { title: 'Value', isFigure: true, money: ({ filledNotionalUsd }) => filledNotionalUsd },
          { title: 'Fees', money: ({ feesUsd }) => feesUsd },
          { title: 'By', isText: true, text: ({ placedBy }) => placedBy },
          { title: 'Placed', ago: ({ createdAt }) => createdAt },
        ]}
      />
      {chosen !== null && <OrderDetail key={chosen} id={chosen} />}
    </>
  );
}

function showState({ state, reason, detail }: PredictionOrder) {
  const why = detail ?? (reason === null ? null : plain(reason));
  return (
    <>
      <span className={TONES[state] ?? 'faint'}>{plain(state)}</span>
      {why !== null && <small className="long"> {forPeople(why)}</small>}
    </>
  );
}

function OrderDetail({ id }: { readonly id: string }) {
  const order = useRead(['prediction-orders', id], (call) => api.getPredictionOrder({ id }, call), { refetchInterval: READ_EVERY_MS });
  return (
    <section className="card claims" aria-label="Order">
      <Loaded query={order}>
        {({ instrument, decisionPrice, risk, fills, onchain, refundUsd }) => (
          <>
            <FigureList
              look="figures"
              lines={[
                ['Instrument', instrument],
                ['Price when placed', decisionPrice],
                ['Risk', <span className={risk?.verdict === 'blocked' ? 'down' : 'up'}>{risk?.verdict ?? '–'}</span>],
                ['Refund', <Money usd={refundUsd} />],
                ...(onchain?.transactionId === undefined ? [] : [['Transaction', <Address address={onchain.transactionId} />] as const]),
              ]}
            />
            <Rejections of={risk?.rejections} />
            {fills.length > 0 && <Fills fills={fills} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

const Fills = ({ fills }: Pick<PredictionOrder, 'fills'>) => (
  <Table
    label="Fills"
    rows={fills}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Filled', at: ({ at }) => at },
      { title: 'Contracts', text: ({ quantity }) => priceText(quantity) },
      { title: 'Price', isFigure: true, text: ({ fillPrice }) => fillPrice },
      { title: 'Value', isFigure: true, money: ({ notionalUsd }) => notionalUsd },
      { title: 'Slippage (bps)', ratio: ({ slippageBps }) => slippageBps },
      { title: 'Fee', money: ({ feeUsd }) => feeUsd },
    ]}
  />
);
