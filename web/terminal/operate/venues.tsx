/** Venues: state, age of the last message, and deficiencies. */
import type { Venue } from '../../../clients/typescript/src/index.ts';
import { age, plain } from '../../words.js';
import { api } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { useTicking } from '../kit/store.ts';
import { feed } from '../market.ts';
import { venueState } from './venue-words.ts';

const READ_EVERY_MS = 5_000;

export function Venues() {
  const venues = useList(['venues'], (page, options) => api.listVenues(page, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="panel-scroll">
      <List
        list={venues}
        label="State of each venue"
        empty="No venue is configured."
        keyOf={({ venue }) => venue}
        markOf={({ hearing }) => hearing}
        columns={[
          { title: 'Venue', cell: ({ venue, executable }) => <VenueName venue={venue} isExecutable={executable} /> },
          { title: 'State', isText: true, cell: (venue) => <State venue={venue} /> },
          { title: 'Last message', cell: ({ lastMessageAt }) => <Ago at={lastMessageAt} none="never" /> },
          { title: 'Gaps', cell: ({ gaps }) => <Wrong count={gaps} /> },
          { title: 'Rejected', cell: ({ rejected }) => <Wrong count={rejected} /> },
          { title: 'Clock', cell: ({ clockOffset }) => (clockOffset === null ? '–' : `${clockOffset.offsetMs} ms`) },
          { title: 'Requests left', isText: true, cell: ({ requestBudgets }) => <Budgets budgets={requestBudgets} /> },
        ]}
      />
    </div>
  );
}

function VenueName({ venue, isExecutable }: { readonly venue: string; readonly isExecutable: boolean }) {
  return (
    <>
      <strong>{venue}</strong> {!isExecutable && <span className="tag">prices only</span>}
    </>
  );
}

const Wrong = ({ count }: { readonly count: number }) => <span className={count > 0 ? 'warn' : 'faint'}>{count}</span>;

function State({ venue }: { readonly venue: Venue }) {
  useTicking();
  const { tone, word, lacks } = venueState(venue, feed.now(), feed.isReceived());
  return (
    <span className="venue-state">
      <span className={`quality quality-${tone}`}>
        <span className="dot" aria-hidden="true" />
        <strong>{word}</strong>
      </span>
      {lacks.map((lack) => (
        <small key={lack} className="long">
          {lack}
        </small>
      ))}
    </span>
  );
}

/** Request budgets with less than a quarter left, otherwise the smallest one. */
function Budgets({ budgets }: { readonly budgets: Venue['requestBudgets'] }) {
  useTicking();
  const [tightest] = [...budgets].sort((a, b) => a.left / a.limit - b.left / b.limit);
  if (tightest === undefined) return <span className="faint">–</span>;
  const { name, left, limit, windowMs, blockedUntil } = tightest;
  const blockedMs = blockedUntil === null ? 0 : Date.parse(blockedUntil) - feed.now();
  return (
    <span className={blockedMs > 0 ? 'down' : left < limit / 4 ? 'warn' : undefined} title={`${plain(name)}, per ${age(windowMs)}`}>
      {blockedMs > 0 ? `blocked for ${age(blockedMs)}` : `${left} of ${limit}`}
    </span>
  );
}
