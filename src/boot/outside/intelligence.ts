/** Intelligence in this service: wire, filings, macro series, value locked and social posts. */
import { ALPACA_NEWS_PER_MINUTE, type IntelligenceAddresses, intelligenceBudgets } from '../../adapters/intelligence/access.ts';
import { SANDBOX_KEY } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';
import { keyFor, type OutsideEntry, type SimulatorAt } from './entry.ts';

/** API key of the sandbox's FRED and EDGAR. It is valid only in the sandbox. */
const SANDBOX_MACRO_KEY = '0123456789abcdef0123456789abcdef';
const SANDBOX_CONTACT = 'Sevengate sandbox@localhost.example';

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
