/** Macro series: which are followed, their units, and the maximum age of a value. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';

/** Transformations of a series by the provider: level, change over a period, percent change over a year. */
export const SERIES_UNITS = ['lin', 'chg', 'pc1'] as const;
type SeriesUnits = (typeof SERIES_UNITS)[number];

export const SERIES_GROUPS = ['rates', 'inflation', 'labour', 'markets'] as const;
type SeriesGroup = (typeof SERIES_GROUPS)[number];

export interface MacroSeries {
  /** Id at the provider. */
  readonly id: string;
  readonly title: string;
  readonly group: SeriesGroup;
  readonly units: SeriesUnits;
  /** Unit of a value, in words. */
  readonly unit: string;
  readonly frequency: 'daily' | 'monthly';
  /** Measured from the observation's date, which is the start of its period. */
  readonly maxAgeMs: number;
}

/** Weekends, holidays and a day of delay separate a trading day from its value. A monthly value follows within six weeks. */
const DAILY_MS = 7 * DAY_MS;
const MONTHLY_MS = 80 * DAY_MS;

function series(
  id: string,
  title: string,
  group: SeriesGroup,
  units: SeriesUnits,
  unit: string,
  frequency: MacroSeries['frequency'],
): MacroSeries {
  return { id, title, group, units, unit, frequency, maxAgeMs: frequency === 'daily' ? DAILY_MS : MONTHLY_MS };
}

/** Series that the service follows. */
export const MACRO_SERIES: readonly MacroSeries[] = [
  series('DFF', 'Federal funds effective rate', 'rates', 'lin', 'percent', 'daily'),
  series('DFEDTARU', 'Federal funds target range, upper limit', 'rates', 'lin', 'percent', 'daily'),
  series('DFEDTARL', 'Federal funds target range, lower limit', 'rates', 'lin', 'percent', 'daily'),
  series('SOFR', 'Secured overnight financing rate', 'rates', 'lin', 'percent', 'daily'),
  series('DGS2', 'Treasury yield, 2 years', 'rates', 'lin', 'percent', 'daily'),
  series('DGS10', 'Treasury yield, 10 years', 'rates', 'lin', 'percent', 'daily'),
  series('T10Y2Y', 'Treasury yield, 10 years minus 2 years', 'rates', 'lin', 'percentage points', 'daily'),
  series('CPIAUCSL', 'Consumer prices', 'inflation', 'pc1', 'percent over a year', 'monthly'),
  series('CPILFESL', 'Consumer prices without food and energy', 'inflation', 'pc1', 'percent over a year', 'monthly'),
  series('PCEPI', 'Prices of personal consumption', 'inflation', 'pc1', 'percent over a year', 'monthly'),
  series('PCEPILFE', 'Prices of personal consumption without food and energy', 'inflation', 'pc1', 'percent over a year', 'monthly'),
  series('UNRATE', 'Unemployment rate', 'labour', 'lin', 'percent', 'monthly'),
  series('PAYEMS', 'Payrolls outside of farming, change', 'labour', 'chg', 'thousand persons', 'monthly'),
  series('VIXCLS', 'Implied volatility of large US shares', 'markets', 'lin', 'index points', 'daily'),
  series('BAMLH0A0HYM2', 'Spread of high-yield bonds', 'markets', 'lin', 'percentage points', 'daily'),
  series('DTWEXBGS', 'Broad dollar index', 'markets', 'lin', 'index points', 'daily'),
];

/** One value of a series, valid from its vintage on. `value` is null if the provider has none for the date. */
export interface MacroObservation {
  readonly seriesId: string;
  readonly units: SeriesUnits;
  /** `YYYY-MM-DD`, the start of the period and not the day of its release. */
  readonly date: string;
  readonly value: DecimalString | null;
  /** `YYYY-MM-DD` since which this was the published value. */
  readonly vintage: string;
  readonly receivedAt: EpochMs;
}

/** Release date of a series, past or future. The provider gives no time of day. */
export interface MacroRelease {
  readonly releaseId: number;
  readonly name: string;
  readonly date: string;
  readonly receivedAt: EpochMs;
}

export const RELEASE_IMPACTS = ['high', 'medium', 'low'] as const;
type ReleaseImpact = (typeof RELEASE_IMPACTS)[number];

const HIGH_IMPACT = [
  'Consumer Price Index',
  'Employment Situation',
  'FOMC Press Release',
  'Personal Income and Outlays',
  'Gross Domestic Product',
];
const MEDIUM_IMPACT = [
  'Producer Price Index',
  'Advance Monthly Sales for Retail and Food Services',
  'Job Openings and Labor Turnover Survey',
  'Unemployment Insurance Weekly Claims Report',
  'G.17 Industrial Production and Capacity Utilization',
];

/** Returns the usual market impact of a release, by name. */
export function rateImpact(name: string): ReleaseImpact {
  if (HIGH_IMPACT.includes(name)) return 'high';
  return MEDIUM_IMPACT.includes(name) ? 'medium' : 'low';
}

/** A value of a series at its date. Missing values are left out. */
export interface SeriesPoint {
  readonly date: string;
  readonly value: DecimalString;
}

/** Returns midnight UTC of a date. */
export function dateAt(date: string): EpochMs {
  return Date.parse(`${date}T00:00:00Z`);
}

/** Returns the newest point at least `days` before the newest one, or null if the series is too short. */
export function pointBefore(points: readonly SeriesPoint[], days: number): SeriesPoint | null {
  const newest = points.at(-1);
  if (newest === undefined) return null;
  const until = dateAt(newest.date) - days * DAY_MS;
  return points.findLast(({ date }) => dateAt(date) <= until) ?? null;
}

/** Returns the change over the last `days`, in the units of the series, or null if a point is missing. */
export function changeOver(points: readonly SeriesPoint[], days: number): DecimalString | null {
  const [before, newest] = [pointBefore(points, days), points.at(-1)];
  return before === null || newest === undefined ? null : plainDecimal(new Decimal(newest.value).minus(before.value));
}

export const POLICY_REGIMES = ['easing', 'holding', 'tightening'] as const;
type PolicyRegime = (typeof POLICY_REGIMES)[number];

/** Number of days over which the policy rate's change is measured. A change counts from one step of 25 basis points on, less noise. */
export const POLICY_DAYS = 90;
const POLICY_STEP = new Decimal('0.2');

/** Returns the recent direction of the policy rate, or null if unknown. */
export function policyRegime(change: DecimalString | null): PolicyRegime | null {
  if (change === null) return null;
  if (new Decimal(change).gte(POLICY_STEP)) return 'tightening';
  return new Decimal(change).lte(POLICY_STEP.neg()) ? 'easing' : 'holding';
}

export const CURVE_REGIMES = ['inverted', 'flat', 'normal'] as const;
type CurveRegime = (typeof CURVE_REGIMES)[number];

/** Returns the state of the yield curve by its slope from 2 to 10 years, in percentage points: below 0 inverted, up to 0.5 flat. */
export function curveRegime(slope: DecimalString | null): CurveRegime | null {
  if (slope === null) return null;
  if (new Decimal(slope).lt(0)) return 'inverted';
  return new Decimal(slope).lte('0.5') ? 'flat' : 'normal';
}
