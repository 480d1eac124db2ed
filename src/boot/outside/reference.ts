/** Reference prices in this service: the oracle of shares, the second source behind it, the issuers' marks, and their simulators. */
import { createReferenceCandles } from '../../adapters/venues/reference/candles.ts';
import { FALLBACK_PER_MINUTE, withFallback } from '../../adapters/venues/reference/fallback.ts';
import { createReferenceClient, createReferenceFeed, REFERENCE_PER_MINUTE } from '../../adapters/venues/reference/feed.ts';
import { createIssuerMarkFeed, MARK_ISSUERS, type MarkMemory, type MarkProvider } from '../../adapters/venues/reference/issuer-marks.ts';
import { createKeyedClient } from '../../adapters/venues/reference/keyed-client.ts';
import { SHARE_QUOTES, type ShareQuotesProvider } from '../../adapters/venues/reference/share-quotes.ts';
import { CATALOG, REFERENCE_FEEDS } from '../../domain/catalog.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import { keyFor, type Reach, type SimulatorAt, type VenueEntry } from './entry.ts';

const ISSUER_PER_MINUTE = 30;

const budgets = (make: MakeBudget) => ({
  reference: make('reference', REFERENCE_PER_MINUTE),
  reference_fallback: make('reference_fallback', FALLBACK_PER_MINUTE),
  issuer: make('issuer', ISSUER_PER_MINUTE),
});

interface Addresses {
  readonly reference: { readonly url: string; readonly key: string | null };
  /** The second source of share prices; null where the first one is real and no real second one is named. */
  readonly referenceFallback: { readonly url: string; readonly key: string; readonly provider: ShareQuotesProvider } | null;
  readonly issuerUrl: string;
  readonly issuerProvider: MarkProvider;
}

type Prices = Reach<Addresses, ReturnType<typeof budgets>>;

const SHARES = REFERENCE_FEEDS.map(({ instrument, feedId, feedSymbol }) => ({ symbol: instrument, feedId, feedSymbol }));
const preIpo = () => CATALOG.entries.filter(({ kind }) => kind === 'pre_ipo');

export const reference = {
  venue: 'reference',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    reference: { url: config.REFERENCE_URL ?? simulator('reference'), key: keyFor(config.REFERENCE_URL, config.REFERENCE_KEY) },
    referenceFallback: fallbackAddress(config, simulator),
    issuerUrl: config.ISSUER_URL ?? simulator('issuer'),
    // The simulator speaks for one issuer only.
    issuerProvider: config.ISSUER_URL === null ? 'prestocks' : config.ISSUER_PROVIDER,
  }),
  isSimulated: (config) => config.REFERENCE_URL === null,
  simulators: {
    reference: {
      place: 3,
      async start({ market }, at) {
        const { createReferenceSimulator } = await import('../../sandbox/reference/simulator.ts');
        return createReferenceSimulator({ market, feeds: SHARES, apiKey: SANDBOX_KEY, ...at });
      },
    },
    issuer: {
      place: 4,
      async start({ market }, at) {
        const { createIssuerSimulator } = await import('../../sandbox/reference/issuer.ts');
        const tokens = preIpo().map(({ instrument, name, token }) => ({ symbol: instrument, mint: token?.mint ?? '', name }));
        return createIssuerSimulator({ market, tokens, ...at });
      },
    },
    fallback: {
      place: 14,
      async start({ market }, at) {
        const { createShareQuotesSimulator } = await import('../../sandbox/reference/share-quotes.ts');
        return createShareQuotesSimulator({ market, symbols: SHARES.map(({ symbol }) => symbol), apiKey: SANDBOX_KEY, ...at });
      },
    },
  },

  open(reach: Prices, memory?: MarkMemory) {
    const { addresses, clock, random, note } = reach;
    const { url, key } = addresses.reference;
    const asking = { ...(key === null ? {} : { apiKey: key }), budget: reach.budgets.reference, clock, random };
    // The provider serves history beside its price routes, not under them.
    const history = createReferenceClient({ baseUrl: url.replace(/\/hermes\/?$/, ''), ...asking, note });
    const marks = markFeed(reach, memory);
    return {
      feeds: [behindIt(reach, createReferenceFeed({ baseUrl: url, ...asking, instruments: SHARES })), marks],
      history: createReferenceCandles({ client: history, instruments: SHARES }),
      extras: { marks: () => marks.states() },
    };
  },
} satisfies VenueEntry;

/** A simulated price never stands in for a real one: beside a real first source there is a real second one, or none. */
function fallbackAddress(config: Config, simulator: SimulatorAt): Addresses['referenceFallback'] {
  const { REFERENCE_URL: first, REFERENCE_FALLBACK_URL: url, REFERENCE_FALLBACK_KEY: key } = config;
  if (url !== null && key !== null) return { url, key: key.reveal(), provider: config.REFERENCE_FALLBACK_PROVIDER };
  return first === null ? { url: `${simulator('fallback')}/api/v1`, key: SANDBOX_KEY, provider: 'finnhub' } : null;
}

/** The first source with the second one behind it, where there is one. */
function behindIt(
  { addresses, budgets: { reference_fallback: budget }, clock, random }: Prices,
  primary: ReturnType<typeof createReferenceFeed>,
) {
  const second = addresses.referenceFallback;
  if (second === null) return primary;
  const { url: baseUrl, key, provider } = second;
  const symbols = SHARES.map(({ symbol }) => symbol);
  return withFallback({ primary, provider: SHARE_QUOTES[provider], baseUrl, key, symbols, clock, random, budget });
}

function markFeed({ addresses, budgets: { issuer: budget }, clock, random }: Prices, memory: MarkMemory | undefined) {
  const { issuerUrl: baseUrl, issuerProvider } = addresses;
  return createIssuerMarkFeed({
    client: createKeyedClient({ venue: 'reference', baseUrl, clock, random, perMinute: ISSUER_PER_MINUTE, budget }),
    issuer: MARK_ISSUERS[issuerProvider],
    mints: new Map(preIpo().map((entry) => [entry.instrument, entry.token?.mint ?? ''])),
    clock,
    random,
    ...(memory === undefined ? {} : { memory }),
  });
}
