/** Actors and their activities, with the three manual actions next to their state charts. */
import { SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { plain, stateText, valueText } from '../../words.js';
import { api, type Actor, type WaitingActivity } from '../api.ts';
import { Until } from '../kit/ages.tsx';
import { Ask } from '../kit/ask.tsx';
import { Choice, Segments, Written } from '../kit/form.tsx';
import { List, useList } from '../kit/lists.tsx';
import { useMay } from '../member.ts';
import { actorWord } from '../debugger/subject.ts';
import { ActorLink } from './actor-link.tsx';

const READ_EVERY_MS = 10_000;
const QUIET_MS = 300;
const CHANGED = ['actors', 'activities', 'incidents', 'interventions', 'runtime', 'agents'];
type Status = 'all' | Actor['status'];
const KINDS = [
  'agent',
  'take',
  'proposal',
  'evaluation',
  'market_order',
  'prediction_order',
  'prepared_transaction',
  'bridge_transfer',
  'launch',
  'launcher_launch',
  'checkout',
];

export function Actors() {
  const [status, setStatus] = useState<Status>('all');
  const [kind, setKind] = useState('');
  const [wanted, setWanted] = useState('');
  const [search] = useDebouncedValue(wanted.trim(), QUIET_MS);
  const filter = { ...(status === 'all' ? {} : { status }), ...(kind === '' ? {} : { kind }), ...(search === '' ? {} : { search }) };
  return (
    <div className="panel-scroll">
      <div className="panel-tools">
        <SegmentedControl
          aria-label="Status of actors"
          size="xs"
          data={['all', 'running', 'quarantined', 'done']}
          value={status}
          onChange={(value) => setStatus(value as Status)}
        />
        <Choice label="Kind of actors" every="all kinds" choices={KINDS} value={kind} choose={setKind} />
        <Written placeholder="Name, kind or id" aria-label="Search actors" maxLength={80} value={wanted} write={setWanted} />
      </div>
      <List
        list={useList(['actors', status, kind, search], (page, options) => api.listActors({ ...page, ...filter }, options), {
          everyMs: READ_EVERY_MS,
        })}
        label="List of actors"
        empty="No actor matches."
        keyOf={({ id }) => id}
        markOf={(actor) => actor.status}
        columns={[
          {
            title: 'Actor',
            value: actorWord,
            cell: ({ id, kind, name }) => <ActorLink of={{ actorId: id, actorKind: kind, actorName: name }} />,
          },
          { title: 'Kind', isText: true, text: ({ kind }) => plain(kind) },
          { title: 'Status', isFigure: true, isText: true, cell: showStatus },
          { title: 'Stands at', isText: true, cell: ({ value }) => <small>{stateText(value as never)}</small> },
          { title: 'Steps', text: ({ version }) => version },
          { title: 'Changed', ago: ({ changedAt }) => changedAt },
          {
            title: 'Actions',
            buttons: ({ id, kind, name, status: now }) => <WholeActor id={id} words={name ?? plain(kind)} status={now} />,
          },
        ]}
      />
    </div>
  );
}

const showStatus = ({ status }: Pick<Actor, 'status'>) => (
  <span className={status === 'quarantined' ? 'down' : status === 'running' ? 'up' : 'faint'}>{status}</span>
);

/** Resets the attempts of an actor's activities, or ends its quarantine. */
export function WholeActor({ id, words, status }: { readonly id: string; readonly words: string; readonly status: Actor['status'] }) {
  const mayIntervene = useMay('risk:manage');
  if (!mayIntervene || status === 'done') return null;
  if (status === 'quarantined')
    return (
      <Ask
        verb="Release"
        name={`Release ${words}`}
        title={`Release ${words} from quarantine?`}
        reason="required"
        done={`${words} released.`}
        changes={CHANGED}
        act={(reason) => api.releaseActor({ id, body: { reason } })}
      >
        <p>The actor continues from its last state. An agent stays paused until a member other than its creator resumes it.</p>
      </Ask>
    );
  return (
    <Ask
      verb="Reset"
      name={`Reset ${words}`}
      title={`Reset ${words}?`}
      reason="required"
      done={`Activities of ${words} are retried.`}
      changes={CHANGED}
      act={(reason) => api.resetActor({ id, body: { reason } })}
    >
      <p>Retries all pending activities of the actor now and resets their attempt counts.</p>
    </Ask>
  );
}

export function Activities() {
  const [state, setState] = useState<WaitingActivity['state']>('pending');
  return (
    <div className="panel-scroll">
      <div className="panel-tools">
        <Segments label="State of activities" size="xs" of={{ pending: 'pending', given_up: 'given up' }} value={state} choose={setState} />
      </div>
      <List
        list={useList(['activities', state], (page, options) => api.listActivities({ ...page, state }, options), {
          everyMs: READ_EVERY_MS,
        })}
        label="Activities under way"
        empty={
          state === 'pending' ? 'Nothing is under way. Activities that wait appear here with their cause.' : 'No activity was given up.'
        }
        keyOf={({ key }) => key}
        markOf={({ state }) => state}
        columns={[
          {
            title: 'Activity',
            value: ({ kind }) => plain(kind),
            cell: (activity) => (
              <>
                {plain(activity.kind)} <ActorLink of={activity} />
              </>
            ),
          },
          {
            title: 'State',
            isText: true,
            cell: ({ state }) => <span className={state === 'given_up' ? 'down' : 'warn'}>{plain(state)}</span>,
          },
          { title: 'Attempts', text: ({ attempts }) => attempts },
          { title: 'Since', ago: ({ createdAt }) => createdAt },
          {
            title: 'Due',
            value: ({ dueAt, state: now }) => (now === 'pending' ? dueAt : null),
            cell: ({ dueAt, state: now }) => (now === 'pending' ? <Until at={dueAt} /> : '–'),
          },
          { title: 'Cause', isText: true, long: ({ answer }) => formatCause(answer) },
          { title: 'Actions', buttons: (activity) => <Retry activity={activity} /> },
        ]}
      />
    </div>
  );
}

/** Formats the answer of an activity, which is stored as the venue sent it. */
function formatCause(answer: unknown): string {
  if (answer === null || answer === undefined) return '–';
  if (typeof answer === 'string' || typeof answer === 'number') return valueText(answer);
  const { detail, message, reason } = answer as { readonly [field: string]: unknown };
  const text = [detail, message, reason].find((one): one is string => typeof one === 'string');
  return text ?? JSON.stringify(answer);
}

function Retry({
  activity: { actorId, actorKind, actorName, actorStatus, key, kind, state, isLeft },
}: {
  readonly activity: WaitingActivity;
}) {
  const mayIntervene = useMay('risk:manage');
  if (!mayIntervene || actorStatus === 'done') return null;
  const words = actorName ?? plain(actorKind);
  if (actorStatus === 'quarantined') return <WholeActor id={actorId} words={words} status={actorStatus} />;
  if (state === 'given_up' && isLeft) return <span className="faint">actor has moved on</span>;
  return (
    <Ask
      verb="Retry"
      name={`Retry ${plain(kind)} of ${words}`}
      title={`Retry ${plain(kind)} of ${words}?`}
      reason="required"
      done={`${plain(kind)} is retried.`}
      changes={CHANGED}
      act={(reason) => api.retryActivity({ id: actorId, body: { activity: key, reason } })}
    >
      <p>Retries the activity now and resets its attempt count.</p>
    </Ask>
  );
}
