/** Data of the venues, and the catalog. */
import { entry, type RouteGroup } from '../../route.ts';
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
import { listTickers } from '../tickers/list.ts';
import { listVenues } from '../venues/list.ts';
import { getChainWallet } from '../wallets/evmvenue.ts';

export const marketRoutes: RouteGroup = {
  tag: {
    name: 'market',
    position: 40,
    description:
      'Quotes, order books, candles, perpetuals, prediction markets and the instrument catalog. Look up an instrument in `GET /v1/catalog`, then read its quote or subscribe to a feed. Every price has a `quality`: only `live` may become an order.',
  },
  routes: [
    entry(listQuotes, 'market:read'),
    entry(listCandles, 'market:read'),
    entry(listDayCloses, 'market:read'),
    entry(listCandleWork, 'market:read'),
    entry(getOrderBook, 'market:read'),
    entry(listTickers, 'market:read'),
    entry(listPerps, 'market:read'),
    entry(getPerp, 'market:read'),
    entry(listVenues, 'market:read'),
    entry(getPublicWallet, 'market:read'),
    entry(getChainWallet, 'market:read'),
    entry(listCatalog, 'market:read'),
    entry(listMarks, 'market:read'),
    entry(listSessions, 'market:read'),
  ],
};
