/** Ticket of a prediction market: outcome, side and size, on paper or signed by a linked wallet. */
import { Button, SegmentedControl } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { plain, priceText } from '../../words.js';
import { api, hadNoEffect, refresh, type PredictionMarket, type PredictionOrder } from '../api.ts';
import { isAmount, multiply } from '../kit/decimal.ts';
import { Money } from '../kit/numbers.tsx';
import { Segments, useOnce, Written } from '../kit/form.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { Signing } from '../wallet/signing.tsx';
import { toOrderBody, FIRST, type PredictionDraft, findProblem } from './prediction-draft.ts';
import { FigureList } from '../kit/lists.tsx';
import { SideButtons, SlippageField, useSigner } from '../panels/order-fields.tsx';
import { submits } from '../kit/browser.ts';

export function PredictionTicket({ market }: { readonly market: PredictionMarket }) {
  const mayTrade = useMay('trade:execute');
  const [draft, setDraft] = useState(FIRST);
  const change = (some: Partial<PredictionDraft>) => setDraft((before) => ({ ...before, ...some }));
  const placing = usePlacing(market);
  const { signer, choice } = useSigner(mayTrade);
  const { outcome, side, mode } = draft;
  const words = `${side === 'buy' ? 'Buy' : 'Sell'} ${outcome}`;
  // As in the order ticket, what was placed is not placed again by another click.
  const place = () =>
    placing.mutate({ draft, wallet: signer }, { onSuccess: () => setDraft((now) => (now === draft ? { ...now, size: '' } : now)) });
  if (!mayTrade) return <p className="faint">Your role may not trade. Ask for the permission trade:execute.</p>;
  return (
    <form className="ask" aria-label="Prediction ticket" onSubmit={submits(place)}>
      <Choices draft={draft} market={market} change={change} />
      <Amounts draft={draft} change={change} />
      <Estimate draft={draft} market={market} />
      {mode === 'live' &&
        (signer === null ? (
          <p className="refusal" role="note">
            A live order is signed by your own wallet, and none is linked. <a href="#/wallets">Link a wallet</a>
          </p>
        ) : (
          choice
        ))}
      {/* A refusal belongs to the order that was sent. */}
      <Refusal error={placing.variables?.draft === draft ? placing.error : null} isOnce />
      <Button
        type="submit"
        size="sm"
        color={side === 'buy' ? 'teal.9' : 'red.9'}
        loading={placing.isPending}
        disabled={findProblem(draft) !== null || market.status !== 'open' || (mode === 'live' && signer === null)}
      >
        {mode === 'paper' ? `${words} on paper` : `Prepare: ${words.toLowerCase()} live`}
      </Button>
      {market.status !== 'open' && <p className="faint">The market is {plain(market.status)}. Orders are taken while it is open.</p>}
      {placing.data?.transaction != null && (
        <PredictionSigning key={placing.data.order.id} order={placing.data.order} unsigned={placing.data.transaction} />
      )}
    </form>
  );
}

interface PartProps {
  readonly draft: PredictionDraft;
  readonly change: (some: Partial<PredictionDraft>) => void;
}

const Choices = ({ draft: { outcome, side, mode }, market, change }: PartProps & { readonly market: PredictionMarket }) => (
  <>
    <Segments
      label="Account"
      fullWidth
      of={['paper', 'live']}
      value={mode}
      choose={(value) => change({ mode: value })}
      className={mode === 'live' ? 'is-live' : ''}
    />
    <SideButtons side={side} turn={(next) => change({ side: next })} />
    <SegmentedControl
      aria-label="Outcome"
      fullWidth
      data={market.outcomes.map((one) => ({
        value: one.side,
        label: `${one.label} ${(side === 'buy' ? one.ask : one.bid) ?? one.last ?? '–'}`,
      }))}
      value={outcome}
      onChange={(value) => change({ outcome: value as PredictionDraft['outcome'] })}
    />
  </>
);

const written = (text: string): string => text.trim().replace(/^\$/, '').replaceAll(',', '');

function Amounts({ draft, change }: PartProps) {
  const { size, unit, price, slippageBps } = draft;
  return (
    <div className="field-pairs">
      <Written
        label={unit === 'usd' ? 'Size (USD)' : 'Contracts'}
        inputMode="decimal"
        placeholder="0.00"
        value={size}
        error={size !== '' && !isAmount(size) ? 'Enter a number above zero, such as 25.' : null}
        write={(text) => change({ size: written(text) })}
        rightSectionWidth={82}
        rightSection={
          <Button
            variant="subtle"
            size="compact-xs"
            title="Change the unit"
            onClick={() => change({ unit: unit === 'usd' ? 'contracts' : 'usd', size: '' })}
          >
            {unit === 'usd' ? 'USD' : 'contracts'} ⇄
          </Button>
        }
      />
      <Written
        label="Limit price (optional)"
        inputMode="decimal"
        placeholder="market"
        value={price}
        error={price !== '' && findProblem({ ...draft, size: '1' }) !== null ? 'Between 0 and 1, such as 0.42.' : null}
        write={(text) => change({ price: written(text) })}
      />
      <SlippageField bps={slippageBps} write={(text) => change({ slippageBps: text })} />
    </div>
  );
}

/** Cost and payout of an order. Each contract pays one dollar if its outcome happens. */
function Estimate({
  draft: { size, unit, side, outcome, price },
  market,
}: {
  readonly draft: PredictionDraft;
  readonly market: PredictionMarket;
}) {
  const found = market.outcomes.find((one) => one.side === outcome);
  const at = isAmount(price) ? price : ((side === 'buy' ? found?.ask : found?.bid) ?? found?.last ?? null);
  const isCounted = unit === 'contracts' && isAmount(size) && at !== null;
  return (
    <FigureList
      look="facts"
      lines={[
        ['Price', at],
        [
          `${side === 'buy' ? 'Cost' : 'Proceeds'} before fees`,
          isCounted ? <Money usd={multiply(size, at)} /> : unit === 'usd' && isAmount(size) ? <Money usd={size} /> : null,
        ],
        [`Pays if ${outcome}`, isCounted ? <Money usd={size} /> : null],
      ]}
    />
  );
}

interface Placed {
  readonly order: PredictionOrder;
  readonly transaction: Unsigned | null;
}
type Unsigned = Awaited<ReturnType<typeof api.preparePredictionOrder>>['transaction'];

interface Wish {
  readonly draft: PredictionDraft;
  readonly wallet: string | null;
}

function usePlacing({ id }: PredictionMarket) {
  const once = useOnce();
  return useMutation({
    mutationFn: async ({ draft, wallet }: Wish): Promise<Placed> => {
      const body = toOrderBody(id, draft);
      const more = { idempotencyKey: once.keyOf([draft.mode, wallet, body]) };
      if (draft.mode === 'paper') return { order: await api.placePaperPredictionOrder({ body }, more), transaction: null };
      return api.preparePredictionOrder({ body: { ...body, wallet: wallet ?? '' } }, more);
    },
    onSuccess: ({ order, transaction }) => {
      once.over();
      refresh('prediction-orders', 'portfolio', 'performance');
      const { state, side, quantity, outcome, filledQuantity, detail, reason } = order;
      const why = detail ?? (reason === null ? '' : plain(reason));
      notifications.show({
        color: state === 'failed' ? 'yellow' : 'teal',
        title: transaction === null ? `Order ${plain(state)}` : 'Order prepared: sign it below',
        message: `${side} ${priceText(quantity)} ${outcome}, ${priceText(filledQuantity)} filled. ${why}`,
      });
    },
    onError: (error) => {
      if (hadNoEffect(error)) once.over();
    },
  });
}

/** Signs a prepared live order with a wallet of this browser. */
function PredictionSigning({
  order: { id, side, quantity, outcome },
  unsigned: { unsigned, wallet },
}: {
  readonly order: PredictionOrder;
  readonly unsigned: Unsigned;
}) {
  const prepare = async () => ({
    unsigned: [unsigned],
    signer: wallet,
    handIn: async ([signedTransaction = '']: readonly string[]) => {
      await api.executePredictionOrder({ id, body: { signedTransaction } });
      refresh('prediction-orders');
    },
  });
  return (
    <>
      <p>
        The order to sign: {side} {priceText(quantity)} {outcome}
      </p>
      <Signing prepare={prepare} />
    </>
  );
}
