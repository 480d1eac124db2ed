/** Fields of a decision record. Ticks write its rows by COPY, and `assembleDecision` computes the others, because both are hot paths. */
import { Type } from 'typebox';
import { EpochTime, ObservationBody, plainValue, UnknownInputBody } from '../../src/core/decision-shapes.ts';
import { AttributionBody } from '../../src/core/order-shapes.ts';
import { held, resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, DecimalText, HashText, IdText, nullable, Time } from '../../src/core/shapes.ts';
import { DISPOSITIONS } from '../../src/domain/agents/agent.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

const RulesBody = Type.Array(
  Type.Object({
    instrument: Type.String(),
    side: choice(['entry', 'exit']),
    type: Type.String(),
    passed: Type.Boolean(),
    observed: plainValue('Null if the input was unknown; the rule then fails.'),
    threshold: plainValue('Value in the manifest.'),
    unknown: Type.Optional(UnknownInputBody),
  }),
);
const BookBody = Type.Object({
  positions: Type.Array(
    Type.Object({ instrument: Type.String(), quantity: DecimalText, averageEntryPrice: DecimalText, openedAt: EpochTime }),
  ),
  openProposals: Type.Integer(),
  fills: Type.Integer(),
  realizedPnlUsd: DecimalText,
  slippageBps: nullable('number'),
});

export const decision = resource('decisions', {
  id: { wire: IdText, computed: true },
  agentId: { wire: IdText, column: 'uuid' },
  slot: { wire: Time, column: 'bigint', instant: true },
  at: { wire: Time, computed: true },
  manifestVersion: { holds: held<number>(), column: 'int' },
  manifestHash: { wire: HashText, column: 'bytea' },
  /** Hash of what it observed. Empty if nothing was read. */
  observedHash: { holds: held<string>(), column: 'bytea' },
  observed: {
    wire: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: ObservationBody,
      description: 'By instrument, for example `spotchain:AAPLx`.',
    }),
    computed: true,
  },
  /** Outcome of the rules, packed. */
  outcome: { holds: held<string>(), column: 'text' },
  rules: { wire: RulesBody, computed: true },
  disposition: { wire: choice(DISPOSITIONS), column: 'text' },
  reason: { wire: nullable('string', 'Reason beyond the disposition, such as `late_tick`, or null.'), column: 'text' },
  instrument: { wire: Type.Unsafe<InstrumentKey | null>(nullable('string', 'Instrument of the proposal.')), column: 'text' },
  /** JSON text on record, like the book. */
  risk: { holds: held<string | null>(), wire: AttributionBody, column: 'text' },
  book: { holds: held<string | null>(), wire: BookBody, column: 'text' },
  previousHash: { wire: HashText, column: 'bytea' },
  hash: { wire: HashText, column: 'bytea' },
});

/** Decision as stored. */
export type PackedDecision = ViewOf<typeof decision>;
