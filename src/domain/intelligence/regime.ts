/**
 * Risk appetite as a weighted sum of a few inputs, each with two thresholds (docs/decisions/0107-a-figure-names-its-inputs.md). Missing or
 * outdated inputs do not count and are named.
 */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';
import { changeOver, dateAt, MACRO_SERIES, pointBefore, type SeriesPoint } from './macro.ts';

export const REGIMES = ['risk_on', 'neutral', 'risk_off', 'unknown'] as const;
type Regime = (typeof REGIMES)[number];

export const INPUT_STATES = ['used', 'too_old', 'missing'] as const;
type InputState = (typeof INPUT_STATES)[number];

/** Rule that measures and scores an input. At `riskOnAt` or beyond it scores 1, at `riskOffAt` or beyond it -1, linear in between. */
interface RegimeRule {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly weight: number;
  readonly riskOnAt: string;
  readonly riskOffAt: string;
  readonly maxAgeMs: number;
}

export const REGIME_RULES = {
  volatility: rule('volatility', 'Implied volatility of large US shares (VIXCLS)', 'index points', 0.25, '16', '26', 7),
  credit_spread: rule('credit_spread', 'Spread of high-yield bonds (BAMLH0A0HYM2)', 'percentage points', 0.25, '3.25', '5.25', 7),
  yield_curve: rule('yield_curve', 'Treasury yield, 10 years minus 2 years (T10Y2Y)', 'percentage points', 0.1, '0.75', '-0.25', 7),
  policy_rate: rule('policy_rate', 'Change of the federal funds rate over 90 days (DFF)', 'percentage points', 0.1, '-0.25', '0.25', 7),
  dollar: rule('dollar', 'Change of the broad dollar index over 30 days (DTWEXBGS)', 'percent', 0.15, '-1.5', '1.5', 10),
  chain_tvl: rule('chain_tvl', 'Change of the value locked on all chains over 7 days', 'percent', 0.15, '5', '-5', 1),
} as const satisfies Readonly<Record<string, RegimeRule>>;
export type RegimeInputName = keyof typeof REGIME_RULES;

function rule(
  name: string,
  description: string,
  unit: string,
  weight: number,
  riskOnAt: string,
  riskOffAt: string,
  maxAgeDays: number,
): RegimeRule {
  return { name, description, unit, weight, riskOnAt, riskOffAt, maxAgeMs: maxAgeDays * DAY_MS };
}

/** Score from which risk is on. At its negative or below, risk is off. */
export const REGIME_SCORE = '0.25';
/** Minimum total weight of known inputs. With less the regime is unknown. */
export const LEAST_WEIGHT = '0.6';

/** Measured value of an input, or null if it could not be measured. */
export interface Measured {
  readonly value: DecimalString;
  /** Time from which its age counts. */
  readonly at: EpochMs;
}

export interface RegimeInput extends RegimeRule {
  readonly value: DecimalString | null;
  readonly at: EpochMs | null;
  readonly ageMs: number | null;
  readonly state: InputState;
  /** -1 (off) to 1 (on) to four decimals, or null if not used. */
  readonly score: DecimalString | null;
  /** `weight` x `score` to four decimals, or null if not used. */
  readonly contribution: DecimalString | null;
}

export interface RegimeReading {
  readonly regime: Regime;
  /** Sum of the contributions over the known weight, to four decimals, or null if the regime is unknown. */
  readonly score: DecimalString | null;
  readonly knownWeight: DecimalString;
  readonly inputs: readonly RegimeInput[];
}

/** Returns the score of a value between both thresholds, -1 to 1, to four decimals. */
export function computeScore(value: DecimalString, riskOnAt: DecimalString, riskOffAt: DecimalString): DecimalString {
  const middle = new Decimal(riskOnAt).plus(riskOffAt).div(2);
  const half = new Decimal(riskOnAt).minus(riskOffAt).div(2);
  const place = new Decimal(value).minus(middle).div(half);
  return plainDecimal(Decimal.min(1, Decimal.max(-1, place)).toDecimalPlaces(4));
}

/** Reads the risk appetite at an instant from measured values. */
export function readRegime(measured: Readonly<Record<RegimeInputName, Measured | null>>, now: EpochMs): RegimeReading {
  let known = new Decimal(0);
  let sum = new Decimal(0);
  const inputs = Object.entries(REGIME_RULES).map(([name, of]): RegimeInput => {
    const found = measured[name as RegimeInputName];
    if (found === null) return { ...of, value: null, at: null, ageMs: null, state: 'missing', score: null, contribution: null };
    const ageMs = Math.max(0, now - found.at);
    const base = { ...of, value: found.value, at: found.at, ageMs };
    if (ageMs > of.maxAgeMs) return { ...base, state: 'too_old', score: null, contribution: null };
    const score = computeScore(found.value, of.riskOnAt, of.riskOffAt);
    const contribution = new Decimal(of.weight).times(score).toDecimalPlaces(4);
    known = known.plus(of.weight);
    sum = sum.plus(contribution);
    return { ...base, state: 'used', score, contribution: plainDecimal(contribution) };
  });
  const knownWeight = plainDecimal(known);
  if (known.lt(LEAST_WEIGHT)) return { regime: 'unknown', score: null, knownWeight, inputs };
  const score = sum.div(known).toDecimalPlaces(4);
  const regime = score.gte(REGIME_SCORE) ? 'risk_on' : score.lte(new Decimal(REGIME_SCORE).neg()) ? 'risk_off' : 'neutral';
  return { regime, score: plainDecimal(score), knownWeight, inputs };
}

/** Days over which the dollar's change is measured. */
const DOLLAR_DAYS = 30;
const POLICY_RATE_DAYS = 90;

function latest(points: readonly SeriesPoint[] | undefined): Measured | null {
  const newest = points?.at(-1);
  return newest === undefined ? null : { value: newest.value, at: dateAt(newest.date) };
}

/** Returns (newest - before) / before x 100 to six decimals. */
export function percentChange(newest: DecimalString, before: DecimalString): DecimalString | null {
  const base = new Decimal(before);
  return base.isZero() ? null : plainDecimal(new Decimal(newest).minus(base).div(base).times(100).toDecimalPlaces(6));
}

/** Measures the inputs from the series' points (ascending by date) and the change of the value locked on all chains. */
export function measureInputs(
  points: ReadonlyMap<string, readonly SeriesPoint[]>,
  chainTvl: Measured | null,
): Readonly<Record<RegimeInputName, Measured | null>> {
  const rate = points.get('DFF') ?? [];
  const dollar = points.get('DTWEXBGS') ?? [];
  const change = changeOver(rate, POLICY_RATE_DAYS);
  const [newest, before] = [dollar.at(-1), pointBefore(dollar, DOLLAR_DAYS)];
  const dollarChange = newest === undefined || before === null ? null : percentChange(newest.value, before.value);
  const at = (list: readonly SeriesPoint[]): EpochMs => dateAt(list.at(-1)?.date ?? '1970-01-01');
  return {
    volatility: latest(points.get('VIXCLS')),
    credit_spread: latest(points.get('BAMLH0A0HYM2')),
    yield_curve: latest(points.get('T10Y2Y')),
    policy_rate: change === null ? null : { value: change, at: at(rate) },
    dollar: dollarChange === null ? null : { value: dollarChange, at: at(dollar) },
    chain_tvl: chainTvl,
  };
}

/** Series that the regime is read from. */
export const REGIME_SERIES: readonly string[] = MACRO_SERIES.map(({ id }) => id).filter((id) =>
  ['VIXCLS', 'BAMLH0A0HYM2', 'T10Y2Y', 'DFF', 'DTWEXBGS'].includes(id),
);
