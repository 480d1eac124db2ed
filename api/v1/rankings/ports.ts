/** Ports of rankings, basis and assessments: past and present cuts, and stored bars. */
import type { Cut } from '../../../src/domain/market/cut.ts';
import type { BarsWanted, ClosedBar } from '../../../src/domain/ranking/momentum.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { BasisReads } from '../arbitrage/basis-reads.ts';
import type { AssessmentPhrasing } from '../stocks/ports.ts';

export interface CutReads {
  /** The last cut at or before an instant, or null. */
  at(instant: EpochMs): Promise<Cut | null>;
}

export interface BarReads {
  /** Closed bars that opened in [from, to) by instrument, ascending; an instrument without bars is missing. */
  closes(
    instruments: readonly InstrumentKey[],
    timeframe: string,
    from: EpochMs,
    to: EpochMs,
  ): Promise<ReadonlyMap<string, readonly ClosedBar[]>>;
  /**
   * Reads the newest bar of each instrument at an instant, and single earlier ones, ascending. An instrument without a newest bar is
   * missing.
   */
  nearest(instruments: readonly InstrumentKey[], timeframe: string, wanted: BarsWanted): Promise<ReadonlyMap<string, readonly ClosedBar[]>>;
}

export interface RankingPorts {
  readonly cuts: CutReads;
  readonly bars: BarReads;
  readonly basis: BasisReads;
  /** Absent if no language model is configured. */
  readonly phrasing?: AssessmentPhrasing;
}
