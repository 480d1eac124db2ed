/** Panels of the workspace by name. */
import { type ComponentType, Suspense } from 'react';
import type { Panel } from './dock.tsx';
import { Alerts } from './panels/alerts.tsx';
import { Book } from './panels/book.tsx';
import { Conditions } from './panels/conditions.tsx';
import { Fills } from './panels/fills.tsx';
import { InstrumentHead } from './panels/instrument-head.tsx';
import { News } from './panels/news.tsx';
import { Orders } from './panels/orders.tsx';
import { Positions } from './panels/positions.tsx';
import { Proposals } from './panels/proposals.tsx';
import { Ticket } from './panels/ticket.tsx';
import { Watchlist } from './panels/watchlist.tsx';
import { laterPart } from './kit/refusal.tsx';

const Candles = laterPart(async () => (await import('./charts.tsx')).Candles);

/** Loads the file of the pages, which has panels too. A file for each would split what they share into more files of the first visit. */
const pages = () => import('./research/pages.tsx');

/** Panel whose file is loaded when it is first shown. */
function later(load: () => Promise<ComponentType>): ComponentType {
  const Part = laterPart(load);
  return () => (
    <Suspense fallback={null}>
      <Part />
    </Suspense>
  );
}

const Chart = () => (
  <div className="chart-panel">
    <InstrumentHead />
    <Suspense fallback={<div className="chart-place" />}>
      <Candles />
    </Suspense>
  </div>
);

export const PANELS = {
  watchlist: { title: 'Watchlist', content: Watchlist },
  chart: { title: 'Chart', content: Chart, hasHead: true },
  book: { title: 'Order book', content: Book },
  ticket: { title: 'Order ticket', content: Ticket },
  positions: { title: 'Positions', content: Positions },
  orders: { title: 'Orders', content: Orders },
  proposals: { title: 'Proposals', content: Proposals },
  fills: { title: 'Fills', content: Fills },
  alerts: { title: 'Alerts', content: Alerts },
  news: { title: 'News', content: News },
  conditions: { title: 'Funding and sessions', content: Conditions },
  assessment: { title: 'Assessment', content: later(async () => (await pages()).AssessmentPanel) },
  basis: { title: 'Basis', content: later(async () => (await pages()).BasisPanel) },
  copilot: { title: 'Copilot', content: later(async () => (await pages()).CopilotPanel) },
} as const satisfies Record<string, Panel>;

export type PanelName = keyof typeof PANELS;
export const PANEL_NAMES = Object.keys(PANELS) as readonly PanelName[];
