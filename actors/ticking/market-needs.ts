/** Instruments and indicators that active manifests use, and that the streams therefore observe. */
import { quotedLegs } from '../../src/domain/basis/basis-legs.ts';
import { CATALOG, type CatalogEntry } from '../../src/domain/catalog/catalog.ts';
import type { IndicatorNeed } from '../../src/domain/market/cut.ts';
import { compileManifest } from '../../src/domain/agents/decide.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { isPooled } from '../../src/domain/portfolio/pool-exit.ts';
import type { ContainedLoop } from '../runtime/containment.ts';

interface MarketNeedsDeps {
  /** Reads every active manifest once. `manifest` throws if the stored text is not JSON. */
  readonly manifests: () => Promise<readonly { readonly hash: string; readonly manifest: () => Manifest }[]>;
  /** Keys of the instruments held in books. */
  readonly held: () => Promise<Iterable<string>>;
  /** Contains failures: a manifest that cannot be read is skipped, all others are observed. */
  readonly contained: ContainedLoop;
}

export type MarketNeeds = ReturnType<typeof createMarketNeeds>;

interface Needs {
  readonly keys: readonly string[];
  readonly indicators: readonly IndicatorNeed[];
}

/** Creates the needs, empty before the first `refresh`. */
export function createMarketNeeds(deps: MarketNeedsDeps) {
  const compiled = new Map<string, Needs>();
  let indicators: readonly IndicatorNeed[] = [];
  let instruments: readonly CatalogEntry[] = [];
  let looked = new Set<string>();

  /** Compiles a manifest, once per hash. */
  function compileNeeds(hash: string, read: () => Manifest): Needs {
    const known = compiled.get(hash);
    if (known !== undefined) return known;
    const manifest = read();
    const needs = { keys: manifest.universe.map(({ key }) => key), indicators: compileManifest(manifest).needs };
    compiled.set(hash, needs);
    return needs;
  }

  return {
    /** Keys of the instruments that agents use or books hold. */
    get looked() {
      return looked;
    },
    get indicators() {
      return indicators;
    },
    /**
     * Instruments that agents use or books hold, every token that trades in pools, and the legs of the basis. Pool tokens are included
     * because people swap tokens that no agent uses, and their risk check needs the pool's depth. The basis is shown even if nobody trades
     * it.
     */
    get instruments() {
      return instruments;
    },
    /** Reads manifests and books again. */
    async refresh() {
      const [manifests, held] = await Promise.all([deps.manifests(), deps.held()]);
      const union = new Map<string, IndicatorNeed>();
      looked = new Set<string>(held);
      await deps.contained.each(
        manifests,
        ({ hash }) => ({ id: `manifest ${hash}`, orgId: null }),
        ({ hash, manifest }) => {
          const needs = compileNeeds(hash, manifest);
          for (const key of needs.keys) looked.add(key);
          for (const need of needs.indicators) union.set(`${need.instrument} ${need.name} ${need.period} ${need.timeframe}`, need);
        },
      );
      for (const hash of compiled.keys()) if (!manifests.some((active) => active.hash === hash)) compiled.delete(hash);
      indicators = [...union.values()];
      const legs = quotedLegs(CATALOG.entries);
      instruments = CATALOG.entries.filter(({ key }) => looked.has(key) || isPooled(key) || legs.has(key));
    },
  };
}
