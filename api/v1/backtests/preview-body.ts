/** A previewed backtest on the wire. */
import { type Static, Type } from 'typebox';
import type { Preview } from '../../../src/domain/backtest/preview.ts';
import type { Problem } from '../../../src/domain/values/field.ts';
import { choice, DecimalText, HashText, nullable, Time } from '../../shapes.ts';
import { BacktestTradeBody, Threshold } from '../agents/evaluations/result-bodies.ts';
import { MissingHistoryBody, missingHistoryBody } from '../agents/evaluations/missing-history-body.ts';

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

export const PreviewBody = Type.Object(
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

export function previewBody({ result, ending, whyNoTrades, missing, tookMs }: Preview): Static<typeof PreviewBody> {
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
export function unfinishedBody(detail: string, problems: readonly Problem[]): Static<typeof PreviewBody> {
  const ending = { code: 'manifest_invalid', detail };
  return {
    ...previewBody({ result: null, ending, whyNoTrades: [], missing: [], tookMs: 0 }),
    problems: problems.map(({ path, problem, allowed }) => ({ path, problem, allowed })),
  };
}
