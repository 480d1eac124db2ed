/** POST /v1/backtests/preview: simulates a manifest during editing over recent bars. */
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { returnsByDay } from '../../../src/domain/backtest/daily-returns.ts';
import { PREVIEW_LIMITS, previewRequest } from '../../../src/domain/backtest/preview.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { memberOf } from '../../caller.ts';
import { isUuid } from '../../identifier.ts';
import { problemsDetail, sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { ManifestBody } from '../agents/manifest-body.ts';
import { PreviewBody, previewBody, unfinishedBody } from './preview-body.ts';

const { bars, defaultDays, days, runMs } = PREVIEW_LIMITS;

export const previewBacktest = defineRoute({
  method: 'POST',
  url: '/v1/backtests/preview',
  name: 'previewBacktest',
  tag: 'agents',
  summary: 'Previews a manifest on the newest bars',
  description: `Opens no gate. At most ${bars} bars of all series together, ${days} days and ${runMs / 1_000} seconds; bars that are not stored are fetched from the venue within that time and kept. Your newest preview ends the one before, closing the connection ends it too, and an organization works on one at a time. Each new manifest with a result counts as a trial in the deflated Sharpe ratio of later backtests and sweeps, as a variant of a sweep does: of every manifest of the organization whose daily returns correlate by 0.5 or more with its own.`,
  permission: 'trade:execute',
  cost: 'costly',
  schema: {
    querystring: objectOf({
      agentId: Type.Optional({ ...IdText, description: 'The agent whose next version it is meant to be.' }),
      timeframe: Type.Optional(
        Type.String({ description: "Bars that are decided on, such as 1h; the manifest's own where it is missing." }),
      ),
      draft: Type.Optional(
        Type.Boolean({ description: 'True answers a manifest that is not finished with its `problems`, where it is refused otherwise.' }),
      ),
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: days, description: `Days back; ${defaultDays}, or as many as fit, where it is missing.` }),
      ),
    }),
    body: ManifestBody,
  },
  bodyRule: 'read_by_handler',
  yaml: true,
  answers: { 200: { description: 'Simulated result, or the reason that there is none.', schema: PreviewBody } },
  refusals: ['not_found', 'manifest_invalid', 'external_not_listable'],
  handle: (ports) => async (request, reply) => {
    const { orgId, subject } = memberOf(request);
    const { agentId, timeframe, days: asked } = request.query;
    if (agentId !== undefined && (!isUuid(agentId) || (await ports.agents.reads.get(orgId, agentId)) === null))
      return sendProblem(reply, 'not_found', NO_AGENT);
    const read = readManifest(request.body, ports.catalog.entries);
    if (!read.ok) {
      const detail = problemsDetail(read.problems);
      return request.query.draft === true
        ? unfinishedBody(detail, read.problems)
        : sendProblem(reply, 'manifest_invalid', detail, { problems: read.problems });
    }
    const { manifest } = read;
    if (manifest.strategy !== undefined)
      return sendProblem(reply, 'external_not_listable', 'the strategy is code outside of the service, and no backtest can run it');
    const wanted = previewRequest({ timeframe, days: asked }, manifest.timeframe, ports.previews.seriesOf(manifest), ports.clock.now());
    if (!('assumptions' in wanted)) return sendProblem(reply, 'malformed', problemsDetail(wanted), { problems: wanted });
    const budget = await ports.access.limits.take(`previews of organization ${orgId}`, 'costly');
    if (!budget.allowed)
      return sendProblem(
        reply,
        'rate_limited',
        `your organization has asked for ${budget.limit} previews: try again in ${budget.retryAfterSeconds} seconds`,
        budget,
      );
    const preview = await ports.previews.run({ orgId, subject, manifest, request: wanted }, goneWith(reply));
    if (preview.result !== null) {
      const { capitalUsd, daily } = preview.result;
      const returns = returnsByDay(
        capitalUsd,
        daily.map(({ date, equityUsd }) => [Date.parse(date), equityUsd]),
      );
      await ports.agents.evaluations.notePreview(orgId, { agentId: agentId ?? null, manifest, at: ports.clock.now(), returns });
    }
    return previewBody(preview);
  },
});

/** Returns a signal that is aborted if the connection closes before the answer. */
function goneWith(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) abort.abort();
  });
  return abort.signal;
}
