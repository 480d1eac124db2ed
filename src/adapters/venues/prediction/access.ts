/** Access of a process to prediction markets: both providers, and the on-chain venue of live orders. */
import type { OnchainPredictions } from '../../../../actors/prediction-order/onchain-venue.ts';
import type { UnknownFields } from '../../../../streams/feed-counters.ts';
import { USDC_DECIMALS, USDC_MINT } from '../../../domain/catalog/catalog.ts';
import type { MakeBudget } from '../../queue/request-budgets.ts';
import { ASKED, type Reach } from '../../reach.ts';
import { createKalshiFeed } from './kalshi/feed.ts';
import { createKalshiRest, KALSHI_TOKENS_PER_SECOND } from './kalshi/rest.ts';
import { createOnchainOrders } from './onchain-orders.ts';
import { createPolymarketFeed } from './polymarket/feed.ts';
import { createPolymarketRest, POLYMARKET_LIMITS, POLYMARKET_WINDOW_MS } from './polymarket/rest.ts';
import type { Patience } from '../venue-http.ts';
import type { PredictionAsking } from './prediction-reads.ts';

/** Request limit per minute. The on-chain venue publishes none, so it is a moderate one. */
const ONCHAIN_PER_MINUTE = 60;

/** Creates the request budgets of one address: windows of ten seconds, and a token bucket that refills within one. */
const budgets = (make: MakeBudget) => ({
  polymarket_gamma: make('polymarket_gamma', POLYMARKET_LIMITS.gamma, POLYMARKET_WINDOW_MS),
  polymarket_clob: make('polymarket_clob', POLYMARKET_LIMITS.clob, POLYMARKET_WINDOW_MS),
  polymarket_data: make('polymarket_data', POLYMARKET_LIMITS.data, POLYMARKET_WINDOW_MS),
  kalshi: make('kalshi', KALSHI_TOKENS_PER_SECOND, 1_000),
  prediction_onchain: make('prediction_onchain', ONCHAIN_PER_MINUTE),
});

export interface PredictionAddresses {
  readonly prediction: {
    readonly polymarket: { readonly gammaUrl: string; readonly clobUrl: string; readonly dataUrl: string; readonly streamUrl: string };
    /** Kalshi's address. With a null `key` the best prices are polled, because the venue opens no socket without one. */
    readonly kalshi: {
      readonly url: string;
      readonly streamUrl: string;
      readonly key: { readonly id: string; readonly privateKey: string } | null;
    };
    /** Address of live orders, or null if none is configured and the markets or the chain are real. */
    readonly onchain: { readonly url: string; readonly key: string; readonly programs: readonly string[] } | null;
  };
}

type Providers = Reach<PredictionAddresses, ReturnType<typeof budgets>>;

export const predictionAccess = {
  budgets,

  open(reach: Providers) {
    const { addresses, clock, random } = reach;
    const { polymarket, kalshi } = addresses.prediction;
    const rest = createRest(reach);
    const predictions = [
      createPolymarketFeed({ streamUrl: polymarket.streamUrl, rest: rest.polymarket, clock, random }),
      createKalshiFeed({ streamUrl: kalshi.streamUrl, key: kalshi.key, rest: rest.kalshi, clock, random }),
    ];
    return { feeds: predictions, predictions };
  },
};

function createRest(
  { addresses, clock, random, budgets: paid }: Omit<Providers, 'note'>,
  given: Patience & { readonly unknownFields?: UnknownFields } = {},
) {
  const { gammaUrl, clobUrl, dataUrl } = addresses.prediction.polymarket;
  return {
    polymarket: createPolymarketRest({
      gammaUrl,
      clobUrl,
      dataUrl,
      clock,
      random,
      budgets: { gamma: paid.polymarket_gamma, clob: paid.polymarket_clob, data: paid.polymarket_data },
      ...given,
    }),
    kalshi: createKalshiRest({ baseUrl: addresses.prediction.kalshi.url, clock, random, budget: paid.kalshi, ...given }),
  };
}

/** Creates the reads of books and trades on demand, within the process's request budgets. */
export function createPredictionAsking(reach: Providers): Readonly<Record<'polymarket' | 'kalshi', PredictionAsking>> {
  return createRest(reach, { ...ASKED, unknownFields: { note: reach.note, rows: () => [] } });
}

/** Opens the on-chain venue with its chain, or returns null if either is not configured. */
export function openOnchainPredictions(
  { addresses, clock, random, budgets: paid, note }: Providers,
  chain: OnchainPredictions['chain'] | null,
): (OnchainPredictions & { close(): void }) | null {
  const { onchain } = addresses.prediction;
  if (onchain === null || chain === null) return null;
  const { url: baseUrl, key, programs } = onchain;
  const stable = { mint: USDC_MINT, decimals: USDC_DECIMALS };
  const venue = createOnchainOrders({ baseUrl, key, stable, programs, clock, random, budget: paid.prediction_onchain, note });
  return { venue, chain, close: () => venue.close() };
}
