// Prediction markets through a process: from the simulators through pipeline and bus to the feed channel, and into the store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { quoteFilter } from '../../api/feeds/channels/quotes.ts';
import { createInProcessQuoteBus } from '../../src/adapters/queue/quote-bus.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { createPredictionStore, keepPredictions } from '../../src/adapters/store/predictions/prediction-store.ts';
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { prediction } from '../../src/boot/outside/prediction.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';
import { predictionFixture } from '../sandbox/prediction/fixture.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('both providers fill the store and the quotes channel, through the quality rules', async () => {
  const sql = openDatabase({ url: await testDatabase(), name: 'prediction test', connections: 3 });
  cleanups.push(() => sql.end({ timeout: 1 }));
  const fixture = await predictionFixture({ speed: 20 });
  cleanups.push(() => fixture.close());
  const store = createPredictionStore(sql);
  const feeds = [fixture.polymarketFeed(), fixture.kalshiFeed()];
  const bus = createInProcessQuoteBus({ clock: fixture.clock });
  const fail = (error: unknown): void => expect.unreachable(String(error));
  let writing: Promise<unknown> = Promise.resolve();
  const pipeline = createMarketPipeline({
    clock: fixture.clock,
    random: () => 0.5,
    feeds,
    instruments: () => [],
    needs: () => [],
    onCut: () => {},
    onFailure: fail,
  });
  const unkeep = keepPredictions({
    feeds,
    store,
    onFailure: fail,
    write: (_, work) => {
      writing = writing.then(work);
    },
  });
  const assessed = pipeline.assessed.subscribe({ next: (one) => void (one.kind === 'quote' && bus.publish(one)), error: fail });
  pipeline.start();
  cleanups.push(
    () => writing,
    () => bus.close(),
    () => assessed.unsubscribe(),
    () => pipeline.stop(),
    unkeep,
  );

  const received = () =>
    bus.snapshot().filter((quote): quote is Quote => quote.kind === 'quote' && quoteFilter({ venue: 'prediction' })(quote));
  await waitFor(() => new Set(received().map(({ source }) => source)).size === 2 && received().length > 120, {
    what: 'quotes of both providers',
  });
  expect(received().every(({ quality }) => quality === 'live')).toBe(true);
  expect(received().filter(quoteFilter({ instrument: received()[0]?.instrument }))).toHaveLength(1);
  const kept = await waitFor(
    async () => {
      const { items } = await store.list({ status: 'open' }, { limit: 200, after: null });
      return new Set(items.map(({ provider }) => provider)).size === 2 && items;
    },
    { what: 'markets of both providers' },
  );
  const instruments = new Set(kept.flatMap(({ outcomes }) => outcomes.map(({ instrument }) => instrument)));
  expect(received().every(({ instrument }) => instruments.has(instrument))).toBe(true);
  const trades = async (): Promise<number> =>
    (await sql`select 1 from prediction_trades t join prediction_markets m on m.id = t.market_id`).count;
  await waitFor(async () => (await trades()) > 3, { what: 'trades of stored markets' });
  expect(pipeline.counters.snapshot().prediction.rejected).toEqual({});
  expect(pipeline.connectivity.state('prediction')).toMatchObject({ hearing: 'live', degradedSince: null });
  // One silent provider degrades the venue, with its reason.
  fixture.kalshi.faults.set({ disconnectLoop: true });
  await waitFor(() => pipeline.connectivity.state('prediction').hearing === 'feed_down', { what: 'the loss' });
  expect(pipeline.connectivity.state('prediction').detail).toMatch(/^kalshi is disconnected/);
  await waitFor(() => received().some(({ source, flags }) => source === 'kalshi:orderbook' && flags.includes('feed_down')), {
    what: 'marked quotes',
  });
  expect(
    received()
      .filter(({ source }) => source === 'polymarket:book')
      .every(({ flags }) => !flags.includes('feed_down')),
  ).toBe(true);
});

test('addresses come from the environment, otherwise from the simulators with a key of the state folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prediction-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const read = (more: Record<string, string>) => {
    const config = readConfig({ SEVENGATE_HOME: folder, ...more });
    if (!isConfig(config)) throw new Error(JSON.stringify(config));
    return prediction.addresses(config, (name) => `http://127.0.0.1:1/${name}`).prediction;
  };
  const simulators = read({});
  expect(simulators.polymarket).toEqual({
    gammaUrl: 'http://127.0.0.1:1/polymarket/gamma',
    clobUrl: 'http://127.0.0.1:1/polymarket/clob',
    dataUrl: 'http://127.0.0.1:1/polymarket/data',
    streamUrl: 'ws://127.0.0.1:1/polymarket/ws/market',
  });
  expect(simulators.kalshi).toMatchObject({ url: 'http://127.0.0.1:1/kalshi/trade-api/v2', key: { id: 'sandbox' } });
  // Another process of the same folder signs with the same key.
  expect(read({}).kalshi.key?.privateKey).toBe(simulators.kalshi.key?.privateKey);
  const real = { KALSHI_URL: 'https://k.example/trade-api/v2', KALSHI_STREAM_URL: 'wss://k.example/ws' };
  expect(read(real).kalshi).toEqual({ url: real.KALSHI_URL, streamUrl: real.KALSHI_STREAM_URL, key: null });
});
