/** Operate workspace: health of the service, paused agents, and the actions on them. */
import type { Panel, Workspace } from '../dock.tsx';
import { useHalted } from '../halt.tsx';
import { Alerts } from '../panels/alerts.tsx';
import { Stacked } from '../stacked.tsx';
import { Docked } from '../workspace.tsx';
import { Activities, Actors } from './actors.tsx';
import { Halts } from './halts.tsx';
import { Health } from './health.tsx';
import { Incidents, Interventions } from './incidents.tsx';
import { Timers } from './timers.tsx';
import { Members } from '../members/members.tsx';
import { Venues } from './venues.tsx';
import { CandleWork, LongWork } from './work.tsx';

function HaltedCount() {
  const { number } = useHalted();
  return number === 0 ? null : <span className="count urgent" data-count={number} />;
}

const PANELS = {
  health: { title: 'Runtime', content: Health },
  halts: { title: 'Halts', content: Halts, Count: HaltedCount },
  venues: { title: 'Venues', content: Venues },
  work: { title: 'Work', content: LongWork },
  candles: { title: 'Candle coverage', content: CandleWork },
  actors: { title: 'Actors', content: Actors },
  activities: { title: 'Activities', content: Activities },
  timers: { title: 'Timers', content: Timers },
  incidents: { title: 'Incidents', content: Incidents },
  interventions: { title: 'Interventions', content: Interventions },
  alerts: { title: 'Alerts', content: Alerts },
  members: { title: 'Members and sessions', content: Members },
} as const satisfies Record<string, Panel>;

const OPERATE: Workspace<keyof typeof PANELS> = {
  name: 'operate',
  panels: PANELS,
  arrange(api, add) {
    const venues = add('venues');
    const halts = add('halts', { direction: 'right' });
    const health = add('health', { referencePanel: venues, direction: 'left' });
    const activities = add('activities', { referencePanel: venues, direction: 'below' });
    add('actors', { referencePanel: activities, direction: 'within' });
    add('timers', { referencePanel: activities, direction: 'within' });
    add('incidents', { referencePanel: activities, direction: 'within' });
    add('interventions', { referencePanel: activities, direction: 'within' });
    add('work', { referencePanel: activities, direction: 'within' });
    add('candles', { referencePanel: activities, direction: 'within' });
    add('alerts', { referencePanel: halts, direction: 'below' });
    const members = add('members', { referencePanel: halts, direction: 'within' });
    activities.api.setActive();
    halts.api.setActive();
    health.api.setSize({ width: Math.max(280, Math.round(api.width * 0.19)) });
    venues.api.setSize({ width: Math.round(api.width * 0.53) });
    members.api.setSize({ width: Math.round(api.width * 0.28) });
  },
};

/** Panels stacked on a narrow screen, urgent ones first. */
const NARROW = [
  'halts',
  'alerts',
  'health',
  'venues',
  'incidents',
  'work',
  'activities',
  'actors',
  'timers',
  'candles',
  'interventions',
  'members',
] as const;

export const Operate = () => (
  <Docked
    title="Operations"
    workspace={OPERATE}
    narrow={
      <div className="phone">
        <Stacked panels={PANELS} names={NARROW} />
      </div>
    }
  />
);
