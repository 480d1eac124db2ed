/** The dockable panels: their arrangement is kept per member in this browser. */
import {
  type DockviewApi,
  DockviewReact,
  type DockviewTheme,
  type IDockviewPanelHeaderProps,
  type IDockviewPanelProps,
} from 'dockview-react';
import { useEffect, useState } from 'react';
import { keep, readKept, useStore } from './kit/store.ts';
import { useMe } from './member.ts';
import { panelAsked } from './panel-asked.ts';
import { useOpenOrders } from './panels/orders.tsx';
import { usePendingProposals } from './panels/proposals.tsx';
import { PANEL_NAMES, PANELS, type PanelName } from './panels.tsx';

const THEME: DockviewTheme = { name: 'sevengate', className: 'dockview-theme-sevengate', gap: 4 };
const RESET = 'reset';
const WIDE = 1_700;

const COMPONENTS = Object.fromEntries(
  PANEL_NAMES.map((name) => {
    const { content: Content } = PANELS[name];
    return [name, (_props: IDockviewPanelProps) => <Content />];
  }),
);

export default function Dock() {
  const key = `sevengate.terminal.layout.${useMe().subject}`;
  const asked = useStore(panelAsked);
  const [dock, setDock] = useState<DockviewApi | null>(null);
  useEffect(() => {
    if (dock === null || asked === null) return;
    panelAsked.set(null);
    if (asked === RESET) arrange(dock);
    else show(dock, asked as PanelName);
  }, [asked, dock]);
  return (
    <div className="dock">
      <DockviewReact
        theme={THEME}
        components={COMPONENTS}
        defaultTabComponent={Tab}
        disableFloatingGroups
        onReady={({ api }) => {
          if (!restore(api, readKept(key))) arrange(api);
          api.onDidLayoutChange(() => keep(key, JSON.stringify(api.toJSON())));
          setDock(api);
        }}
      />
    </div>
  );
}

/** Arranges the panels as they were kept; false if nothing was kept, or by a version that had other panels. */
function restore(api: DockviewApi, kept: string | null): boolean {
  if (kept === null) return false;
  try {
    const layout = JSON.parse(kept) as Parameters<DockviewApi['fromJSON']>[0];
    if (!Object.keys(layout.panels).every((name) => name in PANELS)) return false;
    api.fromJSON(layout);
    return true;
  } catch {
    return false;
  }
}

/** The arrangement that everybody begins with. */
function arrange(api: DockviewApi): void {
  api.clear();
  const isWide = api.width > WIDE;
  const add = (name: PanelName, position?: object) =>
    api.addPanel({
      id: name,
      component: name,
      title: PANELS[name].title,
      ...(position === undefined ? {} : { position }),
    } as Parameters<DockviewApi['addPanel']>[0]);
  const chart = add('chart');
  const watchlist = add('watchlist', { direction: 'left' });
  const ticket = add('ticket', { direction: 'right' });
  const positions = add('positions', { referencePanel: chart, direction: 'below' });
  const book = add('book', { referencePanel: chart, direction: 'right' });
  for (const name of ['orders', 'proposals', 'fills', 'alerts'] as const) add(name, { referencePanel: positions, direction: 'within' });
  positions.api.setActive();
  watchlist.api.setSize({ width: isWide ? 310 : 282 });
  ticket.api.setSize({ width: isWide ? 320 : 280 });
  book.api.setSize({ width: isWide ? 300 : 232 });
  positions.api.setSize({ height: Math.max(190, Math.round(api.height * 0.28)) });
}

function show(api: DockviewApi, name: PanelName): void {
  const panel = api.getPanel(name);
  if (panel !== undefined) panel.api.setActive();
  else api.addPanel({ id: name, component: name, title: PANELS[name].title });
}

/** A tab with the number of things that wait behind it. */
function Tab({ api }: IDockviewPanelHeaderProps) {
  return (
    <span className="tab">
      {api.title}
      {api.id === 'proposals' && <Count of={usePendingProposals().length} urgent />}
      {api.id === 'orders' && <Count of={useOpenOrders().length} />}
    </span>
  );
}

function Count({ of, urgent = false }: { readonly of: number; readonly urgent?: boolean }) {
  return of === 0 ? null : <span className={urgent ? 'count urgent' : 'count'} data-count={of} />;
}
