/** Reference prices in this service: the share oracle, its fallback and the issuers' marks. */
import { type ReferenceAddresses, referenceAccess } from '../../adapters/venues/reference/access.ts';
import { CATALOG, referenceShares } from '../../domain/catalog/catalog.ts';
import { SANDBOX_KEY } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';
import { keyFor, type SimulatorAt, type VenueEntry } from './entry.ts';

export const reference = {
  ...referenceAccess,
  venue: 'reference',
  addresses: (config: Config, simulator: SimulatorAt): ReferenceAddresses => ({
    reference: { url: config.REFERENCE_URL ?? simulator('reference'), key: keyFor(config.REFERENCE_URL, config.REFERENCE_KEY) },
    referenceFallback: fallbackAddress(config, simulator),
    issuerUrl: config.ISSUER_URL ?? simulator('issuer'),
    // The simulator covers only one issuer.
    issuerProvider: config.ISSUER_URL === null ? 'prestocks' : config.ISSUER_PROVIDER,
  }),
  isSimulated: (config) => config.REFERENCE_URL === null,
  simulators: {
    reference: {
      place: 3,
      async start({ market }, at) {
        const { createReferenceSimulator } = await import('../../sandbox/reference/simulator.ts');
        return createReferenceSimulator({ market, feeds: referenceShares(), apiKey: SANDBOX_KEY, ...at });
      },
    },
    issuer: {
      place: 4,
      async start({ market }, at) {
        const { createIssuerSimulator } = await import('../../sandbox/reference/issuer.ts');
        const preIpo = CATALOG.entries.filter(({ kind }) => kind === 'pre_ipo');
        const tokens = preIpo.map(({ instrument, name, token }) => ({ symbol: instrument, mint: token?.mint ?? '', name }));
        return createIssuerSimulator({ market, tokens, ...at });
      },
    },
    fallback: {
      place: 14,
      async start({ market }, at) {
        const { createShareQuotesSimulator } = await import('../../sandbox/reference/share-quotes.ts');
        return createShareQuotesSimulator({ market, symbols: referenceShares().map(({ symbol }) => symbol), apiKey: SANDBOX_KEY, ...at });
      },
    },
  },
} satisfies VenueEntry;

/** Returns the fallback's address. A simulated price never replaces a real one: with a real first source the fallback is real or absent. */
function fallbackAddress(config: Config, simulator: SimulatorAt): ReferenceAddresses['referenceFallback'] {
  const { REFERENCE_URL: first, REFERENCE_FALLBACK_URL: url, REFERENCE_FALLBACK_KEY: key } = config;
  if (url !== null && key !== null) return { url, key: key.reveal(), provider: config.REFERENCE_FALLBACK_PROVIDER };
  return first === null ? { url: `${simulator('fallback')}/api/v1`, key: SANDBOX_KEY, provider: 'finnhub' } : null;
}
