/** Ticket of a token on the primary chain: a live route quote, and the swap that a linked wallet signs. */
import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import { priceText, readSymbol } from '../../words.js';
import { api, refresh, useRead } from '../api.ts';
import { isAmount, isSlippage } from '../kit/decimal.ts';
import { priceShown } from '../kit/numbers.tsx';
import { FigureList, NotRead } from '../kit/lists.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useStore } from '../kit/store.ts';
import { changeDraft, draft } from './draft.ts';
import { Sides, SizeInput, Slippage, useSigner } from './order-fields.tsx';
import { SwapSigning } from '../wallet/signing.tsx';
import { submits } from '../kit/browser.ts';

const QUIET_MS = 400;
/** Interval for requesting the route again while the ticket is shown. */
const QUOTED_EVERY_MS = 10_000;

export function SwapTicket({ instrumentKey }: { readonly instrumentKey: string }) {
  const { side, size, slippageBps } = useStore(draft);
  const symbol = readSymbol(instrumentKey);
  const quote = useSwapQuote(symbol, side, size, slippageBps);
  const { signer: wallet, choice } = useSigner();
  const wish = { instrument: symbol, side, amount: size, slippageBps: Number(slippageBps), wallet: wallet ?? '' };
  const preparing = useMutation({
    mutationFn: (body: typeof wish) => api.prepareSwap({ body }),
    onSuccess: () => refresh('swaps'),
  });
  // A swap that was prepared before a change of the ticket is signed on the page of swaps.
  const isOfTicket = JSON.stringify(preparing.variables) === JSON.stringify(wish);
  const unit = side === 'buy' ? 'usd' : 'units';
  useLayoutEffect(() => {
    if (draft.get().unit !== unit) changeDraft({ unit, size: '' });
  }, [unit]);
  return (
    <form className="ticket" aria-label="Swap ticket" data-side={side} onSubmit={submits(() => preparing.mutate(wish))}>
      <Sides />
      <SizeInput label={side === 'buy' ? 'Pay (USDC)' : `Sell (${symbol})`} />
      <Slippage />
      <Route quote={quote} symbol={symbol} side={side} isAsked={isAmount(size)} />
      {wallet === null ? (
        <NoWallet />
      ) : (
        <>
          {choice}
          <Button
            type="submit"
            size="sm"
            fullWidth
            color={side === 'buy' ? 'teal.9' : 'red.9'}
            disabled={!isAmount(size) || !isSlippage(slippageBps) || quote.data === undefined}
            loading={preparing.isPending}
          >
            Prepare swap
          </Button>
        </>
      )}
      <Refusal error={isOfTicket ? preparing.error : null} />
      {isOfTicket && preparing.data !== undefined && <SwapSigning key={preparing.data.id} id={preparing.data.id} />}
    </form>
  );
}

function useSwapQuote(symbol: string, side: 'buy' | 'sell', size: string, slippageBps: string) {
  const [amount] = useDebouncedValue(size, QUIET_MS);
  const quote = useRead(
    ['swap-quote', symbol, side, amount, slippageBps],
    (call) => api.quoteSwap({ instrument: symbol, side, amount, slippageBps }, call),
    { enabled: isAmount(amount) && isSlippage(slippageBps), refetchInterval: QUOTED_EVERY_MS },
  );
  return amount === size ? quote : { ...quote, data: undefined };
}

interface RouteProps {
  readonly quote: Pick<ReturnType<typeof useSwapQuote>, 'data' | 'error' | 'refetch'>;
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly isAsked: boolean;
}

function Route({ quote, symbol, side, isAsked }: RouteProps) {
  const { data, error } = quote;
  if (error !== null) return <NotRead query={quote} />;
  const impact = data?.priceImpactPct;
  const [given, taken] = side === 'buy' ? ['USDC', symbol] : [symbol, 'USDC'];
  return (
    <section className="pre-trade" aria-label="Route" aria-live="polite">
      <FigureList
        look="facts"
        lines={[
          ['You receive', data && `${priceText(data.output.uiAmount)} ${taken}`],
          ['At least', data && `${priceText(data.minOutput.uiAmount)} ${taken}`],
          ['Price', data && priceShown(data.price)],
          ['Worst price', data && priceShown(data.worstPrice)],
          ['Price impact', impact == null ? null : `${Number(impact).toFixed(3)} %`],
          ['Route', data?.route.map(({ venue, percent }) => `${venue} ${percent} %`).join(', ')],
        ]}
      />
      {!isAsked && <p className="verdict faint">Enter an amount of {given} to see the route, its price and its impact.</p>}
    </section>
  );
}

const NoWallet = () => (
  <div className="refusal" role="note">
    <p>A swap is signed by your own wallet, and none is linked to the organization.</p>
    <Button component="a" href="#/wallets" variant="default" size="compact-xs">
      Link a wallet
    </Button>
  </div>
);
