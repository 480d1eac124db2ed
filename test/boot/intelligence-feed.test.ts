// All intelligence sources of the sandbox over sockets into a real database: what is received and stored, and what a restart remembers.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createIntelligenceSources } from '../../src/adapters/intelligence/access.ts';
import { createIntelligenceFeed } from '../../src/adapters/intelligence/intelligence-feed.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { createIntelligenceReads } from '../../src/adapters/store/intelligence/intelligence-reads.ts';
import { createIntelligenceStore } from '../../src/adapters/store/intelligence/intelligence-store.ts';
import { type Config, isConfig, readConfig } from '../../src/boot/config.ts';
import { readAddresses, createRequestBudgets } from '../../src/boot/outside/index.ts';
import { startSandbox } from '../../src/boot/sandbox/sandbox.ts';
import { measureInputs, percentChange, REGIME_SERIES, readRegime } from '../../src/domain/intelligence/regime.ts';
import type { FeedMessage, NewsEvent } from '../../src/domain/market/market-event.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';
import { acceleratedClock } from '../sandbox/accelerated-clock.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const DAY = 86_400_000;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function opened() {
  const sql = openDatabase({ url: await testDatabase(), name: 'intelligence test', connections: 4 });
  cleanups.push(() => sql.end({ timeout: 1 }));
  const config = readConfig({ SEVENGATE_HOME: mkdtempSync(join(tmpdir(), 'intelligence-')) });
  if (!isConfig(config)) throw new Error('the settings are wrong');
  const clock = acceleratedClock(NOW, 20);
  const sandbox = await startSandbox(config as Config, clock);
  cleanups.push(() => sandbox.stop());
  const store = createIntelligenceStore(sql);
  const failures: unknown[] = [];
  function listen() {
    const received: FeedMessage[] = [];
    let writing: Promise<unknown> = Promise.resolve();
    const feed = createIntelligenceFeed({
      intelligence: createIntelligenceSources({
        addresses: readAddresses(config as Config, sandbox),
        clock,
        random: () => 0.5,
        budgets: createRequestBudgets(),
      }),
      store,
      clock,
      write: (_what, work) => {
        writing = writing.then(work).catch((error: unknown) => failures.push(error));
      },
      onFailure: (error) => failures.push(error),
    });
    const subscription = feed.messages.subscribe({ next: (message) => received.push(message), error: (error) => failures.push(error) });
    const stop = async () => {
      subscription.unsubscribe();
      await writing;
    };
    cleanups.push(stop);
    return { received, stop, news: () => received.filter((message): message is NewsEvent => message.kind === 'news') };
  }
  return { sql, clock, sandbox, store, failures, listen, reads: createIntelligenceReads(sql) };
}

const SOURCES = ['news:wire', 'news:filings', 'news:macro', 'news:tvl', 'news:social'];

test('every source is received and stored, and a restart restores every open story and no other', async () => {
  const { sql, failures, listen, reads, clock } = await opened();
  const first = listen();
  await waitFor(
    () => SOURCES.every((source) => first.received.some((message) => message.kind === 'heartbeat' && message.source === source)),
    {
      what: `a round of ${SOURCES.join(', ')}`,
    },
  );
  await first.stop();
  expect(failures).toEqual([]);
  expect(first.received.filter((message) => message.kind === 'rejection')).toEqual([]);

  const [counts] = await sql<Record<string, number>[]>`
    select (select count(*) from intelligence_events where merged_into is null)::int as events, (select count(*) from intelligence_reports)::int as reports,
      (select count(distinct series_id) from macro_observations)::int as series, (select count(*) from macro_releases)::int as releases,
      (select count(*) from chain_tvl)::int as chains, (select count(distinct chain) from chain_tvl_days)::int as histories,
      (select count(*) from social_posts)::int as posts`;
  expect(counts?.['events']).toBeGreaterThan(20);
  expect(counts?.['reports']).toBeGreaterThan(counts?.['events'] as number);
  expect(counts).toMatchObject({ series: 16, chains: 15 });
  expect(counts?.['histories']).toBeGreaterThan(10);
  expect(counts?.['releases']).toBeGreaterThan(30);
  expect(counts?.['posts']).toBeGreaterThan(100);

  // The seeded economy suffices for a regime, and every event arrived with its confirmations.
  const points = await reads.series(REGIME_SERIES, '2026-06-01', '2026-11-19');
  const all = await reads.allChains();
  const change = percentChange(all?.tvlUsd ?? '0', all?.weekBefore ?? '0');
  const regime = readRegime(measureInputs(points, { value: change ?? '0', at: all?.receivedAt ?? 0 }), clock.now());
  expect(regime.inputs.map(({ name, state }) => [name, state])).toEqual(regime.inputs.map(({ name }) => [name, 'used']));
  expect(regime.regime).not.toBe('unknown');

  const kept = (await reads.events({}, { limit: 200, after: null })).items;
  const states = new Set(kept.map(({ state }) => state));
  expect(states).toContain('rumor');
  expect(states).toContain('confirmed');
  const filed = kept.filter(
    ({ reports }) => reports.some(({ channel }) => channel === 'filing') && reports.some(({ channel }) => channel === 'wire'),
  );
  expect(filed.length).toBeGreaterThan(0);
  for (const { reports, confirmedBy } of filed) {
    expect(confirmedBy).toBe('primary_source');
    expect(reports.every(({ channel }) => channel !== 'social')).toBe(true);
  }
  expect(kept.some(({ copies }) => copies.length > 0)).toBe(true);

  const second = listen();
  await waitFor(
    () => SOURCES.every((source) => second.received.some((message) => message.kind === 'heartbeat' && message.source === source)),
    {
      what: 'a round after the restart',
    },
  );
  await second.stop();
  const last = (events: readonly NewsEvent[]) =>
    new Map(events.map((event) => [event.id, [event.severity, event.negative, event.rumor, event.observedAt]]));
  const [before, after] = [last(first.news()), last(second.news())];
  const merged = new Set(
    (await sql<{ id: string }[]>`select id from intelligence_events where merged_into is not null`).map(({ id }) => id),
  );
  const compared = [...before].filter(([id, what]) => !merged.has(id) && (what[3] as number) >= clock.now() - 25 * DAY);
  expect(compared.length).toBeGreaterThan(50);
  for (const [id, what] of compared) expect([id, after.get(id)]).toEqual([id, what]);
  for (const id of merged) expect(after.has(id)).toBe(false);
  expect(failures).toEqual([]);
});
