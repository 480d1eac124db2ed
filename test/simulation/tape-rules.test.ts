/** Replays compute indicators by the rule under which the tape was recorded. */
import { expect, test } from 'vitest';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import type { CandleBatch } from '../../src/domain/candles/candle.ts';
import { type IndicatorNeed, indicatorKey } from '../../src/domain/market/cut.ts';
import { RSI } from '../../src/domain/indicators/index.ts';
import { WindowedIndicator } from '../../src/domain/indicators/windowed.ts';
import type { TapeCutNote } from '../../src/domain/tape/tape.ts';
import { ReplayPipeline } from '../../src/simulation/replay/pipeline.ts';
import { draws } from './backtest/random-histories.ts';

const M = 60_000;
const START = 29_000_100 * M;
const END = START + 1_000 * M;
const NEED: IndicatorNeed = { instrument: 'spotexchange:BTCUSDT', name: 'rsi', timeframe: '1m', period: 50 };

const next = draws(5);
const closes = Array.from({ length: 1_000 }, () => (100 + next() * 10).toFixed(4));
const bars: CandleBatch = {
  kind: 'candles',
  venue: 'spotexchange',
  instrument: 'BTCUSDT',
  timeframe: '1m',
  source: 'spotexchange:candles',
  receivedAt: END,
  candles: closes.map((price, i) => ({ openTime: START + i * M, open: price, high: price, low: price, close: price, volume: '1' })),
};

function replayed(rule: Pick<TapeCutNote, 'rule'>): number | null | undefined {
  const instruments = CATALOG.entries.filter(({ key }) => key === NEED.instrument);
  const pipeline = new ReplayPipeline(() => ({ hasTakes: false, needs: [], instruments }));
  pipeline.begin(END);
  pipeline.note({ kind: 'cut', receivedAt: END, source: 'streams', instruments: [NEED.instrument], needs: [NEED], ...rule });
  pipeline.receive(bars);
  pipeline.advanceTo(END + M + 1);
  const cut = pipeline.happened().findLast((event) => event.kind === 'cut')?.cut;
  return cut?.observations.get(NEED.instrument)?.indicators[indicatorKey(NEED)]?.value;
}

test('a tape without a rule is computed over all its bars, one of the second rule over a window', () => {
  const state = RSI.create(50, '1m');
  const windowed = new WindowedIndicator(NEED);
  let whole: number | null = null;
  closes.forEach((close, i) => {
    whole = RSI.push(state, Number(close));
    windowed.push(START + i * M, Number(close));
  });
  expect(replayed({})).toBe(whole);
  expect(replayed({ rule: 2 })).toBe(windowed.value);
});
