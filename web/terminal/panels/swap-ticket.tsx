/** Ticket of a token on the primary chain: a live route quote, and the swap that a linked wallet signs. */
import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { priceText, readSymbol } from '../../words.js';
import { api, refresh, useRead } from '../api.ts';
import { isAmount } from '../kit/decimal.ts';
import { priceShown } from '../kit/numbers.tsx';
import { FigureList, NotRead } from '../kit/lists.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useStore } from '../kit/store.ts';
import { draft } from './draft.ts';
import { Sides, SizeInput, Slippage, useSigner } from './order-fields.tsx';
import { SwapSigning } from '../wallet/signing.tsx';
import { submits } from '../kit/browser.ts';

const QUIET_MS = 400;
/** Interval for requesting the route again while the ticket is shown. */
const QUOTED_EVERY_MS = 10_000;

export function SwapTicket({ instrumentKey }: { readonly instrumentKey: string }) {
  const { side, size, slippageBps } = useStore(draft);
  const symbol = readSymbol(instrumentKey);
  const slippage = /^\d{1,4}$/.test(slippageBps) ? slippageBps : '50';
  const quote = useSwapQuote(symbol, side, size, slippage);
  const { signer: wallet, choice } = useSigner();
  const preparing = useMutation({
    mutationFn: () =>
      api.prepareSwap({ body: { instrument: symbol, side, amount: size, slippageBps: Number(slippage), wallet: wallet ?? '' } }),
    onSuccess: () => refresh('swaps'),
  });
  return (
    <form className="ticket" aria-label="Swap ticket" data-side={side} onSubmit={submits(() => preparing.mutate())}>
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
            disabled={!isAmount(size) || quote.data === undefined}
            loading={preparing.isPending}
          >
            Prepare swap
          </Button>
        </>
      )}
      <Refusal error={preparing.error} />
      {preparing.data !== undefined && <SwapSigning key={preparing.data.id} id={preparing.data.id} />}
    </form>
  );
}

function useSwapQuote(symbol: string, side: 'buy' | 'sell', size: string, slippageBps: string) {
  const [amount] = useDebouncedValue(size, QUIET_MS);
  return useRead(
    ['swap-quote', symbol, side, amount, slippageBps],
    (call) => api.quoteSwap({ instrument: symbol, side, amount, slippageBps }, call),
    { enabled: isAmount(amount), refetchInterval: QUOTED_EVERY_MS },
  );
}

interface RouteProps {
  readonly quote: ReturnType<typeof useSwapQuote>;
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
