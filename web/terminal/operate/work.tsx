/** Long-running work of the service: progress, remaining time and cause of a wait. It continues when the page is closed. */
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { Ago, WorkState } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';

const READ_EVERY_MS = 4_000;

export function LongWork() {
  const work = useList(['work'], (page, options) => api.listWork(page, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="panel-scroll">
      <List
        list={work}
        label="Long work"
        empty="No background work in the last week. Imports, backfills and archiving appear here with their progress."
        keyOf={({ kind, id }) => `${kind} ${id}`}
        markOf={({ state }) => state}
        columns={[
          { title: 'Work', cell: ({ kind, subject }) => <Name kind={kind} subject={subject} /> },
          { title: 'Progress', isText: true, cell: (one) => <WorkState work={one} name={`${plain(one.kind)} of ${one.subject}`} /> },
          { title: 'Source', isText: true, cell: ({ source }) => source },
          { title: 'By', isText: true, cell: ({ workedOnBy }) => workedOnBy },
          { title: 'Begun', cell: ({ begunAt }) => <Ago at={begunAt} /> },
        ]}
      />
    </div>
  );
}

const Name = ({ kind, subject }: { readonly kind: string; readonly subject: string }) => (
  <>
    {plain(kind)} <span className="faint long">{subject}</span>
  </>
);

/** Candle backfills by instrument and timeframe. */
export function CandleWork() {
  const work = useList(['candle-work'], (page, options) => api.listCandleWork(page, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="panel-scroll">
      <List
        list={work}
        label="Histories"
        empty="No imports yet. History that a backtest lacks appears here while it is fetched."
        keyOf={({ kind, id }) => `${kind} ${id}`}
        markOf={({ state }) => state}
        columns={[
          { title: 'Instrument', cell: ({ venue, instrument }) => <Name kind={instrument} subject={venue} /> },
          { title: 'Bars', isText: true, cell: ({ timeframe }) => timeframe },
          { title: 'Kind', isText: true, cell: ({ kind }) => kind },
          { title: 'Progress', isText: true, cell: (one) => <WorkState work={one} name={`${one.kind} of ${one.instrument}`} /> },
          { title: 'Source', isText: true, cell: ({ source }) => source },
          { title: 'Begun', cell: ({ begunAt }) => <Ago at={begunAt} /> },
        ]}
      />
    </div>
  );
}
