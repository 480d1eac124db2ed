/** Order ticket: instrument, size, pre-trade check, and the button that sends the order once. */
import { Button, Checkbox, Modal, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { plain, priceText, readSymbol } from '../../words.js';
import { api, hadNoEffect, type MarketOrder, refresh, useRead } from '../api.ts';
import { useEntry } from '../catalog.ts';
import { cut, isAmount, multiply, withoutZeros } from '../kit/decimal.ts';
import { Segments, useOnce, Written } from '../kit/form.tsx';
import { describeError, laterPart, Refusal } from '../kit/refusal.tsx';
import { useStore } from '../kit/store.ts';
import { readQuotePrice, quoteNow, useQuote } from '../market.ts';
import { useMay } from '../member.ts';
import { instrument, venueIn } from '../place.ts';
import { changeDraft, type Draft, draft, toOrder } from './draft.ts';
import { Sides, SizeInput, Slippage } from './order-fields.tsx';
import { usePosition } from './positions.tsx';
import { PreTrade } from './pre-trade.tsx';
import { WayOut } from './way-out.tsx';
import { clickOnce, keyOnce, submits } from '../kit/browser.ts';

/** Loaded with the pages: the workspace opens with a ticket of the exchange, which needs no wallet. */
const SwapTicket = laterPart(async () => (await import('../research/pages.tsx')).SwapTicket);

export function Ticket() {
  const key = useStore(instrument);
  const mayTrade = useMay('trade:execute');
  if (!mayTrade) return <p className="empty">Your role may not trade. Ask for the permission trade:execute.</p>;
  if (venueIn(key) === 'spotchain')
    return (
      <Suspense fallback={null}>
        <SwapTicket key={key} instrumentKey={key} />
      </Suspense>
    );
  if (venueIn(key) !== 'spotexchange') return <AgentsOnly instrumentKey={key} />;
  return <SpotTicket key={key} instrumentKey={key} />;
}

/** Notice for venues on which only agents trade. */
const AgentsOnly = ({ instrumentKey }: { readonly instrumentKey: string }) => (
  <div className="empty">
    <p>Agents trade {readSymbol(instrumentKey)}. Manual orders on this venue are not offered.</p>
    <Button component="a" href="#/agents/new" variant="default">
      Create an agent
    </Button>
  </div>
);

function SpotTicket({ instrumentKey }: { readonly instrumentKey: string }) {
  const order = useStore(draft);
  const [isConfirming, setConfirming] = useState(false);
  const placing = usePlacing(instrumentKey);
  const body = toOrder(instrumentKey, order);
  const symbol = readSymbol(instrumentKey);
  const send = submits(() => {
    if (body === null) return;
    if (order.mode === 'live') setConfirming(true);
    else placing.mutate(order);
  });
  // A refusal belongs to the order that was sent.
  const error = placing.variables === order ? placing.error : null;
  const words = `${order.side === 'buy' ? 'Buy' : 'Sell'} ${symbol}`;
  return (
    <form className="ticket" onSubmit={send} data-side={order.side} aria-label="Order ticket">
      <Sides />
      <Account />
      <Kinds />
      <Size instrumentKey={instrumentKey} />
      {order.kind === 'limit' ? <LimitTerms instrumentKey={instrumentKey} /> : <Slippage />}
      <PreTrade instrumentKey={instrumentKey} />
      <Refusal error={error} isOnce>
        <WayOut error={error} />
      </Refusal>
      <Button
        type="submit"
        size="sm"
        fullWidth
        color={order.side === 'buy' ? 'teal.9' : 'red.9'}
        disabled={body === null}
        loading={placing.isPending}
      >
        {order.mode === 'live' ? `${words} – live` : `${words} on paper`}
      </Button>
      <LiveQuestion
        isOpen={isConfirming}
        words={words}
        close={() => setConfirming(false)}
        send={() => {
          setConfirming(false);
          placing.mutate(order);
        }}
      />
    </form>
  );
}

interface LiveQuestionProps {
  readonly isOpen: boolean;
  readonly words: string;
  readonly close: () => void;
  readonly send: () => void;
}

/** Confirmation before real money is spent. */
function LiveQuestion({ isOpen, words, close, send }: LiveQuestionProps) {
  const { unit, size, kind, price } = useStore(draft);
  return (
    <Modal opened={isOpen} onClose={close} title="Send a live order?" centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <p>
        {words}: {unit === 'usd' ? `$${size}` : `${size} units`}
        {kind === 'limit' ? ` at ${price}` : ' at the market'}. This order uses real money.
      </p>
      <div className="buttons">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button color="red.9" data-autofocus onKeyDown={keyOnce} onClick={clickOnce(send)}>
          Send live order
        </Button>
      </div>
    </Modal>
  );
}

/** Places the order. Sending the same order again after a lost answer has one effect. */
function usePlacing(instrumentKey: string) {
  const once = useOnce();
  const isShown = (order: Draft): boolean => draft.get() === order && instrument.get() === instrumentKey;
  return useMutation({
    mutationFn: (order: Draft) => {
      const body = toOrder(instrumentKey, order);
      if (body === null) throw new Error('Enter a size, and a price for a limit order.');
      const more = { idempotencyKey: once.keyOf([order.mode, body]) };
      return order.mode === 'paper' ? api.placePaperOrder({ body }, more) : api.placeSpotexchangeOrder({ body }, more);
    },
    onSuccess: (placed, order) => {
      once.over();
      refresh('orders', 'portfolio', 'performance', 'impact');
      notifications.show(describeNotice(placed));
      if (isShown(order)) changeDraft({ size: '' });
    },
    onError: (error, order) => {
      if (hadNoEffect(error)) once.over();
      // The ticket shows the refusal of the order that it still holds.
      if (!isShown(order))
        notifications.show({ color: 'red', title: `Order of ${readSymbol(instrumentKey)}`, message: describeError(error) });
    },
  });
}

function describeNotice({ state, side, instrument: key, filledQuantity, quantity, fills, restingAt, detail, reason }: MarketOrder) {
  const what = `${side} ${priceText(quantity)} ${readSymbol(key)}`;
  const [first] = fills;
  if (restingAt !== null) return { color: 'blue', title: 'Order resting', message: `${what} at ${priceText(restingAt)}` };
  if (state === 'filled' && first !== undefined) {
    const how = fills.length === 1 ? `at ${priceText(first.fillPrice)}` : `in ${fills.length} fills`;
    return { color: 'teal', title: 'Order filled', message: `${what} ${how}` };
  }
  const why = detail ?? (reason === null ? '' : plain(reason));
  return { color: 'yellow', title: `Order ${plain(state)}`, message: `${what}: ${priceText(filledQuantity)} filled. ${why}` };
}

function Account() {
  const { mode } = useStore(draft);
  return (
    <Segments
      withItemsBorders={false}
      fullWidth
      label="Account"
      of={['paper', 'live']}
      value={mode}
      choose={(value) => changeDraft({ mode: value })}
      className={mode === 'live' ? 'is-live' : ''}
    />
  );
}

function Kinds() {
  const { kind } = useStore(draft);
  return (
    <Segments
      withItemsBorders={false}
      fullWidth
      label="Order type"
      of={['market', 'limit']}
      value={kind}
      choose={(value) => changeDraft({ kind: value })}
    />
  );
}

const DOLLARS = ['100', '500', '1000', '5000'];
const PARTS = [25, 50, 75, 100];

function Size({ instrumentKey }: { readonly instrumentKey: string }) {
  const { unit, side, mode } = useStore(draft);
  const entry = useEntry(instrumentKey);
  const [onPaper, live] = [usePosition(instrumentKey), useLivePosition(instrumentKey, mode === 'live')];
  const held = mode === 'paper' ? onPaper : live;
  const isSellingHeld = side === 'sell' && held !== null;
  return (
    <div className="size">
      <SizeInput
        label="Size"
        rightSectionWidth={74}
        rightSection={
          <Button
            variant="subtle"
            size="compact-xs"
            onClick={() => changeDraft({ unit: unit === 'usd' ? 'units' : 'usd', size: '' })}
            title="Change the unit"
          >
            {unit === 'usd' ? 'USD' : (entry?.underlying ?? 'units')} ⇄
          </Button>
        }
      />
      <div className="quick">
        {isSellingHeld
          ? PARTS.map((part) => (
              <button key={part} type="button" onClick={() => changeDraft({ unit: 'units', size: takePart(held, part) })}>
                {part} %
              </button>
            ))
          : DOLLARS.map((usd) => (
              <button key={usd} type="button" onClick={() => changeDraft({ unit: 'usd', size: usd })}>
                ${Number(usd).toLocaleString('en-US')}
              </button>
            ))}
      </div>
      {isSellingHeld && (
        <p className="faint">
          Held: {priceText(held)} {entry?.underlying}
        </p>
      )}
    </div>
  );
}

/** Returns the quantity that people hold with real money, or null if there is none. */
function useLivePosition(key: string, isWanted: boolean): string | null {
  const mayRead = useMay('agent:read');
  const { data } = useRead(['portfolio', 'live'], (call) => api.getPortfolio({ mode: 'live' }, call), { enabled: isWanted && mayRead });
  return data?.holdings.find(({ instrument: held, place }) => held === key && place.startsWith('manual:'))?.quantity ?? null;
}

/** Returns a part of a quantity, truncated to five decimals, the exchange's lot size. */
const takePart = (quantity: string, percent: number): string => withoutZeros(cut(multiply(quantity, String(percent / 100)), 5));

function LimitTerms({ instrumentKey }: { readonly instrumentKey: string }) {
  const { price, timeInForce, postOnly, side } = useStore(draft);
  const quote = useQuote(instrumentKey);
  const wrong = price !== '' && !isAmount(price) ? 'Enter a price above zero.' : null;
  useEffect(() => {
    const now = quoteNow(instrumentKey);
    const near = (draft.get().side === 'buy' ? now?.bid : now?.ask) ?? readQuotePrice(now);
    if (draft.get().price === '' && near != null) changeDraft({ price: withoutZeros(near) });
  }, [instrumentKey]);
  const take = (text: string | null | undefined) => () => text != null && changeDraft({ price: withoutZeros(text) });
  return (
    <>
      <Written
        label="Limit price (USD)"
        inputMode="decimal"
        value={price}
        error={wrong}
        write={(text) => changeDraft({ price: text.trim().replaceAll(',', '') })}
      />
      <div className="quick">
        <button type="button" onClick={take(quote?.bid)}>
          Bid
        </button>
        <button type="button" onClick={take(quote?.mid)}>
          Mid
        </button>
        <button type="button" onClick={take(quote?.ask)}>
          Ask
        </button>
      </div>
      <div className="terms">
        <Select
          label="Time in force"
          data={[
            { value: 'gtc', label: 'Good till cancelled' },
            { value: 'ioc', label: 'Immediate or cancel' },
          ]}
          value={timeInForce}
          onChange={(value) => value !== null && changeDraft({ timeInForce: value as Draft['timeInForce'] })}
        />
        <Checkbox
          label="Post only"
          description={`Never takes: fails if it would ${side} at once`}
          disabled={timeInForce !== 'gtc'}
          checked={postOnly && timeInForce === 'gtc'}
          onChange={({ currentTarget }) => changeDraft({ postOnly: currentTarget.checked })}
        />
      </div>
    </>
  );
}
