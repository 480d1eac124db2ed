/** Prediction market reads of the API: the last stored state, and books and trades requested from the venue. */
import { assessedBook } from '../../../../streams/quality/prediction-quality.ts';
import type { PredictionBook, PredictionMarket, PredictionProvider, PredictionTrade } from '../../../domain/prediction/market.ts';
import { type Evidence, TRADES_WINDOW_MS } from '../../../domain/prediction/research.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { PredictionFilter, PredictionStore } from '../../store/predictions/prediction-store.ts';
import { VenueError } from '../venue-feed.ts';

/** Maximum number of the other provider's markets for comparison. */
const MAX_COUNTERPARTS = 300;
const MAX_STORED_TRADES = 100;

/** Requests to a provider on demand. */
export interface PredictionAsking {
  book(market: PredictionMarket): Promise<PredictionBook>;
  trades(market: PredictionMarket): Promise<readonly PredictionTrade[]>;
  /** Reads the current state of these markets, without the facts inherited from their events. */
  ask?(markets: readonly PredictionMarket[]): Promise<{ readonly markets: readonly PredictionMarket[] }>;
}

type Told<Value> = { readonly value: Value; readonly problem: '' } | { readonly value: null; readonly problem: string };

async function told<Value>(what: string, ask: () => Promise<Value>): Promise<Told<Value>> {
  try {
    return { value: await ask(), problem: '' };
  } catch (error) {
    if (error instanceof VenueError) return { value: null, problem: `${what}: ${error.message}` };
    throw error;
  }
}

export function createPredictionReads(deps: {
  readonly store: PredictionStore;
  readonly venues: Readonly<Record<PredictionProvider, PredictionAsking>>;
  readonly clock: { now(): EpochMs };
}) {
  const { store, venues, clock } = deps;
  return {
    /** Lists markets by their end, latest first. */
    list: (filter: PredictionFilter, page: Page): Promise<PageOf<PredictionMarket>> => store.list(filter, page),
    get: (id: string): Promise<PredictionMarket | null> => store.get(id),
    /** Lists the other provider's markets about the same underlying. */
    counterparts: (market: PredictionMarket): Promise<readonly PredictionMarket[]> => store.counterparts(market, MAX_COUNTERPARTS),
    /** Requests a market's book and trades from its venue. Refusals of the venue are returned as text. */
    async evidence(market: PredictionMarket): Promise<Evidence> {
      const venue = venues[market.provider];
      const [book, trades] = await Promise.all([
        told('the venue gave no order book', () => venue.book(market)),
        told('the venue gave no trades', () => venue.trades(market)),
      ]);
      // The last received trades are used if the venue does not answer.
      const received = trades.value ?? (await store.trades(market, clock.now() - TRADES_WINDOW_MS, MAX_STORED_TRADES));
      return {
        market,
        book: book.value === null ? null : assessedBook(book.value, clock.now()),
        bookProblem: book.problem,
        trades: received,
        tradesProblem: trades.problem,
      };
    },
  };
}

export type PredictionReads = ReturnType<typeof createPredictionReads>;

/** Returns a venue's answer, or null if it failed. */
export async function orNone<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof VenueError) return null;
    throw error;
  }
}

/** Requests the market's current listing. Null if the provider has no listing on demand or does not answer. */
export async function listedNow(
  venues: Readonly<Record<PredictionProvider, Pick<PredictionAsking, 'ask'>>>,
  market: PredictionMarket,
): Promise<PredictionMarket | null> {
  const found = await orNone(venues[market.provider].ask?.([market]) ?? Promise.resolve(null));
  return found?.markets.find(({ id }) => id === market.id) ?? null;
}
