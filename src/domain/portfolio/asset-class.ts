/** Asset classes that stress scenarios shock, and the class of an instrument. */
import type { Catalog, InstrumentKind } from '../catalog/catalog.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Classes. The first five are shocked. `prediction` and `unlisted` (not in the catalog) never are. */
export const ASSET_CLASSES = ['public_equity', 'pre_ipo', 'agent_token', 'crypto_spot', 'perpetual', 'prediction', 'unlisted'] as const;
export type AssetClass = (typeof ASSET_CLASSES)[number];

const BY_KIND: Readonly<Record<InstrumentKind, AssetClass>> = {
  tokenized_equity: 'public_equity',
  pre_ipo: 'pre_ipo',
  agent_token: 'agent_token',
  spot: 'crypto_spot',
  perp: 'perpetual',
};

/** Returns the class of an instrument. An unlisted instrument of the perpetuals venue is a perpetual, because nothing else trades there. */
export function classifyAsset(instrument: InstrumentKey, catalog: Catalog): AssetClass {
  const kind = catalog.byKey(instrument)?.kind;
  if (kind !== undefined) return BY_KIND[kind];
  if (instrument.startsWith('evmvenue:')) return 'perpetual';
  return instrument.startsWith('prediction:') ? 'prediction' : 'unlisted';
}
