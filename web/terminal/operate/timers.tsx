/** Timers of actors, next due first. */
import { dayAndTime, eventWord } from '../../words.js';
import { api } from '../api.ts';
import { Until } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { ActorLink } from './actor-link.tsx';

const READ_EVERY_MS = 10_000;

export function Timers() {
  const timers = useList(['timers'], (page, options) => api.listTimers(page, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="panel-scroll">
      <List
        list={timers}
        label="Timers, next due first"
        empty="No timers. Deadlines of proposals, pauses and retries appear here with their effect."
        keyOf={({ actorId, timerId }) => `${actorId} ${timerId}`}
        columns={[
          { title: 'Timer', cell: ({ timerId }) => eventWord(timerId) },
          { title: 'Actor', isText: true, cell: (timer) => <ActorLink of={timer} /> },
          {
            title: 'Due',
            cell: ({ dueAt, actorStatus }) => (actorStatus === 'quarantined' ? 'after release' : <Until at={dueAt} />),
          },
          { title: 'At', cell: ({ dueAt }) => dayAndTime(dueAt) },
          { title: 'Event', isText: true, cell: ({ event }) => eventWord(String((event as { readonly type?: unknown }).type)) },
        ]}
      />
    </div>
  );
}
