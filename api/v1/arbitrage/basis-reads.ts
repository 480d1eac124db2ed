/** The basis of every underlying at a cut, with half-lives of stored bars: what the route and the feed channel show alike. */
import { type BasisRow, basisRow } from '../../../src/domain/basis/basis-row.ts';
import { alignedSpreads, type HalfLife, halfLifeOf } from '../../../src/domain/basis/half-life.ts';
import type { Catalog, CatalogEntry } from '../../../src/domain/catalog.ts';
import type { Cut } from '../../../src/domain/cut.ts';
import type { DecimalString } from '../../../src/domain/decimal.ts';
import type { ClosedBar } from '../../../src/domain/ranking/momentum.ts';
import { type EpochMs, slotOf } from '../../../src/domain/time.ts';
import type { InstrumentKey } from '../../../src/domain/venue.ts';
import { createOncePerCut } from '../rankings/once-per-cut.ts';
import type { BarReads } from '../rankings/ports.ts';

const HOUR_MS = 3_600_000;
/** Half-lives are fitted on the hourly bars of so many days. */
export const HALF_LIFE_DAYS = 30;
/** The bar of an hour is stored by now, this long after the hour has ended; the half-lives of the hour count from then on. */
const STORED_MS = 300_000;
/** Entries that are read and fitted at a time, so that others are answered in between. */
const AT_A_TIME = 10;
/** Hours of which the half-lives stay in memory. */
const KEPT_HOURS = 4;

export interface BasisReads {
  /** Rows of all instruments that have a reference price or a perpetual, by symbol. */
  rows(cut: Cut, notionalUsd: DecimalString): Promise<readonly BasisRow[]>;
}

type HalfLives = ReadonlyMap<string, { readonly reference: HalfLife | null; readonly perpetual: HalfLife | null }>;

/** What has a second leg: a reference price, or a perpetual of another venue. */
export function hasBasis(entry: CatalogEntry): boolean {
  return entry.kind === 'tokenized_equity' || (entry.kind === 'spot' && entry.pairedPerp !== null);
}

function fitted(token: readonly ClosedBar[] | undefined, base: readonly ClosedBar[] | undefined): HalfLife | null {
  return token === undefined || base === undefined ? null : halfLifeOf(alignedSpreads(token, base), HOUR_MS);
}

export function createBasisReads({ bars, catalog }: { readonly bars: BarReads; readonly catalog: Catalog }): BasisReads {
  const kept = new Map<EpochMs, Promise<HalfLives>>();

  async function fit(hour: EpochMs): Promise<HalfLives> {
    const entries = catalog.entries.filter(hasBasis);
    const lives = new Map<string, { readonly reference: HalfLife | null; readonly perpetual: HalfLife | null }>();
    for (let from = 0; from < entries.length; from += AT_A_TIME) {
      const some = entries.slice(from, from + AT_A_TIME);
      const keys = new Set(
        some.flatMap(({ key, benchmark, pairedPerp }) => [key, benchmark, pairedPerp].filter((one) => one !== null) as InstrumentKey[]),
      );
      const closes = await bars.closes([...keys], '1h', hour - HALF_LIFE_DAYS * 24 * HOUR_MS, hour);
      for (const { key, benchmark, pairedPerp } of some) {
        const token = closes.get(key);
        const base = (other: InstrumentKey | null): HalfLife | null => (other === null ? null : fitted(token, closes.get(other)));
        lives.set(key, { reference: base(benchmark), perpetual: base(pairedPerp) });
      }
    }
    return lives;
  }

  /** Of the last hour whose bars are stored; fitted once, and while nobody needs them yet, in the first minutes of the next. */
  function halfLives(at: EpochMs): Promise<HalfLives> {
    const ended = slotOf(at, HOUR_MS);
    const hour = slotOf(at - STORED_MS, HOUR_MS);
    if (ended !== hour && at - ended > STORED_MS / 2) fitOnce(ended).catch(() => undefined);
    return fitOnce(hour);
  }

  function fitOnce(hour: EpochMs): Promise<HalfLives> {
    let found = kept.get(hour);
    if (found === undefined) {
      found = fit(hour);
      kept.set(hour, found);
      found.catch(() => kept.delete(hour));
      for (const old of kept.keys()) if (kept.size > KEPT_HOURS) kept.delete(old);
    }
    return found;
  }

  async function rowsOf(cut: Cut, notionalUsd: DecimalString): Promise<readonly BasisRow[]> {
    const lives = await halfLives(cut.slot);
    return catalog.entries
      .filter(hasBasis)
      .sort((a, b) => (a.instrument < b.instrument ? -1 : 1))
      .map((entry) => {
        const perpetual = entry.pairedPerp === null ? undefined : cut.observations.get(entry.pairedPerp);
        return basisRow(entry, cut, perpetual, { notionalUsd, halfLife: lives.get(entry.key) ?? { reference: null, perpetual: null } });
      });
  }

  const once = createOncePerCut<Promise<readonly BasisRow[]>>();
  return { rows: (cut, notionalUsd) => once(cut, notionalUsd, () => rowsOf(cut, notionalUsd)) };
}
