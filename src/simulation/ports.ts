/** Outside ports of simulations. Stores and venues implement them; all values are the domain's. */

import type { DailyReturns } from '../domain/backtest/daily-returns.ts';
import type { ArchivedStretch } from '../domain/backtest/known-events.ts';
import type { Candle } from '../domain/candles/candle.ts';
import type { Json } from '../domain/values/canonical-json.ts';
import type { Observation } from '../domain/market/cut.ts';
import type { Report } from '../domain/intelligence/report.ts';
import type { RiskPreferences } from '../domain/risk/preferences.ts';
import type { Stretch } from '../domain/values/stretches.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { InstrumentKey, Venue } from '../domain/market/venue.ts';
import type { Fact } from './backtest/history.ts';
import type { BarSeries, InstrumentNeeds } from './backtest/needs.ts';

/** Closed bars of one series that open within [from, to). */
export interface BarRange {
  readonly venue: Venue;
  readonly instrument: string;
  readonly timeframe: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** The first and the last open time of bars of a timeframe. */
export interface StoredSpan {
  readonly timeframe: string;
  readonly firstOpen: EpochMs;
  readonly lastOpen: EpochMs;
}

/** Stored history for a backtest. */
export interface BacktestReads {
  /** Reads all bars of a range, ascending. */
  bars(range: BarRange): Promise<readonly Candle[]>;
  /** Returns what is stored within a range, by those of the given timeframes of which there is a bar. */
  storedSpans(range: Omit<BarRange, 'timeframe'> & { readonly timeframes: readonly string[] }): Promise<readonly StoredSpan[]>;
  /** Returns every received and stored report of an event, of any age. */
  reports(): Promise<readonly Report[]>;
  /** Imported archives of events about an underlying, with their reports. */
  archives(underlying: string): Promise<readonly EventArchive[]>;
  /** An issuer's marks of a token, ascending by the time from which each was known. */
  marks(instrument: string): Promise<readonly Fact[]>;
  /** Liquidity of an instrument's pools, ascending by the time from which each reading was known. */
  liquidity(instrument: InstrumentKey): Promise<readonly Fact[]>;
  /** Half of the spread of an instrument's quotes in basis points, ascending by the time from which each was known. */
  halfSpreads(instrument: InstrumentKey): Promise<readonly Fact[]>;
}

/** Times for which history is stored, read before a run without the values themselves. */
export interface KnownHistoryReads extends Pick<BacktestReads, 'marks' | 'liquidity'> {
  /** Receipt of the first stored report, or null. */
  receivedSince(): Promise<EpochMs | null>;
  /** The stretches for which archives of an underlying are complete. */
  archived(underlying: string): Promise<readonly ArchivedStretch[]>;
}

/** A file of events: within its stretch it holds all that its source told of an underlying. */
export interface EventArchive extends ArchivedStretch {
  readonly reports: readonly Report[];
}

/** Archives that can be asked by the stretch, besides those that are imported from files. */
export interface HistoryArchives {
  /**
   * Returns every report of a source about an underlying that was published in the stretch; null if no archive of the source is available.
   */
  reports(source: string, underlying: string, stretch: Stretch): readonly Report[] | null;
  marks(instrument: string, stretch: Stretch): readonly Fact[];
  liquidity(instrument: InstrumentKey, stretch: Stretch): readonly Fact[];
  halfSpreads(instrument: InstrumentKey, stretch: Stretch): readonly Fact[];
}

/** Fetches from venues what the kept history lacks. */
export interface HistoryFetcher {
  /** Returns the source that makes the bars of a series in this process; null if its venue serves them. */
  madeBy(series: BarSeries): string | null;
  /** Fetches bars. Returns the code of the refusal if the venue did not give all of them; null if it did, or has none to give. */
  bars(
    series: BarSeries,
    range: { readonly from: EpochMs; readonly to: EpochMs },
    job: { readonly signal: AbortSignal; readonly progress: (done: number, total: number, workId: string | null) => void },
  ): Promise<{ readonly code: string } | null>;
  /** Keeps what archives at hand hold of the events, marks and liquidity that an instrument's rules look at. */
  facts(needs: InstrumentNeeds, range: { readonly from: EpochMs; readonly to: EpochMs }): Promise<void>;
  /** Returns the hourly funding of a perpetual; null if its venue gives none. */
  funding(perpetual: string, range: { readonly from: EpochMs; readonly to: EpochMs }): Promise<readonly Fact[] | null>;
}

/** Names the run whose family is looked for, among trials before the instant it was asked for. Plain JSON: it crosses into a thread. */
export interface TrialsOf {
  readonly orgId: string;
  readonly agentId: string;
  readonly createdAt: EpochMs;
  /** The manifests that the run itself tries. */
  readonly hashes: readonly string[];
  /** Request: its stretch, timeframe and assumptions. */
  readonly request: { readonly [name: string]: Json };
}

/** Earlier trials, from which luck is measured. */
export interface TrialReads {
  /**
   * Returns the other trials. A trial is a manifest over a stretch: every one, except those of the run itself over its own stretch, that
   * finished backtests, sweeps and previews of the organization have tried and whose daily returns correlate by 0.5 or more with these.
   * Each with its Sharpe ratio; null if it is not defined, for previews, and for further stretches of a manifest, whose ratios say nothing
   * about how manifests differ.
   */
  otherTrials(of: TrialsOf, returns: DailyReturns): Promise<readonly (number | null)[]>;
}

/** Markets of a universe, as a stress test reads them. */
export interface StressReads {
  /** Reads all bars of a range, ascending. */
  bars(range: BarRange): Promise<readonly Candle[]>;
  /** The last observation of an instrument after `since`, at `at` or before. */
  lastObservation(key: InstrumentKey, since: EpochMs, at: EpochMs): Promise<Observation | null>;
  preferences(orgId: string): Promise<RiskPreferences>;
}

/** A decision as a live run wrote it. Hashes are hexadecimal. */
export interface LiveDecision {
  readonly agentId: string;
  readonly disposition: string;
  readonly reason: string | null;
  readonly instrument: string | null;
  readonly outcome: string;
  readonly risk: string | null;
  readonly book: string | null;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly observedHash: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** Parts of a live run that a replay is compared with. */
export interface LiveRunReads {
  /** The slots that agents missed, and how. */
  missed(): Promise<readonly { readonly agentId: string; readonly slot: EpochMs; readonly reason: 'late_tick' | 'tick_crash' }[]>;
  decisions(agentIds: readonly string[], slot: EpochMs): Promise<readonly LiveDecision[]>;
  /** Every decision of the slots from the first time to before the second, in the order of slots and then of ids, in batches. */
  written(
    from: EpochMs,
    to: EpochMs,
  ): AsyncIterable<readonly { readonly slot: EpochMs; readonly agentId: string; readonly hash: string }[]>;
  observations(slot: EpochMs): Promise<ReadonlyMap<InstrumentKey, Observation>>;
}
