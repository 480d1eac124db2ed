// The market that is priced from recorded bars.
import { describe, expect, test } from 'vitest';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { createTapeMarket, parseCandlesCsv } from '../../../src/sandbox/market/tape-market.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2025, 6, 7, 14);

function bar(index: number, open: string, high: string, low: string, close: string): Candle {
  return { openTime: START + index * HOUR, open, high, low, close, volume: '10.5' };
}

const rising = [bar(0, '100', '104', '99', '103'), bar(1, '103', '105', '101', '102'), bar(4, '110', '111', '109', '110')];
const series = { symbol: 'AAPL', kind: 'equity', face: 'reference', timeframeMs: HOUR, candles: rising } as const;

describe('a market priced from a tape', () => {
  test('runs through open, both extremes and close of each bar, and stays at the close in a hole', () => {
    const market = createTapeMarket({ series: [series] });
    expect(market.value('AAPL', START)).toBe(100);
    expect(market.value('AAPL', START + HOUR / 3)).toBeCloseTo(99, 9);
    expect(market.value('AAPL', START + (2 * HOUR) / 3)).toBeCloseTo(104, 9);
    expect(market.value('AAPL', START + HOUR - 1)).toBeCloseTo(103, 3);
    expect(market.value('AAPL', START + 3 * HOUR)).toBe(102);
    expect(market.value('AAPL', START + 4 * HOUR)).toBe(110);
    expect(market.value('AAPL', START - HOUR)).toBe(100);
    expect(market.reference('AAPL', START + 3 * HOUR).updatedAt).toBe(START + 2 * HOUR);
  });

  test('lets unrecorded assets follow the recorded one', () => {
    const market = createTapeMarket({ series: [series], liquidityUsd: 5 });
    expect(market.token('AAPL', START)).toEqual({ price: 100, liquidityUsd: 5 });
    expect(market.perp('AAPL', START).mark).toBe(100);
  });

  test('plays an old tape at another time', () => {
    const shiftMs = 364 * 24 * HOUR;
    const market = createTapeMarket({ series: [series], shiftMs });
    expect(market.value('AAPL', START + shiftMs)).toBe(100);
    expect(market.candles('reference', 'AAPL', HOUR, START + shiftMs, START + shiftMs + HOUR)).toEqual([
      { ...rising[0], openTime: START + shiftMs },
    ]);
  });

  test('forms longer bars and refuses shorter ones', () => {
    const market = createTapeMarket({ series: [series] });
    expect(market.candles('reference', 'AAPL', 2 * HOUR, START, START + 5 * HOUR)).toEqual([
      { openTime: START, open: '100', high: '105', low: '99', close: '102', volume: '21' },
      { openTime: START + 4 * HOUR, open: '110', high: '111', low: '109', close: '110', volume: '10.5' },
    ]);
    expect(() => market.candles('reference', 'AAPL', HOUR / 2, START, START + HOUR)).toThrow(/do not form bars/);
  });

  test('refuses invalid and unordered tapes', () => {
    expect(() => createTapeMarket({ series: [{ ...series, candles: [bar(0, '100', '99', '98', '99')] }] })).toThrow(/no sound bar/);
    expect(() => createTapeMarket({ series: [{ ...series, candles: [bar(1, '1', '1', '1', '1'), bar(1, '1', '1', '1', '1')] }] })).toThrow(
      /not ascending/,
    );
    expect(() => createTapeMarket({ series: [{ ...series, candles: [] }] })).toThrow(/no bars/);
    expect(() => createTapeMarket({ series: [series] }).value('TSLA', START)).toThrow(/has no "TSLA"; it has AAPL/);
  });

  test('reads CSV and names the invalid line', () => {
    const header = 'openTime,open,high,low,close,volume';
    expect(parseCandlesCsv(`${header}\n${START},100,104,99,103,10.5\r\n`)).toEqual([rising[0]]);
    expect(() => parseCandlesCsv('time,o,h,l,c\n')).toThrow(/line 1/);
    expect(() => parseCandlesCsv(`${header}\n${START},100,104,99,103\n`)).toThrow(/line 2/);
    expect(() => parseCandlesCsv(`${header}\n${START},1e2,104,99,103,1\n`)).toThrow(/"1e2" where a plain decimal belongs/);
  });
});
