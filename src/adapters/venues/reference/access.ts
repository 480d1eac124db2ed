/** Access of a process to reference prices: the share oracle, its fallback and the issuers' marks. */
import { CATALOG, referenceShares } from '../../../domain/catalog/catalog.ts';
import type { MakeBudget } from '../../queue/request-budgets.ts';
import type { Reach } from '../../reach.ts';
import { createReferenceCandles } from './candles.ts';
import { FALLBACK_PER_MINUTE, withFallback } from './fallback.ts';
import { createReferenceClient, createReferenceFeed, REFERENCE_PER_MINUTE } from './feed.ts';
import { createIssuerMarkFeed, MARK_ISSUERS, type MarkMemory } from './issuer-marks.ts';
import { createKeyedClient } from './keyed-client.ts';
import type { MarkProvider, ShareQuotesProvider } from './providers.ts';
import { SHARE_QUOTES } from './share-quotes.ts';

const ISSUER_PER_MINUTE = 30;

const budgets = (make: MakeBudget) => ({
  reference: make('reference', REFERENCE_PER_MINUTE),
  reference_fallback: make('reference_fallback', FALLBACK_PER_MINUTE),
  issuer: make('issuer', ISSUER_PER_MINUTE),
});

export interface ReferenceAddresses {
  readonly reference: { readonly url: string; readonly key: string | null };
  /** Fallback of stock prices, or null if the first source is real and no real fallback is configured. */
  readonly referenceFallback: { readonly url: string; readonly key: string; readonly provider: ShareQuotesProvider } | null;
  readonly issuerUrl: string;
  readonly issuerProvider: MarkProvider;
}

type Prices = Reach<ReferenceAddresses, ReturnType<typeof budgets>>;

export const referenceAccess = {
  budgets,

  open(reach: Prices, memory?: MarkMemory) {
    const { addresses, clock, random, note } = reach;
    const { url, key } = addresses.reference;
    const asking = { ...(key === null ? {} : { apiKey: key }), budget: reach.budgets.reference, clock, random };
    // The provider serves history beside its price routes and not under them.
    const history = createReferenceClient({ baseUrl: url.replace(/\/hermes\/?$/, ''), ...asking, note });
    const marks = markFeed(reach, memory);
    const instruments = referenceShares();
    return {
      feeds: [withSecondSource(reach, createReferenceFeed({ baseUrl: url, ...asking, instruments })), marks],
      history: createReferenceCandles({ client: history, instruments }),
      extras: { marks: () => marks.states() },
    };
  },
};

/** Adds the fallback to the first source, if there is one. */
function withSecondSource(
  { addresses, budgets: { reference_fallback: budget }, clock, random }: Prices,
  primary: ReturnType<typeof createReferenceFeed>,
) {
  const second = addresses.referenceFallback;
  if (second === null) return primary;
  const { url: baseUrl, key, provider } = second;
  const symbols = referenceShares().map(({ symbol }) => symbol);
  return withFallback({ primary, provider: SHARE_QUOTES[provider], baseUrl, key, symbols, clock, random, budget });
}

function markFeed({ addresses, budgets: { issuer: budget }, clock, random }: Prices, memory: MarkMemory | undefined) {
  const { issuerUrl: baseUrl, issuerProvider } = addresses;
  const preIpo = CATALOG.entries.filter(({ kind }) => kind === 'pre_ipo');
  return createIssuerMarkFeed({
    client: createKeyedClient({ venue: 'reference', baseUrl, clock, random, perMinute: ISSUER_PER_MINUTE, budget }),
    issuer: MARK_ISSUERS[issuerProvider],
    mints: new Map(preIpo.map((entry) => [entry.instrument, entry.token?.mint ?? ''])),
    clock,
    random,
    ...(memory === undefined ? {} : { memory }),
  });
}
