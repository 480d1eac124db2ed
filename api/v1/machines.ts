/** State charts of the machines, as boxes and edges for drawing. */
import { Type } from 'typebox';
import type { MachineChart } from '../../actors/runtime/chart.ts';
import type { MachineLayout } from '../../src/adapters/chart/machine-layout.ts';
import { sendProblem } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { choice, nullable, objectSchema } from '../shapes.ts';
import { agentRoutes } from './agents/agents.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly machines: {
      /** Null for a machine that this version of the service does not have. */
      describe(machine: string): MachineChart | null;
      layout(machine: string): Promise<MachineLayout | null>;
    };
  }
}

const rectangle = { x: Type.Number(), y: Type.Number(), width: Type.Number(), height: Type.Number() };

const LayoutBody = Type.Object(
  {
    machine: Type.String(),
    width: Type.Number(),
    height: Type.Number(),
    boxes: Type.Array(
      Type.Object({
        id: Type.String({
          description: 'The path of keys below the machine, `stage.draft`; empty for the machine, `stage/any` for a mark.',
        }),
        parent: nullable('string', 'Null for the machine.'),
        kind: choice(['machine', 'region', 'compound', 'state', 'final', 'initial', 'any']),
        title: Type.String(),
        stays: Type.Array(Type.String(), { description: 'Events that are taken without leaving the state.' }),
        ...rectangle,
      }),
      { description: 'Parents before their children.' },
    ),
    edges: Type.Array(
      Type.Object({
        id: Type.String(),
        from: Type.String(),
        to: Type.String(),
        event: Type.String({ description: "The event as steps name it; empty for a region's beginning." }),
        points: Type.Array(Type.Object({ x: Type.Number(), y: Type.Number() }), { description: 'From border to border.' }),
        label: Type.Unsafe<object | null>({
          type: ['object', 'null'],
          required: ['lines', 'x', 'y', 'width', 'height'],
          properties: { lines: Type.Array(Type.String()), ...rectangle },
          additionalProperties: false,
        }),
      }),
    ),
  },
  { $id: 'MachineLayout', description: 'Lengths are CSS pixels at scale 1, measured from the top left corner.' },
);

const getMachineLayout = defineRoute({
  method: 'GET',
  url: '/v1/machines/:machine/layout',
  name: 'getMachineLayout',
  tag: 'agents',
  summary: 'A state machine as boxes and edges, ready to be drawn',
  description: 'The same for every actor of the machine: `machine` of a chart or of a step names it.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: objectSchema({ machine: Type.String({ description: 'The machine and its version, for example `agent@1`.' }) }) },
  answers: { 200: { description: 'The layout.', schema: LayoutBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const layout = await ports.machines.layout(request.params.machine);
    return layout ?? sendProblem(reply, 'not_found', 'this version of the service has no such machine');
  },
});

export const machineRoutes: RouteGroup = {
  tag: agentRoutes.tag,
  routes: [getMachineLayout],
};
