/** Stories of the sandbox and the companies that they concern. Equal seeds give equal stories in every process. */
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { issuersNow } from '../../domain/intelligence/entities.ts';
import type { Market } from '../market/market.ts';
import { createSeededStories, type SeededStories } from './seeded-stories.ts';

interface SandboxCompany {
  readonly cik: string;
  readonly symbol: string;
  readonly name: string;
}

/** Returns the catalog's companies with their CIK. Unlisted companies file no current reports. */
export function sandboxCompanies(): { readonly all: readonly SandboxCompany[]; readonly listed: readonly SandboxCompany[] } {
  const preIpo = CATALOG.entries.filter(({ kind }) => kind === 'pre_ipo');
  const all = issuersNow().flatMap(({ asset, cik, names }) => (cik === null ? [] : [{ cik, symbol: asset, name: names[0] ?? asset }]));
  return { all, listed: all.filter(({ symbol }) => preIpo.every(({ underlying }) => underlying !== symbol)) };
}

export function sandboxStories(seed: number, market: Market): SeededStories {
  return createSeededStories({
    seed,
    symbols: market.assets.map(({ symbol }) => symbol),
    filers: sandboxCompanies().listed.map(({ symbol }) => symbol),
  });
}
