/** The basis of every underlying at a cut, with half-lives from stored bars, for the route and the feed channel. */
import { hasBasis } from '../../../src/domain/basis/basis-legs.ts';
import { type BasisRow, basisRow } from '../../../src/domain/basis/basis-row.ts';
import type { Cut } from '../../../src/domain/market/cut.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import { createOncePerCut } from '../rankings/once-per-cut.ts';
import { createHalfLives, type HalfLifeDeps } from './half-lives.ts';

export function createBasisReads(deps: HalfLifeDeps) {
  const { catalog } = deps;
  const halfLives = createHalfLives(deps);

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
  return {
    /** Returns rows of all instruments with a reference price or a perpetual, by symbol. */
    rows: (cut: Cut, notionalUsd: DecimalString): Promise<readonly BasisRow[]> => once(cut, notionalUsd, () => rowsOf(cut, notionalUsd)),
  };
}

export type BasisReads = ReturnType<typeof createBasisReads>;
