/** Link to an actor's debugger. */
import { plain } from '../../words.js';
import { actorWord } from '../debugger/subject.ts';

interface Named {
  readonly actorId: string;
  readonly actorKind: string;
  readonly actorName: string | null;
}

export const ActorLink = ({ of: { actorId, actorKind, actorName } }: { readonly of: Named }) => (
  <a href={`#/actors/${actorId}`} title={`${plain(actorKind)} ${actorId}`}>
    {actorWord({ id: actorId, kind: actorKind, name: actorName })}
  </a>
);
