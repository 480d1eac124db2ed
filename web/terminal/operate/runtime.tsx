/** Full-width runtime page: figures on top, and every record below, each at its own address. */
import type { ComponentType } from 'react';
import { useStore } from '../kit/store.ts';
import { Alerts } from '../panels/alerts.tsx';
import { within } from '../place.ts';
import { Activities, Actors } from './actors.tsx';
import { Heartbeat, Queues, Tiles, useRuntime } from './health.tsx';
import { Incidents, Interventions } from './incidents.tsx';
import { Reserves } from './reserves.tsx';
import { Timers } from './timers.tsx';
import { CandleWork, LongWork } from './work.tsx';

const PARTS: readonly (readonly [name: string, title: string, content: ComponentType])[] = [
  ['actors', 'Actors', Actors],
  ['activities', 'Activities', Activities],
  ['timers', 'Timers', Timers],
  ['incidents', 'Incidents', Incidents],
  ['interventions', 'Interventions', Interventions],
  ['queues', 'Ticks and recurring work', RecurringWork],
  ['work', 'Long work', LongWork],
  ['candles', 'Histories', CandleWork],
  ['reserves', 'Reserves', Reserves],
  ['alerts', 'Alerts', Alerts],
];

export function RuntimePage() {
  const [chosen = ''] = useStore(within).split('/');
  const { data } = useRuntime();
  const [name, , Content] = PARTS.find(([part]) => part === chosen) ?? (PARTS[0] as (typeof PARTS)[number]);
  return (
    <div className="page runtime-page">
      <div className="page-head">
        <h1>Runtime</h1>
        <span className="space" />
        <Heartbeat />
      </div>
      <Tiles runtime={data} />
      <div className="card runtime-part">
        <nav className="parts" aria-label="Parts of the runtime">
          {PARTS.map(([part, words]) => (
            <a key={part} href={`#/runtime/${part}`} aria-current={part === name ? 'page' : undefined}>
              {words}
            </a>
          ))}
        </nav>
        <Content />
      </div>
    </div>
  );
}

function RecurringWork() {
  const { data } = useRuntime();
  return <div className="panel-scroll queues">{data !== undefined && <Queues runtime={data} />}</div>;
}
