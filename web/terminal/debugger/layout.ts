/** Geometry of a state chart: active boxes, arrows of a step, and the arrangement of the regions. */
import type { InspectedStep, MachineLayout } from '../../../clients/typescript/src/index.ts';

export type StateValue = InspectedStep['to'];
export type Box = MachineLayout['boxes'][number];
export type Edge = MachineLayout['edges'][number];

/** Step as the chart shows it. */
export interface Taken {
  readonly from: StateValue | null;
  readonly to: StateValue;
  readonly event: string;
}

/** One drawing of the chart: the machine, or one region if no arrow connects the regions. */
export interface Drawing {
  readonly frame: Box;
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const CORNER = 9;
/** Space between two drawings in pixels. */
const GAP = 14;

const readRegion = (id: string): string => id.split(/[./]/, 1)[0] ?? '';

/** Splits a layout into its drawings. @returns The drawings. If regions are drawn alone, also the events taken in any state. */
export function splitDrawings({ boxes, edges }: MachineLayout): {
  readonly drawings: readonly Drawing[];
  readonly anytime: readonly string[];
} {
  const machine = boxes.find(({ parent }) => parent === null);
  const regions = boxes.filter(({ kind, parent }) => kind === 'region' && parent === '');
  const isApart = regions.length > 0 && edges.every(({ from, to }) => readRegion(from) === readRegion(to));
  if (machine === undefined) return { drawings: [], anytime: [] };
  if (!isApart) return { drawings: [{ frame: machine, boxes, edges }], anytime: [] };
  const drawings = regions.map((frame) => ({
    frame,
    boxes: boxes.filter(({ id, parent }) => parent !== null && readRegion(id) === frame.id),
    edges: edges.filter(({ from }) => readRegion(from) === frame.id),
  }));
  return { drawings, anytime: machine.stays };
}

/** Returns the paths of all states in a value, with the empty path of the machine. */
export function activeStates(value: StateValue, above = ''): ReadonlySet<string> {
  const found = new Set([above]);
  const under = (key: string): string => (above === '' ? key : `${above}.${key}`);
  if (typeof value === 'string') found.add(under(value));
  else for (const [key, inside] of Object.entries(value)) for (const id of activeStates(inside, under(key))) found.add(id);
  return found;
}

/** Describes the innermost states of a value: `duty active, stage paper`. */
export function activeWords(value: StateValue): string {
  const active = [...activeStates(value)].filter((id) => id !== '');
  return active
    .filter((id) => !active.some((other) => other.startsWith(`${id}.`)))
    .map((id) => id.replaceAll('.', ' '))
    .join(', ');
}

/**
 * Returns the arrows of a step: those of its event, or for an event that the step raised itself those from the states it left to those
 * it entered.
 */
export function waysTaken(edges: readonly Edge[], { from, to, event }: Taken): ReadonlySet<string> {
  const left = from === null ? new Set(['']) : activeStates(from);
  const reached = activeStates(to);
  const isNew = (id: string): boolean => reached.has(id) && !left.has(id);
  const isOrigin = (id: string): boolean => left.has(id.endsWith('/any') ? id.slice(0, -4) : id);
  const candidates = edges.filter(
    (edge) => edge.event !== '' && isOrigin(edge.from) && (isNew(edge.to) || (edge.event === event && reached.has(edge.to))),
  );
  const named = candidates.filter((edge) => edge.event === event);
  const rest = candidates.filter((edge) => edge.event !== event && !named.some((one) => readRegion(one.to) === readRegion(edge.to)));
  // A new machine enters the initial states of its regions.
  const begins = from === null ? edges.filter((edge) => edge.event === '' && reached.has(edge.to)) : [];
  return new Set([...named, ...rest, ...begins].map(({ id }) => id));
}

/** Puts each size into the shortest column. @returns The columns, and the scale at which all of them fit. */
function arranged(sizes: readonly Size[], count: number, place: Size) {
  const columns = Array.from({ length: count }, () => ({ width: 0, height: 0, items: [] as number[] }));
  for (const [index, { width, height }] of sizes.entries()) {
    const lowest = columns.reduce((a, b) => (b.height < a.height ? b : a));
    lowest.width = Math.max(lowest.width, width);
    lowest.height += height;
    lowest.items.push(index);
  }
  const across = (place.width - GAP * (count - 1)) / columns.reduce((sum, { width }) => sum + width, 0);
  // Gaps are not scaled.
  const down = columns.map(({ height, items }) => (place.height - GAP * (items.length - 1)) / Math.max(1, height));
  return { columns: columns.map(({ items }) => items), scale: Math.min(1.15, across, ...down) };
}

/** Arranges drawings as large as they fit. On a narrow screen they are stacked at a readable size. */
export function arrangement(sizes: readonly Size[], place: Size, isNarrow: boolean) {
  if (isNarrow || sizes.length === 0) {
    const widest = Math.max(1, ...sizes.map(({ width }) => width));
    return { columns: [sizes.map((_, index) => index)], scale: Math.max(0.62, Math.min(1, place.width / widest)) };
  }
  return sizes.map((_, index) => arranged(sizes, index + 1, place)).reduce((a, b) => (b.scale > a.scale ? b : a));
}

/** Returns the SVG path through the points with rounded corners. */
export function roundedPath([first, ...rest]: Edge['points']): string {
  if (first === undefined) return '';
  let path = `M${first.x},${first.y}`;
  let before = first;
  for (const [index, point] of rest.entries()) {
    const after = rest[index + 1];
    if (after === undefined) path += `L${point.x},${point.y}`;
    else {
      const [a, b] = [toward(point, before), toward(point, after)];
      path += `L${a.x},${a.y}Q${point.x},${point.y} ${b.x},${b.y}`;
    }
    before = point;
  }
  return path;
}

type Point = Edge['points'][number];

/** Returns the point a corner's radius away from a corner, or half-way to the other point if that is nearer. */
function toward(corner: Point, other: Point): Point {
  const distance = Math.hypot(other.x - corner.x, other.y - corner.y) || 1;
  const share = Math.min(CORNER, distance / 2) / distance;
  return { x: corner.x + (other.x - corner.x) * share, y: corner.y + (other.y - corner.y) * share };
}

/** Returns the SVG path of an arrowhead at the last point. */
export function headPath(points: Edge['points']): string {
  const [tip, back] = [points.at(-1), points.at(-2)];
  if (tip === undefined || back === undefined) return '';
  const angle = Math.atan2(tip.y - back.y, tip.x - back.x);
  const wing = (turn: number): string => `${tip.x - 9 * Math.cos(angle + turn)},${tip.y - 9 * Math.sin(angle + turn)}`;
  return `M${tip.x},${tip.y}L${wing(0.42)}L${wing(-0.42)}Z`;
}
