/** A decision record on the wire. */
import { type TSchema, Type } from 'typebox';
import { decision } from '../../../../actors/ticking/resource.ts';
import { pageOf } from '../../../shapes.ts';

export const DecisionBody = Type.Object(decision.wire, {
  $id: 'Decision',
  description: 'Immutable and append-only; `hash` covers the record and `previousHash`.',
});

/** Returns the schema of a page of decisions, with the location of older ones. */
export function decisionPageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    ...pageOf(item).properties,
    movedBefore: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'On the last page, where older decisions were moved: those before this moment lie in archive files.',
      }),
    ),
  });
}

export function movedOf({ movedBefore }: { readonly movedBefore: number | null }): { movedBefore?: string } {
  return movedBefore === null ? {} : { movedBefore: new Date(movedBefore).toISOString() };
}

/** Message for a decision that does not exist, or belongs to another agent or organization. */
export const NO_DECISION = 'there is no decision with this id (pages of decisions tell from when on older ones lie in archive files)';
