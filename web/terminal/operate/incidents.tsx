/** Errors of actors, and the actions members took. */
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { At } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { ActorLink } from './actor-link.tsx';
import { WholeActor } from './actors.tsx';

const READ_EVERY_MS = 10_000;

export function Incidents() {
  const incidents = useList(['incidents'], (page, options) => api.listIncidents(page, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="panel-scroll">
      <List
        list={incidents}
        label="Incidents, newest first"
        empty="No incident. An actor whose step failed is quarantined and appears here with the error, until somebody releases it."
        keyOf={({ actorId, at, kind }) => `${actorId} ${at} ${kind}`}
        markOf={({ actorStatus }) => actorStatus}
        columns={[
          { title: 'Incident', cell: ({ kind }) => plain(kind) },
          { title: 'Actor', isText: true, cell: (incident) => <ActorLink of={incident} /> },
          { title: 'At', cell: ({ at }) => <At at={at} /> },
          { title: 'Detail', isText: true, cell: ({ detail }) => <span className="long">{detail}</span> },
          {
            title: '',
            cell: ({ actorId, actorKind, actorName, actorStatus }) =>
              actorStatus === 'quarantined' ? <WholeActor id={actorId} words={actorName ?? plain(actorKind)} status={actorStatus} /> : null,
          },
        ]}
      />
    </div>
  );
}

export function Interventions() {
  const interventions = useList(['interventions'], (page, options) => api.listInterventions(page, options));
  return (
    <div className="panel-scroll">
      <List
        list={interventions}
        label="Interventions, newest first"
        empty="Nobody has intervened. Retries, resets and releases are recorded here with the member and the reason."
        keyOf={({ actorId, at, action }) => `${actorId} ${at} ${action}`}
        columns={[
          {
            title: 'Intervention',
            cell: ({ action, activities }) =>
              action === 'release' ? 'release' : `${action} of ${activities} ${activities === 1 ? 'activity' : 'activities'}`,
          },
          { title: 'Actor', isText: true, cell: (one) => <ActorLink of={one} /> },
          { title: 'At', cell: ({ at }) => <At at={at} /> },
          { title: 'By', isText: true, cell: ({ subject }) => subject },
          { title: 'Reason', isText: true, cell: ({ reason }) => <span className="long">{reason}</span> },
        ]}
      />
    </div>
  );
}
