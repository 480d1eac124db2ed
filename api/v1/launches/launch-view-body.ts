/** A launch on the wire. */
import { type Static, Type } from 'typebox';
import type { LaunchView } from '../../../actors/launch/commands.ts';
import { CURVE_LAUNCH_STATES } from '../../../src/domain/launch/launch-state.ts';
import { choice, DecimalText, IdText, nullable, objectOf, Time } from '../../shapes.ts';
import { PresetWord } from './launch-body.ts';

export const LaunchPath = objectOf({ id: IdText });

const NullableTime = Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] });

export const LaunchBody = Type.Object(
  {
    id: IdText,
    kind: choice(['curve']),
    state: choice(CURVE_LAUNCH_STATES),
    reason: nullable('string'),
    detail: nullable('string'),
    preset: PresetWord,
    mint: Type.String(),
    config: Type.String(),
    pool: Type.String(),
    name: Type.String(),
    symbol: Type.String(),
    uri: Type.String(),
    creator: Type.String(),
    partner: Type.String({ description: "Whose the partner's part of the fees is." }),
    quoteMint: Type.String(),
    quoteSymbol: Type.String(),
    startingFdv: DecimalText,
    totalSupply: DecimalText,
    decimals: Type.Integer(),
    pairedStock: nullable('string', 'The tokenized share that it is quoted in; null for every other quote.'),
    agentId: nullable('string'),
    takeId: nullable('string'),
    signatures: Type.Array(Type.String(), { description: 'Of its transactions, in order; none before they were handed in.' }),
    preparedBy: Type.String(),
    submittedBy: nullable('string'),
    tradingSince: NullableTime,
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'Launch' },
);

const timeOf = (at: number): string => new Date(at).toISOString();

export function launchBody(launch: LaunchView): Static<typeof LaunchBody> {
  const { standing: _, quoteDecimals: __, quoteProgram: ___, tradingSince, createdAt, changedAt, preset, ...plain } = launch;
  return {
    ...plain,
    preset: preset as Static<typeof PresetWord>,
    signatures: [...plain.signatures],
    tradingSince: tradingSince === null ? null : timeOf(tradingSince),
    createdAt: timeOf(createdAt),
    changedAt: timeOf(changedAt),
  };
}
