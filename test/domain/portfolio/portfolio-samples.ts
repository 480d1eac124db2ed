// Books, quotes and pools for the portfolio's tests.
import { bookIds, emptyBook, type Position, type TradingBook } from '../../../src/domain/books/book.ts';
import { CATALOG, type Catalog, createCatalog } from '../../../src/domain/catalog/catalog.ts';
import { agentTokenEntry } from '../../../src/domain/catalog/listed-token.ts';
import type { PortfolioBook } from '../../../src/domain/portfolio/account.ts';
import type { PortfolioMaterial } from '../../../src/domain/portfolio/portfolio.ts';
import type { Quality, QualityFlag, Quote } from '../../../src/domain/market/quote.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/index.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../../src/domain/market/venue.ts';

/** Saturday 7 March 2026, 12:00 in New York. The clocks change the next night. */
export const SATURDAY = Date.UTC(2026, 2, 7, 17);
const ORG = '00000000-0000-7000-8000-00000000000a';
export const MANUAL = bookIds.manual(ORG);

/** Agent token launched against Apple's share. */
const AGENT_TOKEN = agentTokenEntry({
  mint: 'So11111111111111111111111111111111111111112',
  program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  symbol: 'HUNTER',
  name: 'Hunter',
  decimals: 9,
  pairedStock: 'spotchain:AAPLx',
  launcher: 'sandbox',
  listedAt: 0,
  delistedAt: null,
});

/** Fixed catalog with an agent token and a perpetual on Apple. */
export const WIDE: Catalog = createCatalog([
  ...CATALOG.fixed.entries,
  AGENT_TOKEN,
  {
    ...(CATALOG.fixed.byKey('evmvenue:BTC') as NonNullable<ReturnType<Catalog['byKey']>>),
    key: 'evmvenue:AAPL',
    instrument: 'AAPL',
    underlying: 'AAPL',
    sector: 'technology',
  },
]);

export function quoteOf(
  key: InstrumentKey,
  bid: string | null,
  ask: string | null,
  more: { quality?: Quality; flags?: readonly QualityFlag[]; observedAt?: number } = {},
): [InstrumentKey, Quote] {
  const { venue, instrument } = splitInstrumentKey(key);
  const { quality = 'live', flags = [], observedAt = SATURDAY - 1_000 } = more;
  const quote: Quote = {
    kind: 'quote',
    venue: venue as ExecutableVenue,
    instrument,
    source: 'test:feed',
    observedAt,
    receivedAt: observedAt,
    sourceTime: true,
    bid,
    ask,
    bidSize: null,
    askSize: null,
    sequence: null,
    quality,
    flags,
  };
  return [key, quote];
}

export function bookOf(
  id: string,
  cashUsd: string,
  positions: readonly (readonly [InstrumentKey, quantity: string, costUsd?: string])[],
): PortfolioBook {
  const holdings: Position[] = positions.map(([instrument, quantity, costUsd = '0']) => ({ instrument, quantity, costUsd, openedAt: 1 }));
  const state: TradingBook = { ...emptyBook(id, 'paper', cashUsd), cashUsd, holdings };
  const fills = new Map(holdings.map(({ instrument }) => [instrument, [`fill of ${instrument}`]]));
  return { agentId: null, version: 3, state, fills, margins: new Map() };
}

export function materialOf(more: Partial<PortfolioMaterial> = {}): PortfolioMaterial {
  return {
    at: SATURDAY,
    mode: 'paper',
    books: [],
    wallets: [],
    unread: [],
    quotes: new Map(),
    outcomes: new Map(),
    pools: new Map(),
    mandate: { version: 0, preferences: DEFAULT_PREFERENCES },
    ...more,
  };
}
