/** Each source of intelligence with its simulator, polled every 15 s. */
import type { Observable } from 'rxjs';
import { createFilingsFeed } from '../../src/adapters/intelligence/filings.ts';
import { createMacroFeed } from '../../src/adapters/intelligence/macro-feed.ts';
import { createWireFeed } from '../../src/adapters/intelligence/newswire.ts';
import { createSocialFeed } from '../../src/adapters/intelligence/social-feed.ts';
import { createTvlFeed } from '../../src/adapters/intelligence/tvl.ts';
import { createKeyedClient } from '../../src/adapters/venues/reference/keyed-client.ts';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../src/domain/intelligence/entities.ts';
import { DAY_MS } from '../../src/domain/values/time.ts';
import type { FaultSwitch } from '../../src/sandbox/faults.ts';
import { createFilingsSimulator } from '../../src/sandbox/intelligence/filings-simulator.ts';
import { createMacroSimulator } from '../../src/sandbox/intelligence/macro-simulator.ts';
import { createSeededMacro } from '../../src/sandbox/intelligence/seeded-macro.ts';
import { createSeededStories } from '../../src/sandbox/intelligence/seeded-stories.ts';
import { createSocialSimulator } from '../../src/sandbox/intelligence/social-simulator.ts';
import { createTvlSimulator } from '../../src/sandbox/intelligence/tvl-simulator.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { createNewsSimulator } from '../../src/sandbox/news/simulator.ts';
import type { HttpSimulator } from '../../src/sandbox/reference/http-simulator.ts';
import type { VirtualClock } from '../../streams/clock/virtual-clock.ts';
import type { Message } from './asked-sources-fixture.ts';

const random = (): number => 0.5;
const KEY = '0123456789abcdef0123456789abcdef';
const market = createSeededMarket({ seed: 3 });
const value = (symbol: string, at: number): number => market.value(symbol, at);
const stories = createSeededStories({ seed: 3, symbols: market.assets.map(({ symbol }) => symbol), filers: ['AAPL', 'TSLA'] });
const names = indexEntityNames(CATALOG);
const few = indexEntityNames(CATALOG, [
  { asset: 'AAPL', cik: '320193', tickers: [], names: [], distinctive: [] },
  { asset: 'TSLA', cik: '1318605', tickers: [], names: [], distinctive: [] },
]);
const companies = [
  { cik: '320193', symbol: 'AAPL', name: 'Apple Inc.' },
  { cik: '1318605', symbol: 'TSLA', name: 'Tesla, Inc.' },
];

/** Each source with its simulator. */
export interface Source {
  open(clock: VirtualClock, faults: FaultSwitch): Promise<HttpSimulator>;
  feed(url: string, clock: VirtualClock): Observable<Message>;
}
const clientOf = (baseUrl: string, clock: VirtualClock, headers: Record<string, string> = {}) =>
  createKeyedClient({ venue: 'reference', baseUrl, clock, random, perMinute: 6_000, headers, budget: new WeightBudget(6_000) });
const EVERY_MS = 15_000;
export const SOURCES: Readonly<Record<string, Source>> = {
  wire: {
    open: (clock, faults) => createNewsSimulator({ news: stories, clock, faults, port: 0 }),
    feed: (url, clock) => createWireFeed({ client: clientOf(url, clock), names, clock, random, everyMs: EVERY_MS }),
  },
  filings: {
    open: (clock, faults) => createFilingsSimulator({ stories, companies, clock, faults, port: 0 }),
    feed: (url, clock) =>
      createFilingsFeed({
        client: clientOf(url, clock, { 'user-agent': 'Test desk@example.com' }),
        names: few,
        clock,
        random,
        everyMs: EVERY_MS,
        archiveUrl: null,
      }),
  },
  macro: {
    open: (clock, faults) => createMacroSimulator({ macro: createSeededMacro(3, value), clock, apiKey: KEY, faults, port: 0 }),
    feed(url, clock) {
      const series = [{ id: 'DFF', title: '', group: 'rates', units: 'lin', unit: '', frequency: 'daily', maxAgeMs: DAY_MS }] as const;
      return createMacroFeed({ client: clientOf(url, clock), apiKey: KEY, clock, random, everyMs: EVERY_MS, series });
    },
  },
  tvl: {
    open: (clock, faults) => createTvlSimulator({ market, clock, seed: 3, faults, port: 0 }),
    feed: (url, clock) => createTvlFeed({ client: clientOf(url, clock), clock, random, everyMs: EVERY_MS, histories: 2 }),
  },
  social: {
    open: (clock, faults) => createSocialSimulator({ market, stories, clock, seed: 3, faults, port: 0 }),
    feed: (url, clock) =>
      createSocialFeed({ client: clientOf(url, clock), names, assets: ['AAPL', 'BTC'], siteUrl: null, clock, random, everyMs: EVERY_MS }),
  },
};
