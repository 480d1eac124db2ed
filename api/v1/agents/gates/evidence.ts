/** GET /v1/agents/:id/evidence: lists the evidence of the agent's manifests, newest first. */

import { Type } from 'typebox';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { memberOf } from '../../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../../cursor.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, HashText, nullable, objectOf, pageFields, pageOf } from '../../../shapes.ts';
import { evidenceFields, gateEvidenceBody } from './evidence-body.ts';

const EvidenceBody = Type.Object(
  {
    ...evidenceFields,
    runId: nullable('string', 'The evaluation run that it comes from; null if it follows from the rows of the store.'),
    seq: Type.Integer({ description: 'Its place in the agent’s chain of gate records.' }),
    hash: HashText,
  },
  { $id: 'Evidence' },
);

export const listEvidence = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evidence',
  name: 'listEvidence',
  tag: 'agents',
  summary: 'Evaluation evidence of an agent, newest first',
  description: 'Each row opens one gate if it passed and is newer than the last demotion and manifest change.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of evidence.', schema: pageOf(EvidenceBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'evidence', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.reads.evidence(memberOf(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return pageBody(found, 'evidence', (evidence) => ({
      ...gateEvidenceBody(evidence),
      runId: evidence.runId,
      seq: evidence.seq,
      hash: evidence.hash,
    }));
  },
});
