/** Fields of a bonding-curve launch. */
import { Type } from 'typebox';
import { type FixedOf, held, resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, DecimalText, IdText, nullable, Time } from '../../src/core/shapes.ts';
import { CURVE_LAUNCH_STATES, type CurveState } from '../../src/domain/launch/launch-state.ts';
import { PRESET_KEYS } from '../../src/domain/launch/presets.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

export const launch = resource('launches', {
  id: { wire: IdText, column: 'uuid' },
  kind: { wire: choice(['curve']), column: 'text' },
  state: { wire: choice(CURVE_LAUNCH_STATES), column: 'text', changes: true },
  reason: { wire: nullable('string'), column: 'text', changes: true },
  detail: { wire: nullable('string'), column: 'text', changes: true },
  preset: { wire: choice(PRESET_KEYS) },
  mint: { wire: Type.String(), column: 'text' },
  config: { wire: Type.String() },
  pool: { wire: Type.String() },
  name: { wire: Type.String() },
  symbol: { wire: Type.String(), column: 'text' },
  uri: { wire: Type.String() },
  creator: { wire: Type.String(), column: 'text' },
  partner: { wire: Type.String({ description: "Wallet that owns the partner's part of the fees." }) },
  quoteMint: { wire: Type.String(), column: 'text' },
  quoteSymbol: { wire: Type.String() },
  quoteProgram: { holds: held<string>() },
  quoteDecimals: { holds: held<number>() },
  startingFdv: { wire: DecimalText },
  totalSupply: { wire: DecimalText },
  decimals: { wire: Type.Integer() },
  pairedStock: {
    wire: Type.Unsafe<InstrumentKey | null>(nullable('string', 'The tokenized share that it is quoted in; null for every other quote.')),
    column: 'text',
  },
  agentId: { wire: nullable('string'), column: 'uuid' },
  takeId: { wire: nullable('string'), column: 'uuid' },
  /** Raw quote units of the first buy, or null without one. */
  firstBuy: { holds: held<string | null>() },
  /** Its prepared transactions, in the order in which they must land. */
  transactionIds: { holds: held<readonly string[]>() },
  signatures: {
    wire: Type.Array(Type.String(), { description: 'Signatures of its transactions, in order. Empty before they are submitted.' }),
    column: 'text[]',
    changes: true,
  },
  /** Curve at the last read, or null before the first. */
  standing: { holds: held<CurveState | null>(), column: 'jsonb', changes: true },
  preparedBy: { wire: Type.String(), column: 'text' },
  submittedBy: { wire: nullable('string'), column: 'text', changes: true },
  tradingSince: { wire: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] }), column: 'bigint', changes: true, instant: true },
  createdAt: { wire: Time, column: 'bigint', instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
});

export type Launch = ViewOf<typeof launch>;
/** Fields of a new launch. */
export type LaunchTerms = Omit<FixedOf<typeof launch>, 'id' | 'kind'>;
