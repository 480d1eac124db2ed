/** The `inspect` channel: committed steps of state charts, for visualizers. */
import { Type } from 'typebox';
import { IdText } from '../../shapes.ts';
import { announcementChannel } from './channel.ts';

/** Value of a state chart. The schema refers to itself. */
const StateValue = Type.Unsafe<unknown>({
  $id: 'StateValue',
  description: 'State of the chart, or the state of each region.',
  anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { $ref: '#/components/schemas/StateValue' } }],
});

export const inspectChannel = announcementChannel({
  name: 'inspect',
  about: 'The committed steps of state charts: event, from, to.',
  actorParam: 'actorId',
  item: Type.Object(
    {
      actorId: IdText,
      kind: Type.String({ description: '`agent`, `take`, `proposal` and so on.' }),
      machine: Type.String({ description: 'The machine and its version, for example `agent@1`.' }),
      version: Type.Integer({ description: 'Steps taken, including this one.' }),
      event: Type.Object({ type: Type.String() }, { additionalProperties: true }),
      from: Type.Union([StateValue, Type.Null()], { description: 'Null at its first step.' }),
      to: StateValue,
    },
    { $id: 'InspectedStep', additionalProperties: false },
  ),
});
