/** GET /healthz: the process is up. */
import { Type } from 'typebox';
import { defineRoute } from '../route.ts';

const HealthBody = Type.Object({ status: Type.Literal('ok') }, { $id: 'Health' });

export const health = defineRoute({
  method: 'GET',
  url: '/healthz',
  name: 'getHealth',
  tag: 'operation',
  summary: 'Liveness of the process',
  permission: 'public',
  cost: 'read',
  unlimited: true,
  sameForAll: true,
  schema: {},
  answers: { 200: { description: 'The process is up.', schema: HealthBody } },
  refusals: [],
  handle: () => () => ({ status: 'ok' }),
});
