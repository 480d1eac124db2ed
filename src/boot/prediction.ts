/** Prediction markets as this process reaches them: addresses, budgets, feeds, the way of their news to the store, and the simulators. */
import { join } from 'node:path';
import { Subscription } from 'rxjs';
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField, UnknownFields } from '../../streams/feed-counters.ts';
import type { PredictionStore } from '../adapters/store/predictions/prediction-store.ts';
import { createKalshiFeed } from '../adapters/venues/prediction/kalshi/feed.ts';
import { createKalshiRest, KALSHI_TOKENS_PER_SECOND } from '../adapters/venues/prediction/kalshi/rest.ts';
import { createOnchainOrders } from '../adapters/venues/prediction/onchain-orders.ts';
import { createPolymarketFeed } from '../adapters/venues/prediction/polymarket/feed.ts';
import { createPolymarketRest, POLYMARKET_LIMITS, POLYMARKET_WINDOW_MS } from '../adapters/venues/prediction/polymarket/rest.ts';
import type { PredictionFeed } from '../adapters/venues/prediction/provider-feed.ts';
import { USDC_DECIMALS, USDC_MINT } from '../domain/catalog.ts';
import { openAccessKey } from '../sandbox/prediction/access-key.ts';
import type { MakeBudget } from './budgets.ts';
import type { OnchainPredictions } from './capabilities/capability.ts';
import type { Config } from './config.ts';
import type { PredictionAsking } from './prediction-reads.ts';

/** Somebody waits for the answer: a spent budget is told rather than waited out. */
const ASKED_WAIT_MS = 2_000;

export interface PredictionAddresses {
  readonly polymarket: { readonly gammaUrl: string; readonly clobUrl: string; readonly dataUrl: string; readonly streamUrl: string };
  /** `key` null: the tops are polled, because the venue opens no socket without one. */
  readonly kalshi: {
    readonly url: string;
    readonly streamUrl: string;
    readonly key: { readonly id: string; readonly privateKey: string } | null;
  };
  /** Where live orders go; null where none is named and the markets or the chain are real. */
  readonly onchain: { readonly url: string; readonly key: string; readonly programs: readonly string[] } | null;
}

/** The addresses as the environment gives them, and those of the simulators where it gives none. */
export function predictionAddresses(config: Config, simulator: (name: 'polymarket' | 'kalshi' | 'onchain') => string): PredictionAddresses {
  const stream = (url: string): string => url.replace(/^http/, 'ws');
  const { KALSHI_KEY_ID: id, KALSHI_PRIVATE_KEY: key } = config;
  return {
    polymarket: {
      gammaUrl: config.POLYMARKET_GAMMA_URL ?? `${simulator('polymarket')}/gamma`,
      clobUrl: config.POLYMARKET_CLOB_URL ?? `${simulator('polymarket')}/clob`,
      dataUrl: config.POLYMARKET_DATA_URL ?? `${simulator('polymarket')}/data`,
      streamUrl: config.POLYMARKET_STREAM_URL ?? `${stream(simulator('polymarket'))}/ws/market`,
    },
    kalshi: {
      url: config.KALSHI_URL ?? `${simulator('kalshi')}/trade-api/v2`,
      streamUrl: config.KALSHI_STREAM_URL ?? `${stream(simulator('kalshi'))}/trade-api/ws/v2`,
      key:
        config.KALSHI_URL === null
          ? openAccessKey(predictionKeyFolder(config))
          : id === null || key === null
            ? null
            : { id, privateKey: key.reveal() },
    },
    onchain: onchainAddress(config, simulator),
  };
}

/** The key that the sandbox's on-chain venue takes; of no use anywhere else. */
const SANDBOX_ONCHAIN_KEY = 'sandbox';

/** The simulator fills seeded questions with the sandbox's coins: never orders on real markets, and never real money. */
function onchainAddress(config: Config, simulator: (name: 'onchain') => string): PredictionAddresses['onchain'] {
  const { PREDICTION_ONCHAIN_URL: url, PREDICTION_ONCHAIN_KEY: key, PREDICTION_ONCHAIN_PROGRAMS: programs } = config;
  if (url !== null && key !== null) return { url, key: key.reveal(), programs };
  const isSandboxed = config.POLYMARKET_GAMMA_URL === null && config.KALSHI_URL === null && config.SPOTCHAIN_URL === null;
  return isSandboxed ? { url: `${simulator('onchain')}/prediction/v1`, key: SANDBOX_ONCHAIN_KEY, programs: [] } : null;
}

/** Where the key lies that the sandbox's Kalshi accepts. */
export function predictionKeyFolder(config: Config): string {
  return join(config.SEVENGATE_HOME, 'kalshi');
}

/** The on-chain venue tells no limit; one request a second is a client that nobody minds. */
const ONCHAIN_PER_MINUTE = 60;

/** What the two providers let one address ask: windows of ten seconds, and a bucket that is full again after one. */
export function createPredictionBudgets(make: MakeBudget) {
  return {
    polymarket_gamma: make('polymarket_gamma', POLYMARKET_LIMITS.gamma, POLYMARKET_WINDOW_MS),
    polymarket_clob: make('polymarket_clob', POLYMARKET_LIMITS.clob, POLYMARKET_WINDOW_MS),
    polymarket_data: make('polymarket_data', POLYMARKET_LIMITS.data, POLYMARKET_WINDOW_MS),
    kalshi: make('kalshi', KALSHI_TOKENS_PER_SECOND, 1_000),
    prediction_onchain: make('prediction_onchain', ONCHAIN_PER_MINUTE),
  } as const;
}
type PredictionBudgets = ReturnType<typeof createPredictionBudgets>;

interface Reach {
  readonly addresses: PredictionAddresses;
  readonly clock: Clock;
  readonly random: () => number;
  readonly budgets: PredictionBudgets;
}

function restOf(
  { addresses, clock, random, budgets }: Reach,
  given: { readonly maxWaitMs?: number; readonly unknownFields?: UnknownFields } = {},
) {
  const { gammaUrl, clobUrl, dataUrl } = addresses.polymarket;
  return {
    polymarket: createPolymarketRest({
      gammaUrl,
      clobUrl,
      dataUrl,
      clock,
      random,
      budgets: { gamma: budgets.polymarket_gamma, clob: budgets.polymarket_clob, data: budgets.polymarket_data },
      ...given,
    }),
    kalshi: createKalshiRest({ baseUrl: addresses.kalshi.url, clock, random, budget: budgets.kalshi, ...given }),
  };
}

/** Both providers' feeds. They connect when they are subscribed, not before. */
export function createPredictionFeeds(reach: Reach): readonly PredictionFeed[] {
  const { addresses, clock, random } = reach;
  const rest = restOf(reach);
  return [
    createPolymarketFeed({ streamUrl: addresses.polymarket.streamUrl, rest: rest.polymarket, clock, random }),
    createKalshiFeed({ streamUrl: addresses.kalshi.streamUrl, key: addresses.kalshi.key, rest: rest.kalshi, clock, random }),
  ];
}

/** Books and trades on demand, in any process, within its request budgets; `note` hears of members of answers that nobody knows. */
export function createPredictionAsking(reach: Reach, note: NoteUnknownField): Readonly<Record<'polymarket' | 'kalshi', PredictionAsking>> {
  return restOf(reach, { maxWaitMs: ASKED_WAIT_MS, unknownFields: { note, rows: () => [] } });
}

/** The on-chain venue with its chain; null where either is not named. */
export function openOnchainPredictions(
  reach: Reach,
  chain: OnchainPredictions['chain'] | null,
  note: NoteUnknownField,
): (OnchainPredictions & { close(): void }) | null {
  const { addresses, clock, random, budgets } = reach;
  if (addresses.onchain === null || chain === null) return null;
  const { url: baseUrl, key, programs } = addresses.onchain;
  const stable = { mint: USDC_MINT, decimals: USDC_DECIMALS };
  const venue = createOnchainOrders({ baseUrl, key, stable, programs, clock, random, budget: budgets.prediction_onchain, note });
  return { venue, chain, close: () => venue.close() };
}

/** Keeps what the feeds tell of markets and trades; `write` puts one piece of work after the other. Returns what stops it. */
export function keepPredictions(deps: {
  readonly feeds: readonly PredictionFeed[];
  readonly store: Pick<PredictionStore, 'saveMarkets' | 'saveTrades'>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const { store, write } = deps;
  const kept = new Subscription();
  for (const feed of deps.feeds) {
    kept.add(
      feed.news.subscribe({
        next: (news) => {
          if (news.kind === 'markets') write('keeping prediction markets', () => store.saveMarkets(news.markets));
          else write('keeping prediction trades', () => store.saveTrades(news.trades));
        },
        error: deps.onFailure,
      }),
    );
  }
  return () => kept.unsubscribe();
}
