/** Link to an actor's debugger. */
import { plain } from '../../words.js';
import { actorWord } from '../debugger/subject.ts';
import type { Column } from '../kit/columns.tsx';

interface Named {
  readonly actorId: string;
  readonly actorKind: string;
  readonly actorName: string | null;
}

const nameActor = ({ actorId, actorKind, actorName }: Named): string => actorWord({ id: actorId, kind: actorKind, name: actorName });

export const ActorLink = ({ of }: { readonly of: Named }) => (
  <a href={`#/actors/${of.actorId}`} title={`${plain(of.actorKind)} ${of.actorId}`}>
    {nameActor(of)}
  </a>
);

export const ACTOR_COLUMN: Column<Named> = { title: 'Actor', isText: true, value: nameActor, cell: (row) => <ActorLink of={row} /> };
