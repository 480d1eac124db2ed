// Layout of state charts: nothing overlaps, everything is inside its parent, and every arrow runs from border to border.

import { expect, test } from 'vitest';
import { type AnyStateNode, createMachine } from 'xstate';
import { agentMachine } from '../../../actors/agent/machine.ts';
import { describeMachine } from '../../../actors/runtime/chart.ts';
import { createChartLayouts, layoutMachine } from '../../../src/adapters/chart/chart-layouts.ts';
import type { ChartBox, MachineLayout } from '../../../src/adapters/chart/machine-layout.ts';

// Everything that a chart may contain: nested and parallel states, a final one, self-transitions, and a transition out of its region.
const nested = createMachine({
  id: 'nested@1',
  initial: 'idle',
  states: {
    idle: { on: { begin: 'working', again: { target: 'idle', reenter: true } } },
    working: {
      type: 'parallel',
      on: { stop: 'ended', shift: '.left.two' },
      states: {
        left: { initial: 'one', states: { one: { on: { next: 'two' } }, two: { on: { back: 'one', flee: '#nested@1.idle' } } } },
        right: { initial: 'slow', states: { slow: { after: { 1000: 'quick' } }, quick: { on: { hold: {} } } } },
      },
    },
    ended: { type: 'final' },
  },
});

const MACHINES = [agentMachine, nested] as const;
const EPSILON = 0.21;

type Rectangle = Pick<ChartBox, 'x' | 'y' | 'width' | 'height'>;
const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.x + a.width > b.x + EPSILON && b.x + b.width > a.x + EPSILON && a.y + a.height > b.y + EPSILON && b.y + b.height > a.y + EPSILON;
const contains = (outer: Rectangle, inner: Rectangle): boolean =>
  inner.x >= outer.x - EPSILON &&
  inner.y >= outer.y - EPSILON &&
  inner.x + inner.width <= outer.x + outer.width + EPSILON &&
  inner.y + inner.height <= outer.y + outer.height + EPSILON;
const onBorder = (box: Rectangle, { x, y }: { x: number; y: number }): boolean => {
  const within = x >= box.x - EPSILON && x <= box.x + box.width + EPSILON && y >= box.y - EPSILON && y <= box.y + box.height + EPSILON;
  const inside = x > box.x + EPSILON && x < box.x + box.width - EPSILON && y > box.y + EPSILON && y < box.y + box.height - EPSILON;
  return within && !inside;
};
const boxOf = ({ boxes }: MachineLayout, id: string): ChartBox => {
  const found = boxes.find((box) => box.id === id);
  if (found === undefined) throw new Error(`there is no box ${id}`);
  return found;
};
const nodesOf = (node: AnyStateNode): readonly AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];
const layouts = createChartLayouts(new Map(MACHINES.map((machine) => [machine.id, describeMachine(machine).definition])));
const layoutOf = async ({ id }: (typeof MACHINES)[number]): Promise<MachineLayout> => (await layouts.of(id)) as MachineLayout;

test.each(MACHINES.map((machine) => [machine.id, machine] as const))(
  '%s: siblings never overlap, and every box lies inside its parent',
  async (_, machine) => {
    const layout = await layoutOf(machine);
    for (const box of layout.boxes) {
      expect(box.width * box.height, box.id).toBeGreaterThan(0);
      if (box.parent !== null) expect(contains(boxOf(layout, box.parent), box), `${box.id} in ${box.parent}`).toBe(true);
      for (const other of layout.boxes) {
        if (other.id < box.id && other.parent === box.parent) expect(overlap(box, other), `${box.id} and ${other.id}`).toBe(false);
      }
    }
    expect([layout.width, layout.height]).toEqual([boxOf(layout, '').width, boxOf(layout, '').height]);
  },
);

test.each(MACHINES.map((machine) => [machine.id, machine] as const))(
  '%s: every edge touches both of its boxes, and no label lies on a state or on another label',
  async (_, machine) => {
    const layout = await layoutOf(machine);
    for (const edge of layout.edges) {
      expect(edge.points.length, edge.id).toBeGreaterThanOrEqual(2);
      expect(onBorder(boxOf(layout, edge.from), edge.points[0] as never), `${edge.from} -> ${edge.to} begins`).toBe(true);
      expect(onBorder(boxOf(layout, edge.to), edge.points.at(-1) as never), `${edge.from} -> ${edge.to} ends`).toBe(true);
      if (edge.label === null) continue;
      const leaves = layout.boxes.filter(({ kind }) => kind === 'state' || kind === 'final' || kind === 'initial' || kind === 'any');
      for (const box of leaves) expect(overlap(box, edge.label), `${edge.label.lines.join(' ')} on ${box.id}`).toBe(false);
      for (const other of layout.edges) {
        if (other.label !== null && other.id < edge.id)
          expect(overlap(other.label, edge.label), `${edge.label.lines.join(' ')} on ${other.label.lines.join(' ')}`).toBe(false);
      }
    }
  },
);

test.each(MACHINES.map((machine) => [machine.id, machine] as const))(
  '%s: every state and every transition of the machine is drawn once',
  async (_, machine) => {
    const layout = await layoutOf(machine);
    // Counted on the machine itself, not on the definition that the layout reads.
    const nodes = nodesOf(machine.root as AnyStateNode);
    const paths = nodes.map(({ path }) => path.join('.')).sort();
    expect(layout.boxes.filter(({ kind }) => kind !== 'initial' && kind !== 'any').map(({ id }) => id)).toHaveLength(paths.length);
    expect(
      layout.boxes
        .filter(({ kind }) => kind !== 'initial' && kind !== 'any')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(paths);
    const expected = nodes
      .flatMap((node) =>
        [...node.transitions.values()].flat().flatMap((transition) =>
          (transition.target ?? []).map((target) => {
            const to = target.path.join('.');
            const from = node.path.join('.');
            return `${to !== from && to.startsWith(`${from}.`) ? `${from}/any` : from} ${transition.eventType} ${to}`;
          }),
        ),
      )
      .sort();
    const drawn = layout.edges.filter(({ event }) => event !== '').map(({ from, event, to }) => `${from} ${event} ${to}`);
    expect(drawn.sort()).toEqual(expected);
  },
);

test('internal transitions are in their box, and guards and delays in the labels', async () => {
  const layout = await layoutOf(agentMachine);
  expect(boxOf(layout, 'duty.active').stays).toEqual(['tick']);
  expect(boxOf(layout, '').stays).toEqual(['autonomy.set']);
  const labels = layout.edges.map(({ from, to, label }) => [from, to, label?.lines]);
  expect(labels).toContainEqual(['feed.degraded', 'feed.lost', ['after degradedFor']]);
  expect(labels).toContainEqual(['feed.lost', 'feed.live', ['feed.restored', '[lastVenueRestored]']]);
  expect(labels).toContainEqual(['stage/any', 'stage.draft', ['manifest.changed']]);
});

test('the same definition gives the same layout, computed once', async () => {
  const definition = describeMachine(agentMachine).definition;
  expect(await layoutMachine(definition)).toEqual(await layoutMachine(structuredClone(definition)));
  const layouts = createChartLayouts(new Map([['agent@1', definition]]));
  const [first, second] = await Promise.all([layouts.of('agent@1'), layouts.of('agent@1')]);
  expect(first).not.toBeNull();
  expect(second).toBe(first);
  expect(await layouts.of('agent@1')).toBe(first);
  expect(await layouts.of('agent@0')).toBeNull();
});

test('a broken definition is refused, and the next one is laid out', async () => {
  const broken = {
    id: 'b',
    key: 'b',
    type: 'compound',
    states: { x: { id: 'b.x', key: 'x', type: 'atomic', states: {}, transitions: [{ eventType: 'go', target: ['#b.y'] }] } },
    transitions: [],
  };
  await expect(layoutMachine(broken)).rejects.toThrow();
  expect((await layoutMachine({ ...broken, states: {} })).boxes.map(({ id }) => id)).toEqual(['']);
});
