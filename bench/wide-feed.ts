/**
 * The feed role over more instruments than one connection of the spot exchange carries: its own adapter once for each group, and
 * everything after it as the service composes it. Usage: `node --import tsx bench/wide-feed.ts <instruments>`
 */
import { createClockWatch } from '../actors/runtime/clock-watch.ts';
import { serveHealthPage } from '../src/adapters/health-page.ts';
import { createLog } from '../src/adapters/log/log.ts';
import { serviceClock } from '../src/adapters/store/agents/dispatch-store.ts';
import { createSpotExchangeFeed } from '../src/adapters/venues/spotexchange/feed.ts';
import { createSpotRest } from '../src/adapters/venues/spotexchange/rest.ts';
import { isConfig, readConfig } from '../src/boot/config.ts';
import { openContainment } from '../src/boot/containment.ts';
import { type MarketAccess, openMarketAccess } from '../src/boot/market-access.ts';
import { budgetStates, createVenues, type Venues } from '../src/boot/outside/index.ts';
import { startFeed } from '../src/boot/roles/feed.ts';
import { openActors } from '../src/boot/roles/worker.ts';
import { createServiceProcess } from '../src/boot/service-process.ts';
import { openStoreConnections } from '../src/boot/store-connections.ts';
import { CATALOG, type CatalogEntry } from '../src/domain/catalog/catalog.ts';
import type { Sql } from '../src/adapters/store/database.ts';
import { createIssuerMarkStore } from '../src/adapters/store/catalog/issuer-mark-store.ts';
import { followedBooks } from '../src/adapters/venues/listed.ts';

/** Each instrument has four streams, and a connection 1,024. */
const PER_CONNECTION = 256;

/** Returns the name of an instrument: `W0007USDT`. */
export const wideName = (index: number): string => `W${String(index).padStart(4, '0')}USDT`;

if (process.argv[1]?.endsWith('wide-feed.ts') === true) await run(Number(process.argv[2]));

async function run(count: number): Promise<void> {
  const config = readConfig(process.env);
  if (!isConfig(config)) throw new Error(JSON.stringify(config));
  const log = createLog(config.LOG_LEVEL);
  const stopping = new AbortController();
  const service = createServiceProcess({
    config,
    roles: ['feed'],
    record: null,
    path: process.env['PATH'] ?? '',
    log,
    signal: stopping.signal,
  });
  process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)));
  const store = await openStoreConnections(service);
  const { clock } = service;
  const market = openMarketAccess(service, store.servers.redisUrl, null);
  const clockWatch = createClockWatch({ databaseNow: () => serviceClock(store.sql), clock, log, told: () => {} });
  service.onStop('the comparison of clocks', clockWatch.stop);
  await clockWatch.check();
  const venues = widened(market, store.feed, count);
  const feed = startFeed({
    sql: store.feed,
    venues: () => venues,
    pastOf: () => ({}),
    bus: market.bus,
    states: market.states,
    budgets: () => budgetStates(market.reach.budgets, clock.now()),
    runtime: openActors(store.sql, clock, service.newId).runtime,
    clock,
    random: service.random,
    holder: service.holder,
    log,
    metrics: service.metrics,
    clockWatch,
    containment: openContainment(service, store.sql),
  });
  service.onStop('the feed', feed.stop);
  const page = await serveHealthPage(service.metrics, { host: config.HOST, port: config.PORT });
  service.onStop('the health page', () => page.stop());
}

/** Lists the instruments, each as a leg of a basis, so that every cut has all of them. */
function list(count: number): void {
  const model = CATALOG.bySymbol('BTCUSDT') as CatalogEntry;
  CATALOG.list(
    Array.from({ length: count }, (_, index) => {
      const instrument = wideName(index);
      const key = `spotexchange:${instrument}` as const;
      return { ...model, key, instrument, underlying: `W${index}`, pairs: [], pairedSpot: key };
    }),
  );
}

/** Returns the venues of the service with many spot instruments instead of its few, and lists those. */
function widened({ reach }: MarketAccess, sql: Sql, count: number): Venues {
  const real = createVenues(reach, createIssuerMarkStore(sql));
  list(count);
  const rest = createSpotRest({ ...reach, baseUrl: reach.addresses.spotexchange.url, budget: reach.budgets.spotexchange });
  const { streamUrl } = reach.addresses.spotexchange;
  const groups = Array.from({ length: Math.ceil(count / PER_CONNECTION) }, (_, group) => {
    const first = group * PER_CONNECTION;
    const instruments = Array.from({ length: Math.min(PER_CONNECTION, count - first) }, (_unused, index) => wideName(first + index));
    const feed = createSpotExchangeFeed({ ...reach, streamUrl, rest, instruments, tickers: true, trades: true });
    const tickers = instruments.map((instrument) => ({ instrument, read: () => feed.dayTicker(instrument) }));
    return { feed, books: followedBooks(feed, instruments) ?? [], tickers };
  });
  const others = real.extras.books?.filter(({ venue }) => venue !== 'spotexchange') ?? [];
  return {
    ...real,
    feeds: [...real.feeds.filter(({ venue }) => venue !== 'spotexchange'), ...groups.map(({ feed }) => feed)],
    extras: {
      ...real.extras,
      books: [...others, ...groups.flatMap(({ books }) => books)],
      tickers: groups.flatMap(({ tickers }) => tickers),
    },
  };
}
