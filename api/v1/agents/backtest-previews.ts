/** Previews: a manifest simulated over recent bars while it is edited. */
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { returnsByDay } from '../../../src/domain/backtest/daily-returns.ts';
import { PREVIEW_LIMITS, type Preview, previewRequest } from '../../../src/domain/backtest/preview.ts';
import type { BacktestRequest } from '../../../src/domain/backtest/request.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import type { Problem } from '../../../src/domain/values/field.ts';
import { requireMember } from '../../caller.ts';
import { isUuid } from '../../identifier.ts';
import { problemsDetail, sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, HashText, IdText, nullable, objectSchema, Time } from '../../shapes.ts';
import { ManifestBody } from './agent-versions.ts';
import { BacktestTradeBody, MissingHistoryBody, missingHistoryBody, Threshold } from './evaluation-results.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly previews: {
      /** Returns the number of bar series that a manifest reads on its timeframe. */
      seriesOf(manifest: Manifest): number;
      /** Runs a preview off the main loop within its time limit. Ends early with the signal. */
      run(
        asked: { readonly orgId: string; readonly subject: string; readonly manifest: Manifest; readonly request: BacktestRequest },
        signal: AbortSignal,
      ): Promise<Preview>;
    };
  }
}

const ResultBody = Type.Object(
  {
    manifestHash: HashText,
    from: Time,
    to: Time,
    timeframe: Type.String(),
    bars: Type.Integer(),
    capitalUsd: DecimalText,
    finalEquityUsd: DecimalText,
    returnPct: Type.Number(),
    benchmarkReturnPct: Type.Number({ description: 'Return of buying equal parts of each instrument at its first bar.' }),
    maxDrawdownPct: Type.Number(),
    closedTrades: Type.Integer(),
    openTrades: Type.Integer(),
    hitRatePct: nullable('number'),
    daily: Type.Array(
      Type.Object({ date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), equityUsd: DecimalText, highUsd: DecimalText }),
    ),
    trades: Type.Array(
      Type.Pick(BacktestTradeBody, [
        'instrument',
        'decidedAt',
        'entryPrice',
        'exitDecidedAt',
        'exitPrice',
        'quantity',
        'profitUsd',
        'exitedBy',
      ]),
      { description: 'The first 200, oldest first.' },
    ),
    rules: Type.Array(
      Type.Object({
        side: choice(['entry', 'exit']),
        type: Type.String(),
        threshold: Threshold,
        evaluated: Type.Integer({ description: 'Looks: bars times instruments.' }),
        passed: Type.Integer(),
        unknown: Type.Integer({ description: 'Count of evaluations with an unknown input, which never pass.' }),
      }),
    ),
  },
  { $id: 'BacktestPreviewResult' },
);

const PreviewBody = Type.Object(
  {
    evidence: Type.Literal(false, { description: 'A preview opens no gate.' }),
    result: Type.Union([ResultBody, Type.Null()]),
    ending: Type.Unsafe<{ code: string; detail: string } | null>({
      type: ['object', 'null'],
      required: ['code', 'detail'],
      properties: { code: { type: 'string' }, detail: { type: 'string' } },
      description:
        'Reason there is no result: `manifest_invalid`, `insufficient_history`, `out_of_time`, `superseded` by your newer preview, or `busy`.',
    }),
    problems: Type.Array(Type.Object({ path: Type.String(), problem: Type.String(), allowed: Type.String() }), {
      description: 'Problems of the manifest, as its creation would report them.',
    }),
    whyNoTrades: Type.Array(Type.String()),
    missing: Type.Array(MissingHistoryBody, { description: 'Inputs of rules that are unknown over part of the stretch.' }),
    tookMs: Type.Integer({ description: 'From asking to the answer.' }),
  },
  { $id: 'BacktestPreview' },
);

function previewBody({ result, ending, whyNoTrades, missing, tookMs }: Preview): Static<typeof PreviewBody> {
  return {
    evidence: false,
    result: result as Static<typeof ResultBody> | null,
    ending,
    problems: [],
    whyNoTrades: [...whyNoTrades],
    missing: missing.map(missingHistoryBody),
    tookMs: Math.round(tookMs),
  };
}

/** Returns the answer for an incomplete manifest, which was not simulated. */
function unfinishedBody(detail: string, problems: readonly Problem[]): Static<typeof PreviewBody> {
  const ending = { code: 'manifest_invalid', detail };
  return {
    ...previewBody({ result: null, ending, whyNoTrades: [], missing: [], tookMs: 0 }),
    problems: problems.map(({ path, problem, allowed }) => ({ path, problem, allowed })),
  };
}

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
    querystring: objectSchema({
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
    const { orgId, subject } = requireMember(request);
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
