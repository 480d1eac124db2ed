/** Ports of simulations to the outside, implemented by stores and venues. All values are domain values. */

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

/** Range of one series: closed bars that open within [from, to). */
export interface BarRange {
  readonly venue: Venue;
  readonly instrument: string;
  readonly timeframe: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** First and last open time of a timeframe's stored bars. */
export interface StoredSpan {
  readonly timeframe: string;
  readonly firstOpen: EpochMs;
  readonly lastOpen: EpochMs;
}

export interface BacktestReads {
  /** Reads all bars of a range, ascending. */
  bars(range: BarRange): Promise<readonly Candle[]>;
  /** Returns the stored spans within a range, for the given timeframes that have a bar there. */
  storedSpans(range: Omit<BarRange, 'timeframe'> & { readonly timeframes: readonly string[] }): Promise<readonly StoredSpan[]>;
  /** Returns all stored reports of events, of any age. */
  reports(): Promise<readonly Report[]>;
  /** Returns the imported archives of events about an underlying, with their reports. */
  archives(underlying: string): Promise<readonly EventArchive[]>;
  /** Returns a token's issuer marks, ascending by the time from which each was known. */
  marks(instrument: string): Promise<readonly Fact[]>;
  /** Returns the liquidity of an instrument's pools, ascending by the time from which each reading was known. */
  liquidity(instrument: InstrumentKey): Promise<readonly Fact[]>;
  /** Returns half of an instrument's quoted spread in basis points, ascending by the time from which each was known. */
  halfSpreads(instrument: InstrumentKey): Promise<readonly Fact[]>;
}

/** Ranges of stored history, read before a run without the values themselves. */
export interface KnownHistoryReads extends Pick<BacktestReads, 'marks' | 'liquidity'> {
  /** Returns the receipt time of the first stored report, or null. */
  receivedSince(): Promise<EpochMs | null>;
  /** Returns the ranges for which archives of an underlying are complete. */
  archived(underlying: string): Promise<readonly ArchivedStretch[]>;
}

/** Archive file of events. It is complete within its range for one source and underlying. */
export interface EventArchive extends ArchivedStretch {
  readonly reports: readonly Report[];
}

/** Archives that can be queried by range, in addition to imported files. */
export interface HistoryArchives {
  /** Returns all reports of a source about an underlying that were published in the range, or null if there is no archive of the source. */
  reports(source: string, underlying: string, stretch: Stretch): readonly Report[] | null;
  marks(instrument: string, stretch: Stretch): readonly Fact[];
  liquidity(instrument: InstrumentKey, stretch: Stretch): readonly Fact[];
  halfSpreads(instrument: InstrumentKey, stretch: Stretch): readonly Fact[];
}

/** Fetcher of missing history from venues. */
export interface HistoryFetcher {
  /** Returns the local source that makes a series' bars, or null if its venue serves them. */
  madeBy(series: BarSeries): string | null;
  /** Fetches bars. Returns the refusal code if the venue did not return all of them, otherwise null. */
  bars(
    series: BarSeries,
    range: { readonly from: EpochMs; readonly to: EpochMs },
    job: { readonly signal: AbortSignal; readonly progress: (done: number, total: number, workId: string | null) => void },
  ): Promise<{ readonly code: string } | null>;
  /** Stores the events, marks and liquidity from local archives that an instrument's rules need. */
  facts(needs: InstrumentNeeds, range: { readonly from: EpochMs; readonly to: EpochMs }): Promise<void>;
  /** Returns the hourly funding of a perpetual, or null if its venue has none. */
  funding(perpetual: string, range: { readonly from: EpochMs; readonly to: EpochMs }): Promise<readonly Fact[] | null>;
}

/** Query for a run's family among the trials requested before it. It is plain JSON, because it crosses into a thread. */
export interface TrialsOf {
  readonly orgId: string;
  readonly agentId: string;
  readonly createdAt: EpochMs;
  /** Manifests that the run itself tries. */
  readonly hashes: readonly string[];
  /** Request of the run: range, timeframe and assumptions. */
  readonly request: { readonly [name: string]: Json };
}

/** Earlier trials, by which luck is measured. */
export interface TrialReads {
  /**
   * Returns the Sharpe ratios of the other trials. A trial is a manifest over a range in a finished backtest, sweep or preview of the
   * organization whose daily returns correlate by 0.5 or more with these, excluding the run's own manifests over its own range. A ratio
   * is null if it is undefined, for previews, and for further ranges of one manifest, which do not show how manifests differ.
   */
  otherTrials(of: TrialsOf, returns: DailyReturns): Promise<readonly (number | null)[]>;
}

/** Market data of a universe for a stress test. */
export interface StressReads {
  /** Reads all bars of a range, ascending. */
  bars(range: BarRange): Promise<readonly Candle[]>;
  /** Returns an instrument's last observation after `since` and not after `at`. */
  lastObservation(key: InstrumentKey, since: EpochMs, at: EpochMs): Promise<Observation | null>;
  preferences(orgId: string): Promise<RiskPreferences>;
}

/** Decision of a live run. Hashes are hexadecimal. */
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

/** Records of a live run that a replay is compared with. */
export interface LiveRunReads {
  /** Returns the slots that agents missed, with the reason. */
  missed(): Promise<readonly { readonly agentId: string; readonly slot: EpochMs; readonly reason: 'late_tick' | 'tick_crash' }[]>;
  decisions(agentIds: readonly string[], slot: EpochMs): Promise<readonly LiveDecision[]>;
  /** Yields the decisions of slots from the first time to before the second in batches, by slot and then id. */
  written(
    from: EpochMs,
    to: EpochMs,
  ): AsyncIterable<readonly { readonly slot: EpochMs; readonly agentId: string; readonly hash: string }[]>;
  observations(slot: EpochMs): Promise<ReadonlyMap<InstrumentKey, Observation>>;
}
