/** Simulators of reference prices: the share oracle, its fallback and an issuer. */
import { CATALOG, referenceShares } from '../../domain/catalog/catalog.ts';
import { SANDBOX_KEY } from '../sandbox-key.ts';
import type { Simulators } from '../simulator-entry.ts';

export const REFERENCE_SIMULATORS = {
  reference: {
    place: 3,
    async start({ market }, at) {
      const { createReferenceSimulator } = await import('./simulator.ts');
      return createReferenceSimulator({ market, feeds: referenceShares(), apiKey: SANDBOX_KEY, ...at });
    },
  },
  issuer: {
    place: 4,
    async start({ market }, at) {
      const { createIssuerSimulator } = await import('./issuer.ts');
      const preIpo = CATALOG.entries.filter(({ kind }) => kind === 'pre_ipo');
      const tokens = preIpo.map(({ instrument, name, token }) => ({ symbol: instrument, mint: token?.mint ?? '', name }));
      return createIssuerSimulator({ market, tokens, ...at });
    },
  },
  fallback: {
    place: 14,
    async start({ market }, at) {
      const { createShareQuotesSimulator } = await import('./share-quotes.ts');
      return createShareQuotesSimulator({ market, symbols: referenceShares().map(({ symbol }) => symbol), apiKey: SANDBOX_KEY, ...at });
    },
  },
} satisfies Simulators;
