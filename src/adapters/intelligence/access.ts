/** Intelligence as a process reaches it: the wire, filings, macro series, value on chains and social posts. */
import { createUnknownFields } from '../../../streams/feed-counters.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { entityNamesOf } from '../../domain/intelligence/entities.ts';
import type { NewsProviderName } from '../../domain/intelligence/listening.ts';
import type { MakeBudget } from '../queue/request-budgets.ts';
import type { Reach } from '../reach.ts';
import { createKeyedClient, type KeyedClient } from '../venues/reference/keyed-client.ts';
import type { RequestBudget } from '../venues/request-budget.ts';
import { createFilingsFeed } from './filings.ts';
import type { IntelligenceSources } from './intelligence-feed.ts';
import { createMacroFeed } from './macro.ts';
import { NEWS_PROVIDERS } from './news-providers.ts';
import { createWireFeed } from './newswire.ts';
import { createSocialFeed } from './social.ts';
import { createTvlFeed } from './tvl.ts';

const NEWS_PER_MINUTE = 30;
/**
 * Requests per minute, of the 200 that every plan has. A month of everybody's news is read within minutes, so that the absence of news soon
 * counts.
 */
export const ALPACA_NEWS_PER_MINUTE = 150;
const TVL_PER_MINUTE = 60;
/** The statistics office allows 120 a minute, the regulator 10 a second; others may share our address. */
const MACRO_PER_MINUTE = 90;
const FILINGS_PER_SECOND = 8;
/** Searches in a window of 15 minutes that every plan of the platform allows. */
const SOCIAL_PER_WINDOW = 60;

/** Request budgets of the sources for one address. */
export const intelligenceBudgets = (make: MakeBudget) => ({
  news: make('news', NEWS_PER_MINUTE),
  tvl: make('tvl', TVL_PER_MINUTE),
  macro: make('macro', MACRO_PER_MINUTE),
  filings: make('filings', FILINGS_PER_SECOND, 1_000),
  social: make('social', SOCIAL_PER_WINDOW, 15 * 60_000),
});

export interface IntelligenceAddresses {
  readonly newsUrl: string;
  readonly intelligence: {
    /** Key sent with every request for wire items; null if none is needed. */
    readonly newsKey: string | null;
    /** Null for the sandbox's wire, which speaks a format of its own. */
    readonly newsProvider: NewsProviderName | null;
    readonly tvlUrl: string;
    readonly macro: { readonly url: string; readonly key: string };
    /** `contact` is the User-Agent that the regulator wants; `archiveUrl` is where the documents lie, null in the sandbox. */
    readonly filings: { readonly url: string; readonly contact: string; readonly archiveUrl: string | null };
    /** `siteUrl` is where posts can be looked at, null in the sandbox. */
    readonly social: { readonly url: string; readonly key: string | null; readonly siteUrl: string | null };
  };
}

/** Every source, from addresses alone. They connect when they are subscribed, not before. */
export function createIntelligenceSources({
  addresses,
  budgets: paid,
  clock,
  random,
}: Omit<Reach<IntelligenceAddresses, ReturnType<typeof intelligenceBudgets>>, 'note'>): IntelligenceSources {
  const names = entityNamesOf(CATALOG);
  const assets = [...new Set(CATALOG.entries.map(({ underlying }) => underlying))];
  const { newsKey, newsProvider, tvlUrl, macro, filings, social } = addresses.intelligence;
  const client = (baseUrl: string, budget: RequestBudget, headers: Readonly<Record<string, string>> = {}): KeyedClient =>
    createKeyedClient({ venue: 'reference', baseUrl, headers, clock, random, perMinute: 60, budget });
  const bearer = (key: string | null): Readonly<Record<string, string>> => (key === null ? {} : { authorization: `Bearer ${key}` });
  const unknownFields = createUnknownFields();
  const asking = { clock, random, note: unknownFields.note };
  const newsFeed = () => {
    if (newsProvider === null) return createWireFeed({ ...asking, names, client: client(addresses.newsUrl, paid.news) });
    const provider = NEWS_PROVIDERS[newsProvider];
    const headers = newsKey === null ? {} : provider.headers(newsKey);
    const shares = CATALOG.source.tables.shares.map(({ underlying }) => underlying);
    return createWireFeed({ ...asking, names, client: client(addresses.newsUrl, paid.news, headers), provider, shares });
  };
  const { archiveUrl } = filings;
  const { siteUrl } = social;
  const sources = [
    newsFeed(),
    createFilingsFeed({ ...asking, names, client: client(filings.url, paid.filings, { 'user-agent': filings.contact }), archiveUrl }),
    createMacroFeed({ ...asking, client: client(macro.url, paid.macro), apiKey: macro.key }),
    createTvlFeed({ ...asking, client: client(tvlUrl, paid.tvl) }),
    createSocialFeed({ ...asking, names, assets, siteUrl, client: client(social.url, paid.social, bearer(social.key)) }),
  ];
  return { sources, unknownFields };
}
