/** A listing on the wire. */
import { type Static, Type } from 'typebox';
import { type Listing, listing } from '../../../actors/listing/resource.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { IdText, objectOf, type StageWord } from '../../shapes.ts';

export const ListingPath = objectOf({ id: IdText });

/** A licence price in a request. */
export const PriceField = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 40,
  description: 'Units of the dollar stablecoin, 0 to 10000 inclusive, at most 6 decimals; as a decimal text or as a number.',
  examples: ['49.50'],
});

export const ListingBody = Type.Object(listing.wire, { $id: 'Listing' });

export const ListingDetailBody = Type.Object(
  {
    ...ListingBody.properties,
    rules: Type.Unsafe<unknown>({ description: 'The pinned manifest; null without a licence.' }),
  },
  { $id: 'ListingDetail' },
);

export function listingBody(view: Listing): Static<typeof ListingBody> {
  const { at, gates, curve = [], luck, ...record } = view.evidence;
  return listing.body(view, {
    evidence: {
      ...record,
      at: isoTime(at),
      gates: gates.map(({ runId: __, checks, at: assessedAt, ...gate }) => ({
        ...gate,
        at: isoTime(assessedAt),
        checks: checks.map((check) => ({ ...check })),
      })),
      gatesPassed: gates.filter(({ passed }) => passed).length,
      curve: curve.map(([pointAt, returnPct]) => ({ at: isoTime(pointAt), returnPct })),
      luck,
      stage: record.stage as Static<typeof StageWord> | null,
    },
    metrics: gates.find(({ kind }) => kind === 'backtest')?.metrics ?? null,
    own: view.own,
  });
}

export function listingDetailBody(view: Listing, rules: Manifest | null): Static<typeof ListingDetailBody> {
  return { ...listingBody(view), rules };
}
