/** What a backtest reads of the store: closed bars, and the reports of events. */
import type { BacktestReads } from '../../../simulation/ports.ts';
import type { Sql } from '../database.ts';
import { createIntelligenceStore } from '../intelligence/intelligence-store.ts';
import { createCandleStore } from './candle-store.ts';

export function createBacktestReads(sql: Sql): BacktestReads {
  const candles = createCandleStore(sql);
  const intelligence = createIntelligenceStore(sql);
  return {
    bars: (range) => candles.range(range),
    reports: async () => (await intelligence.openStories(0)).flatMap(({ reports }) => reports),
  };
}
