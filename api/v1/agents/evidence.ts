/** GET /v1/agents/:id/evidence: evaluation runs that are tied to the agent's manifest hashes, newest first. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, HashText, IdText, objectOf, pageFields, pageOf, StageWord, Time } from '../../shapes.ts';
import { agentIdOf, NO_AGENT } from './agent-body.ts';

const EvidenceBody = Type.Object(
  {
    id: IdText,
    stage: StageWord,
    manifestHash: HashText,
    passed: Type.Boolean(),
    at: Time,
    metrics: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  },
  { $id: 'Evidence' },
);

export const listEvidence = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evidence',
  name: 'listEvidence',
  tag: 'agents',
  summary: 'Evaluation evidence of an agent, newest first',
  description: 'Empty until an evaluation has been run for the agent.',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of evidence.', schema: pageOf(EvidenceBody) } },
  refusals: ['not_found'],
  handle: (doors) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'evidence', POSITIONS.uuid);
    const id = agentIdOf(request.params);
    const found = id === null ? null : await doors.agents.evidence(memberOf(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return pageBody(found, 'evidence', ({ at, ...rest }) => ({ ...rest, at: isoTime(at) }));
  },
});
