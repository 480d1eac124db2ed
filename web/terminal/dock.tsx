/** Dockable panels. The arrangement is stored per member in this browser. */
import {
  type DockviewApi,
  DockviewReact,
  type DockviewTheme,
  type IDockviewPanel,
  type IDockviewPanelHeaderProps,
  type IDockviewPanelProps,
} from 'dockview-react';
import { type ComponentType, useEffect, useMemo, useState } from 'react';
import { Guarded } from './kit/refusal.tsx';
import { keep, readKept, useStore } from './kit/store.ts';
import { useMe } from './member.ts';
import { panelAsked } from './place.ts';

const THEME: DockviewTheme = { name: 'sevengate', className: 'dockview-theme-sevengate', gap: 4 };
const RESET = 'reset';

export interface Panel {
  readonly title: string;
  readonly content: ComponentType;
  /** Number of items that wait in the panel. */
  readonly Count?: ComponentType;
  /** True if the content has its own head. */
  readonly hasHead?: boolean;
}

export interface Workspace<Name extends string = string> {
  /** Storage key of the arrangement. */
  readonly name: string;
  readonly panels: { readonly [panel in Name]: Panel };
  /** Builds the default arrangement. */
  arrange(api: DockviewApi, add: Add<Name>): void;
}

/** Adds a panel at a side of the workspace or of another panel. */
type Add<Name extends string> = (
  panel: Name,
  position?: { readonly direction: string; readonly referencePanel?: IDockviewPanel },
) => IDockviewPanel;

export default function Dock({ workspace }: { readonly workspace: Workspace }) {
  const key = `sevengate.terminal.${workspace.name}.${useMe().subject}`;
  const asked = useStore(panelAsked);
  const [dock, setDock] = useState<DockviewApi | null>(null);
  useEffect(() => {
    if (dock === null || asked === null) return;
    panelAsked.set(null);
    if (asked === RESET) arrange(dock, workspace);
    else if (asked in workspace.panels) show(dock, asked, workspace);
  }, [asked, dock, workspace]);
  const components = useMemo(() => componentsOf(workspace), [workspace]);
  return (
    <div className="dock">
      <DockviewReact
        theme={THEME}
        components={components}
        defaultTabComponent={useMemo(() => tabOf(workspace), [workspace])}
        disableFloatingGroups
        onReady={({ api }) => {
          if (!restore(api, readKept(key), workspace)) arrange(api, workspace);
          api.onDidLayoutChange(() => keep(key, JSON.stringify(api.toJSON())));
          setDock(api);
        }}
      />
    </div>
  );
}

const componentsOf = ({ panels }: Workspace) =>
  Object.fromEntries(
    Object.entries(panels).map(([name, { content: Content }]) => [
      name,
      (_props: IDockviewPanelProps) => (
        <Guarded>
          <Content />
        </Guarded>
      ),
    ]),
  );

/** Restores the stored arrangement. False if there is none, or it names panels of another version. */
function restore(api: DockviewApi, kept: string | null, { panels }: Workspace): boolean {
  if (kept === null) return false;
  try {
    const layout = JSON.parse(kept) as Parameters<DockviewApi['fromJSON']>[0];
    if (!Object.keys(layout.panels).every((name) => name in panels)) return false;
    api.fromJSON(layout);
    return true;
  } catch {
    return false;
  }
}

function arrange(api: DockviewApi, workspace: Workspace): void {
  api.clear();
  workspace.arrange(api, (name, position) =>
    api.addPanel({
      id: name,
      component: name,
      title: workspace.panels[name]?.title,
      ...(position === undefined ? {} : { position }),
    } as Parameters<DockviewApi['addPanel']>[0]),
  );
}

function show(api: DockviewApi, name: string, { panels }: Workspace): void {
  const panel = api.getPanel(name);
  if (panel !== undefined) panel.api.setActive();
  else api.addPanel({ id: name, component: name, title: panels[name]?.title ?? name });
}

/** Builds the tab of a panel: its title and the number of waiting items. */
const tabOf = ({ panels }: Workspace) =>
  function Tab({ api }: IDockviewPanelHeaderProps) {
    const Count = panels[api.id]?.Count;
    return (
      <span className="tab">
        {api.title}
        {Count !== undefined && <Count />}
      </span>
    );
  };
