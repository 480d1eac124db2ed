/** What the streams have to observe: the instruments and indicators that active manifests look at. */
import { quotedLegs } from '../../src/domain/basis/basis-legs.ts';
import { CATALOG, type CatalogEntry } from '../../src/domain/catalog.ts';
import type { IndicatorNeed } from '../../src/domain/cut.ts';
import { compileManifest } from '../../src/domain/decide.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { isPooled } from '../../src/domain/portfolio/pool-exit.ts';

export interface MarketNeedsDeps {
  /** Every manifest that is active, each once. */
  readonly manifests: () => Promise<readonly { readonly hash: string; readonly manifest: Manifest }[]>;
  /** The keys of instruments that books hold. */
  readonly held: () => Promise<Iterable<string>>;
}

export interface MarketNeeds {
  readonly indicators: readonly IndicatorNeed[];
  /**
   * What agents look at, what books hold, every token that trades in pools (people swap tokens that no agent looks at, and
   * their risk asks how deep the pool is), and the legs of the basis, which is shown whoever trades.
   */
  readonly instruments: readonly CatalogEntry[];
  /** Reads both anew. */
  refresh(): Promise<void>;
}

/** Nothing is needed before the first `refresh`. */
export function createMarketNeeds(deps: MarketNeedsDeps): MarketNeeds {
  const compiled = new Map<string, readonly IndicatorNeed[]>();
  let indicators: readonly IndicatorNeed[] = [];
  let instruments: readonly CatalogEntry[] = [];

  /** Of one manifest; compiled once. */
  function needsOf(hash: string, manifest: Manifest): readonly IndicatorNeed[] {
    const known = compiled.get(hash) ?? compileManifest(manifest).needs;
    compiled.set(hash, known);
    return known;
  }

  return {
    get indicators() {
      return indicators;
    },
    get instruments() {
      return instruments;
    },
    async refresh() {
      const [manifests, held] = await Promise.all([deps.manifests(), deps.held()]);
      const union = new Map<string, IndicatorNeed>();
      const looked = new Set<string>(held);
      for (const { hash, manifest } of manifests) {
        for (const { key } of manifest.universe) looked.add(key);
        for (const need of needsOf(hash, manifest)) union.set(`${need.instrument} ${need.name} ${need.period} ${need.timeframe}`, need);
      }
      for (const hash of compiled.keys()) if (!manifests.some((active) => active.hash === hash)) compiled.delete(hash);
      indicators = [...union.values()];
      const legs = quotedLegs(CATALOG.entries);
      instruments = CATALOG.entries.filter(({ key }) => looked.has(key) || isPooled(key) || legs.has(key));
    },
  };
}
