/** Reads of the store for backtests: closed bars, reports and archives of events, marks, liquidity and spreads over time. */
import type { BacktestReads, KnownHistoryReads } from '../../../simulation/ports.ts';
import { factsOverTime, marksOverTime } from '../catalog/market-history-store.ts';
import type { Sql } from '../database.ts';
import { archivedStretches, archivesOf } from '../intelligence/event-archive-store.ts';
import { createIntelligenceStore, isSetAside } from '../intelligence/intelligence-store.ts';
import { createCandleStore } from './candle-store.ts';

export function createBacktestReads(sql: Sql): BacktestReads {
  const candles = createCandleStore(sql);
  const intelligence = createIntelligenceStore(sql);
  return {
    bars: (range) => candles.all(range),
    storedSpans: (range) => candles.storedSpans(range),
    archives: (underlying) => archivesOf(sql, underlying),
    marks: (instrument) => marksOverTime(sql, instrument),
    liquidity: (instrument) => factsOverTime(sql, 'pool_liquidity', instrument),
    halfSpreads: (instrument) => factsOverTime(sql, 'half_spread', instrument),
    reports: async () => (await intelligence.openStories(0)).flatMap(({ reports }) => reports),
  };
}

/** Creates the reads of known history besides bars, for planning a backtest. */
export function createKnownHistoryReads(sql: Sql): KnownHistoryReads {
  return {
    marks: (instrument) => marksOverTime(sql, instrument),
    liquidity: (instrument) => factsOverTime(sql, 'pool_liquidity', instrument),
    archived: (underlying) => archivedStretches(sql, underlying),
    receivedSince: async () => {
      const [row] = await sql<{ at: number | null }[]>`
        select min(received_at) as at from intelligence_reports r where not ${isSetAside(sql)}`;
      return row?.at ?? null;
    },
  };
}
