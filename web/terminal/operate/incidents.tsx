/** Errors of actors, and the actions members took. */
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { List, useList } from '../kit/lists.tsx';
import { ACTOR_COLUMN } from './actor-link.tsx';
import { WholeActor } from './actors.tsx';

const READ_EVERY_MS = 10_000;

export const Incidents = () => (
  <div className="panel-scroll">
    <List
      list={useList(['incidents'], api.listIncidents, { everyMs: READ_EVERY_MS })}
      label="Incidents, newest first"
      empty="No incident. An actor whose step failed is quarantined and appears here with the error, until a member releases it."
      keyOf={({ actorId, at, kind }) => `${actorId} ${at} ${kind}`}
      markOf={({ actorStatus }) => actorStatus}
      columns={[
        { title: 'Incident', text: ({ kind }) => plain(kind) },
        ACTOR_COLUMN,
        { title: 'At', at: ({ at }) => at },
        { title: 'Detail', isText: true, long: ({ detail }) => detail },
        {
          title: 'Actions',
          buttons: ({ actorId, actorKind, actorName, actorStatus }) =>
            actorStatus === 'quarantined' ? <WholeActor id={actorId} words={actorName ?? plain(actorKind)} status={actorStatus} /> : null,
        },
      ]}
    />
  </div>
);

export const Interventions = () => (
  <div className="panel-scroll">
    <List
      list={useList(['interventions'], api.listInterventions)}
      label="Interventions, newest first"
      empty="No interventions. Retries, resets and releases are recorded here with the member and the reason."
      keyOf={({ actorId, at, action }) => `${actorId} ${at} ${action}`}
      columns={[
        {
          title: 'Intervention',
          text: ({ action, activities }) =>
            action === 'release' ? 'release' : `${action} of ${activities} ${activities === 1 ? 'activity' : 'activities'}`,
        },
        ACTOR_COLUMN,
        { title: 'At', at: ({ at }) => at },
        { title: 'By', isText: true, text: ({ subject }) => subject },
        { title: 'Reason', isText: true, long: ({ reason }) => reason },
      ]}
    />
  </div>
);
