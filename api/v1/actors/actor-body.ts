/** Actors and their steps on the wire, for the routes of every kind. */
import { Type } from 'typebox';
import { AnyJson, choice, IdText, nullable, objectOf, Time } from '../../shapes.ts';

export const ActorPath = objectOf({ id: IdText });
export const NO_ACTOR = 'there is no actor with this id';

export const AnyObject = Type.Unsafe<{ readonly [key: string]: unknown }>({ type: 'object', additionalProperties: true });

const summary = {
  id: IdText,
  kind: Type.String({ description: '`agent`, `take`, `proposal` and so on.' }),
  name: nullable(
    'string',
    'The name of an agent or of the one that is evaluated, what an order buys or sells, what a transfer sends, the symbol of a token or a Take, what a transaction is for; null if an actor has none of these.',
  ),
  machine: Type.String({ description: 'The machine and its version, for example `agent@1`.' }),
  version: Type.Integer({ description: 'Steps taken, including quarantines.' }),
  status: choice(['running', 'done', 'quarantined']),
  value: AnyJson,
  createdAt: Time,
  changedAt: Time,
};

export const ActorBody = Type.Object(summary, { $id: 'Actor' });

export const ActorDetailBody = Type.Object(
  {
    ...summary,
    context: {
      ...AnyObject,
      description: "The actor's present context; of a proposal whose steps were archived only what it is named by.",
    },
    incidents: Type.Array(Type.Object({ at: Time, kind: Type.String(), detail: Type.String() }), {
      description: 'Internal errors, newest first, at most 20.',
    }),
  },
  { $id: 'ActorDetail' },
);

/** Consequences of a step in the past or in a branch. */
export const followed = {
  changes: Type.Array(Type.Object({ path: Type.String(), before: AnyJson, after: AnyJson }), {
    description: 'Changes of the context by the event.',
  }),
  records: Type.Array(AnyObject),
  timers: Type.Array(AnyObject),
  announcements: Type.Array(AnyObject),
};
