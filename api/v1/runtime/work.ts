/** GET /v1/runtime/work and /v1/runtime/work/{id}: return long work without a record of its own, with its progress. */
import { Type } from 'typebox';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { LongWorkBody, longWorkBody } from './work-body.ts';

export const listWork = defineRoute({
  method: 'GET',
  url: '/v1/runtime/work',
  name: 'listWork',
  tag: 'runtime',
  summary: 'Imports, backfills and moves to the archive with their progress, newest first',
  description:
    'Shown for a week. Work of less than a second is left out. Evaluations, proposals, transfers and launches carry the same fields in their own records.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of work.', schema: pageOf(LongWorkBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'work', POSITIONS.number);
    return pageBody(await ports.longWork.list(page, null), 'work', longWorkBody);
  },
});

export const getWork = defineRoute({
  method: 'GET',
  url: '/v1/runtime/work/:id',
  name: 'getWork',
  tag: 'runtime',
  summary: 'Progress of one import, backfill or move to the archive',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: objectOf({ id: Type.String({ maxLength: 100, examples: ['12'] }) }) },
  answers: { 200: { description: 'The work.', schema: LongWorkBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { id } = request.params;
    const work = POSITIONS.number.test(id) ? await ports.longWork.find(Number(id)) : null;
    return work === null ? sendProblem(reply, 'not_found', 'there is no such work, or it ended more than a week ago') : longWorkBody(work);
  },
});
