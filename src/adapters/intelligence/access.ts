/** Opens the intelligence sources: news, filings, macro series, value locked and social posts. */
import { createUnknownFields } from '../../../streams/feed-counters.ts';
import { CATALOG, listCatalogUnderlyings } from '../../domain/catalog/catalog.ts';
import { indexEntityNames } from '../../domain/intelligence/entities.ts';
import type { NewsProviderName } from '../../domain/intelligence/listening.ts';
import type { MakeBudget } from '../queue/request-budgets.ts';
import type { Reach } from '../reach.ts';
import { createKeyedClient, type KeyedClient } from '../venues/reference/keyed-client.ts';
import type { RequestBudget } from '../venues/request-budget.ts';
import { createFilingsFeed } from './filings.ts';
import type { IntelligenceSources } from './intelligence-feed.ts';
import { createMacroFeed } from './macro-feed.ts';
import { NEWS_PROVIDERS } from './news-providers.ts';
import { createWireFeed } from './newswire.ts';
import { createSocialFeed } from './social-feed.ts';
import { createTvlFeed } from './tvl.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

const NEWS_PER_MINUTE = 30;
/** Requests per minute, of the 200 in every plan. A month of news is then read within minutes, after which missing news is meaningful. */
export const ALPACA_NEWS_PER_MINUTE = 150;
const TVL_PER_MINUTE = 60;
/** Requests per minute. The statistics office allows 120 and the regulator 10 per second; other clients may share the address. */
const MACRO_PER_MINUTE = 90;
const FILINGS_PER_SECOND = 8;
/** Searches per 15 minutes that every plan allows. */
const SOCIAL_PER_WINDOW = 60;

/** Request budgets of the sources for one address. */
export const intelligenceBudgets = (make: MakeBudget) => ({
  news: make('news', NEWS_PER_MINUTE),
  tvl: make('tvl', TVL_PER_MINUTE),
  macro: make('macro', MACRO_PER_MINUTE),
  filings: make('filings', FILINGS_PER_SECOND, 1_000),
  social: make('social', SOCIAL_PER_WINDOW, 15 * MINUTE_MS),
});

export interface IntelligenceAddresses {
  readonly newsUrl: string;
  readonly intelligence: {
    /** Key of requests for news; null if none is needed. */
    readonly newsKey: string | null;
    /** Null for the sandbox's news source, which has its own format. */
    readonly newsProvider: NewsProviderName | null;
    readonly tvlUrl: string;
    readonly macro: { readonly url: string; readonly key: string };
    /** `contact` is the User-Agent that the regulator requires; `archiveUrl` is the location of documents, null in the sandbox. */
    readonly filings: { readonly url: string; readonly contact: string; readonly archiveUrl: string | null };
    /** `siteUrl` is the address of posts on the web, null in the sandbox. */
    readonly social: { readonly url: string; readonly key: string | null; readonly siteUrl: string | null };
  };
}

/** Creates every source. They connect when they are subscribed. */
export function createIntelligenceSources({
  addresses,
  budgets: paid,
  clock,
  random,
}: Omit<Reach<IntelligenceAddresses, ReturnType<typeof intelligenceBudgets>>, 'note'>): IntelligenceSources {
  const names = indexEntityNames(CATALOG);
  const assets = listCatalogUnderlyings();
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
