/** Lays a state machine out for the eye: boxes of states and regions, edges with bend points and labels (elkjs). */

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { ChartBox, ChartEdge, MachineLayout } from '../../../api/v1/machines/ports.ts';
import type { Json } from '../../domain/canonical-json.ts';

export interface ChartLayouts {
  /** Null for a machine that this version of the service does not have. */
  of(machine: string): Promise<MachineLayout | null>;
}

/** A definition as XState serialises it, as far as it is drawn. */
interface State {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly initial?: { readonly target: readonly string[] };
  readonly states: { readonly [key: string]: State };
  readonly transitions: readonly Transition[];
}

interface Transition {
  readonly eventType: string;
  readonly target?: readonly string[];
  readonly guard?: string | { readonly type: string };
}

/** Widths of one character, a little wide of what monospaced and proportional fonts of these sizes take. */
const TITLE_CHARACTER = 7.8;
const LABEL_CHARACTER = 6.7;
const LINE = 15;
const TITLE = 30;
const PADDING = 16;
const MARK = 12;
const LEAST_WIDTH = 96;

const OPTIONS: { readonly [name: string]: string } = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.edgeLabels.sideSelection': 'SMART_DOWN',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '20',
  'elk.spacing.edgeEdge': '16',
  'elk.spacing.edgeLabel': '6',
  'elk.layered.spacing.nodeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
};
/** Begins at the initial state and keeps the order of the machine; ELK fails on it where edges cross borders. */
const IN_ORDER: { readonly [name: string]: string } = {
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.considerModelOrder.strategy': 'PREFER_EDGES',
};
const INSIDE: { readonly [name: string]: string } = {
  ...OPTIONS,
  'elk.padding': `[top=${TITLE + PADDING},left=${PADDING},bottom=${PADDING},right=${PADDING}]`,
};

/**
 * Makes the layouts of the given machines, each when it is first asked for and then never again: it takes a fraction of a
 * second, and a definition does not change while the service runs.
 * @param definitions by the machine's name, as `describeMachine` gives them.
 */
export function createChartLayouts(definitions: ReadonlyMap<string, Json>): ChartLayouts {
  const made = new Map<string, Promise<MachineLayout>>();
  return {
    of(machine) {
      const definition = definitions.get(machine);
      if (definition === undefined) return Promise.resolve(null);
      let layout = made.get(machine);
      if (layout === undefined) {
        layout = layoutMachine(definition);
        made.set(machine, layout);
        // A failure is not kept: the next one who asks tries again.
        layout.catch(() => made.delete(machine));
      }
      return layout;
    },
  };
}

/** Lays out one machine. The same definition always gives the same layout. */
export async function layoutMachine(definition: Json): Promise<MachineLayout> {
  const root = definition as unknown as State;
  const stays = new Map<string, readonly string[]>();
  const kinds = new Map<string, ChartBox['kind']>();
  const titles = new Map<string, string>();
  const edges = new Map<
    string,
    { readonly from: string; readonly to: string; readonly event: string; readonly lines: readonly string[] }
  >();
  const pathOf = (id: string): string => id.replace(/^#/, '').slice(root.id.length + 1);

  function connect(from: string, to: string, event: string, lines: readonly string[]): ElkExtendedEdge {
    const id = `${edges.size}`;
    edges.set(id, { from, to, event, lines });
    const width = Math.ceil(Math.max(0, ...lines.map((line) => line.length)) * LABEL_CHARACTER) + 6;
    const labels = lines.length === 0 ? [] : [{ id: `label ${id}`, text: lines.join('\n'), width, height: lines.length * LINE }];
    return { id, sources: [from || MACHINE], targets: [to || MACHINE], labels };
  }

  function box(state: State, kind: ChartBox['kind']): ElkNode {
    const id = pathOf(state.id);
    const inside = Object.values(state.states);
    kinds.set(id, kind);
    titles.set(id, state.key);
    stays.set(id, [...new Set(state.transitions.filter(({ target }) => !target?.length).map(({ eventType }) => eventText(eventType)))]);
    const staying = stays.get(id) as readonly string[];
    const widest = Math.max(state.key.length * TITLE_CHARACTER, ...staying.map((text) => (text.length + 3) * LABEL_CHARACTER));
    const width = Math.max(LEAST_WIDTH, Math.ceil(widest) + 2 * PADDING);
    if (inside.length === 0)
      return { id, width, height: TITLE + 4 + (staying.length === 0 ? 0 : staying.length * LINE + 6), layoutOptions: {} };

    const children = inside.map((child) => box(child, kindOf(child, state)));
    const own = inside.flatMap((child) =>
      child.transitions.flatMap((transition) => edgesOf(pathOf(child.id), transition, (to) => !isWithin(to, pathOf(child.id)))),
    );
    const first = state.initial?.target[0];
    if (first !== undefined) {
      children.unshift(mark(`${id}/initial`, 'initial'));
      own.unshift(connect(`${id}/initial`, pathOf(first), '', []));
    }
    // What any state inside may do leads from a mark; what leads out of the whole starts at its border.
    const leading = state.transitions.flatMap((transition) => edgesOf(`${id}/any`, transition, (to) => isWithin(to, id)));
    if (leading.length > 0) children.push(mark(`${id}/any`, 'any'));
    own.push(...leading);
    return {
      id: id || MACHINE,
      children,
      edges: own,
      layoutOptions: {
        ...INSIDE,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width},${TITLE})`,
        ...(state.type === 'parallel' ? { 'elk.algorithm': 'rectpacking' } : {}),
      },
    };
  }

  function mark(id: string, kind: 'initial' | 'any'): ElkNode {
    kinds.set(id, kind);
    titles.set(id, kind === 'any' ? 'any' : '');
    stays.set(id, []);
    return { id, width: kind === 'any' ? 44 : MARK, height: kind === 'any' ? 22 : MARK };
  }

  function edgesOf(from: string, { eventType, target, guard }: Transition, wanted: (to: string) => boolean): ElkExtendedEdge[] {
    const lines = [eventText(eventType), ...(guard === undefined ? [] : [`[${typeof guard === 'string' ? guard : guard.type}]`])];
    return (target ?? [])
      .map(pathOf)
      .filter(wanted)
      .map((to) => connect(from, to, eventType, lines));
  }

  const graph = box(root, 'machine');
  // Where a transition leaves its region, only one layout of everything at once can route it.
  const crossing = [...edges.values()].some(({ from, to }) => parentOf(from) !== parentOf(to));
  if (crossing) layOutTogether(graph);
  else layOutInOrder(graph);
  const placed = await inAThread((layOut) => (root.type === 'parallel' && !crossing ? sideBySide(layOut, graph) : layOut(graph)));

  const boxes: ChartBox[] = [];
  const drawn: ChartEdge[] = [];
  const offsets = new Map<string, { readonly x: number; readonly y: number }>();
  collect(placed, null, 0, 0);

  function collect(node: ElkNode, parent: string | null, left: number, top: number): void {
    const id = node.id === MACHINE ? '' : node.id;
    const x = left + (node.x ?? 0);
    const y = top + (node.y ?? 0);
    offsets.set(node.id, { x, y });
    boxes.push({
      id,
      parent,
      kind: kinds.get(id) ?? 'state',
      title: titles.get(id) ?? id,
      stays: stays.get(id) ?? [],
      x: round(x),
      y: round(y),
      width: round(node.width ?? 0),
      height: round(node.height ?? 0),
    });
    for (const child of node.children ?? []) collect(child, id, x, y);
    for (const edge of node.edges ?? []) drawn.push(drawnEdge(edge, node.id));
  }

  function drawnEdge(edge: ElkExtendedEdge, holder: string): ChartEdge {
    const { x, y } = offsets.get((edge as { container?: string }).container ?? holder) ?? { x: 0, y: 0 };
    const { from, to, event, lines } = edges.get(edge.id) as NonNullable<ReturnType<typeof edges.get>>;
    const [section] = edge.sections ?? [];
    const [label] = edge.labels ?? [];
    const points = section === undefined ? [] : [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
    return {
      id: edge.id,
      from,
      to,
      event,
      points: points.map((point) => ({ x: round(x + point.x), y: round(y + point.y) })),
      label:
        label === undefined
          ? null
          : {
              lines,
              x: round(x + (label.x ?? 0)),
              y: round(y + (label.y ?? 0)),
              width: round(label.width ?? 0),
              height: round(label.height ?? 0),
            },
    };
  }

  return { machine: root.id, width: round(placed.width ?? 0), height: round(placed.height ?? 0), boxes, edges: drawn };
}

/** ELK needs a name for every node, and the machine's own path is empty. */
const MACHINE = '/machine';

function kindOf(state: State, parent: State): ChartBox['kind'] {
  if (parent.type === 'parallel') return 'region';
  if (state.type === 'final') return 'final';
  return Object.keys(state.states).length > 0 ? 'compound' : 'state';
}

/** The regions of a machine from left to right, all beginning at the same height. */
async function sideBySide(layOut: (graph: ElkNode) => Promise<ElkNode>, graph: ElkNode): Promise<ElkNode> {
  const regions: ElkNode[] = [];
  let x = PADDING;
  let height = 0;
  for (const region of graph.children ?? []) {
    const { width = 0, height: deep = 0, ...rest } = await layOut(region);
    regions.push({ ...rest, width, height: deep, x, y: TITLE + PADDING });
    x += width + PADDING;
    height = Math.max(height, deep);
  }
  return { ...graph, children: regions, x: 0, y: 0, width: x, height: height + TITLE + 2 * PADDING };
}

function layOutTogether(node: ElkNode): void {
  if (node.layoutOptions?.['elk.algorithm'] !== undefined || node.id === MACHINE) {
    node.layoutOptions = { ...node.layoutOptions, ...INSIDE, 'elk.hierarchyHandling': 'INCLUDE_CHILDREN' };
  }
  for (const child of node.children ?? []) layOutTogether(child);
}

function layOutInOrder(node: ElkNode): void {
  if (node.layoutOptions?.['elk.algorithm'] === 'layered') node.layoutOptions = { ...node.layoutOptions, ...IN_ORDER };
  for (const child of node.children ?? []) layOutInOrder(child);
}

/** Inside of it, and not the whole itself. */
function isWithin(path: string, whole: string): boolean {
  return path !== whole && (whole === '' || path.startsWith(`${whole}.`));
}

/** The state or region that a state stands in; the same for a mark of it. */
function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash >= 0 ? path.slice(0, slash) : path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

/** `xstate.after.degradedFor.agent@1.feed.degraded` is `after degradedFor`. */
function eventText(eventType: string): string {
  const after = /^xstate\.after\.([^.]+)\./.exec(eventType);
  if (after) return `after ${after[1]}`;
  return eventType === '' ? 'always' : eventType.replace(/^xstate\.done\.state\..*$/, 'done');
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** What a thread of its own does: the layout engine is a megabyte and a half that takes half a second to load and to begin. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const Engine = require(workerData.engine);
parentPort.on('message', (graph) => new Engine().layout(graph).then((placed) => parentPort.postMessage(placed)));
`;

/** Lays graphs out, one after the other, without holding up the ticks and feeds of this process, and ends the thread after them. */
async function inAThread<Result>(use: (layOut: (graph: ElkNode) => Promise<ElkNode>) => Promise<Result>): Promise<Result> {
  const engine = createRequire(import.meta.url).resolve('elkjs/lib/elk.bundled.js');
  const thread = new Worker(THREAD, { eval: true, execArgv: [], workerData: { engine } });
  thread.unref();
  // Kept beside the single waits: an error between two of them must not end the process.
  const failed = new Promise<never>((_, reject) => {
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread of the layout ended with ${code}`)));
  });
  failed.catch(() => {});
  try {
    return await use((graph) => {
      const placed = once(thread, 'message').then(([answer]) => answer as ElkNode);
      placed.catch(() => {});
      thread.postMessage(graph);
      return Promise.race([placed, failed]);
    });
  } finally {
    await thread.terminate();
  }
}
