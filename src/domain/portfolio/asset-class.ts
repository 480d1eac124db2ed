/** The asset classes that stress scenarios shock, and which of them an instrument belongs to. */
import type { Catalog, InstrumentKind } from '../catalog/catalog.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** The five classes of the scenarios. `prediction` and `unlisted` (no instrument of the catalog) are never shocked. */
export const ASSET_CLASSES = ['public_equity', 'pre_ipo', 'agent_token', 'crypto_spot', 'perpetual', 'prediction', 'unlisted'] as const;
export type AssetClass = (typeof ASSET_CLASSES)[number];

const BY_KIND: Readonly<Record<InstrumentKind, AssetClass>> = {
  tokenized_equity: 'public_equity',
  pre_ipo: 'pre_ipo',
  agent_token: 'agent_token',
  spot: 'crypto_spot',
  perp: 'perpetual',
};

/** The class of an instrument. A perpetual that the catalog does not list is a perpetual all the same: nothing else trades on its venue. */
export function assetClassOf(instrument: InstrumentKey, catalog: Catalog): AssetClass {
  const kind = catalog.byKey(instrument)?.kind;
  if (kind !== undefined) return BY_KIND[kind];
  if (instrument.startsWith('evmvenue:')) return 'perpetual';
  return instrument.startsWith('prediction:') ? 'prediction' : 'unlisted';
}
