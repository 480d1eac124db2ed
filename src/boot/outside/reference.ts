/** Reference prices in this service: the oracle of shares, the second source behind it, and the issuers' marks. */
import { type ReferenceAddresses, referenceAccess } from '../../adapters/venues/reference/access.ts';
import { REFERENCE_SIMULATORS } from '../../sandbox/reference/simulators.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import type { Config } from '../config.ts';
import { keyFor, type SimulatorAt, type VenueEntry } from './entry.ts';

export const reference = {
  ...referenceAccess,
  venue: 'reference',
  addresses: (config: Config, simulator: SimulatorAt): ReferenceAddresses => ({
    reference: { url: config.REFERENCE_URL ?? simulator('reference'), key: keyFor(config.REFERENCE_URL, config.REFERENCE_KEY) },
    referenceFallback: fallbackAddress(config, simulator),
    issuerUrl: config.ISSUER_URL ?? simulator('issuer'),
    // The simulator speaks for one issuer only.
    issuerProvider: config.ISSUER_URL === null ? 'prestocks' : config.ISSUER_PROVIDER,
  }),
  isSimulated: (config) => config.REFERENCE_URL === null,
  simulators: REFERENCE_SIMULATORS,
} satisfies VenueEntry;

/** A simulated price never stands in for a real one: beside a real first source there is a real second one, or none. */
function fallbackAddress(config: Config, simulator: SimulatorAt): ReferenceAddresses['referenceFallback'] {
  const { REFERENCE_URL: first, REFERENCE_FALLBACK_URL: url, REFERENCE_FALLBACK_KEY: key } = config;
  if (url !== null && key !== null) return { url, key: key.reveal(), provider: config.REFERENCE_FALLBACK_PROVIDER };
  return first === null ? { url: `${simulator('fallback')}/api/v1`, key: SANDBOX_KEY, provider: 'finnhub' } : null;
}
