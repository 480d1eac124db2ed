/** Draws a state machine from its layout, lights up where it stands, and lets the transition just taken run along its arrow. */
import { h, mark, s } from './dom.js';

/** @typedef {import('./wire.ts').Layout} Layout */
/** @typedef {import('./wire.ts').Box} Box */
/** @typedef {import('./wire.ts').Edge} Edge */
/** @typedef {import('./wire.ts').StateValue} StateValue */
/** @typedef {{ readonly from: StateValue | null, readonly to: StateValue, readonly event: string }} Taken */

const CORNER = 9;
const MARGIN = 2;
const RUN_MS = 900;

/**
 * @param {Layout} layout
 * @returns {{ readonly element: HTMLElement, show: (value: StateValue, taken: Taken | null, animate: boolean) => void }}
 */
export function drawChart(layout) {
  /** @type {Map<string, SVGGElement>} */
  const boxes = new Map();
  /** @type {{ readonly edge: Edge, readonly group: SVGGElement, readonly line: SVGPathElement }[]} */
  const edges = [];
  const spoken = h('p', { class: 'unseen', 'aria-live': 'polite' });
  const element = h('div', { class: 'chart' });

  const machine = layout.boxes.find(({ parent }) => parent === null);
  const regions = layout.boxes.filter(({ kind, parent }) => kind === 'region' && parent === '');
  const apart = regions.length > 0 && layout.edges.every(({ from, to }) => regionOf(from) === regionOf(to));
  // Regions that nothing leads out of are drawn each for itself, so that they find room on a narrow screen too.
  if (apart) for (const region of regions) element.append(drawing(region, (id) => regionOf(id) === region.id));
  else if (machine !== undefined) element.append(drawing(machine, () => true));
  if (machine !== undefined && apart && machine.stays.length > 0) {
    element.append(h('p', { class: 'chart-note' }, 'At any time: ', ...machine.stays.map((event) => h('code', {}, event))));
  }
  element.append(spoken);

  /**
   * @param {Box} frame
   * @param {(id: string) => boolean} within
   */
  function drawing(frame, within) {
    const view = [frame.x - MARGIN, frame.y - MARGIN, frame.width + 2 * MARGIN, frame.height + 2 * MARGIN];
    const svg = s('svg', {
      class: 'chart-region',
      viewBox: view.join(' '),
      width: view[2],
      role: 'img',
      'aria-label': `State chart: ${frame.title}`,
    });
    for (const box of layout.boxes) if (within(box.id) && (apart ? box.parent !== null : true)) svg.append(boxDrawing(box));
    for (const edge of layout.edges) if (within(edge.from)) svg.append(edgeDrawing(edge));
    return svg;
  }

  /** @param {Box} box */
  function boxDrawing(box) {
    const { x, y, width, height, kind, title, stays } = box;
    const centre = x + width / 2;
    const group = s('g', { class: `box box-${kind}`, 'data-state': box.id });
    if (kind === 'initial') group.append(s('circle', { cx: centre, cy: y + height / 2, r: width / 2 }));
    else {
      group.append(s('rect', { x, y, width, height, rx: kind === 'any' ? height / 2 : kind === 'state' || kind === 'final' ? 9 : 12 }));
      if (kind === 'final') group.append(s('rect', { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 6 }));
      const inside = kind === 'state' || kind === 'final' || kind === 'any';
      const baseline = kind === 'any' ? y + height / 2 + 4 : y + 22;
      group.append(
        s('text', { class: 'box-title', x: inside ? centre : x + 14, y: baseline, 'text-anchor': inside ? 'middle' : 'start' }, title),
      );
      if (kind !== 'machine') {
        for (const [index, event] of stays.entries())
          group.append(s('text', { class: 'box-stay', x: centre, y: y + 40 + index * 15, 'text-anchor': 'middle' }, `↺ ${event}`));
      }
    }
    boxes.set(box.id, group);
    return group;
  }

  /** @param {Edge} edge */
  function edgeDrawing(edge) {
    const line = s('path', { class: 'edge-line', d: roundedPath(edge.points), pathLength: 1 });
    const group = s('g', { class: 'edge', 'data-event': edge.event }, line, s('path', { class: 'edge-head', d: headPath(edge.points) }));
    if (edge.label !== null) {
      const { x, y, width, lines } = edge.label;
      for (const [index, text] of lines.entries())
        group.append(s('text', { class: 'edge-label', x: x + width / 2, y: y + 11 + index * 15, 'text-anchor': 'middle' }, text));
    }
    edges.push({ edge, group, line });
    return group;
  }

  return {
    element,
    show(value, taken, animate) {
      const active = activeStates(value);
      for (const [id, group] of boxes) group.classList.toggle('is-active', active.has(id) && id !== '');
      const ways = taken === null ? new Set() : waysTaken(layout.edges, taken);
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      for (const { edge, group, line } of edges) {
        group.classList.toggle('is-taken', ways.has(edge));
        if (!animate || calm || !ways.has(edge)) continue;
        const target = boxes.get(edge.to);
        line.animate([{ strokeDasharray: '0 1' }, { strokeDasharray: '1 0' }], { duration: RUN_MS, easing: 'ease-in-out' });
        target?.animate([{ opacity: 0.25 }, { opacity: 0.25, offset: 0.6 }, { opacity: 1 }], { duration: RUN_MS, easing: 'ease-out' });
      }
      const words = [...active].filter((id) => id !== '' && ![...active].some((other) => other.startsWith(`${id}.`)));
      const text = words.map((id) => id.replaceAll('.', ' ')).join(', ');
      if (spoken.textContent !== text) spoken.textContent = text;
      mark(element, 'data-standing', words.sort().join(' '));
    },
  };
}

/**
 * The paths of all states that a value names, the machine's own empty one included.
 * @param {StateValue} value
 * @param {string} [above]
 * @returns {Set<string>}
 */
function activeStates(value, above = '') {
  const found = new Set([above]);
  const under = /** @param {string} key */ (key) => (above === '' ? key : `${above}.${key}`);
  if (typeof value === 'string') found.add(under(value));
  else for (const [key, inside] of Object.entries(value)) for (const id of activeStates(inside, under(key))) found.add(id);
  return found;
}

/**
 * The arrows that a step went along: of the event where one fits, else (an event that the step raised itself) by where it
 * left and where it came to.
 * @param {readonly Edge[]} edges
 * @param {Taken} taken
 */
function waysTaken(edges, { from, to, event }) {
  const left = from === null ? new Set(['']) : activeStates(from);
  const reached = activeStates(to);
  const isNew = /** @param {string} id */ (id) => reached.has(id) && !left.has(id);
  const origin = /** @param {string} id */ (id) => (id.endsWith('/any') ? left.has(id.slice(0, -4)) : left.has(id));
  const candidates = edges.filter(
    (edge) => edge.event !== '' && origin(edge.from) && (isNew(edge.to) || (edge.event === event && reached.has(edge.to))),
  );
  const named = candidates.filter((edge) => edge.event === event);
  const rest = candidates.filter((edge) => edge.event !== event && !named.some((one) => regionOf(one.to) === regionOf(edge.to)));
  // Before the first step a machine enters where its regions begin.
  const begins = from === null ? edges.filter((edge) => edge.event === '' && reached.has(edge.to)) : [];
  return new Set([...named, ...rest, ...begins]);
}

/** @param {string} id */
function regionOf(id) {
  return id.split(/[./]/, 1)[0] ?? '';
}

/** @param {Edge['points']} points */
function roundedPath(points) {
  const [first, ...rest] = points;
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

/**
 * The place a corner's radius away from it, or half-way where the two are near.
 * @param {{ readonly x: number, readonly y: number }} corner
 * @param {{ readonly x: number, readonly y: number }} other
 */
function toward(corner, other) {
  const distance = Math.hypot(other.x - corner.x, other.y - corner.y) || 1;
  const share = Math.min(CORNER, distance / 2) / distance;
  return { x: corner.x + (other.x - corner.x) * share, y: corner.y + (other.y - corner.y) * share };
}

/** @param {Edge['points']} points */
function headPath(points) {
  const tip = points.at(-1);
  const back = points.at(-2);
  if (tip === undefined || back === undefined) return '';
  const angle = Math.atan2(tip.y - back.y, tip.x - back.x);
  const wing = /** @param {number} turn */ (turn) => `${tip.x - 9 * Math.cos(angle + turn)},${tip.y - 9 * Math.sin(angle + turn)}`;
  return `M${tip.x},${tip.y}L${wing(0.42)}L${wing(-0.42)}Z`;
}
