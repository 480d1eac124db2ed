/** GET /v1/agents/:id/evaluations/:runId/report: the page of a finished run. */
import { memberOf } from '../../caller.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { NO_RUN, RunPath, runIdsOf } from './evaluation-body.ts';

/** The page carries its own styles and asks for nothing; nothing in it may run. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";

export const getEvaluationReport = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evaluations/:runId/report',
  name: 'getEvaluationReport',
  tag: 'agents',
  summary: 'The report of a finished evaluation run as a page',
  cost: 'read',
  schema: { params: RunPath },
  answers: { 200: { description: 'The page; it loads nothing else.', contentType: 'text/html' } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const ids = runIdsOf(request.params);
    const report = ids === null ? null : await ports.agents.evaluations.report(memberOf(request).orgId, ids.agentId, ids.runId);
    if (report === null) return sendProblem(reply, 'not_found', NO_RUN);
    return reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', POLICY).send(report.report);
  },
});
