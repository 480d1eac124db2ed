/** Orders of people: resting ones with their cancel button, then the latest. */
import { Button, Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { clockTime, dayAndTime, plain, priceText, readSymbol } from '../../words.js';
import { api, eachOnce, type MarketOrder, readAll, refresh, useRead } from '../api.ts';
import { clickOnce } from '../kit/browser.ts';
import { type Column, Instrument } from '../kit/columns.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { describeError } from '../kit/refusal.tsx';
import { useView, Views } from '../kit/views.tsx';
import { useMay } from '../member.ts';

const OPEN: readonly MarketOrder['state'][] = ['approved', 'executing', 'resting', 'withdrawing', 'unknown'];
const LATEST = 50;
const NO_ORDERS: readonly MarketOrder[] = [];

/** Orders, open ones first, then the latest. */
export const useOrders = () =>
  useRead(
    ['orders'],
    async (call) => {
      const [open, latest] = await Promise.all([
        readAll(api.listMarketOrders.items({ open: 'true', limit: 200 }, call)),
        api.listMarketOrders({ limit: LATEST }, call),
      ]);
      return eachOnce(open, latest.items);
    },
    { enabled: useMay('agent:read') },
  );

export function useOpenOrders(): readonly MarketOrder[] {
  const { data = NO_ORDERS } = useOrders();
  return data.filter(({ state }) => OPEN.includes(state));
}

export function Orders() {
  const orders = useOrders();
  const mayRead = useMay('agent:read');
  if (!mayRead) return <p className="empty">Your role may not read orders. Ask for the permission agent:read.</p>;
  return <Loaded query={orders}>{(all) => <OrderRows orders={all} />}</Loaded>;
}

const COLUMNS: readonly Column<MarketOrder>[] = [
  {
    title: 'Time',
    isText: true,
    value: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <span title={dayAndTime(createdAt)}>{clockTime(createdAt)}</span>,
  },
  {
    title: 'Instrument',
    isText: true,
    isName: true,
    value: ({ instrument }) => readSymbol(instrument),
    cell: ({ instrument, mode }) => (
      <>
        <Instrument of={instrument} /> <span className="tag">{mode}</span>
      </>
    ),
  },
  { title: 'Side', isFigure: true, isText: true, side: ({ side }) => side },
  { title: 'Type', isText: true, text: ({ timeInForce }) => (timeInForce === 'gtc' ? 'limit' : 'market') },
  { title: 'Price', isFigure: true, price: ({ restingAt, limitPrice }) => restingAt ?? limitPrice },
  { title: 'Quantity', quantity: ({ quantity }) => quantity },
  { title: 'Filled', quantity: ({ filledQuantity }) => filledQuantity },
  {
    title: 'State',
    isFigure: true,
    isText: true,
    cell: ({ state, detail, reason }) => (
      <span className={`state state-${OPEN.includes(state) ? 'open' : state}`} title={detail ?? (reason === null ? '' : plain(reason))}>
        {plain(state)}
      </span>
    ),
  },
];
const TITLES = COLUMNS.map(({ title }) => title);
const WITH_CANCEL: readonly Column<MarketOrder>[] = [...COLUMNS, { title: 'Cancel', buttons: (order) => <Cancel order={order} /> }];

function OrderRows({ orders }: { readonly orders: readonly MarketOrder[] }) {
  const view = useView('orders', { open: '' });
  const isOpenOnly = view.values.open !== '';
  const shown = isOpenOnly ? orders.filter(({ state }) => OPEN.includes(state)) : orders;
  if (orders.length === 0) return <p className="empty">No orders yet. Resting limit orders appear here and can be cancelled.</p>;
  return (
    <div className="panel-parts">
      <div className="table-search">
        <Checkbox
          size="xs"
          label="Open only"
          checked={isOpenOnly}
          onChange={({ currentTarget }) => view.set({ open: currentTarget.checked ? 'yes' : '' })}
        />
        <span className="space" />
        <Views view={view} titles={TITLES} />
      </div>
      <Table
        label="List of orders"
        area="panel-scroll"
        isSearched={false}
        view={view}
        rows={shown}
        columns={WITH_CANCEL}
        keyOf={({ id }) => id}
        attributesOf={({ id, state }) => ({ 'data-order': id, 'data-open': OPEN.includes(state) })}
      />
    </div>
  );
}

function Cancel({ order: { id, side, quantity, instrument, state } }: { readonly order: MarketOrder }) {
  const mayTrade = useMay('trade:execute');
  const cancelling = useMutation({
    mutationFn: () => api.cancelMarketOrder({ id }),
    onSuccess: () => refresh('orders'),
    onError: (error) => notifications.show({ color: 'red', title: 'Not cancelled', message: describeError(error) }),
  });
  if (!mayTrade || !OPEN.includes(state)) return null;
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={cancelling.isPending || state === 'withdrawing'}
      onClick={clickOnce(() => cancelling.mutate())}
      aria-label={`Cancel ${side} ${priceText(quantity)} ${readSymbol(instrument)}`}
    >
      Cancel
    </Button>
  );
}
