/** GET /v1/agents/:id/evaluations/:runId/report: returns the report page of a finished run. */
import { memberOf } from '../../../caller.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { NO_RUN, RunPath, runIdsOf } from './evaluation-body.ts';

/** Content security policy of a page that runs no script. */
const STILL = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/** Policy of a stand-alone page: it reads nothing of ours, and its script may only draw and offer a file. */
const ALONE = "frame-ancestors 'self'; sandbox";
const ABLE = 'allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox';

export const getEvaluationReport = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evaluations/:runId/report',
  name: 'getEvaluationReport',
  tag: 'agents',
  summary: 'The report of a finished evaluation run as a page',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: RunPath },
  answers: { 200: { description: 'The page; it loads nothing else.', contentType: 'text/html' } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const ids = runIdsOf(request.params);
    const found = ids === null ? null : await ports.agents.evaluations.page(memberOf(request).orgId, ids.agentId, ids.runId);
    if (found === null) return sendProblem(reply, 'not_found', NO_RUN);
    const policy = found.policy === null ? `${STILL}; ${ALONE}` : `${found.policy}; ${ALONE} ${ABLE}`;
    return reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', policy).send(found.page);
  },
});
