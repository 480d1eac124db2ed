/** Intelligence in this service: wire, filings, macro series, value locked and social posts. */
import { ALPACA_NEWS_PER_MINUTE, type IntelligenceAddresses, intelligenceBudgets } from '../../adapters/intelligence/access.ts';
import { INTELLIGENCE_SIMULATORS, SANDBOX_CONTACT, SANDBOX_MACRO_KEY } from '../../sandbox/intelligence/simulators.ts';
import type { Config } from '../config.ts';
import { keyFor, type OutsideEntry, type SimulatorAt } from './entry.ts';

/** Returns the news budget of a real provider's plan, in requests per minute, or an empty object for the default. */
export function newsBudget({ NEWS_URL: url, NEWS_PROVIDER: provider }: Config): Record<string, number> {
  return url !== null && provider === 'alpaca' ? { news: ALPACA_NEWS_PER_MINUTE } : {};
}

export const intelligence = {
  venue: 'reference',
  budgets: intelligenceBudgets,
  addresses: (config: Config, simulator: SimulatorAt): IntelligenceAddresses => ({
    newsUrl: config.NEWS_URL ?? simulator('news'),
    intelligence: {
      newsKey: config.NEWS_KEY?.reveal() ?? null,
      newsProvider: config.NEWS_URL === null ? null : config.NEWS_PROVIDER,
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
  simulators: INTELLIGENCE_SIMULATORS,
} satisfies OutsideEntry;
