/** Prediction-market reads of the API: the stored latest state, and books and trades requested of the venue itself. */
import { assessedBook } from '../../../../streams/quality/prediction-quality.ts';
import type { PredictionBook, PredictionMarket, PredictionProvider, PredictionTrade } from '../../../domain/prediction/market.ts';
import { type Evidence, TRADES_WINDOW_MS } from '../../../domain/prediction/research.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { PredictionFilter, PredictionStore } from '../../store/predictions/prediction-store.ts';
import { VenueError } from '../venue-feed.ts';

/** The other provider's markets that one research compares with. */
const MAX_COUNTERPARTS = 300;
const MAX_STORED_TRADES = 100;

/** The side of a provider's adapter that answers on demand. */
export interface PredictionAsking {
  book(market: PredictionMarket): Promise<PredictionBook>;
  trades(market: PredictionMarket): Promise<readonly PredictionTrade[]>;
  /** Reads these markets as they are now, without what they inherit from their events. */
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
    /** The other provider's markets about the same underlying. */
    counterparts: (market: PredictionMarket): Promise<readonly PredictionMarket[]> => store.counterparts(market, MAX_COUNTERPARTS),
    /** Book and trades of a market, asked of its venue now; what the venue refuses is told in words. */
    async evidence(market: PredictionMarket): Promise<Evidence> {
      const venue = venues[market.provider];
      const [book, trades] = await Promise.all([
        told('the venue gave no order book', () => venue.book(market)),
        told('the venue gave no trades', () => venue.trades(market)),
      ]);
      // The last received state stands in if the venue does not answer.
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

/** Prediction markets of both providers. */
export type PredictionReads = ReturnType<typeof createPredictionReads>;

/** Returns a venue's answer; null if it gave none. */
export async function orNone<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof VenueError) return null;
    throw error;
  }
}

/** Requests the market as its provider lists it now; null if it lists nothing on demand or does not answer. */
export async function listedNow(
  venues: Readonly<Record<PredictionProvider, Pick<PredictionAsking, 'ask'>>>,
  market: PredictionMarket,
): Promise<PredictionMarket | null> {
  const found = await orNone(venues[market.provider].ask?.([market]) ?? Promise.resolve(null));
  return found?.markets.find(({ id }) => id === market.id) ?? null;
}
