// Promises of every venue's adapter: no good message is lost among garbage, and a dead host is not hammered.
// In the suite each kind of dead host meets a third of the venues; `npm run proof` has all of them.
import { afterEach, describe, expect, test } from 'vitest';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import { isMet, rounds } from '../harness/rounds.ts';
import { DEAD } from './dead-hosts.ts';
import { type FaultFixture, openFaultFixture, PROVIDERS, type ProviderName } from './fault-fixture.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function opened(...options: Parameters<typeof openFaultFixture>): Promise<FaultFixture> {
  const fixture = await openFaultFixture(...options);
  cleanups.push(() => fixture.close());
  return fixture;
}

/** Collects everything that each provider of a fixture sends from now on. */
function listen(fixture: FaultFixture): Map<ProviderName, FeedMessage[]> {
  return new Map(
    fixture.providers.map((provider) => {
      const received: FeedMessage[] = [];
      fixture.listen(provider).received.subscribe({
        next: (message) => void received.push(message),
        error: (error: unknown) => {
          throw error;
        },
      });
      return [provider.name, received];
    }),
  );
}

const isPrice = (message: FeedMessage): message is Quote | ReferencePrice => message.kind === 'quote' || message.kind === 'reference';
const told = (price: Quote | ReferencePrice): string =>
  `${price.receivedAt} ${price.instrument} ${price.source} ${price.kind === 'quote' ? `${price.bid}/${price.ask} ${price.sequence}` : price.referencePrice}`;

describe('with one frame of garbage in a hundred', () => {
  /** Streams only: a poll with a garbage answer has no good one. */
  const STREAMED: readonly ProviderName[] = ['spotexchange', 'evmvenue', 'reference', 'polymarket', 'kalshi'];

  test('every good quote arrives, at every venue, and the garbage is counted', async () => {
    const runs: Map<ProviderName, FeedMessage[]>[] = [];
    for (const garbage of [0, 0.01]) {
      const fixture = await opened(STREAMED);
      const received = listen(fixture);
      await fixture.run(4_000);
      for (const { faults } of fixture.providers) faults.set({ garbage });
      for (const messages of received.values()) messages.length = 0;
      await fixture.run(90_000);
      runs.push(received);
    }
    const [calm, noisy] = runs as [Map<ProviderName, FeedMessage[]>, Map<ProviderName, FeedMessage[]>];
    for (const name of STREAMED) {
      const good = (calm.get(name) as FeedMessage[]).filter(isPrice).map(told);
      expect(good.length, name).toBeGreaterThan(5);
      expect((noisy.get(name) as FeedMessage[]).filter(isPrice).map(told), name).toEqual(good);
    }
    const refused = STREAMED.flatMap((name) => (noisy.get(name) as FeedMessage[]).filter(({ kind }) => kind === 'rejection'));
    expect(refused.length).toBeGreaterThan(5);
  });
});

describe('ten minutes of a host that is', () => {
  /** Seeds. One refusing host shows that randomness spreads the attempts; the proof tries every other kind. */
  const SEEDS = Array.from({ length: rounds({ suite: 1, proof: 2 }) }, (_, index) => index + 1);
  const CASES = Object.keys(DEAD).flatMap((how, row) =>
    PROVIDERS.flatMap((name, column) => (isMet(row, column, Object.keys(DEAD).length) ? [[how, name] as const] : [])),
  );
  test.each(CASES)('%s cost %s fewer than sixty connections, randomly spread, and are reported once', async (how, name) => {
    const host = await (DEAD[how] as (typeof DEAD)[string])();
    cleanups.push(() => host.close());
    const attempts: number[][] = [];
    for (const seed of how === 'refused' ? [1, 2] : SEEDS) {
      const fixture = await opened([name], seed, host.url);
      const received = listen(fixture);
      const before = fixture.dialled();
      const at: number[] = [];
      const note = (): void => {
        while (at.length < fixture.dialled() - before) at.push(fixture.clock.now());
      };
      await fixture.run(600_000, note, 1_000);
      attempts.push(at);
      const messages = received.get(name) as FeedMessage[];
      expect(messages.filter(({ kind }) => kind === 'quote' || kind === 'reference')).toEqual([]);
      // The outage is recorded as a lost connection, or for listings, which precede any connection, as counted failures.
      expect(messages.some((one) => one.kind === 'rejection' || (one.kind === 'feed_status' && one.status === 'disconnected'))).toBe(true);
      expect(messages.filter((one) => one.kind === 'feed_status').length).toBeLessThanOrEqual(1);
      await fixture.close();
      cleanups.pop();
    }
    expect(Math.max(...attempts.map(({ length }) => length)), `${how} ${name}`).toBeLessThan(60);
    expect(Math.min(...attempts.map(({ length }) => length))).toBeGreaterThan(5);
    if (attempts.length > 1) expect(attempts[0]).not.toEqual(attempts[1]);
  });
});
