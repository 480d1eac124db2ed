/** Data of the venues, and the catalog: the group of their routes. */
import type { RouteGroup } from '../../route.ts';
import { listCandles, listCandleWork, listDayCloses } from './candles.ts';
import { listCatalog, listMarks, listSessions } from './catalog.ts';
import { getOrderBook } from './order-books.ts';
import { getPerp, listPerps } from './perps.ts';
import { getChainWallet, getPublicWallet } from './public-wallets.ts';
import { listQuotes } from './quotes.ts';
import { listTickers } from './tickers.ts';
import { listVenues } from './venues.ts';

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
