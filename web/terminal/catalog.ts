/** Instruments of the catalog, read once per visit. */
import { api, type CatalogEntry, readAll, useRead } from './api.ts';

const NO_ENTRIES: readonly CatalogEntry[] = [];
/** Display order of kinds. Instruments that people trade by hand come first. */
const ORDER: readonly CatalogEntry['kind'][] = ['spot', 'tokenized_equity', 'pre_ipo', 'agent_token', 'perp'];

export function useCatalog(): readonly CatalogEntry[] {
  const { data } = useRead(
    ['catalog'],
    async (call) => {
      const entries = await readAll(api.listCatalog.items({ limit: 200 }, call));
      return entries.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
    },
    { staleTime: Infinity },
  );
  return data ?? NO_ENTRIES;
}

export const useEntry = (key: string): CatalogEntry | undefined => useCatalog().find((entry) => entry.key === key);

/** Quote key of the reference price or mark of a token. */
export const benchmarkKey = (entry: CatalogEntry | undefined): string => entry?.benchmark ?? '';
