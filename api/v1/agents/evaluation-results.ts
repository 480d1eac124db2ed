/** Results of evaluations, as the simulations write them. test/api/result-bodies.test.ts checks real ones against these schemas. */
import { Type } from 'typebox';
import { ASSUMPTION_LIMITS } from '../../../src/domain/backtest/assumptions.ts';
import { type MissingHistory, missingHistoryText } from '../../../src/domain/backtest/missing-history.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { AnyJson, choice, DecimalText, HashText, NullableDecimalText, NullableTime, nullable, Time } from '../../shapes.ts';

export const MissingHistoryBody = Type.Object(
  {
    instrument: Type.String(),
    conditions: Type.Array(Type.String(), { description: 'Types of the conditions that look at it.' }),
    source: choice(['news:wire', 'news:filings', 'issuer_mark', 'pool_liquidity'], 'Missing source.'),
    from: Type.Unsafe<string>({ ...Time, description: 'The longest stretch that is missing: the conditions fail at every slot within.' }),
    to: Time,
    missingPct: Type.Number({ description: "Percent of the backtest's stretch that is missing in all." }),
    command: Type.String({ description: 'Imports the longest stretch; what stands in angle brackets is a file of yours.' }),
    text: Type.String({ description: 'All of it in one sentence.' }),
  },
  { $id: 'MissingHistory' },
);

export function missingHistoryBody(missing: MissingHistory) {
  const { instrument, conditions, source, longest, missingPct, command } = missing;
  return {
    instrument,
    conditions: [...conditions],
    source,
    from: isoTime(longest.from),
    to: isoTime(longest.to),
    missingPct,
    command,
    text: missingHistoryText(missing),
  };
}

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A UTC date.' });
/** Value that a rule compares with. */
export const Threshold = Type.Unsafe<number | string | null>({ type: ['number', 'string', 'null'] });
const Count = Type.Integer({ minimum: 0 });
const Counts = Type.Record(Type.String(), Type.Integer());

const PerformanceBody = Type.Object({
  sharpe: nullable('number', 'Annualised; null if the returns do not vary.'),
  sortino: nullable('number'),
  maxDrawdownPct: Type.Number(),
  returnPct: Type.Number(),
  annualVolatilityPct: nullable('number'),
});

const TradeGroupBody = Type.Object(
  {
    name: Type.String({ description: 'An instrument, or the exit rules that passed, joined by ` + `; `open` where none was.' }),
    closed: Count,
    open: Count,
    won: Type.Integer({ minimum: 0, description: 'Closed trades that earned more than their fees.' }),
    hitRatePct: nullable('number'),
    profitUsd: DecimalText,
    feesUsd: DecimalText,
    averageHoldingMs: nullable('number', 'From the fill of the entry to that of the exit, of closed trades.'),
  },
  { $id: 'TradeGroup' },
);

const CostInputsBody = Type.Object({ observed: Type.Array(Type.String()), assumed: Type.Array(Type.String()) });

export const BacktestTradeBody = Type.Object(
  {
    instrument: Type.String(),
    decidedAt: Time,
    entryPrice: DecimalText,
    exitDecidedAt: NullableTime,
    exitPrice: NullableDecimalText,
    quantity: DecimalText,
    feesUsd: DecimalText,
    fundingUsd: Type.Optional({
      ...DecimalText,
      description: 'Funding paid while it was open, below zero if received. The profit beside it and the fees is price.',
    }),
    profitUsd: NullableDecimalText,
    profitPct: nullable('number'),
    maePct: Type.Number({ description: 'Maximum adverse excursion from the entry price, percent.' }),
    mfePct: Type.Number({ description: 'Maximum favourable excursion from the entry price, percent.' }),
    bars: Count,
    slippageBps: Type.Number(),
    exitedBy: Type.Array(Type.String(), { description: 'The exit rules that passed, or `liquidation`; none while it is open.' }),
    costInputs: Type.Optional(
      Type.Object(
        { entry: CostInputsBody, exit: Type.Union([CostInputsBody, Type.Null()]) },
        { description: '`spread` and `depth` if the history had them at the decision. Missing in results of `backtest-2`.' },
      ),
    ),
  },
  { $id: 'BacktestTrade' },
);

const EquityDayBody = Type.Object(
  {
    date: Day,
    equityUsd: DecimalText,
    highUsd: DecimalText,
    lowUsd: DecimalText,
    drawdownPct: Type.Number({ description: 'From a peak of this day to a later mark of it.' }),
    benchmarkUsd: DecimalText,
  },
  { $id: 'EquityDay', description: 'One day of the curve, marked at every candle of it.' },
);

const ConditionStatisticsBody = Type.Object({
  side: choice(['entry', 'exit']),
  type: Type.String(),
  threshold: Threshold,
  evaluated: Type.Integer({ description: 'Bars times instruments; rules on a position only while one is open.' }),
  passed: Count,
  blocked: Count,
  unknown: Type.Integer({ description: 'Its input was unknown or not live: such a rule never passes.' }),
  lastToFail: Type.Integer({ description: 'Entry rules: count of slots where only this rule failed.' }),
  closed: Type.Integer({ description: 'Exit rules: positions that it closed.' }),
});

const LuckBody = Type.Object({
  versionsTried: Type.Integer({ description: 'Trials that are counted, this one included.' }),
  skewness: nullable('number'),
  kurtosis: nullable('number'),
  probabilisticSharpe: nullable('number', 'Probability that the true Sharpe ratio is above zero.'),
  expectedBestSharpe: nullable('number', 'Expected best Sharpe ratio of as many worthless trials.'),
  deflatedSharpe: nullable('number', 'Probability that the true Sharpe ratio is above that.'),
});

const assumptionFields = {
  costMultiplier: Type.Number({ description: ASSUMPTION_LIMITS.costMultiplier.description }),
  maxParticipationPct: Type.Number({ description: ASSUMPTION_LIMITS.maxParticipationPct.description }),
  minOrderUsd: Type.Number({ description: ASSUMPTION_LIMITS.minOrderUsd.description }),
  named: Type.Array(Type.String(), { description: 'Every assumption in a sentence.' }),
};

const CostsBody = Type.Object(
  {
    model: Type.String(),
    feeBps: Type.Number(),
    halfSpreadBps: Type.Number({ description: "Holds the mint's transfer fee." }),
    depthUsd: Type.Number({ description: 'Notional that moves the price by one percent.' }),
  },
  { description: 'Assumption if the history has no spread or depth.' },
);

const stretchFields = {
  historyHash: HashText,
  timeframe: Type.String(),
  from: Time,
  to: Time,
  bars: Count,
  capitalUsd: DecimalText,
};

/** Trades of a run. Older results lack the four optional sums. */
const TradesBody = Type.Object({
  closed: Count,
  open: Count,
  hitRatePct: nullable('number'),
  averageProfitPct: nullable('number'),
  averageSlippageBps: nullable('number'),
  profitUsd: Type.Optional(DecimalText),
  averageHoldingMs: Type.Optional(nullable('number')),
  byInstrument: Type.Optional(Type.Array(TradeGroupBody)),
  byExit: Type.Optional(Type.Array(TradeGroupBody)),
  list: Type.Array(BacktestTradeBody, { description: 'Oldest first; the statistics are over all, however many are listed.' }),
});

const BlindReplayBody = Type.Object(
  {
    seed: { ...HashText, description: 'Aliases, dates, levels, blocks and the order of the paths follow from it.' },
    truth: Type.Integer({ description: 'Path of the true history.' }),
    paths: Type.Array(Type.Object({ sharpe: Type.Number(), bars: Type.Integer(), historyHash: HashText })),
    foreknowledge: Type.Object({
      trueSharpe: Type.Number(),
      resampledSharpe: Type.Number({ description: 'Mean of the resampled paths.' }),
      standardError: Type.Number(),
      statistic: Type.Number({ description: 'The difference in standard errors.' }),
      limit: Type.Number(),
      rank: Type.Integer({ description: 'Place of the true history among all paths, from 1.' }),
      isForeknowledge: Type.Boolean(),
    }),
    slots: Type.Integer(),
    answersHash: { ...HashText, description: 'SHA-256 over the answers, a line each: `<step> <answers as JSON>`.' },
    opening: Type.Optional(
      Type.Object(
        { steps: Type.Integer(), paths: Type.Array(Type.Array(Type.Array(AnyJson))) },
        {
          description:
            'The first answers, by path, each as `[slot, trade]` in true names and units. Agreement sessions ask for them again.',
        },
      ),
    ),
  },
  { $id: 'BlindReplay', description: 'Paths of the blind replay session that outside code answered. Missing of other backtests.' },
);

export const BacktestResultBody = Type.Object(
  {
    engine: choice(['backtest-2', 'backtest-3'], 'Results of `backtest-2` were made under earlier costs.'),
    manifestHash: HashText,
    ...stretchFields,
    instruments: Type.Array(
      Type.Object({
        key: Type.String(),
        costs: CostsBody,
        quoteKnownPct: Type.Number(),
        referenceLivePct: Type.Number(),
        eventsKnownPct: Type.Number(),
      }),
    ),
    finalEquityUsd: DecimalText,
    performance: PerformanceBody,
    benchmark: Type.Object(PerformanceBody.properties, {
      description: 'Return of buying equal parts of each instrument at its first bar.',
    }),
    method: Type.Object({
      days: Count,
      ddof: Type.Literal(1),
      calendar: Type.String(),
      periodsPerYear: Type.Number(),
      riskFree: Type.Literal(0),
    }),
    exposurePct: Type.Number(),
    turnoverUsd: Type.Number(),
    feesUsd: DecimalText,
    fundingUsd: Type.Optional({ ...DecimalText, description: 'Funding paid by the closed trades, below zero if received.' }),
    trades: TradesBody,
    dispositions: Counts,
    blocked: Counts,
    missed: Counts,
    execution: Type.Optional(
      Type.Object(
        { algorithm: Type.String(), urgency: Type.String(), restedUsd: Type.Number() },
        { description: 'Missing where each order was taken at once.' },
      ),
    ),
    finer: Type.Optional(
      Type.Object(
        {
          bars: Type.Integer({ description: 'Bars that were looked into.' }),
          hash: { ...HashText, description: 'SHA-256 over the finer bars, in the order in which they were read.' },
        },
        { description: 'Finer bars that showed when a level was reached within a bar. Missing where none did.' },
      ),
    ),
    conditions: Type.Array(ConditionStatisticsBody),
    luck: LuckBody,
    assumptions: Type.Object(assumptionFields),
    checkedBars: Type.Integer({ description: 'Bars decided again with the reference implementation and the same outcome.' }),
    blind: Type.Optional(BlindReplayBody),
    daily: Type.Array(EquityDayBody),
  },
  { $id: 'BacktestResult' },
);

const SweepTrialBody = Type.Object(
  {
    values: Type.Array(Type.Union([Type.Number(), Type.String()]), { description: 'In the order of the parameters.' }),
    manifestHash: HashText,
    sharpe: nullable('number'),
    sortino: nullable('number'),
    maxDrawdownPct: Type.Number(),
    returnPct: Type.Number(),
    closedTrades: Count,
    hitRatePct: nullable('number'),
    profitUsd: DecimalText,
    feesUsd: DecimalText,
    deflatedSharpe: nullable('number', 'Counts every trial.'),
  },
  { $id: 'SweepTrial' },
);

const FoldBody = Type.Object({
  picked: Type.Integer({ description: 'Place of the trial.' }),
  trainSharpe: nullable('number'),
  testSharpe: nullable('number'),
  testReturnPct: Type.Number(),
  trainFrom: Day,
  trainTo: Day,
  testFrom: Day,
  testTo: Day,
});

export const SweepResultBody = Type.Object(
  {
    engine: Type.Literal('sweep-1'),
    ...stretchFields,
    instruments: Type.Array(Type.String()),
    parameters: Type.Array(Type.Object({ path: Type.String(), values: Type.Array(Type.Union([Type.Number(), Type.String()])) })),
    periodsPerYear: Type.Number(),
    counted: Type.Object(
      { total: Count, ofThisSweep: Count, earlier: Count },
      { description: 'Trials: every manifest once, by its hash.' },
    ),
    expectedBestSharpe: nullable('number'),
    trials: Type.Array(SweepTrialBody),
    best: Type.Integer({ description: 'Place of the trial with the best Sharpe ratio over the whole stretch: picked with hindsight.' }),
    bestDaily: Type.Array(EquityDayBody),
    walkForward: Type.Union(
      [
        Type.Object({
          trainDays: Type.Integer(),
          testDays: Type.Integer(),
          folds: Type.Array(FoldBody),
          performance: PerformanceBody,
          deflatedSharpe: nullable('number'),
          daily: Type.Array(
            Type.Object({ date: Day, growth: Type.Number({ description: 'Value of an initial 100 at the end of the tested day.' }) }),
          ),
        }),
        Type.Null(),
      ],
      { description: 'Null if the stretch has no day after the first training window.' },
    ),
    assumptions: Type.Array(Type.String()),
  },
  { $id: 'SweepResult' },
);

const StressMarketBody = Type.Object({
  key: Type.String(),
  kind: Type.String(),
  level: Type.Number({ description: 'US dollars per unit.' }),
  minuteVolatility: Type.Number(),
  spreadBps: Type.Number(),
  depthUsd: Type.Number(),
  liquidityUsd: nullable('number'),
  benchmarkLevel: nullable('number'),
  hourlyFunding: Type.Number(),
  bars: Type.Record(Type.String(), Type.Array(Type.Object({}, { additionalProperties: true }))),
  basis: choice(['history', 'assumed']),
});

const StressRunBody = Type.Object({
  scenario: Type.String(),
  severity: Type.String(),
  seed: Type.Integer(),
  startEquityUsd: DecimalText,
  equityUsd: Type.Array(DecimalText),
  breaches: Count,
  unsafeFills: Count,
  survived: Type.Boolean(),
  findings: Type.Array(Type.String()),
  lossPct: Type.Number(),
  ownPositions: Type.Array(Type.String()),
  forcedPositions: Type.Array(Type.String()),
  decisions: Count,
  fills: Count,
  restedFills: Type.Optional(Count),
  refused: Counts,
  refusedWhileFrozen: Count,
  flatAfterMinutes: nullable('number', 'After the shock; null if it never sold all.'),
  stuckUsd: DecimalText,
  curve: Type.Array(Type.Array(Type.Union([Type.Number(), DecimalText]), { description: 'Minutes after the shock, and US dollars.' })),
  traceHash: HashText,
});

export const StressTestResultBody = Type.Object(
  { manifestHash: HashText, markets: Type.Array(StressMarketBody), runs: Type.Array(StressRunBody), survived: Type.Boolean() },
  { $id: 'StressTestResult' },
);

export const AgreementResultBody = Type.Object(
  {
    slots: Count,
    trades: Type.Integer({ description: 'Slots at which a trade was answered, then or now.' }),
    agreed: Count,
    agreementPct: nullable('number', 'Null without a trade.'),
    passed: Type.Boolean(),
  },
  { $id: 'AgreementResult', description: 'Answers of outside code compared with those of the session that passed.' },
);
