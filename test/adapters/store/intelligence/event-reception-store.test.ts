// Periods in which sources of events were received, as their heartbeats tell, on a real database.
import { Subject } from 'rxjs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { eventReceptions, keepReception, keepReceptions } from '../../../../src/adapters/store/intelligence/event-reception-store.ts';
import { createIntelligenceStore } from '../../../../src/adapters/store/intelligence/intelligence-store.ts';
import { EVENTS_KEPT_MS } from '../../../../src/domain/intelligence/listening.ts';
import type { FeedMessage } from '../../../../src/domain/market/market-event.ts';
import { createMarketView } from '../../../../streams/market-view.ts';
import { testDatabase } from '../../../harness/postgres.ts';

const NOW = Date.UTC(2026, 5, 1);
const MINUTE = 60_000;
const SILENCE = 5 * MINUTE;
let sql: Sql;
let owner: Sql;
beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'receptions', connections: 2 });
  owner = openDatabase({ url, role: null, name: 'receptions owner', connections: 1 });
});
afterAll(() => Promise.all([sql?.end(), owner?.end()]));
beforeEach(() => owner`delete from event_receptions`);

const heartbeat = (source: string, receivedAt: number): FeedMessage => ({ kind: 'heartbeat', venue: 'reference', source, receivedAt });

function following(underlyings: readonly string[], everyMs?: number) {
  const received = new Subject<FeedMessage>();
  const pieces: (() => Promise<unknown>)[] = [];
  const stop = keepReceptions({
    sql,
    received,
    underlyings,
    silenceMs: SILENCE,
    ...(everyMs === undefined ? {} : { everyMs }),
    write: (_, work) => void pieces.push(work),
    onFailure: (error) => {
      throw error;
    },
  });
  const written = async () => {
    const some = pieces.splice(0);
    for (const work of some) await work();
    return some.length;
  };
  return { beat: (source: string, at: number) => received.next(heartbeat(source, at)), stop, written };
}

test('a source is received as long as live rules take it for known, and for the underlyings that it was asked for', async () => {
  const { beat, stop, written } = following(['BTC', 'AAPL'], 0);
  const view = createMarketView();
  const beats = [0, 15_000, MINUTE, MINUTE + SILENCE, MINUTE + 2 * SILENCE + 1, 30 * MINUTE].map((after) => NOW + after);
  const known = async () => (await eventReceptions(sql, 'BTC')).filter(({ source }) => source === 'news:wire');
  for (const at of beats) {
    beat('news:wire', at);
    view.apply(heartbeat('news:wire', at));
    await written();
    const periods = await known();
    for (const slot of [at, at + SILENCE, at + SILENCE + 1])
      expect(periods.some(({ from, to }) => from <= slot && slot < to)).toBe(view.newsOf('BTC', slot) !== null);
  }
  stop();
  await written();
  expect(await known()).toEqual([
    { source: 'news:wire', from: NOW, to: NOW + MINUTE + 2 * SILENCE + 1 },
    { source: 'news:wire', from: beats[4], to: (beats[4] as number) + SILENCE + 1 },
    { source: 'news:wire', from: beats[5], to: (beats[5] as number) + SILENCE + 1 },
  ]);
  // Coins file nothing, and no other source is one of events.
  beat('news:filings', NOW);
  expect(await eventReceptions(sql, 'ETH')).toEqual([]);
  expect((await eventReceptions(sql, 'AAPL')).map(({ source }) => source)).toEqual(['news:wire', 'news:wire', 'news:wire']);
});

test('a round that did not read a company is no reception of its filings, live and in what is kept', async () => {
  const { beat, stop, written } = following(['AAPL', 'TSLA'], 0);
  const view = createMarketView();
  const sources = [
    'news:filings:without:AAPL+TSLA',
    'news:filings:without:TSLA',
    'news:filings',
    'news:filings:without:TSLA',
    'news:filings',
  ];
  for (const [n, source] of sources.entries()) {
    const at = NOW + n * SILENCE;
    for (const one of ['news:wire', source]) {
      beat(one, at);
      view.apply(heartbeat(one, at));
    }
    await written();
    for (const underlying of ['AAPL', 'TSLA']) {
      const periods = (await eventReceptions(sql, underlying)).filter(({ source: of }) => of === 'news:filings');
      for (const slot of [at, at + 1, at + SILENCE])
        expect([underlying, n, slot - at, periods.some(({ from, to }) => from <= slot && slot < to)]).toEqual([
          underlying,
          n,
          slot - at,
          view.newsOf(underlying, slot) !== null,
        ]);
    }
  }
  stop();
  expect(view.newsOf('TSLA', NOW + 4 * SILENCE)).not.toBe(null);
});

test('writes are one a minute, and the end writes the rest', async () => {
  const { beat, stop, written } = following(['AAPL']);
  for (let at = NOW; at < NOW + 10 * MINUTE; at += 15_000) {
    beat('news:wire', at);
    beat('news:filings', at);
    beat('news:social', at);
    beat('pyth', at);
  }
  expect(await written()).toBe(20);
  stop();
  expect(await written()).toBe(2);
  const whole = { from: NOW, to: NOW + 10 * MINUTE - 15_000 + SILENCE + 1 };
  expect([...(await eventReceptions(sql, 'AAPL'))].sort((a, b) => (a.source < b.source ? -1 : 1))).toEqual([
    { source: 'news:filings', ...whole },
    { source: 'news:wire', ...whole },
  ]);
});

test('a period is never shortened, and is deleted with the reports of its time', async () => {
  const period = { source: 'news:wire', underlyings: ['BTC'], from: NOW, to: NOW + SILENCE };
  await keepReception(sql, period);
  await keepReception(sql, { ...period, to: NOW + 1 });
  // Nothing is received for more underlyings than before.
  await keepReception(sql, { ...period, underlyings: ['BTC', 'ETH'], to: NOW + 2 * SILENCE });
  expect(await eventReceptions(sql, 'BTC')).toEqual([{ source: 'news:wire', from: NOW, to: NOW + SILENCE }]);
  expect(await eventReceptions(sql, 'ETH')).toEqual([]);
  const { prune } = createIntelligenceStore(sql);
  await prune(NOW + SILENCE + EVENTS_KEPT_MS);
  expect(await eventReceptions(sql, 'BTC')).toHaveLength(1);
  await prune(NOW + SILENCE + EVENTS_KEPT_MS + 1);
  expect(await eventReceptions(sql, 'BTC')).toEqual([]);
});
