/** Lays out a state machine as boxes and edges with bend points and labels (elkjs). */

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { Json } from '../../domain/values/canonical-json.ts';
import type { ChartBox, ChartEdge, MachineLayout } from './machine-layout.ts';

/** Drawn parts of a machine definition as XState serializes it. */
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

/** Estimated width of one character in pixels, slightly more than the fonts need. */
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
/** Starts at the initial state and keeps the order of the machine. ELK fails with these options if edges cross borders. */
const IN_ORDER: { readonly [name: string]: string } = {
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.considerModelOrder.strategy': 'PREFER_EDGES',
};
const INSIDE: { readonly [name: string]: string } = {
  ...OPTIONS,
  'elk.padding': `[top=${TITLE + PADDING},left=${PADDING},bottom=${PADDING},right=${PADDING}]`,
};

/**
 * Creates the layouts. Each is computed on first use and kept, because definitions do not change while the service runs. @param definitions
 * by the machine's name, as `describeMachine` returns them.
 */
export function createChartLayouts(definitions: ReadonlyMap<string, Json>) {
  const made = new Map<string, Promise<MachineLayout>>();
  return {
    /** Returns the layout; null for an unknown machine. */
    of(machine: string): Promise<MachineLayout | null> {
      const definition = definitions.get(machine);
      if (definition === undefined) return Promise.resolve(null);
      let layout = made.get(machine);
      if (layout === undefined) {
        layout = layoutMachine(definition);
        made.set(machine, layout);
        // Failures are not cached.
        layout.catch(() => made.delete(machine));
      }
      return layout;
    },
  };
}

/** Lays out one machine. The result is deterministic. */
export async function layoutMachine(definition: Json): Promise<MachineLayout> {
  const root = definition as unknown as State;
  const machine = new MachineGraph(root);
  const graph = machine.box(root, 'machine');
  // Transitions that leave their region need one layout of the whole machine.
  const crossing = machine.crosses();
  if (crossing) layOutTogether(graph);
  else layOutInOrder(graph);
  const placed = await inAThread((layOut) => (root.type === 'parallel' && !crossing ? sideBySide(layOut, graph) : layOut(graph)));
  return { machine: root.id, width: round(placed.width ?? 0), height: round(placed.height ?? 0), ...machine.drawn(placed) };
}

/** Edge before layout. */
interface Connection {
  readonly from: string;
  readonly to: string;
  readonly event: string;
  readonly lines: readonly string[];
}

/** Graph of a machine before layout, and the content of its boxes. */
class MachineGraph {
  readonly #root: State;
  /** Contents of the boxes, by path. */
  readonly #shown = new Map<string, Pick<ChartBox, 'kind' | 'title' | 'stays'>>();
  readonly #connections = new Map<string, Connection>();

  constructor(root: State) {
    this.#root = root;
  }

  /** Returns true if a transition leaves the region or state where it begins. */
  crosses(): boolean {
    return [...this.#connections.values()].some(({ from, to }) => parentPath(from) !== parentPath(to));
  }

  /** Returns the node of a state with its children. */
  box(state: State, kind: ChartBox['kind']): ElkNode {
    const id = this.#pathOf(state.id);
    const stays = [...new Set(state.transitions.filter(({ target }) => !target?.length).map(({ eventType }) => eventText(eventType)))];
    this.#shown.set(id, { kind, title: state.key, stays });
    const widest = Math.max(state.key.length * TITLE_CHARACTER, ...stays.map((text) => (text.length + 3) * LABEL_CHARACTER));
    const width = Math.max(LEAST_WIDTH, Math.ceil(widest) + 2 * PADDING);
    if (Object.keys(state.states).length === 0)
      return { id, width, height: TITLE + 4 + (stays.length === 0 ? 0 : stays.length * LINE + 6), layoutOptions: {} };
    return {
      id: id || MACHINE,
      ...this.#inside(state, id),
      layoutOptions: {
        ...INSIDE,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width},${TITLE})`,
        ...(state.type === 'parallel' ? { 'elk.algorithm': 'rectpacking' } : {}),
      },
    };
  }

  /** Returns the child states of a state, its marks and the edges between them. */
  #inside(state: State, id: string): { children: ElkNode[]; edges: ElkExtendedEdge[] } {
    const inside = Object.values(state.states);
    const children = inside.map((child) => this.box(child, toBoxKind(child, state)));
    const edges = inside.flatMap((child) => {
      const path = this.#pathOf(child.id);
      return child.transitions.flatMap((transition) => this.#edgesOf(path, transition, (to) => !isWithin(to, path)));
    });
    const first = state.initial?.target[0];
    if (first !== undefined) {
      children.unshift(this.#mark(`${id}/initial`, 'initial'));
      edges.unshift(this.#connect(`${id}/initial`, this.#pathOf(first), '', []));
    }
    // A transition of every inner state starts at the mark `any`, one of the machine at its border.
    const leading = state.transitions.flatMap((transition) => this.#edgesOf(`${id}/any`, transition, (to) => isWithin(to, id)));
    if (leading.length > 0) children.push(this.#mark(`${id}/any`, 'any'));
    edges.push(...leading);
    return { children, edges };
  }

  #mark(id: string, kind: 'initial' | 'any'): ElkNode {
    this.#shown.set(id, { kind, title: kind === 'any' ? 'any' : '', stays: [] });
    return { id, width: kind === 'any' ? 44 : MARK, height: kind === 'any' ? 22 : MARK };
  }

  #edgesOf(from: string, { eventType, target, guard }: Transition, wanted: (to: string) => boolean): ElkExtendedEdge[] {
    const lines = [eventText(eventType), ...(guard === undefined ? [] : [`[${typeof guard === 'string' ? guard : guard.type}]`])];
    return (target ?? [])
      .map((id) => this.#pathOf(id))
      .filter(wanted)
      .map((to) => this.#connect(from, to, eventType, lines));
  }

  #connect(from: string, to: string, event: string, lines: readonly string[]): ElkExtendedEdge {
    const id = `${this.#connections.size}`;
    this.#connections.set(id, { from, to, event, lines });
    const width = Math.ceil(Math.max(0, ...lines.map((line) => line.length)) * LABEL_CHARACTER) + 6;
    const labels = lines.length === 0 ? [] : [{ id: `label ${id}`, text: lines.join('\n'), width, height: lines.length * LINE }];
    return { id, sources: [from || MACHINE], targets: [to || MACHINE], labels };
  }

  #pathOf(id: string): string {
    return id.replace(/^#/, '').slice(this.#root.id.length + 1);
  }

  /** Returns boxes and edges of the laid-out graph in absolute coordinates. */
  drawn(placed: ElkNode): Pick<MachineLayout, 'boxes' | 'edges'> {
    const boxes: ChartBox[] = [];
    const edges: ChartEdge[] = [];
    const corners = new Map<string, Point>();
    const collect = (node: ElkNode, parent: string | null, left: number, top: number): void => {
      const id = node.id === MACHINE ? '' : node.id;
      const corner = { x: left + (node.x ?? 0), y: top + (node.y ?? 0) };
      corners.set(node.id, corner);
      const size = { width: round(node.width ?? 0), height: round(node.height ?? 0) };
      const { kind, title, stays } = this.#shown.get(id) ?? { kind: 'state' as const, title: id, stays: [] };
      boxes.push({ id, parent, kind, title, stays, x: round(corner.x), y: round(corner.y), ...size });
      for (const child of node.children ?? []) collect(child, id, corner.x, corner.y);
      for (const edge of node.edges ?? []) {
        const holder = (edge as { container?: string }).container ?? node.id;
        edges.push(drawnEdge(edge, this.#connections.get(edge.id) as Connection, corners.get(holder) ?? { x: 0, y: 0 }));
      }
    };
    collect(placed, null, 0, 0);
    return { boxes, edges };
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Converts an edge to absolute coordinates. ELK measures its points from the containing node. */
function drawnEdge(edge: ElkExtendedEdge, { from, to, event, lines }: Connection, { x, y }: Point): ChartEdge {
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

/** Id of the machine's node: ELK needs one, and the machine's own path is empty. */
const MACHINE = '/machine';

function toBoxKind(state: State, parent: State): ChartBox['kind'] {
  if (parent.type === 'parallel') return 'region';
  if (state.type === 'final') return 'final';
  return Object.keys(state.states).length > 0 ? 'compound' : 'state';
}

/** Places the regions of a machine from left to right with equal tops. */
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

/** Returns true if the path lies strictly below the other. */
function isWithin(path: string, whole: string): boolean {
  return path !== whole && (whole === '' || path.startsWith(`${whole}.`));
}

/** Returns the path of the containing state or region, also for a mark. */
function parentPath(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash >= 0 ? path.slice(0, slash) : path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

/** Formats an event name: `xstate.after.degradedFor.agent@1.feed.degraded` becomes `after degradedFor`. */
function eventText(eventType: string): string {
  const after = /^xstate\.after\.([^.]+)\./.exec(eventType);
  if (after) return `after ${after[1]}`;
  return eventType === '' ? 'always' : eventType.replace(/^xstate\.done\.state\..*$/, 'done');
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** Source of the layout worker. The engine has 1.5 MB and takes half a second to load. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const Engine = require(workerData.engine);
parentPort.on('message', (graph) => new Engine().layout(graph).then((placed) => parentPort.postMessage(placed)));
`;

/** Runs layouts in a worker thread, one at a time, and ends the thread afterwards. Ticks and feeds of this process are not delayed. */
async function inAThread<Result>(use: (layOut: (graph: ElkNode) => Promise<ElkNode>) => Promise<Result>): Promise<Result> {
  const engine = createRequire(import.meta.url).resolve('elkjs/lib/elk.bundled.js');
  const thread = new Worker(THREAD, { eval: true, execArgv: [], workerData: { engine } });
  thread.unref();
  // Awaited together with every layout: an error between two of them must not end the process.
  const failed = new Promise<never>((_, reject) => {
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the layout thread ended with code ${code}`)));
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
