/** Building blocks of wire schemas for all rooms. */
import { type TSchema, Type } from 'typebox';
import { AUTONOMY_LEVELS, PAUSE_CAUSES, STAGES } from '../domain/agents/agent.ts';
import { QUALITIES, QUALITY_FLAGS } from '../domain/market/quote.ts';

/** Returns the schema of one word of a list. */
export function choice<const Words extends readonly string[]>(words: Words, description?: string) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...(description === undefined ? {} : { description }) });
}

/** Returns the schema of one word of a list, or null. */
export function nullableChoice<const Words extends readonly string[]>(words: Words, description?: string) {
  return Type.Unsafe<Words[number] | null>({
    type: ['string', 'null'],
    enum: [...words, null],
    ...(description === undefined ? {} : { description }),
  });
}

interface Plain {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
}

/** Returns the schema of a plain value or null. */
export function nullable<Kind extends keyof Plain>(kind: Kind, description?: string) {
  return Type.Unsafe<Plain[Kind] | null>({ type: [kind, 'null'], ...(description === undefined ? {} : { description }) });
}

/** Money or quantity: a decimal string, never a float. */
export const DecimalText = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$', examples: ['187.4500'] });
export const NullableDecimalText = Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: '^-?\\d+(\\.\\d+)?$' });
/** ISO 8601 in UTC with milliseconds. */
export const Time = Type.String({ format: 'date-time', examples: ['2026-03-02T14:31:00.000Z'] });
export const NullableTime = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });
export const HashText = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in lower-case hexadecimal.' });
export const IdText = Type.String({ format: 'uuid' });
/** Returns the schema of a wallet's address on the primary chain. */
export const walletAddress = (description: string) => Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$', description });

export const AutonomyWord = choice(AUTONOMY_LEVELS, 'Autonomy level.');
export const PauseCauseWord = nullableChoice(PAUSE_CAUSES, 'Reason of the pause, or null while it is running.');
export const StageWord = choice(STAGES, 'Promotion stage.');

export const QualityWord = choice(QUALITIES, 'Only `live` may become an order.');
export const QualityFlags = Type.Array(choice(QUALITY_FLAGS), { description: 'Reasons for the quality.' });

/** One condition of a promotion gate. */
export const GateCheckBody = Type.Object({
  name: Type.String(),
  observed: nullable('number', 'Null if there is nothing to observe; then the condition fails.'),
  rule: choice(['above', 'below', 'at_least', 'at_most']),
  limit: nullable('number'),
  passed: Type.Boolean(),
});

/** Marks a value that is sent exactly as stored. Its schema documents it and filters nothing, so that its hash stays valid. */
export function asStored<Value>(schema: TSchema) {
  return Type.Unsafe<Value>({ ...schema, [AS_STORED]: true });
}
export const AS_STORED = 'x-as-stored';
