/** Seeded economy as a pure function of (seed, date): rates, prices, jobs and market stress, with release days and revisions. */
import { tradingDay } from '../../domain/market/session.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { SmoothNoise, deriveSeed } from '../market/seeded-noise.ts';

/** Release of the calendar, with the provider's id and name. */
export interface SeededRelease {
  readonly id: number;
  readonly name: string;
}

const RELEASES = {
  cpi: { id: 10, name: 'Consumer Price Index' },
  jobs: { id: 50, name: 'Employment Situation' },
  income: { id: 54, name: 'Personal Income and Outlays' },
  fomc: { id: 101, name: 'FOMC Press Release' },
  claims: { id: 180, name: 'Unemployment Insurance Weekly Claims Report' },
  rates: { id: 18, name: 'H.15 Selected Interest Rates' },
} as const;

interface Series {
  readonly frequency: 'daily' | 'monthly';
  readonly digits: number;
  /** Returns the value in the series' own units. A request for other units is a client error. */
  readonly value: (day: EpochMs, asOf: EpochMs) => number;
  /** Returns the publication time of a period's value. */
  readonly outAt: (day: EpochMs) => EpochMs;
}

export const dateText = (at: EpochMs): string => new Date(at).toISOString().slice(0, 10);
const dayOfMonth = (month: EpochMs, ahead: number, day: number): EpochMs => {
  const date = new Date(month);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, day);
};
const weekday = (at: EpochMs): number => new Date(at).getUTCDay();
/** Returns the first weekday from `at` on. */
const workday = (at: EpochMs): EpochMs => (weekday(at) === 6 ? at + 2 * DAY_MS : weekday(at) === 0 ? at + DAY_MS : at);

const cpiDay = (month: EpochMs): EpochMs => workday(dayOfMonth(month, 1, 12));
const incomeDay = (month: EpochMs): EpochMs => workday(dayOfMonth(month, 1, 27));
/** Returns the first Friday of the next month. */
const jobsDay = (month: EpochMs): EpochMs => {
  const first = dayOfMonth(month, 1, 1);
  return first + ((5 - weekday(first) + 7) % 7) * DAY_MS;
};
/** Returns the FOMC day of a month, a Wednesday of every second month, or null if there is none. */
const fomcDay = (month: EpochMs): EpochMs | null => {
  if (new Date(month).getUTCMonth() % 2 !== 0) return null;
  const middle = dayOfMonth(month, 0, 15);
  return middle + ((3 - weekday(middle) + 7) % 7) * DAY_MS;
};

const nextDay = (day: EpochMs): EpochMs => day + DAY_MS + 14 * HOUR_MS;
const at = (day: EpochMs): EpochMs => day + 13.5 * HOUR_MS;
const daily = (digits: number, of: (day: EpochMs) => number): Series => ({ frequency: 'daily', digits, value: of, outAt: nextDay });
const monthly = (digits: number, out: (month: EpochMs) => EpochMs, of: Series['value']): Series => ({
  frequency: 'monthly',
  digits,
  value: of,
  outAt: (month) => at(out(month)),
});

export type SeededMacro = ReturnType<typeof createSeededMacro>;

export function createSeededMacro(seed: number, value: (symbol: string, at: EpochMs) => number) {
  const noise = (name: string, periodDays: number): ((day: EpochMs) => number) => {
    const path = new SmoothNoise(deriveSeed(`${seed}/macro/${name}`), periodDays);
    return (day) => path.at(Math.floor(day / DAY_MS));
  };
  const policy = noise('policy', 420);
  const slope = noise('slope', 240);
  const two = noise('two', 60);
  const spreadNoise = noise('nerves', 9);
  const dollar = noise('dollar', 90);
  const prices = noise('prices', 300);
  const core = noise('core', 300);
  const idle = noise('idle', 300);
  const hired = noise('hired', 31);
  const revised = noise('revised', 31);

  const targetLow = (day: EpochMs): number => Math.round((3.5 + 1.1 * policy(Math.floor(day / (45 * DAY_MS)) * 45 * DAY_MS)) * 4) / 4;
  const dgs2 = (day: EpochMs): number => targetLow(day) + 0.1 + 0.2 * two(day);
  const tenMinusTwo = (day: EpochMs): number => 0.35 + 0.5 * slope(day);
  const vix = (day: EpochMs): number => {
    const close = day + 21 * HOUR_MS;
    const fallen = -Math.log(value('SPY', close) / value('SPY', close - 10 * DAY_MS));
    return Math.min(80, Math.max(10, 17 + 110 * Math.max(0, fallen) + 40 * Math.min(0, fallen) + 1.5 * spreadNoise(day)));
  };
  const spread = (day: EpochMs): number => 3.2 + 0.09 * (vix(day) - 17) + 0.05 * spreadNoise(day);
  const inflation = (month: EpochMs): number => 2.8 + 0.5 * prices(month);

  const all: Readonly<Record<string, Series>> = {
    DFF: daily(2, (day) => targetLow(day) + 0.08),
    DFEDTARL: daily(2, targetLow),
    DFEDTARU: daily(2, (day) => targetLow(day) + 0.25),
    SOFR: daily(2, (day) => targetLow(day) + 0.06 + 0.02 * spreadNoise(day)),
    DGS2: daily(2, dgs2),
    DGS10: daily(2, (day) => dgs2(day) + tenMinusTwo(day)),
    T10Y2Y: daily(2, tenMinusTwo),
    VIXCLS: daily(2, vix),
    BAMLH0A0HYM2: daily(2, spread),
    DTWEXBGS: daily(4, (day) => 121 + 3 * dollar(day)),
    CPIAUCSL: monthly(5, cpiDay, inflation),
    CPILFESL: monthly(5, cpiDay, (month) => inflation(month) + 0.2 + 0.1 * core(month)),
    PCEPI: monthly(5, incomeDay, (month) => inflation(month) - 0.35),
    PCEPILFE: monthly(5, incomeDay, (month) => inflation(month) - 0.1 + 0.1 * core(month)),
    UNRATE: monthly(1, jobsDay, (month) => 4.2 + 0.3 * idle(month)),
    // First estimates of jobs are revised with the next release.
    PAYEMS: monthly(
      0,
      jobsDay,
      (month, asOf) => 130 + 70 * hired(month) + (asOf >= at(jobsDay(dayOfMonth(month, 1, 1))) ? 25 * revised(month) : 0),
    ),
  };

  return {
    /** Returns a series, or null if it is unknown. */
    series: (id: string): { readonly frequency: 'daily' | 'monthly' } | null =>
      Object.hasOwn(all, id) ? { frequency: (all[id] as Series).frequency } : null,
    /** Returns the values between two dates as known at `asOf`; `.` for a date without a value. */
    observations(id: string, from: EpochMs, to: EpochMs, asOf: EpochMs): readonly { readonly date: string; readonly value: string }[] {
      const series = all[id];
      if (series === undefined) return [];
      const found: { date: string; value: string }[] = [];
      let day =
        series.frequency === 'daily' ? Math.ceil(from / DAY_MS) * DAY_MS : dayOfMonth(from, from === dayOfMonth(from, 0, 1) ? 0 : 1, 1);
      for (; day <= to; day = series.frequency === 'daily' ? day + DAY_MS : dayOfMonth(day, 1, 1)) {
        if (series.outAt(day) > asOf) continue;
        const weekend = weekday(day) === 0 || weekday(day) === 6;
        if (series.frequency === 'daily' && weekend && !id.startsWith('DF')) continue;
        const closed = series.frequency === 'daily' && !weekend && !id.startsWith('DF') && tradingDay(dateText(day)) === null;
        found.push({ date: dateText(day), value: closed ? '.' : series.value(day, asOf).toFixed(series.digits) });
      }
      return found;
    },
    /** Returns the releases between two days, both inclusive. */
    releases(from: EpochMs, to: EpochMs): readonly (SeededRelease & { readonly date: string })[] {
      const found: (SeededRelease & { date: string })[] = [];
      const put = (release: SeededRelease, day: EpochMs | null): void => {
        if (day !== null && day >= from && day <= to) found.push({ ...release, date: dateText(day) });
      };
      for (let month = dayOfMonth(from, -2, 1); month <= to; month = dayOfMonth(month, 1, 1)) {
        put(RELEASES.cpi, cpiDay(month));
        put(RELEASES.jobs, jobsDay(month));
        put(RELEASES.income, incomeDay(month));
        put(RELEASES.fomc, fomcDay(month));
      }
      for (let day = Math.ceil(from / DAY_MS) * DAY_MS; day <= to; day += DAY_MS) {
        if (weekday(day) === 4) put(RELEASES.claims, day);
        if (weekday(day) > 0 && weekday(day) < 6) put(RELEASES.rates, day);
      }
      return found.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : a.id - b.id));
    },
  };
}
