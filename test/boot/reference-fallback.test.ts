// Choice of the second reference source: a simulated price never replaces a real one. Marks reach the bus of states.
import { afterEach, expect, test } from 'vitest';
import { createInProcessMarketStateBus } from '../../src/adapters/queue/market-state-bus.ts';
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { readAddresses, SIMULATORS } from '../../src/boot/outside/index.ts';
import type { IssuerMarkState } from '../../src/domain/catalog/issuer-mark.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { publishMarketStates } from '../../streams/market-states.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const urls = Object.fromEntries(SIMULATORS.map((name) => [name, `http://127.0.0.1:1/${name}`])) as never;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test.each([
  ['the sandbox behind the sandbox', {}, { url: 'http://127.0.0.1:1/fallback/api/v1', key: 'sandbox', provider: 'finnhub' }],
  ['nothing behind a real source that stands alone', { REFERENCE_URL: 'https://r.example', REFERENCE_KEY: 'k' }, null],
  [
    'the real one behind a real one',
    { REFERENCE_URL: 'https://r.example', REFERENCE_FALLBACK_URL: 'https://q.example/api/v1', REFERENCE_FALLBACK_KEY: 'k-2' },
    { url: 'https://q.example/api/v1', key: 'k-2', provider: 'finnhub' },
  ],
  [
    'another provider where one is named',
    {
      REFERENCE_URL: 'https://r.example',
      REFERENCE_FALLBACK_URL: 'https://q.example',
      REFERENCE_FALLBACK_KEY: 'k:s',
      REFERENCE_FALLBACK_PROVIDER: 'alpaca',
    },
    { url: 'https://q.example', key: 'k:s', provider: 'alpaca' },
  ],
])('%s', (_what, env, expected) => {
  const config = readConfig({ SEVENGATE_HOME: '/tmp/sevengate-fallback-test', ...env });
  if (!isConfig(config)) throw new Error(config.map(({ sentence }) => sentence).join());
  expect(readAddresses({ ...config, KALSHI_URL: 'https://k.example' }, { urls }).referenceFallback).toEqual(expected);
});

test.each([
  [{}, { issuerUrl: 'http://127.0.0.1:1/issuer', issuerProvider: 'prestocks' }],
  [{ ISSUER_PROVIDER: 'tessera' }, { issuerUrl: 'http://127.0.0.1:1/issuer', issuerProvider: 'prestocks' }],
  [
    { ISSUER_URL: 'https://i.example', ISSUER_PROVIDER: 'tessera' },
    { issuerUrl: 'https://i.example', issuerProvider: 'tessera' },
  ],
])('marks of %j are those of one issuer, in its own form', (env, expected) => {
  const config = readConfig({ SEVENGATE_HOME: '/tmp/sevengate-fallback-test', ...env });
  if (!isConfig(config)) throw new Error(config.map(({ sentence }) => sentence).join());
  expect(readAddresses(config, { urls })).toMatchObject(expected);
});

test('each reading of a mark is published once, and again if its mint is doubted', () => {
  const clock = createVirtualClock(NOW);
  const failures: unknown[] = [];
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0,
    feeds: [],
    instruments: () => [],
    needs: () => [],
    onCut: () => {},
    onFailure: (error) => failures.push(error),
  });
  const bus = createInProcessMarketStateBus({ clock, onError: (error) => failures.push(error) });
  const received: IssuerMarkState[] = [];
  bus.subscribe((changed) => received.push(...changed.filter((state): state is IssuerMarkState => state.kind === 'issuer_mark')));
  const mark = (receivedAt: number, mintVerified = true): IssuerMarkState => ({
    kind: 'issuer_mark',
    venue: 'reference',
    instrument: 'OPENAI',
    issuer: 'prestocks',
    source: 'prestocks:mark',
    mint: 'PreweJYECqtQwBtpxHL171nL2K6umo692gTm7Q3rpgF',
    mintVerified,
    markPrice: '700',
    markValuation: '500000000000',
    supply: null,
    firstSeenAt: NOW,
    changedAt: NOW,
    observedAt: receivedAt,
    receivedAt,
  });
  let marks = [mark(NOW)];
  const stop = publishMarketStates({
    pipeline,
    extras: { books: [], tickers: [], serverTimes: [], marks: () => marks },
    venues: [],
    bus,
    clock,
    budgets: () => [],
    onFailure: (error) => failures.push(error),
  });
  cleanups.push(
    () => bus.close(),
    () => stop(),
    () => pipeline.stop(),
  );
  clock.advanceTo(NOW + 5_000);
  expect(received).toEqual([mark(NOW)]);
  clock.advanceTo(NOW + 60_000);
  marks = [mark(NOW + 60_000)];
  clock.advanceTo(NOW + 65_000);
  marks = [mark(NOW + 60_000, false)];
  clock.advanceTo(NOW + 70_000);
  expect(received.slice(1)).toEqual([mark(NOW + 60_000), mark(NOW + 60_000, false)]);
  expect(bus.latest('issuer_mark reference:OPENAI')).toEqual(mark(NOW + 60_000, false));
  expect(failures).toEqual([]);
});
