/** Reads of the store for backtests: closed bars, reports and archives of events, marks, liquidity and spreads over time. */
import type { Fact } from '../../../domain/backtest/fact.ts';
import type { EventStretch } from '../../../domain/backtest/known-events.ts';
import type { MultiplierChange } from '../../../domain/books/book.ts';
import type { Candle } from '../../../domain/candles/candle.ts';
import type { Report } from '../../../domain/intelligence/report.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { factsOverTime, marksOverTime } from '../catalog/market-history-store.ts';
import { multiplierChanges } from '../catalog/token-multipliers.ts';
import type { Sql } from '../database.ts';
import { archivedStretches, readArchives, type EventArchive } from '../intelligence/event-archive-store.ts';
import { eventReceptions } from '../intelligence/event-reception-store.ts';
import { createIntelligenceStore } from '../intelligence/intelligence-store.ts';
import { type BarRange, createCandleStore, type StoredSpan } from './candle-store.ts';

export function createBacktestReads(sql: Sql) {
  const candles = createCandleStore(sql);
  const intelligence = createIntelligenceStore(sql);
  return {
    /** Reads all bars of a range, ascending. */
    bars: (range: BarRange): Promise<readonly Candle[]> => candles.all(range),
    /** Returns the stored spans within a range, for the given timeframes that have a bar there. */
    storedSpans: async (range: Omit<BarRange, 'timeframe'> & { readonly timeframes: readonly string[] }): Promise<readonly StoredSpan[]> =>
      candles.storedSpans(range),
    /** Returns all stored reports of events, of any age. */
    reports: async (): Promise<readonly Report[]> => (await intelligence.openStories(0)).flatMap(({ reports }) => reports),
    /** Returns the imported archives of events about an underlying, with their reports. */
    archives: (underlying: string): Promise<readonly EventArchive[]> => readArchives(sql, underlying),
    /** Returns the periods in which the sources of an underlying's events were received. */
    received: (underlying: string): Promise<readonly EventStretch[]> => eventReceptions(sql, underlying),
    /** Returns the changes of the multipliers of tokens up to an instant, ascending. */
    multiplierChanges: (instruments: readonly InstrumentKey[], until: EpochMs): Promise<readonly MultiplierChange[]> =>
      multiplierChanges(sql, instruments, until),
    /** Returns a token's issuer marks, ascending by the time from which each was known. */
    marks: (instrument: string): Promise<readonly Fact[]> => marksOverTime(sql, instrument),
    /** Returns the liquidity of an instrument's pools, ascending by the time from which each reading was known. */
    liquidity: (instrument: InstrumentKey): Promise<readonly Fact[]> => factsOverTime(sql, 'pool_liquidity', instrument),
    /** Returns half of an instrument's quoted spread in basis points, ascending by the time from which each was known. */
    halfSpreads: (instrument: InstrumentKey): Promise<readonly Fact[]> => factsOverTime(sql, 'half_spread', instrument),
  };
}

export type BacktestReads = ReturnType<typeof createBacktestReads>;

/** Creates the reads of known history besides bars, for planning a backtest without the values themselves. */
export function createKnownHistoryReads(sql: Sql) {
  const { marks, liquidity, received } = createBacktestReads(sql);
  return {
    marks,
    liquidity,
    received,
    /** Returns the ranges for which archives of an underlying are complete. */
    archived: (underlying: string): Promise<readonly EventStretch[]> => archivedStretches(sql, underlying),
  };
}

export type KnownHistoryReads = ReturnType<typeof createKnownHistoryReads>;
