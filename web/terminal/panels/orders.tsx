/** Orders of people: resting ones with their cancel button, then the latest. */
import { Button, Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { clockTime, dayAndTime, plain, priceText, symbolOf } from '../../words.js';
import { api, eachOnce, type MarketOrder, refresh, useRead } from '../api.ts';
import { Heads } from '../kit/heads.tsx';
import { Price } from '../kit/numbers.tsx';
import { Loaded } from '../kit/lists.tsx';
import { sentenceOf } from '../kit/refusal.tsx';
import { useView, Views } from '../kit/views.tsx';
import { useMay } from '../member.ts';
import { choose } from '../place.ts';

const OPEN: readonly MarketOrder['state'][] = ['approved', 'executing', 'resting', 'withdrawing', 'unknown'];
const LATEST = 50;
const NO_ORDERS: readonly MarketOrder[] = [];

/** Orders, open ones first, then the latest. */
export function useOrders() {
  return useRead(
    ['orders'],
    async (call) => {
      const [open, latest] = await Promise.all([
        api.listMarketOrders({ open: 'true', limit: 200 }, call),
        api.listMarketOrders({ limit: LATEST }, call),
      ]);
      return eachOnce(open.items, latest.items);
    },
    { enabled: useMay('agent:read') },
  );
}

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

const TITLES = ['Time', 'Instrument', 'Side', 'Type', 'Price', 'Quantity', 'Filled', 'State'];

/** Returns the values of an order's cells by which its row is sorted. */
const textsOf = ({ createdAt, instrument, side, timeInForce, restingAt, limitPrice, quantity, filledQuantity, state }: MarketOrder) => [
  createdAt,
  instrument,
  side,
  timeInForce,
  restingAt ?? limitPrice,
  quantity,
  filledQuantity,
  state,
];

function OrderRows({ orders }: { readonly orders: readonly MarketOrder[] }) {
  const view = useView('orders', { open: '' });
  const isOpenOnly = view.values.open !== '';
  const shown = isOpenOnly ? orders.filter(({ state }) => OPEN.includes(state)) : orders;
  if (orders.length === 0) return <p className="empty">No orders yet. Resting limit orders appear here and can be cancelled.</p>;
  return (
    <div className="panel-scroll">
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
      <table className="rows wide" data-hidden={view.values.hidden}>
        <Heads titles={TITLES} words={['Instrument', 'Side', 'Type', 'State']} buttons="Cancel" sorting={view.sorting} />
        <tbody>
          {view.inOrder(shown, textsOf).map((order) => (
            <Order key={order.id} order={order} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Order({ order }: { readonly order: MarketOrder }) {
  const { id, createdAt, instrument, side, timeInForce, limitPrice, restingAt, quantity, filledQuantity, state, detail, reason, mode } =
    order;
  const mayTrade = useMay('trade:execute');
  const isOpen = OPEN.includes(state);
  const cancelling = useMutation({
    mutationFn: () => api.cancelMarketOrder({ id }),
    onSuccess: () => refresh('orders'),
    onError: (error) => notifications.show({ color: 'red', title: 'Not cancelled', message: sentenceOf(error) }),
  });
  return (
    <tr data-order={id} data-open={isOpen}>
      <td className="num text" title={dayAndTime(createdAt)}>
        {clockTime(createdAt)}
      </td>
      <th scope="row">
        <button type="button" className="plain" onClick={() => choose(instrument)}>
          {symbolOf(instrument)}
        </button>{' '}
        <span className="tag">{mode}</span>
      </th>
      <td className={`text ${side === 'buy' ? 'up' : 'down'}`}>{side}</td>
      <td className="text">{timeInForce === 'gtc' ? 'limit' : 'market'}</td>
      <td>
        <Price price={restingAt ?? limitPrice} />
      </td>
      <td className="num" title={quantity}>
        {priceText(quantity)}
      </td>
      <td className="num" title={filledQuantity}>
        {priceText(filledQuantity)}
      </td>
      <td className="text" title={detail ?? (reason === null ? '' : plain(reason))}>
        <span className={`state state-${isOpen ? 'open' : state}`}>{plain(state)}</span>
      </td>
      <td className="action">
        {isOpen && mayTrade && (
          <Button
            size="compact-xs"
            variant="default"
            loading={cancelling.isPending || state === 'withdrawing'}
            onClick={() => cancelling.mutate()}
            aria-label={`Cancel ${side} ${priceText(quantity)} ${symbolOf(instrument)}`}
          >
            Cancel
          </Button>
        )}
      </td>
    </tr>
  );
}
