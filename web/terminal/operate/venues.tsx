/** Venues: state, age of the last message, and deficiencies. */
import { age, plain } from '../../words.js';
import { api, type Venue } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { useTicking } from '../kit/store.ts';
import { feed } from '../market.ts';
import { venueState } from './venue-words.ts';

const READ_EVERY_MS = 5_000;

export const Venues = () => (
  <div className="panel-scroll">
    <List
      list={useList(['venues'], api.listVenues, { everyMs: READ_EVERY_MS })}
      label="State of each venue"
      empty="No venue is configured."
      keyOf={({ venue }) => venue}
      markOf={({ hearing }) => hearing}
      columns={[
        { title: 'Venue', cell: showVenue },
        {
          title: 'State',
          isText: true,
          value: (venue) => venueState(venue, feed.now(), feed.isReceived()).word,
          cell: (venue) => <State venue={venue} />,
        },
        {
          title: 'Last message',
          value: ({ lastMessageAt }) => lastMessageAt,
          cell: ({ lastMessageAt }) => <Ago at={lastMessageAt} none="never" />,
        },
        { title: 'Gaps', cell: ({ gaps }) => showWrong(gaps) },
        { title: 'Rejected', cell: ({ rejected }) => showWrong(rejected) },
        { title: 'Clock', text: ({ clockOffset }) => (clockOffset === null ? '–' : `${clockOffset.offsetMs} ms`) },
        {
          title: 'Requests left',
          isText: true,
          value: ({ requestBudgets }) => listTightest(requestBudgets)?.left,
          cell: ({ requestBudgets }) => <Budgets budgets={requestBudgets} />,
        },
      ]}
    />
  </div>
);

const showVenue = ({ venue, executable }: Venue) => (
  <>
    <strong>{venue}</strong> {!executable && <span className="tag">prices only</span>}
  </>
);

const showWrong = (count: number) => <span className={count > 0 ? 'warn' : 'faint'}>{count}</span>;

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
const listTightest = (budgets: Venue['requestBudgets']) => budgets.toSorted((a, b) => a.left / a.limit - b.left / b.limit)[0];

function Budgets({ budgets }: { readonly budgets: Venue['requestBudgets'] }) {
  useTicking();
  const tightest = listTightest(budgets);
  if (tightest === undefined) return <span className="faint">–</span>;
  const { name, left, limit, windowMs, blockedUntil } = tightest;
  const blockedMs = blockedUntil === null ? 0 : Date.parse(blockedUntil) - feed.now();
  return (
    <span className={blockedMs > 0 ? 'down' : left < limit / 4 ? 'warn' : undefined} title={`${plain(name)}, per ${age(windowMs)}`}>
      {blockedMs > 0 ? `blocked for ${age(blockedMs)}` : `${left} of ${limit}`}
    </span>
  );
}
