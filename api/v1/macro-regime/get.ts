/** GET /v1/macro-regime: returns the risk appetite with all of its inputs. */
import { Type } from 'typebox';
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
import { DAY_MS, isoTime } from '../../../src/domain/values/time.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, nullable, objectOf, Time } from '../../shapes.ts';
import { dayOf } from '../intelligence/reading.ts';

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

function explanationOf({ regime, score, knownWeight, inputs }: RegimeReading): string {
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
  schema: { querystring: objectOf({}) },
  answers: { 200: { description: 'The regime and its inputs.', schema: RegimeBody } },
  refusals: [],
  handle: (ports) => async () => {
    const now = ports.clock.now();
    const [points, all] = await Promise.all([
      ports.intelligence.series(REGIME_SERIES, dayOf(now - READ_DAYS * DAY_MS), dayOf(now)),
      ports.intelligence.allChains(),
    ]);
    const change = all === null || all.weekBefore === null ? null : percentChange(all.tvlUsd, all.weekBefore);
    const reading = readRegime(measureInputs(points, all === null || change === null ? null : { value: change, at: all.receivedAt }), now);
    return {
      regime: reading.regime,
      explanation: explanationOf(reading),
      score: reading.score,
      knownWeight: reading.knownWeight,
      thresholds: { riskOn: REGIME_SCORE, riskOff: `-${REGIME_SCORE}`, leastWeight: LEAST_WEIGHT },
      asOf: isoTime(now),
      inputs: reading.inputs.map(inputBody),
    };
  },
});
