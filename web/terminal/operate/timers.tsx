/** Timers of actors, next due first. */
import { capitalized, dayAndTime, eventWord } from '../../words.js';
import { api } from '../api.ts';
import { Until } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { ACTOR_COLUMN } from './actor-link.tsx';

const READ_EVERY_MS = 10_000;

export const Timers = () => (
  <div className="panel-scroll">
    <List
      list={useList(['timers'], api.listTimers, { everyMs: READ_EVERY_MS })}
      label="Timers, next due first"
      empty="No timers. Deadlines of proposals, pauses and retries appear here with their effect."
      keyOf={({ actorId, timerId }) => `${actorId} ${timerId}`}
      columns={[
        { title: 'Timer', isText: true, text: ({ event }) => capitalized(eventWord(String((event as { readonly type?: unknown }).type))) },
        ACTOR_COLUMN,
        {
          title: 'Due',
          isFigure: true,
          value: ({ dueAt }) => dueAt,
          cell: ({ dueAt, actorStatus }) => (actorStatus === 'quarantined' ? 'after release' : <Until at={dueAt} />),
        },
        { title: 'At', text: ({ dueAt }) => dayAndTime(dueAt) },
      ]}
    />
  </div>
);
