// Cuts of a history contain the events that a live cut of the same moment would.
import { expect, test } from 'vitest';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { createAsOfView } from '../../../src/simulation/backtest/as-of.ts';
import { buildHistory } from '../../../src/simulation/backtest/history.ts';
import { createMarketView } from '../../../streams/market-view.ts';
import { entryOf } from './random-histories.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const DAYS = 60;

test('a cut shows the events that are active, newest first, as a live one does', () => {
  const entry = entryOf('BTCUSDT');
  const events = Array.from({ length: 40 }, (_, n) => {
    const receivedAt = START + Math.floor((n * n * DAY) / 30) + (n % 3) * HOUR;
    // Some are published when they are received, and some long before.
    const observedAt = receivedAt - (n % 4) * 3 * DAY;
    return { id: `e${n}`, severity: 'high' as const, negative: n % 2 === 0, rumor: false, observedAt, receivedAt, headline: `event ${n}` };
  }).sort((a, b) => a.receivedAt - b.receivedAt);
  const candles = Array.from({ length: DAYS }, (_, n): Candle => {
    return { openTime: START + n * DAY, open: '100', high: '101', low: '99', close: '100', volume: '1' };
  });
  const known = [{ from: START, to: START + (DAYS + 1) * DAY }];
  const history = buildHistory('24h', [{ entry, candles, events: { known, events } }]);
  const view = createAsOfView(history, [], [1]);
  const live = createMarketView();
  let next = 0;
  let most = 0;
  for (let i = 0; i < history.length; i++) {
    const { slot, observations } = view.cutAt(i);
    for (const event of events.slice(next).filter(({ receivedAt }) => receivedAt <= slot)) {
      live.apply({ kind: 'news', venue: 'reference', source: 'news:wire', symbols: ['BTC'], ...event });
      next++;
    }
    live.apply({ kind: 'heartbeat', venue: 'reference', source: 'news:wire', receivedAt: slot });
    const shown = observations.get(entry.key)?.events?.map(({ id }) => id);
    expect(shown).toEqual(live.newsOf('BTC', slot)?.map(({ id }) => id));
    most = Math.max(most, shown?.length ?? 0);
  }
  expect(most).toBeGreaterThan(5);
  expect(most).toBeLessThan(events.length);
});
