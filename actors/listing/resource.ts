/** Fields of a marketplace listing. The database copies the statements about the strategy from the record when it is published. */
import { type Static, Type } from 'typebox';
import { type ComputedOf, held, resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, DecimalText, GateCheckBody, HashText, IdText, nullable, StageWord, Time } from '../../src/core/shapes.ts';
import { EVIDENCE_KINDS } from '../../src/domain/agents/evidence.ts';
import { LISTING_STATES, type ListingEvidence, type RuleShape } from '../../src/domain/marketplace/listing.ts';

const ShapeBody = Type.Unsafe<RuleShape>(
  Type.Object(
    {
      entry: Type.Array(Type.String()),
      exit: Type.Array(Type.String()),
      timeframe: Type.String(),
      instruments: Type.Integer(),
      kinds: Type.Array(Type.String()),
    },
    { description: 'The kinds of conditions, how many instruments and of which kinds; parameters are for licence holders.' },
  ),
);

const EvidenceBody = Type.Object(
  {
    at: Time,
    gates: Type.Array(
      Type.Object({
        kind: choice(EVIDENCE_KINDS),
        passed: Type.Boolean(),
        at: Time,
        evidenceId: IdText,
        hash: HashText,
        metrics: Type.Unsafe<unknown>({}),
        checks: Type.Array(GateCheckBody),
        simulated: nullable(
          'boolean',
          'False if every source of market data that it stands on was real. Null for listings of before this was recorded.',
        ),
      }),
      { description: 'The newest evidence of each kind. Empty: nothing is on record.' },
    ),
    gatesPassed: Type.Integer(),
    curve: Type.Array(Type.Object({ at: Time, returnPct: Type.Number() }), {
      maxItems: 48,
      description: 'Return of the backtest since its beginning in percent, oldest first. Empty: no backtest is on record.',
    }),
    luck: Type.Unsafe<unknown>({
      description: 'Correction for multiple testing: versions tried, expected best Sharpe ratio, probabilistic and deflated Sharpe ratio.',
    }),
    versions: Type.Integer({ description: 'Manifest versions of the agent.' }),
    versionsTried: Type.Integer({ description: 'Versions with a backtest on record.' }),
    stage: Type.Unsafe<Static<typeof StageWord> | null>({ anyOf: [StageWord, { type: 'null' }] }),
    paperDays: Type.Number({ description: 'Days that this version was at `paper`.' }),
  },
  { description: 'Evidence at publication, copied from the record by the database.' },
);

export const listing = resource('marketplace_listings', {
  id: { wire: IdText, column: 'uuid' },
  agentId: { holds: held<string>(), column: 'uuid' },
  state: { wire: choice(LISTING_STATES), column: 'text', changes: true },
  name: { wire: Type.String(), column: 'text' },
  description: { wire: Type.String(), column: 'text' },
  categories: { wire: Type.Array(Type.String(), { description: 'Category tags in lower case.' }), column: 'text[]' },
  priceUsd: { wire: DecimalText, column: 'numeric', changes: true },
  manifestVersion: { wire: Type.Integer(), column: 'int' },
  manifestHash: { wire: HashText, column: 'text' },
  payoutWallet: { wire: Type.String({ description: 'Whole payments go to this wallet of the primary chain.' }), column: 'text' },
  shape: { wire: ShapeBody, column: 'jsonb' },
  evidence: { holds: held<ListingEvidence>(), wire: EvidenceBody, column: 'jsonb' },
  metrics: { wire: Type.Unsafe<unknown>({ description: 'Metrics of the backtest on record, or null if there is none.' }), computed: true },
  own: { wire: Type.Boolean({ description: 'True if your organization published it.' }), computed: true },
  publishedAt: { wire: Time, column: 'bigint', instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
});

/** A listing, and whether the requesting organization published it. */
export type Listing = ViewOf<typeof listing> & Pick<ComputedOf<typeof listing>, 'own'>;
