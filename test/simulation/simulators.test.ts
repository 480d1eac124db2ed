// Seeded scripts of faults, sent to the real simulators by the sandbox's control listener, with the real adapters.
import { afterEach, expect, test } from 'vitest';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { executablePrice } from '../../src/domain/market/valuation.ts';
import type { ExecutableVenue } from '../../src/domain/market/venue.ts';
import { openSandboxControl } from '../../src/sandbox/control.ts';
import { type FaultSettings, NO_FAULTS, seededRandom } from '../../src/sandbox/faults.ts';
import type { MarketPipeline } from '../../streams/market-pipeline.ts';
import { type FaultFixture, openFaultFixture, type Provider, type ProviderName } from '../sandbox/fault-fixture.ts';

const SEEDS = Number(process.env['SIM_SEEDS'] ?? 2);
const FIRST = Number(process.env['SIM_FIRST'] ?? 1);
const NAMES: readonly ProviderName[] = ['spotexchange', 'evmvenue', 'spotchain', 'reference', 'polymarket', 'kalshi'];
const STEPS = 8;
/** Longer than any venue needs after the last fault (docs/feed-faults.md). */
const HEAL_MS = 150_000;
const HOUR_MS = 3_600_000;

let fixture: FaultFixture | null = null;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await fixture?.close();
  fixture = null;
});

/** One command of a script: the faults of a simulator, or null to switch them off; then time passes. */
interface Command {
  readonly simulator: ProviderName;
  readonly faults: Partial<FaultSettings> | null;
  readonly thenMs: number;
}

/** Draws the commands for a simulator: one or two concurrent faults of any strength. */
function script(seed: number): Command[] {
  const random = seededRandom(seed * 7_919);
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item;
  const share = (): number => Math.ceil(random() * 10) / 10;
  const faults: readonly (() => Partial<FaultSettings>)[] = [
    () => ({ freeze: true }),
    () => ({ garbage: share() }),
    () => ({ bigFrame: 0.05 }),
    () => ({ gap: share() / 2 }),
    () => ({ duplicate: share() }),
    () => ({ reorder: share() }),
    () => ({ crossed: share() }),
    () => ({ zeroPrice: share() }),
    () => ({ negativePrice: share() }),
    () => ({ nanPrice: share() }),
    () => ({ priceJump: share() }),
    () => ({ clockOffsetMs: pick([-1, 1]) * HOUR_MS }),
    () => ({ status429: share() }),
    () => ({ status5xx: share() }),
    () => ({ lostAnswer: share() }),
    () => ({ slowMs: pick([2_000, 20_000]) }),
    () => ({ disconnectLoop: true }),
  ];
  return Array.from({ length: STEPS }, () => {
    const off = random() < 0.2;
    const two = random() < 0.4;
    const given = { ...pick(faults)(), ...(two ? pick(faults)() : {}) };
    return { simulator: pick(NAMES), faults: off ? null : given, thenMs: 1_000 * Math.ceil(random() * 6) };
  });
}

/** Results of one provider's messages. */
interface Ledger {
  readonly provider: Provider;
  readonly pipeline: MarketPipeline;
  received: number;
  rejected: number;
}

function ledgerOf(on: FaultFixture, provider: Provider): Ledger {
  const pipeline = on.listen(provider);
  const ledger: Ledger = { provider, pipeline, received: 0, rejected: 0 };
  pipeline.received.subscribe({
    next: (message: FeedMessage) => {
      if (message.kind === 'rejection') ledger.rejected++;
      else ledger.received++;
    },
    error: (error: unknown) => expect.unreachable(String(error)),
  });
  return ledger;
}

/** Checks that no stale quote prices an order, and that live ones are possible and near the market's truth. */
function mustBeSafe({ provider, pipeline }: Ledger, at: number, where: string): void {
  const { quotes, references } = pipeline.view.snapshot(at);
  for (const quote of quotes) {
    const what = `${where}: ${quote.venue}:${quote.instrument} ${quote.quality} ${quote.bid}/${quote.ask}`;
    const prices = (['buy', 'sell'] as const).map((side) => executablePrice(quote, quote.venue as ExecutableVenue, side));
    if (quote.quality !== 'live') {
      expect(
        prices.filter(({ ok }) => ok),
        what,
      ).toEqual([]);
      continue;
    }
    const [bid, ask] = [Number(quote.bid), Number(quote.ask)];
    const truth = provider.truth(quote.instrument, at);
    expect(bid > 0 && ask >= bid, what).toBe(true);
    expect(truth === null ? ask < 1 : Math.abs((bid + ask) / 2 / truth - 1) < 0.05, what).toBe(true);
  }
  for (const { instrument, quality, referencePrice } of references) {
    if (quality !== 'live') continue;
    const truth = provider.truth(instrument, at) as number;
    expect(Math.abs(Number(referencePrice) / truth - 1) < 0.05, `${where}: ${instrument} ${referencePrice}`).toBe(true);
  }
}

/** Checks that every message is counted: received, refused for a reason, or dropped under a name. */
function mustAddUp({ provider, pipeline, received, rejected }: Ledger, where: string): void {
  const counts = pipeline.counters.snapshot()[provider.venue];
  const sum = (by: Readonly<Record<string, number>>): number => Object.values(by).reduce((total, count) => total + count, 0);
  expect(sum(counts.rejected), `${where}: ${provider.name} refused`).toBe(rejected);
  const dropped = received - counts.received;
  expect(dropped, `${where}: ${provider.name} counted more than it sent`).toBeGreaterThanOrEqual(0);
  expect(dropped, `${where}: ${provider.name} dropped without a name`).toBeLessThanOrEqual(
    counts.counted.duplicate + counts.counted.out_of_order,
  );
}

const isLive = ({ pipeline }: Ledger, at: number): boolean => {
  const { quotes, references } = pipeline.view.snapshot(at);
  const prices = [...quotes, ...references];
  return prices.length > 0 && prices.every(({ quality }) => quality === 'live');
};

test.each(Array.from({ length: SEEDS }, (_, index) => FIRST + index))(
  'script %i: only live quotes are executable, every message is counted, and every venue recovers',
  async (seed) => {
    const on = await openFaultFixture(NAMES, seed);
    fixture = on;
    const { clock, providers } = on;
    const control = await openSandboxControl({ faults: Object.fromEntries(providers.map(({ name, faults }) => [name, faults])), port: 0 });
    cleanups.push(() => control.close());
    const tell = async (method: string, path: string, body?: object): Promise<unknown> => {
      const answer = await fetch(`${control.url}${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
      expect(answer.status).toBe(200);
      return answer.json();
    };
    const ledgers = providers.map((provider) => ledgerOf(on, provider));
    const done: string[] = [];
    const look = (): void => {
      for (const one of ledgers) mustBeSafe(one, clock.now(), `seed ${seed}, ${done.at(-1) ?? 'before any fault'}`);
    };
    const allLive = (): boolean => ledgers.every((one) => isLive(one, clock.now()));
    for (let waited = 0; waited < 60_000 && !allLive(); waited += 500) await on.run(500, look);
    expect(allLive(), `seed ${seed}: live before any fault`).toBe(true);

    for (const { simulator, faults, thenMs } of script(seed)) {
      done.push(`${simulator} ${JSON.stringify(faults)}`);
      if (faults === null) expect(await tell('DELETE', `/faults/${simulator}`)).toEqual(NO_FAULTS);
      else expect(await tell('PUT', `/faults/${simulator}`, faults)).toMatchObject(faults);
      await on.run(thenMs, look);
    }
    done.push('all faults off');
    await tell('DELETE', '/faults');
    const until = clock.now();
    for (let calm = 0; calm < 3_000 && clock.now() - until < HEAL_MS; ) {
      await on.run(500, look);
      calm = allLive() ? calm + 500 : 0;
    }
    const sick = ledgers.filter((one) => !isLive(one, clock.now())).map(({ provider }) => provider.name);
    expect(sick, `seed ${seed} after ${done.join('; ')}`).toEqual([]);
    for (const one of ledgers) mustAddUp(one, `seed ${seed}`);
    expect(ledgers.reduce((total, { received }) => total + received, 0)).toBeGreaterThan(100);
  },
);

test('one seed gives one script', () => {
  expect(script(5)).toEqual(script(5));
  expect(script(5)).not.toEqual(script(6));
});
