/** A listing on the wire. */
import { type Static, Type } from 'typebox';
import { EVIDENCE_KINDS } from '../../../src/domain/agents/evidence.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { LISTING_STATES, type Listing } from '../../../src/domain/marketplace/listing.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { AnyJson, choice, DecimalText, GateCheckBody, HashText, IdText, objectOf, StageWord, Time } from '../../shapes.ts';

export const ListingPath = objectOf({ id: IdText });

/** A licence price in a request. */
export const PriceField = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 40,
  description: 'Units of the dollar stablecoin, 0 to 10000 inclusive, at most 6 decimals; as a decimal text or as a number.',
  examples: ['49.50'],
});

const Tags = Type.Array(Type.String(), { description: 'Category tags in lower case.' });

export const ListingBody = Type.Object(
  {
    id: IdText,
    state: choice(LISTING_STATES),
    name: Type.String(),
    description: Type.String(),
    categories: Tags,
    priceUsd: DecimalText,
    manifestVersion: Type.Integer(),
    manifestHash: HashText,
    payoutWallet: Type.String({ description: 'Whole payments go to this wallet of the primary chain.' }),
    shape: Type.Object(
      {
        entry: Type.Array(Type.String()),
        exit: Type.Array(Type.String()),
        timeframe: Type.String(),
        instruments: Type.Integer(),
        kinds: Type.Array(Type.String()),
      },
      { description: 'The kinds of conditions, how many instruments and of which kinds; parameters are for licence holders.' },
    ),
    evidence: Type.Object(
      {
        at: Time,
        gates: Type.Array(
          Type.Object({
            kind: choice(EVIDENCE_KINDS),
            passed: Type.Boolean(),
            at: Time,
            evidenceId: IdText,
            hash: HashText,
            metrics: AnyJson,
            checks: Type.Array(GateCheckBody),
          }),
          { description: 'The newest evidence of each kind. Empty: nothing is on record.' },
        ),
        gatesPassed: Type.Integer(),
        curve: Type.Array(Type.Object({ at: Time, returnPct: Type.Number() }), {
          maxItems: 48,
          description: 'Return of the backtest since its beginning in percent, oldest first. Empty: no backtest is on record.',
        }),
        luck: Type.Unsafe<unknown>({
          description:
            'Correction for multiple testing: versions tried, expected best Sharpe ratio, probabilistic and deflated Sharpe ratio.',
        }),
        versions: Type.Integer({ description: 'Manifest versions of the agent.' }),
        versionsTried: Type.Integer({ description: 'Versions with a backtest on record.' }),
        stage: Type.Unsafe<Static<typeof StageWord> | null>({ anyOf: [StageWord, { type: 'null' }] }),
        paperDays: Type.Number({ description: 'Days that this version was at `paper`.' }),
      },
      { description: 'Evidence at publication, copied from the record by the database.' },
    ),
    metrics: Type.Unsafe<unknown>({ description: 'Metrics of the backtest on record, or null if there is none.' }),
    own: Type.Boolean({ description: 'True if your organization published it.' }),
    publishedAt: Time,
    changedAt: Time,
  },
  { $id: 'Listing' },
);

export const ListingDetailBody = Type.Object(
  {
    ...ListingBody.properties,
    rules: Type.Unsafe<unknown>({ description: 'The pinned manifest; null without a licence.' }),
  },
  { $id: 'ListingDetail' },
);

export function listingBody({
  evidence,
  agentId: _,
  publishedAt,
  changedAt,
  shape,
  categories,
  ...listing
}: Listing): Static<typeof ListingBody> {
  const { at, gates, curve = [], luck, ...record } = evidence;
  return {
    ...listing,
    categories: [...categories],
    shape: { ...shape, entry: [...shape.entry], exit: [...shape.exit], kinds: [...shape.kinds] },
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
    metrics: (gates.find(({ kind }) => kind === 'backtest')?.metrics ?? null) as object | null,
    publishedAt: isoTime(publishedAt),
    changedAt: isoTime(changedAt),
  };
}

export function listingDetailBody(listing: Listing, rules: Manifest | null): Static<typeof ListingDetailBody> {
  return { ...listingBody(listing), rules };
}
