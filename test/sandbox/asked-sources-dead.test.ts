// Ten minutes of a dead source, wired as in the service: polled with growing pauses, reported once, and received again afterwards.
// In the suite each source meets one kind of dead host; `npm run proof` runs the whole table.
import { concat, EMPTY, NEVER, type Observable } from 'rxjs';
import { afterEach, describe, expect, test } from 'vitest';
import { createIntelligenceSources } from '../../src/adapters/intelligence/access.ts';
import { withFallback } from '../../src/adapters/venues/reference/fallback.ts';
import { FINNHUB } from '../../src/adapters/venues/reference/share-quotes.ts';
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { readAddresses, createRequestBudgets, SIMULATORS } from '../../src/boot/outside/index.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import type { VirtualClock } from '../../streams/clock/virtual-clock.ts';
import { isMet, rounds } from '../harness/rounds.ts';
import { type Message, sourceFixture } from './asked-sources-fixture.ts';
import { DEAD } from './dead-hosts.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Sources in the order in which the service creates them. */
const INTELLIGENCE = ['wire', 'filings', 'macro', 'tvl', 'social'] as const;
const SOURCES = [...INTELLIGENCE, 'fallback'] as const;

/** Creates one source of the service with all addresses at one host. */
function sourceAt(name: (typeof SOURCES)[number], url: string, clock: VirtualClock, random: () => number): Observable<Message> {
  const budgets = createRequestBudgets();
  if (name === 'fallback') {
    const primary = { venue: 'reference', messages: concat(EMPTY, NEVER) } as const;
    const budget = budgets.reference_fallback;
    const symbols = ['AAPL', 'NVDA', 'TSLA'];
    return withFallback({ primary, provider: FINNHUB, baseUrl: `${url}/api/v1`, key: 'k', symbols, clock, random, budget }).messages;
  }
  const config = readConfig({ SEVENGATE_HOME: '/tmp/sevengate-dead-sources' });
  if (!isConfig(config)) throw new Error(config.map(({ sentence }) => sentence).join());
  const urls = Object.fromEntries(SIMULATORS.map((simulator) => [simulator, url])) as Record<(typeof SIMULATORS)[number], string>;
  const { sources } = createIntelligenceSources({ addresses: readAddresses(config, { urls }), clock, random, budgets });
  expect(sources).toHaveLength(INTELLIGENCE.length);
  return sources[INTELLIGENCE.indexOf(name)] as Observable<Message>;
}

/** Steps of the clock in milliseconds: no attempt is repeated sooner. */
const STEP_MS = 1_000;
/** Seeds. One refusing host shows that randomness spreads the attempts; the proof tries every other kind. */
const SEEDS = Array.from({ length: rounds({ suite: 1, proof: 2 }) }, (_, index) => index + 1);

describe('ten minutes of a host that is', () => {
  const CASES = Object.keys(DEAD).flatMap((how, row) =>
    SOURCES.flatMap((name, column) => (isMet(row, column, Object.keys(DEAD).length) ? [[how, name] as const] : [])),
  );
  test.each(CASES)('%s cost %s fewer than sixty connections, randomly spread, and are reported once', async (how, name) => {
    const host = await (DEAD[how] as (typeof DEAD)[string])();
    cleanups.push(() => host.close());
    const attempts: number[][] = [];
    for (const seed of how === 'refused' ? [1, 2] : SEEDS) {
      const run = sourceFixture(cleanups);
      const { clock } = run;
      const before = run.dialled();
      const at: number[] = [];
      const received = run.receive(sourceAt(name, host.url, clock, seededRandom(seed)));
      for (const end = clock.now() + 600_000; clock.now() < end; ) {
        await run.pass(STEP_MS, STEP_MS);
        while (at.length < run.dialled() - before) at.push(clock.now());
      }
      attempts.push(at);
      expect(received.filter(({ kind }) => kind !== 'feed_status' && kind !== 'rejection')).toEqual([]);
      expect(received.map((one) => (one.kind === 'feed_status' ? one.status : one.kind))).toEqual(['disconnected']);
      for (const cleanup of cleanups.splice(1).reverse()) await cleanup();
    }
    expect(Math.max(...attempts.map(({ length }) => length)), `${how} ${name}`).toBeLessThan(60);
    expect(Math.min(...attempts.map(({ length }) => length))).toBeGreaterThan(5);
    if (attempts.length > 1) expect(attempts[0]).not.toEqual(attempts[1]);
  });
});
