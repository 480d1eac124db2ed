/** Data of the venues, and the catalog. */
import type { ChainWalletReads } from '../../../src/adapters/evmchain/wallet-reads.ts';
import type { QuoteReads } from '../../../src/adapters/queue/quote-bus.ts';
import type { PrimaryWalletReads } from '../../../src/adapters/solana/primary-wallets.ts';
import type { IssuerMarkStore } from '../../../src/adapters/store/catalog/issuer-mark-store.ts';
import type { LongWorkReads } from '../../../src/adapters/store/long-work-store.ts';
import type { CandleReads } from '../../../src/adapters/venues/candle-reads.ts';
import type { FundingReads, PublicWalletReads } from '../../../src/adapters/venues/evmvenue/wallet-reads.ts';
import type { OrderBookReads } from '../../../src/adapters/venues/order-book-reads.ts';
import type { Catalog } from '../../../src/domain/catalog/catalog.ts';
import type { BudgetState } from '../../../src/domain/market/market-state.ts';
import { type RouteGroup } from '../../route.ts';
import { listDayCloses } from '../candles/day.ts';
import { listCandles } from '../candles/list.ts';
import { listCandleWork } from '../candles/work.ts';
import { listCatalog } from '../catalog/list.ts';
import { listMarks } from '../catalog/marks.ts';
import { listSessions } from '../catalog/sessions.ts';
import { getOrderBook } from '../order-book/get.ts';
import { getPerp } from '../perps/get.ts';
import { listPerps } from '../perps/list.ts';
import { getPublicWallet } from '../public-wallet/get.ts';
import { listQuotes } from '../quotes/list.ts';
import type { MarketStateReads } from '../state-reads.ts';
import { listTickers } from '../tickers/list.ts';
import { listVenues } from '../venues/list.ts';
import { getChainWallet } from '../wallets/evmvenue.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly catalog: {
      readonly entries: Catalog;
      readonly marks: Pick<IssuerMarkStore, 'changes'>;
    };
    readonly quotes: QuoteReads;
    readonly candles: CandleReads;
    readonly longWork: LongWorkReads;
    readonly orderBook: OrderBookReads;
    readonly venues: {
      readonly states: MarketStateReads;
      /** Remaining requests of this process, by provider. */
      budgets(): readonly BudgetState[];
    };
    readonly funding: FundingReads;
    /** Wallets of anybody, read from outside. */
    readonly wallets: {
      readonly venue: PublicWalletReads;
      readonly evm: ChainWalletReads;
      /** Absent if no node of the primary chain reads wallets. */
      readonly primary?: PrimaryWalletReads;
    };
  }
}

export const marketRoutes: RouteGroup = {
  tag: {
    name: 'market',
    position: 40,
    description:
      'Quotes, order books, candles, perpetuals, prediction markets and the instrument catalog. Look up an instrument in `GET /v1/catalog`, then read its quote or subscribe to a feed. Every price has a `quality`: only `live` may become an order.',
  },
  routes: [
    listQuotes,
    listCandles,
    listDayCloses,
    listCandleWork,
    getOrderBook,
    listTickers,
    listPerps,
    getPerp,
    listVenues,
    getPublicWallet,
    getChainWallet,
    listCatalog,
    listMarks,
    listSessions,
  ],
};
