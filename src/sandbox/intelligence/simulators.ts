/** Simulators of intelligence sources: wire, filings, macro series, value locked and social posts. */
import { SANDBOX_KEY } from '../sandbox-key.ts';
import type { Simulators } from '../simulator-entry.ts';

/** API key of the sandbox's FRED and EDGAR. It is valid only in the sandbox. */
export const SANDBOX_MACRO_KEY = '0123456789abcdef0123456789abcdef';
export const SANDBOX_CONTACT = 'Sevengate sandbox@localhost.example';

export const INTELLIGENCE_SIMULATORS = {
  news: {
    place: 5,
    start: async ({ stories: news }, at) => (await import('../news/simulator.ts')).createNewsSimulator({ news, ...at }),
  },
  tvl: {
    place: 7,
    start: async ({ market, seed }, at) => (await import('./tvl-simulator.ts')).createTvlSimulator({ market, seed, ...at }),
  },
  macro: {
    place: 8,
    async start({ seed, value }, at) {
      const { createMacroSimulator } = await import('./macro-simulator.ts');
      const { createSeededMacro } = await import('./seeded-macro.ts');
      return createMacroSimulator({ macro: createSeededMacro(seed, value), apiKey: SANDBOX_MACRO_KEY, ...at });
    },
  },
  filings: {
    place: 9,
    start: async ({ stories, companies }, at) =>
      (await import('./filings-simulator.ts')).createFilingsSimulator({ stories, companies, ...at }),
  },
  social: {
    place: 10,
    async start({ market, stories, seed }, at) {
      const { createSocialSimulator } = await import('./social-simulator.ts');
      return createSocialSimulator({ market, stories, seed, bearer: SANDBOX_KEY, ...at });
    },
  },
} satisfies Simulators;
