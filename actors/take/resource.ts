/** Fields of a Take, and of a published one. */
import { Type } from 'typebox';
import { derived, type FixedOf, held, resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, DecimalText, HashText, IdText, NullableTime, nullable, nullableChoice, Time } from '../../src/core/shapes.ts';
import { EXECUTION_MODES } from '../../src/domain/orders/order.ts';
import { TAKE_ORIGINS, TAKE_STATES, type Take, findTarget } from '../../src/domain/take/take.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

const ConditionBody = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  additionalProperties: true,
});

interface Policy {
  readonly take: Take;
}

/** The policy and its hashes. */
const POLICY = {
  take: { holds: held<Take>(), column: 'text', name: 'canonical', canonical: true },
  hash: { wire: { ...HashText, description: 'SHA-256 over the canonical Take.' }, column: 'text' },
  /** Hash of version 1 of its manifest, which its decisions use. */
  manifestHash: { wire: { ...HashText, description: 'Hash of the manifest that it decides by.' }, column: 'text' },
  symbol: { wire: Type.String(), column: 'text' },
  instrument: derived(Type.String(), ({ take }: Policy) => take.asset.key),
  target: derived(
    Type.Unsafe<unknown>({ description: 'The price or premium that it waits for; null if it waits for something else alone.' }),
    ({ take }: Policy) => findTarget(take),
  ),
  conditions: derived(
    Type.Object({ entry: Type.Array(ConditionBody), exit: Type.Array(ConditionBody) }),
    ({ take: { entry, exit } }: Policy) => ({ entry: [...entry], exit: [...exit] }),
  ),
  allocationUsd: derived(DecimalText, ({ take }: Policy) => take.allocationUsd),
  maxSlippageBps: derived(Type.Number(), ({ take }: Policy) => take.maxSlippageBps),
  timeframe: derived(Type.String(), ({ take }: Policy) => take.timeframe),
} as const;

/** Column of the compiler's reading. */
const within = 'compiled';

/** The compiler's reading of the words. */
const READING = {
  thesis: { wire: nullable('string', 'Null if it was given as fields.'), within },
  understood: { wire: Type.Array(Type.Object({ phrase: Type.String(), as: Type.String() })), within },
  assumed: { wire: Type.Array(Type.String()), within },
  notUnderstood: { wire: Type.Array(Type.String(), { description: 'Reasons of the author: no part of the policy.' }), within },
} as const;

export const take = resource('takes', {
  id: { wire: IdText, column: 'uuid' },
  state: {
    wire: choice(TAKE_STATES, 'A `filled` Take with exit conditions still watches its position. `closed`: the position was sold.'),
    column: 'text',
    changes: true,
  },
  onDuty: { wire: Type.Boolean({ description: 'True while it is evaluated every half minute.' }), column: 'boolean', changes: true },
  origin: { wire: choice(TAKE_ORIGINS), column: 'text' },
  ...POLICY,
  expiresAt: { wire: Time, column: 'bigint', instant: true },
  mode: { wire: nullableChoice(EXECUTION_MODES), column: 'text', changes: true },
  reason: {
    wire: nullable('string', 'Reason of the last state change, or null if the state says it.'),
    column: 'text',
    changes: true,
  },
  ...READING,
  open: {
    wire: Type.Array(Type.String(), {
      description: 'Reasons and assumptions that arming has to confirm, word for word, in `confirm`; empty if nothing is open.',
    }),
    within,
  },
  lineage: { wire: Type.Array(IdText, { description: 'The Takes that it was forked from, the first one first.' }), column: 'text[]' },
  published: derived(Type.Boolean(), ({ publishedAt }: { readonly publishedAt: EpochMs | null }) => publishedAt !== null),
  publishedAt: { holds: held<EpochMs | null>(), column: 'bigint', changes: true },
  createdBy: { wire: Type.String(), column: 'text' },
  createdAt: { wire: Time, column: 'bigint', instant: true },
  armedAt: { wire: NullableTime, column: 'bigint', changes: true, instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
});

/** Fields that a step of the Take changes. */
export const takeProjection = take.revisionExcept();

/** A published Take, readable by every organization: a trigger copies it. It shows neither its owner nor its trades. */
export const publishedTake = resource('published_takes', {
  id: { wire: IdText, column: 'uuid', name: 'take' },
  origin: derived(choice(TAKE_ORIGINS), ({ take: { origin } }: Policy) => origin),
  ...POLICY,
  ...READING,
  lineage: take.fields.lineage,
  createdAt: take.fields.createdAt,
  publishedAt: { wire: Time, column: 'bigint', instant: true },
});

type TakeRow = ViewOf<typeof take>;
export type TakeChanges = ReturnType<typeof takeProjection.pick>;
/** Fields of a new Take. */
export type TakeTerms = FixedOf<typeof take>;
/** The compiler's reading of a Take. `open` has the readings that its author must confirm at the arming. */
export type TakeReading = Pick<TakeRow, keyof typeof READING | 'open'>;
export type PublishedTake = ViewOf<typeof publishedTake>;

export interface TakeView extends TakeRow {
  /** Texts of `open` that its author confirmed at the arming. */
  readonly confirmed: readonly string[];
}
