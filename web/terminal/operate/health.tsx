/** Runtime figures with items that need attention marked, and the heartbeat of the feed. */
import { age, plain } from '../../words.js';
import { api, useRead, type Runtime } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { useStore, useTicking } from '../kit/store.ts';
import { connection, feed } from '../market.ts';

const READ_EVERY_MS = 10_000;

export const useRuntime = () => useRead(['runtime'], (call) => api.getRuntime({}, call), { refetchInterval: READ_EVERY_MS });

export function Health() {
  const runtime = useRuntime();
  return (
    <div className="panel-scroll padded">
      <Heartbeat />
      <Loaded query={runtime}>
        {(data) => (
          <>
            <Tiles runtime={data} />
            <Queues runtime={data} />
            <p className="faint">
              Read <Ago at={data.at} />. <a href="#/runtime">Open timers, incidents and interventions</a>
            </p>
          </>
        )}
      </Loaded>
    </div>
  );
}

const CONDITIONS = { live: 'a heartbeat is missing', late: 'frames arrive late', waiting: 'lost, reconnecting', connecting: 'connecting' };

/** Heartbeat of the service on this page's feed, every 5 seconds. */
export function Heartbeat() {
  const { state } = useStore(connection);
  useTicking();
  const isReceived = feed.isReceived();
  const ahead = Math.round(Date.now() - feed.now());
  return (
    <p className="heartbeat" data-received={isReceived}>
      <span className="dot" aria-hidden="true" />
      <span>{isReceived ? 'Feed: heartbeat every 5 s' : `Feed: ${CONDITIONS[state]}`}</span>
      <span className="faint num">
        {Math.abs(ahead) < 1_000 ? 'clocks agree' : `this browser is ${age(Math.abs(ahead))} ${ahead > 0 ? 'ahead' : 'behind'}`}
      </span>
    </p>
  );
}

const sumCounts = (all: readonly { readonly count: number }[]): number => all.reduce((total, { count }) => total + count, 0);

type Counted = Pick<Runtime, 'actors' | 'activities' | 'incidents'> & {
  readonly timers: Pick<Runtime['timers'], 'count' | 'overdue'>;
  readonly queues: Pick<Runtime['queues'], 'ticks' | 'recurring'>;
};

const NOTHING: Counted = {
  actors: [],
  activities: [],
  timers: { count: 0, overdue: 0 },
  incidents: [],
  queues: { ticks: [], recurring: [] },
};

/** @param props.runtime Undefined while it is read: each tile keeps its place. */
export function Tiles({ runtime }: { readonly runtime: Runtime | undefined }) {
  const tiles = buildTiles(runtime ?? NOTHING);
  return (
    <dl className="tiles">
      {tiles.map((tile) => (
        <Tile key={tile.title} {...tile} isRead={runtime !== undefined} />
      ))}
    </dl>
  );
}

const buildTiles = ({ actors, activities, timers, incidents, queues }: Counted): readonly TileProps[] => [
  {
    title: 'Actors running',
    count: sumCounts(actors.filter(({ status }) => status === 'running')),
    wrong: sumCounts(actors.filter(({ status }) => status === 'quarantined')),
    how: 'quarantined',
  },
  {
    title: 'Activities pending',
    count: sumCounts(activities.filter(({ state }) => state === 'pending')),
    wrong: sumCounts(activities.filter(({ state }) => state === 'given_up')),
    how: 'given up',
  },
  { title: 'Timers', count: timers.count, wrong: timers.overdue, how: 'overdue' },
  {
    title: 'Incidents in 24 h',
    count: sumCounts(incidents),
    wrong: sumCounts(incidents),
    how: incidents.map(({ kind }) => plain(kind)).join(', '),
  },
  { title: 'Tick shards', count: queues.ticks.length, wrong: queues.ticks.filter(({ isStalled }) => isStalled).length, how: 'stalled' },
  {
    title: 'Recurring jobs',
    count: queues.recurring.length,
    wrong: queues.recurring.filter(({ hasFailed }) => hasFailed).length,
    how: 'failed',
  },
];

interface TileProps {
  readonly title: string;
  readonly count: number;
  readonly wrong: number;
  readonly how: string;
}

const Tile = ({ title, count, wrong, how, isRead }: TileProps & { readonly isRead: boolean }) => (
  <div data-wrong={wrong > 0}>
    <dt>{title}</dt>
    <dd>
      <strong className="num">{isRead ? count : '…'}</strong>
      {wrong > 0 && <span className="down">{title.startsWith('Incidents') ? how : `${wrong} ${how}`}</span>}
    </dd>
  </div>
);

/** Formats a job's name: `slots of 30000 ms` becomes `slots of 30 s`. */
const jobText = (name: string): string => plain(name).replace(/\b(\d+) ms\b/, (_, ms: string) => age(Number(ms)));

export const Queues = ({ runtime: { queues } }: { readonly runtime: Runtime }) => (
  <>
    <Table
      label="Ticks by shard"
      rows={queues.ticks}
      keyOf={({ periodMs, shard }) => `${periodMs} ${shard}`}
      columns={[
        { title: 'Ticks', text: ({ periodMs, shard }) => `every ${age(periodMs)}, shard ${shard}` },
        {
          title: 'Last',
          value: ({ lastSlot }) => lastSlot,
          cell: ({ lastSlot, isStalled }) => (
            <span className={isStalled ? 'down' : 'up'}>
              {isStalled && 'stalled, '}
              <Ago at={lastSlot} />
            </span>
          ),
        },
      ]}
    />
    <Table
      label="Recurring jobs"
      rows={queues.recurring}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Recurring job', long: ({ name }) => jobText(name) },
        {
          title: 'Last',
          value: ({ lastSlot }) => lastSlot,
          cell: ({ lastSlot, isUnderWay, hasFailed }) =>
            hasFailed ? <strong className="down">failed</strong> : isUnderWay ? 'under way' : <Ago at={lastSlot} none="never" />,
        },
      ]}
    />
  </>
);
