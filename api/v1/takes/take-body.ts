/** A Take on the wire. */
import { Type } from 'typebox';
import { publishedTake, take } from '../../../actors/take/resource.ts';

export const TakeBody = Type.Object(take.wire, { $id: 'Take' });
export const PublishedTakeBody = Type.Object(publishedTake.wire, {
  $id: 'PublishedTake',
  description: 'Does not show the author or the trades.',
});

/** Readings that an author confirms before a Take acts on them. */
export const ConfirmField = Type.Optional(
  Type.Array(Type.String({ maxLength: 2_100 }), { maxItems: 100, description: 'The texts of `open` that the author accepts.' }),
);

/** Message for a Take that does not exist or belongs to another organization. */
export const NO_TAKE = 'there is no Take with this id';
