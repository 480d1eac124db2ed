/** Orders on prediction markets, newest first, each with its fills, risk check and transaction. */
import { useState } from 'react';
import type { PredictionOrder } from '../../../clients/typescript/src/index.ts';
import { forPeople, plain, priceText } from '../../words.js';
import { api, useRead } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { Ago, At } from '../kit/ages.tsx';
import { Opener } from '../kit/beside.tsx';
import { FigureList, List, Loaded, Table, useList } from '../kit/lists.tsx';
import { Money } from '../kit/numbers.tsx';
import { Rejections } from '../kit/refusal.tsx';

const READ_EVERY_MS = 5_000;
const TONES: { readonly [state: string]: string } = { filled: 'up', partially_filled: 'warn', open: '', failed: 'down', prepared: 'warn' };

export function PredictionOrders() {
  const [chosen, setChosen] = useState<string | null>(null);
  const orders = useList(['prediction-orders'], (page, options) => api.listPredictionOrders(page, options), { everyMs: READ_EVERY_MS });
  return (
    <>
      <h2>Orders</h2>
      <List
        list={orders}
        label="Prediction orders"
        empty="No orders yet. Choose a market and place one on paper."
        keyOf={({ id }) => id}
        markOf={({ state }) => state}
        columns={[
          {
            title: 'Order',
            cell: (order) => (
              <Opener isOpen={chosen === order.id} toggle={() => setChosen(chosen === order.id ? null : order.id)}>
                {order.side} {priceText(order.quantity)} {order.outcome}
              </Opener>
            ),
          },
          { title: 'State', isText: true, cell: (order) => <State order={order} /> },
          { title: 'Account', isText: true, cell: ({ mode }) => mode },
          { title: 'Limit', cell: ({ limitPrice }) => limitPrice },
          { title: 'Filled', cell: ({ filledQuantity }) => priceText(filledQuantity) },
          { title: 'Value', cell: ({ filledNotionalUsd }) => <Money usd={filledNotionalUsd} /> },
          { title: 'Fees', cell: ({ feesUsd }) => <Money usd={feesUsd} /> },
          { title: 'By', isText: true, cell: ({ placedBy }) => placedBy },
          { title: 'Placed', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        ]}
      />
      {chosen !== null && <OrderDetail key={chosen} id={chosen} />}
    </>
  );
}

function State({ order: { state, reason, detail } }: { readonly order: PredictionOrder }) {
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

function Fills({ fills }: Pick<PredictionOrder, 'fills'>) {
  return (
    <Table
      label="Fills"
      rows={fills}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Filled', cell: ({ at }) => <At at={at} /> },
        { title: 'Contracts', cell: ({ quantity }) => priceText(quantity) },
        { title: 'Price', cell: ({ fillPrice }) => fillPrice },
        { title: 'Value', cell: ({ notionalUsd }) => <Money usd={notionalUsd} /> },
        { title: 'Slippage', cell: ({ slippageBps }) => `${slippageBps.toFixed(2)} bps` },
        { title: 'Fee', cell: ({ feeUsd }) => <Money usd={feeUsd} /> },
      ]}
    />
  );
}
