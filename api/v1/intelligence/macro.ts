/** Macro series with their vintages, the calendar of releases, and the regime of risk appetite. */
import { Type } from 'typebox';
import type { StoredPoint } from '../../../src/adapters/store/intelligence/intelligence-reads.ts';
import {
  CURVE_REGIMES,
  changeOver,
  curveRegime,
  dateAt,
  MACRO_SERIES,
  type MacroSeries,
  POLICY_DAYS,
  POLICY_REGIMES,
  policyRegime,
  RELEASE_IMPACTS,
  rateImpact,
  SERIES_GROUPS,
  SERIES_UNITS,
} from '../../../src/domain/intelligence/macro.ts';
import {
  INPUT_STATES,
  LEAST_WEIGHT,
  measureInputs,
  percentChange,
  REGIME_SCORE,
  REGIME_SERIES,
  REGIMES,
  type RegimeInput,
  type RegimeReading,
  readRegime,
} from '../../../src/domain/intelligence/regime.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { DAY_MS, type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { malformed } from '../../http/strict-json.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, NullableTime, nullable, nullableChoice, objectSchema, Time } from '../../shapes.ts';
import { DAY_PATTERN, toUtcDate } from './intelligence-parameters.ts';

/** Minimum days of data, for the longest change. More are read if more observations are requested. */
const LEAST_DAYS = 130;

const PointBody = Type.Object(
  {
    date: Type.String({ pattern: DAY_PATTERN, description: 'The start of the period that the value is of, not the day of its release.' }),
    value: DecimalText,
    vintage: Type.String({ pattern: DAY_PATTERN, description: 'Since when this is the published value, as far as it was seen here.' }),
    firstValue: { ...NullableDecimalText, description: 'First published value, if it was revised since.' },
  },
  { $id: 'MacroPoint' },
);

const SeriesBody = Type.Object(
  {
    id: Type.String({ examples: ['CPIAUCSL'] }),
    title: Type.String(),
    group: choice(SERIES_GROUPS),
    units: choice(SERIES_UNITS, '`lin`: the level. `chg`: its change. `pc1`: its percent change over a year.'),
    unit: Type.String(),
    frequency: choice(['daily', 'monthly']),
    ageMs: nullable('integer', 'Age of the newest value, from the start of its period.'),
    maxAgeMs: Type.Integer(),
    tooOld: Type.Boolean({ description: 'True if there is no value, or none that is new enough to say anything.' }),
    receivedAt: { ...NullableTime, description: 'Time at which the newest value was received, ISO 8601.' },
    observations: Type.Array(PointBody, { description: 'Ascending. Dates without a value are left out.' }),
  },
  { $id: 'MacroSeries' },
);

const MacroBody = Type.Object(
  {
    asOf: Time,
    calendar: Type.Array(
      Type.Object({
        releaseId: Type.Integer(),
        name: Type.String(),
        date: Type.String({ pattern: DAY_PATTERN, description: 'The provider names no time of day.' }),
        impact: choice(RELEASE_IMPACTS),
        released: Type.Boolean({ description: 'True once its day is over.' }),
      }),
    ),
    rates: Type.Object({
      policy: nullableChoice(POLICY_REGIMES, 'By the change of the federal funds rate over 90 days; null if that is not known or too old.'),
      policyRate: NullableDecimalText,
      policyChange: { ...NullableDecimalText, description: 'Percentage points.' },
      targetLower: NullableDecimalText,
      targetUpper: NullableDecimalText,
      curve: nullableChoice(CURVE_REGIMES, 'By the 10-year yield minus the 2-year yield; null if that is not known or too old.'),
      curveSlope: { ...NullableDecimalText, description: 'Percentage points.' },
      realPolicyRate: {
        ...NullableDecimalText,
        description: 'The federal funds rate minus core inflation over a year, percentage points.',
      },
    }),
    series: Type.Array(SeriesBody),
  },
  { $id: 'MacroIntelligence' },
);

interface Known {
  readonly points: readonly StoredPoint[];
  readonly ageMs: number | null;
  readonly tooOld: boolean;
}

function toKnown({ maxAgeMs }: MacroSeries, points: readonly StoredPoint[], now: EpochMs): Known {
  const newest = points.at(-1);
  const ageMs = newest === undefined ? null : Math.max(0, now - dateAt(newest.date));
  return { points, ageMs, tooOld: ageMs === null || ageMs > maxAgeMs };
}

function readRates(known: ReadonlyMap<string, Known>) {
  const fresh = (id: string): readonly StoredPoint[] => {
    const one = known.get(id);
    return one === undefined || one.tooOld ? [] : one.points;
  };
  const newest = (id: string): string | null => fresh(id).at(-1)?.value ?? null;
  const [rate, core] = [newest('DFF'), newest('CPILFESL')];
  const policyChange = changeOver(fresh('DFF'), POLICY_DAYS);
  return {
    policy: policyRegime(policyChange),
    policyRate: rate,
    policyChange,
    targetLower: newest('DFEDTARL'),
    targetUpper: newest('DFEDTARU'),
    curve: curveRegime(newest('T10Y2Y')),
    curveSlope: newest('T10Y2Y'),
    realPolicyRate: rate === null || core === null ? null : plainDecimal(new Decimal(rate).minus(core)),
  };
}

export const getMacro = defineRoute({
  method: 'GET',
  url: '/v1/intelligence/macro',
  name: 'getMacroIntelligence',
  tag: 'intelligence',
  summary: 'Macro calendar, rate regimes and inflation series',
  description:
    'Every value with its vintage: with `asOf`, as it was known on that day. A regime is null if its input is missing or too old, never guessed.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      group: Type.Optional(choice(SERIES_GROUPS, 'Series of one group only.')),
      observations: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 260, default: 12, description: 'Number of newest values of each series.' }),
      ),
      asOf: Type.Optional(Type.String({ pattern: DAY_PATTERN, description: 'Values as they were known on this day. Default: today.' })),
      calendarDays: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 60, default: 30, description: 'Days that the calendar looks ahead.' }),
      ),
      minImpact: Type.Optional(choice(RELEASE_IMPACTS, 'Releases of at least this impact.')),
    }),
  },
  answers: { 200: { description: 'Macro intelligence.', schema: MacroBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { group, observations = 12, asOf, calendarDays = 30, minImpact = 'low' } = request.query;
    const now = ports.clock.now();
    if (asOf !== undefined && !(dateAt(asOf) <= now)) throw malformed('query.asOf', 'not a day that has ended', 'today or a day before it');
    const at = asOf === undefined ? now : Math.min(now, dateAt(asOf) + DAY_MS - 1);
    const days = Math.max(LEAST_DAYS, observations * 32);
    const [points, releases] = await Promise.all([
      ports.intelligence.series(
        MACRO_SERIES.map(({ id }) => id),
        toUtcDate(at - days * DAY_MS),
        toUtcDate(at),
      ),
      ports.intelligence.releases(toUtcDate(at - 7 * DAY_MS), toUtcDate(at + calendarDays * DAY_MS)),
    ]);
    const known = new Map(MACRO_SERIES.map((series) => [series.id, toKnown(series, points.get(series.id) ?? [], at)]));
    const impacts = RELEASE_IMPACTS.slice(0, RELEASE_IMPACTS.indexOf(minImpact) + 1);
    return {
      asOf: isoTime(at),
      calendar: releases
        .map(({ releaseId, name, date }) => ({ releaseId, name, date, impact: rateImpact(name), released: date < toUtcDate(at) }))
        .filter(({ impact }) => impacts.includes(impact)),
      rates: readRates(known),
      series: MACRO_SERIES.filter((series) => group === undefined || series.group === group).map((series) => {
        const { points: all, ageMs, tooOld } = known.get(series.id) as Known;
        const newest = all.at(-1);
        return {
          id: series.id,
          title: series.title,
          group: series.group,
          units: series.units,
          unit: series.unit,
          frequency: series.frequency,
          ageMs,
          maxAgeMs: series.maxAgeMs,
          tooOld,
          receivedAt: newest === undefined ? null : isoTime(newest.receivedAt),
          observations: all.slice(-observations).map(({ date, value, vintage, firstValue }) => ({ date, value, vintage, firstValue })),
        };
      }),
    };
  },
});

/** Days of history to read: enough for a change over 90 days. */
const READ_DAYS = 130;

const InputBody = Type.Object(
  {
    name: Type.String({ examples: ['volatility'] }),
    description: Type.String(),
    unit: Type.String(),
    value: NullableDecimalText,
    at: nullable('string', 'Time from which its age counts, ISO 8601.'),
    ageMs: nullable('integer'),
    maxAgeMs: Type.Integer(),
    state: choice(INPUT_STATES, 'State of the input. Only used inputs count.'),
    weight: Type.Number(),
    riskOnAt: { ...DecimalText, description: 'From here on it scores 1.' },
    riskOffAt: { ...DecimalText, description: 'From here on it scores -1; straight in between.' },
    score: NullableDecimalText,
    contribution: { ...NullableDecimalText, description: '`weight` x `score`.' },
  },
  { $id: 'RegimeInput' },
);

const RegimeBody = Type.Object(
  {
    regime: choice(REGIMES, '`unknown` where too little is known to say.'),
    explanation: Type.String(),
    score: { ...NullableDecimalText, description: 'Sum of the contributions over the weight that is known, -1 to 1.' },
    knownWeight: { ...DecimalText, description: 'Weight of the inputs that are used, of 1.' },
    thresholds: Type.Object({ riskOn: DecimalText, riskOff: DecimalText, leastWeight: DecimalText }),
    asOf: Time,
    inputs: Type.Array(InputBody),
  },
  { $id: 'MacroRegime' },
);

function inputBody(input: RegimeInput) {
  return {
    name: input.name,
    description: input.description,
    unit: input.unit,
    value: input.value,
    at: input.at === null ? null : isoTime(input.at),
    ageMs: input.ageMs,
    maxAgeMs: input.maxAgeMs,
    state: input.state,
    weight: input.weight,
    riskOnAt: input.riskOnAt,
    riskOffAt: input.riskOffAt,
    score: input.score,
    contribution: input.contribution,
  };
}

function explainRegime({ regime, score, knownWeight, inputs }: RegimeReading): string {
  const unused = inputs
    .filter(({ state }) => state !== 'used')
    .map(({ name, state }) => `${name} is ${state === 'missing' ? 'missing' : 'too old'}`);
  const without = unused.length === 0 ? '' : ` (${unused.join(', ')})`;
  if (regime === 'unknown') return `inputs of weight ${knownWeight} are known, and ${LEAST_WEIGHT} are needed${without}`;
  const strongest = inputs
    .filter(({ state }) => state === 'used')
    .sort((a, b) => Math.abs(Number(b.contribution)) - Math.abs(Number(a.contribution)))
    .slice(0, 2)
    .map(({ name, contribution }) => `${name} ${contribution}`);
  return `the score is ${score}, of which most comes from ${strongest.join(' and ')}${without}`;
}

/** Reads the macro regime of this moment. */
export async function regimeBody(ports: Pick<ApiPorts, 'clock' | 'intelligence'>) {
  const now = ports.clock.now();
  const [points, all] = await Promise.all([
    ports.intelligence.series(REGIME_SERIES, toUtcDate(now - READ_DAYS * DAY_MS), toUtcDate(now)),
    ports.intelligence.allChains(),
  ]);
  const change = all === null || all.weekBefore === null ? null : percentChange(all.tvlUsd, all.weekBefore);
  const reading = readRegime(measureInputs(points, all === null || change === null ? null : { value: change, at: all.receivedAt }), now);
  return {
    regime: reading.regime,
    explanation: explainRegime(reading),
    score: reading.score,
    knownWeight: reading.knownWeight,
    thresholds: { riskOn: REGIME_SCORE, riskOff: `-${REGIME_SCORE}`, leastWeight: LEAST_WEIGHT },
    asOf: isoTime(now),
    inputs: reading.inputs.map(inputBody),
  };
}

export const getMacroRegime = defineRoute({
  method: 'GET',
  url: '/v1/macro-regime',
  name: 'getMacroRegime',
  tag: 'intelligence',
  summary: 'The macro regime (risk-on or risk-off) with each input and its weight',
  description:
    'A weighted sum of a few inputs with fixed thresholds: the same inputs always give the same answer. An input that is missing or too old has no weight.',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectSchema({}) },
  answers: { 200: { description: 'The regime and its inputs.', schema: RegimeBody } },
  refusals: [],
  handle: (ports) => () => regimeBody(ports),
});
