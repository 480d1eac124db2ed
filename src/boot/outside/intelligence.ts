/** Intelligence in this service: the wire, filings, macro series, value on chains and social posts, and their simulators. */
import { createUnknownFields } from '../../../streams/feed-counters.ts';
import { createFilingsFeed } from '../../adapters/intelligence/filings.ts';
import type { IntelligenceSources } from '../../adapters/intelligence/intelligence-feed.ts';
import { createMacroFeed } from '../../adapters/intelligence/macro.ts';
import { createWireFeed } from '../../adapters/intelligence/newswire.ts';
import { createSocialFeed } from '../../adapters/intelligence/social.ts';
import { createTvlFeed } from '../../adapters/intelligence/tvl.ts';
import { createKeyedClient, type KeyedClient } from '../../adapters/venues/reference/keyed-client.ts';
import type { RequestBudget } from '../../adapters/venues/request-budget.ts';
import { CATALOG } from '../../domain/catalog.ts';
import { entityNamesOf } from '../../domain/intelligence/entities.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import { keyFor, type OutsideEntry, type Reach, type SimulatorAt } from './entry.ts';

const NEWS_PER_MINUTE = 30;
const TVL_PER_MINUTE = 60;
/** The statistics office allows 120 a minute, the regulator 10 a second; others may share our address. */
const MACRO_PER_MINUTE = 90;
const FILINGS_PER_SECOND = 8;
/** Searches in a window of 15 minutes that every plan of the platform allows. */
const SOCIAL_PER_WINDOW = 60;
/** What the sandbox's statistics office and regulator ask for; of no use anywhere else. */
const SANDBOX_MACRO_KEY = '0123456789abcdef0123456789abcdef';
const SANDBOX_CONTACT = 'Sevengate sandbox@localhost.example';

const budgets = (make: MakeBudget) => ({
  news: make('news', NEWS_PER_MINUTE),
  tvl: make('tvl', TVL_PER_MINUTE),
  macro: make('macro', MACRO_PER_MINUTE),
  filings: make('filings', FILINGS_PER_SECOND, 1_000),
  social: make('social', SOCIAL_PER_WINDOW, 15 * 60_000),
});

interface Addresses {
  readonly newsUrl: string;
  readonly intelligence: {
    /** Sent with every request for wire items; null where none is wanted. */
    readonly newsKey: string | null;
    readonly tvlUrl: string;
    readonly macro: { readonly url: string; readonly key: string };
    /** `contact` is the User-Agent that the regulator wants; `archiveUrl` is where the documents lie, null in the sandbox. */
    readonly filings: { readonly url: string; readonly contact: string; readonly archiveUrl: string | null };
    /** `siteUrl` is where posts can be looked at, null in the sandbox. */
    readonly social: { readonly url: string; readonly key: string | null; readonly siteUrl: string | null };
  };
}

export const intelligence = {
  venue: 'reference',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    newsUrl: config.NEWS_URL ?? simulator('news'),
    intelligence: {
      newsKey: config.NEWS_KEY?.reveal() ?? null,
      tvlUrl: config.TVL_URL ?? simulator('tvl'),
      macro: {
        url: config.MACRO_URL ?? simulator('macro'),
        key: config.MACRO_URL === null ? SANDBOX_MACRO_KEY : (config.MACRO_KEY?.reveal() ?? ''),
      },
      filings: {
        url: config.FILINGS_URL ?? simulator('filings'),
        contact: config.FILINGS_URL === null ? SANDBOX_CONTACT : (config.FILINGS_CONTACT ?? ''),
        archiveUrl: config.FILINGS_URL === null ? null : 'https://www.sec.gov/Archives',
      },
      social: {
        url: config.SOCIAL_URL ?? simulator('social'),
        key: keyFor(config.SOCIAL_URL, config.SOCIAL_KEY),
        siteUrl: config.SOCIAL_URL === null ? null : 'https://x.com',
      },
    },
  }),
  isSimulated: ({ NEWS_URL, TVL_URL, MACRO_URL, FILINGS_URL, SOCIAL_URL }) =>
    [NEWS_URL, TVL_URL, MACRO_URL, FILINGS_URL, SOCIAL_URL].includes(null),
  simulators: {
    news: {
      place: 5,
      start: async ({ stories: news }, at) => (await import('../../sandbox/news/simulator.ts')).createNewsSimulator({ news, ...at }),
    },
    tvl: {
      place: 7,
      start: async ({ market, seed }, at) =>
        (await import('../../sandbox/intelligence/tvl-simulator.ts')).createTvlSimulator({ market, seed, ...at }),
    },
    macro: {
      place: 8,
      async start({ seed, value }, at) {
        const { createMacroSimulator } = await import('../../sandbox/intelligence/macro-simulator.ts');
        const { createSeededMacro } = await import('../../sandbox/intelligence/seeded-macro.ts');
        return createMacroSimulator({ macro: createSeededMacro(seed, value), apiKey: SANDBOX_MACRO_KEY, ...at });
      },
    },
    filings: {
      place: 9,
      start: async ({ stories, companies }, at) =>
        (await import('../../sandbox/intelligence/filings-simulator.ts')).createFilingsSimulator({ stories, companies, ...at }),
    },
    social: {
      place: 10,
      async start({ market, stories, seed }, at) {
        const { createSocialSimulator } = await import('../../sandbox/intelligence/social-simulator.ts');
        return createSocialSimulator({ market, stories, seed, bearer: SANDBOX_KEY, ...at });
      },
    },
  },
} satisfies OutsideEntry;

/** Every source, from addresses alone. They connect when they are subscribed, not before. */
export function createIntelligenceSources({
  addresses,
  budgets: paid,
  clock,
  random,
}: Pick<Reach<Addresses, ReturnType<typeof budgets>>, 'addresses' | 'budgets' | 'clock' | 'random'>): IntelligenceSources {
  const names = entityNamesOf(CATALOG);
  const assets = [...new Set(CATALOG.entries.map(({ underlying }) => underlying))];
  const { newsKey, tvlUrl, macro, filings, social } = addresses.intelligence;
  const client = (baseUrl: string, budget: RequestBudget, headers: Readonly<Record<string, string>> = {}): KeyedClient =>
    createKeyedClient({ venue: 'reference', baseUrl, headers, clock, random, perMinute: 60, budget });
  const bearer = (key: string | null): Readonly<Record<string, string>> => (key === null ? {} : { authorization: `Bearer ${key}` });
  const unknownFields = createUnknownFields();
  const asking = { clock, random, note: unknownFields.note };
  const { archiveUrl } = filings;
  const { siteUrl } = social;
  const sources = [
    createWireFeed({ ...asking, names, client: client(addresses.newsUrl, paid.news, bearer(newsKey)) }),
    createFilingsFeed({ ...asking, names, client: client(filings.url, paid.filings, { 'user-agent': filings.contact }), archiveUrl }),
    createMacroFeed({ ...asking, client: client(macro.url, paid.macro), apiKey: macro.key }),
    createTvlFeed({ ...asking, client: client(tvlUrl, paid.tvl) }),
    createSocialFeed({ ...asking, names, assets, siteUrl, client: client(social.url, paid.social, bearer(social.key)) }),
  ];
  return { sources, unknownFields };
}
