/** GET /v1/takes/published: lists published Takes of all organizations, newest first, for forking. */
import { Type } from 'typebox';
import type { PublishedTake } from '../../../actors/take/commands.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf, Time } from '../../shapes.ts';
import { policyBody, takeFields } from './take-body.ts';

const { id, origin, hash, manifestHash, symbol, instrument, target, conditions, allocationUsd, maxSlippageBps, timeframe } = takeFields;
const { thesis, understood, assumed, notUnderstood, lineage, createdAt } = takeFields;

const PublishedTakeBody = Type.Object(
  {
    id,
    origin,
    hash,
    manifestHash,
    symbol,
    instrument,
    target,
    conditions,
    allocationUsd,
    maxSlippageBps,
    timeframe,
    thesis,
    understood,
    assumed,
    notUnderstood,
    lineage,
    createdAt,
    publishedAt: Time,
  },
  { $id: 'PublishedTake', description: 'Does not show the author or the trades.' },
);

function publishedBody(view: PublishedTake) {
  return { ...policyBody(view), publishedAt: isoTime(view.publishedAt) };
}

export const listPublishedTakes = defineRoute({
  method: 'GET',
  url: '/v1/takes/published',
  name: 'listPublishedTakes',
  tag: 'takes',
  summary: 'Published Takes of all organizations, newest first',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of published Takes.', schema: pageOf(PublishedTakeBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'published-takes', POSITIONS.number);
    return pageBody(await ports.takes.reads.listPublished(memberOf(request).orgId, page), 'published-takes', publishedBody);
  },
});
