/** Dockable panels. The arrangement is a setting of the member. */
import {
  type DockviewApi,
  DockviewReact,
  type DockviewTheme,
  type IDockviewPanel,
  type IDockviewPanelHeaderProps,
  type IDockviewPanelProps,
  type SerializedDockview,
} from 'dockview-react';
import { type ComponentType, useEffect, useMemo, useRef, useState } from 'react';
import { openSetting } from './kept-settings.ts';
import { Guarded } from './kit/refusal.tsx';
import { useStore } from './kit/store.ts';
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
  /** Name of the arrangement's setting. */
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
  const kept = openSetting(`workspace-${workspace.name}`);
  /** True once the member has touched the workspace in its present size. What the window's size changes is no arrangement. */
  const isTouched = useRef(false);
  const asked = useStore(panelAsked);
  const [dock, setDock] = useState<DockviewApi | null>(null);
  useEffect(() => {
    if (dock === null || asked === null) return;
    panelAsked.set(null);
    isTouched.current = true;
    if (asked === RESET) arrange(dock, workspace);
    else if (asked in workspace.panels) show(dock, asked, workspace);
  }, [asked, dock, workspace]);
  useEffect(() => {
    const untouch = () => (isTouched.current = false);
    addEventListener('resize', untouch);
    return () => removeEventListener('resize', untouch);
  }, []);
  const components = useMemo(() => listComponents(workspace), [workspace]);
  return (
    <div className="dock" onPointerDownCapture={() => (isTouched.current = true)} onKeyDownCapture={() => (isTouched.current = true)}>
      <DockviewReact
        theme={THEME}
        components={components}
        defaultTabComponent={useMemo(() => createTab(workspace), [workspace])}
        disableFloatingGroups
        onReady={({ api }) => {
          if (!restore(api, kept.get(), workspace)) arrange(api, workspace);
          api.onDidLayoutChange(() => isTouched.current && kept.set(JSON.stringify(api.toJSON())));
          setDock(api);
        }}
      />
    </div>
  );
}

const listComponents = ({ panels }: Workspace) =>
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

/** Restores an arrangement. False if the text is none, or names panels of another version. Of each panel only its place is taken over. */
function restore(api: DockviewApi, text: string, { panels }: Workspace): boolean {
  try {
    const { grid, activeGroup, panels: placed } = JSON.parse(text) as SerializedDockview;
    const names = Object.keys(placed);
    if (names.length === 0 || !names.every((name) => Object.hasOwn(panels, name))) return false;
    api.fromJSON({
      grid,
      ...(activeGroup === undefined ? {} : { activeGroup }),
      panels: Object.fromEntries(names.map((id) => [id, { id, contentComponent: id, title: panels[id]?.title ?? id }])),
    });
    return api.panels.length > 0;
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
const createTab = ({ panels }: Workspace) =>
  function Tab({ api }: IDockviewPanelHeaderProps) {
    const Count = panels[api.id]?.Count;
    return (
      <span className="tab">
        {api.title}
        {Count !== undefined && <Count />}
      </span>
    );
  };
