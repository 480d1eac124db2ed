/** Half-lives of the spreads of every underlying from stored hourly bars: fitted once an hour, and again where bars were missing. */
import type { BarReads } from '../../../src/adapters/store/candles/bar-reads.ts';
import { hasBasis } from '../../../src/domain/basis/basis-legs.ts';
import type { BasisInputs } from '../../../src/domain/basis/basis-row.ts';
import { alignedSpreads, type HalfLife, fitHalfLife } from '../../../src/domain/basis/half-life.ts';
import type { Catalog, CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { ClosedBar } from '../../../src/domain/ranking/momentum.ts';
import { DAY_MS, type EpochMs, HOUR_MS, startOfSlot } from '../../../src/domain/values/time.ts';
import type { Clock } from '../../../streams/clock/clock.ts';

/** Days of hourly bars in a fit. */
const HALF_LIFE_DAYS = 30;
/** Milliseconds after an hour by which its bar is stored, so that the half-lives of the hour can be fitted. */
const STORED_MS = 300_000;
/** Number of entries fitted at a time, so that other requests are answered in between. */
const AT_A_TIME = 10;
/** Milliseconds after which missing half-lives are fitted again. */
const REFIT_MS = 120_000;
/** Hours for which half-lives stay in memory. */
const KEPT_HOURS = 4;

type Lives = BasisInputs['halfLife'];
/** Half-lives by instrument key. */
type HalfLives = ReadonlyMap<string, Lives>;

function fitted(token: readonly ClosedBar[] | undefined, base: readonly ClosedBar[] | undefined): HalfLife | null {
  return token === undefined || base === undefined ? null : fitHalfLife(alignedSpreads(token, base), HOUR_MS);
}

/** True if further bars may still give a half-life: bars of the last weeks are stored one series after the other. */
function isLacking({ benchmark, pairedPerp }: CatalogEntry, lives: Lives | undefined): boolean {
  const few = (life: HalfLife | null | undefined): boolean => life === null || life === undefined || life.why === 'too_few_bars';
  return (benchmark !== null && few(lives?.reference)) || (pairedPerp !== null && few(lives?.perpetual));
}

export interface HalfLifeDeps {
  readonly bars: BarReads;
  readonly catalog: Catalog;
  readonly clock: Pick<Clock, 'now'>;
}

/** Returns a function that returns the half-lives at an instant. */
export function createHalfLives({ bars, catalog, clock }: HalfLifeDeps): (at: EpochMs) => Promise<HalfLives> {
  const kept = new Map<EpochMs, { at: EpochMs; readonly lives: Promise<HalfLives> }>();

  async function fit(entries: readonly CatalogEntry[], hour: EpochMs): Promise<HalfLives> {
    const lives = new Map<string, Lives>();
    for (let from = 0; from < entries.length; from += AT_A_TIME) {
      const some = entries.slice(from, from + AT_A_TIME);
      const keys = new Set(
        some.flatMap(({ key, benchmark, pairedPerp }) => [key, benchmark, pairedPerp].filter((one) => one !== null) as InstrumentKey[]),
      );
      const closes = await bars.closes([...keys], '1h', hour - HALF_LIFE_DAYS * DAY_MS, hour);
      for (const { key, benchmark, pairedPerp } of some) {
        const token = closes.get(key);
        const base = (other: InstrumentKey | null): HalfLife | null => (other === null ? null : fitted(token, closes.get(other)));
        lives.set(key, { reference: base(benchmark), perpetual: base(pairedPerp) });
      }
    }
    return lives;
  }

  /**
   * Returns the half-lives of the last hour with stored bars. They are fitted in the first minutes of the next hour, before they are
   * needed.
   */
  function halfLives(at: EpochMs): Promise<HalfLives> {
    const ended = startOfSlot(at, HOUR_MS);
    const hour = startOfSlot(at - STORED_MS, HOUR_MS);
    if (ended !== hour && at - ended > STORED_MS / 2) fitOnce(ended).catch(() => undefined);
    return fitOnce(hour);
  }

  function fitOnce(hour: EpochMs): Promise<HalfLives> {
    const known = kept.get(hour);
    if (known === undefined) return keep(hour, fit(catalog.entries.filter(hasBasis), hour));
    if (clock.now() - known.at < REFIT_MS) return known.lives;
    // Requests during the fit get the previous values.
    known.at = clock.now();
    return known.lives.then((lives) => fitLacking(hour, lives));
  }

  async function fitLacking(hour: EpochMs, lives: HalfLives): Promise<HalfLives> {
    const lacking = catalog.entries.filter((entry) => hasBasis(entry) && isLacking(entry, lives.get(entry.key)));
    if (lacking.length === 0) return lives;
    return keep(hour, Promise.resolve(new Map([...lives, ...(await fit(lacking, hour))])));
  }

  function keep(hour: EpochMs, lives: Promise<HalfLives>): Promise<HalfLives> {
    kept.set(hour, { at: clock.now(), lives });
    lives.catch(() => kept.delete(hour));
    for (const old of kept.keys()) if (kept.size > KEPT_HOURS) kept.delete(old);
    return lives;
  }

  return halfLives;
}
