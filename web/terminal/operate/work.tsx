/** Long-running work of the service: progress, remaining time and cause of a wait. It continues when the page is closed. */
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { type Work, WorkState } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';

const READ_EVERY_MS = 4_000;

export const LongWork = () => (
  <div className="panel-scroll">
    <List
      list={useList(['work'], api.listWork, { everyMs: READ_EVERY_MS })}
      label="Long work"
      empty="No background work in the last week. Imports, backfills and archiving appear here with their progress."
      keyOf={({ kind, id }) => `${kind} ${id}`}
      markOf={({ state }) => state}
      columns={[
        { title: 'Work', cell: ({ kind, subject }) => showName(plain(kind), subject) },
        { ...PROGRESS, cell: (one) => <WorkState work={one} name={`${plain(one.kind)} of ${one.subject}`} /> },
        { title: 'Source', isText: true, text: ({ source }) => source },
        { title: 'By', isText: true, text: ({ workedOnBy }) => workedOnBy },
        { title: 'Begun', ago: ({ begunAt }) => begunAt },
      ]}
    />
  </div>
);

const PROGRESS = { title: 'Progress', isFigure: true, isText: true, value: ({ state }: Pick<Work, 'state'>) => state };

const showName = (name: string, detail: string) => (
  <>
    {name} <span className="faint long">{detail}</span>
  </>
);

/** Candle backfills by instrument and timeframe. */
export const CandleWork = () => (
  <div className="panel-scroll">
    <List
      list={useList(['candle-work'], api.listCandleWork, { everyMs: READ_EVERY_MS })}
      label="Histories"
      empty="No imports yet. History that a backtest lacks appears here while it is fetched."
      keyOf={({ kind, id }) => `${kind} ${id}`}
      markOf={({ state }) => state}
      columns={[
        { title: 'Instrument', cell: ({ venue, instrument }) => showName(instrument, venue) },
        { title: 'Bars', isText: true, text: ({ timeframe }) => timeframe },
        { title: 'Kind', isText: true, text: ({ kind }) => kind },
        { ...PROGRESS, cell: (one) => <WorkState work={one} name={`${one.kind} of ${one.instrument}`} /> },
        { title: 'Source', isText: true, text: ({ source }) => source },
        { title: 'Begun', ago: ({ begunAt }) => begunAt },
      ]}
    />
  </div>
);
