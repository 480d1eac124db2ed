/** Finds the assets that a thesis names: by symbol, by the underlying's symbol, by its name. */
import type { Catalog, CatalogEntry } from '../catalog.ts';

/** What a word of a thesis may name. More than one entry: the word does not settle which. */
export interface NamedAsset {
  readonly entries: readonly CatalogEntry[];
  /** True where the word is not the catalog's own symbol: then it is said what it was read as. */
  readonly inferred: boolean;
}

/** Names that are ordinary words as well. */
const ORDINARY: ReadonlySet<string> = new Set(['strategy', 's&p', 'meta', 'nasdaq', 'figure', 'ether']);

/** `Apple xStock` -> `apple`. */
function plainName(entry: CatalogEntry): string {
  return entry.name.replace(/ (?:xStock|PreStock|spot|perpetual)$/, '').toLowerCase();
}

/** A market of a builder's dex is named by its own name alone: several dexes list the same share, and who writes the share's name means the share. */
const isBuilderMarket = ({ venue, instrument }: CatalogEntry): boolean => venue === 'evmvenue' && instrument.includes(':');

/** An index over the catalog for the words of theses. */
export function assetNames(catalog: Catalog): (word: string) => NamedAsset | null {
  const symbols = new Map<string, CatalogEntry[]>();
  const underlyings = new Map<string, CatalogEntry[]>();
  const names = new Map<string, CatalogEntry[]>();
  const put = (map: Map<string, CatalogEntry[]>, key: string, entry: CatalogEntry): void => {
    map.set(key, [...(map.get(key) ?? []), entry]);
  };
  for (const entry of catalog.entries) {
    put(symbols, entry.instrument.toLowerCase(), entry);
    for (const pair of entry.pairs) put(symbols, pair.toLowerCase(), entry);
    for (const pair of [entry.instrument, ...entry.pairs]) put(symbols, `${entry.venue}:${pair}:${entry.kind}`.toLowerCase(), entry);
    if (isBuilderMarket(entry)) continue;
    put(underlyings, entry.underlying, entry);
    const name = plainName(entry);
    if (!ORDINARY.has(name)) put(names, name, entry);
  }
  return (word) => {
    const clean = word.replace(/^[$#]/, '').replace(/(?:'s|[.])$/i, '');
    const exact = symbols.get(clean.toLowerCase());
    const under = underlyings.get(clean.toUpperCase());
    // An upper-case underlying may mean any of its instruments; its own symbol in lower case as well.
    if (exact !== undefined && (under === undefined || under.length <= 1 || clean.toLowerCase() !== under[0]?.underlying.toLowerCase())) {
      return { entries: exact, inferred: false };
    }
    if (under !== undefined && (clean === clean.toUpperCase() || exact !== undefined)) return { entries: under, inferred: true };
    const named = names.get(clean.toLowerCase());
    return named === undefined ? null : { entries: named, inferred: true };
  };
}
