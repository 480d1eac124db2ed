// A mark's age counts from its first reading, whoever repeats it; a mark without a present source is not live.
import { afterEach, describe, expect, test } from 'vitest';
import { createIssuerMarkStore } from '../../../../src/adapters/store/catalog/issuer-mark-store.ts';
import { openDatabase } from '../../../../src/adapters/store/database.ts';
import { createIssuerMarkFeed, type MarkMemory } from '../../../../src/adapters/venues/reference/issuer-marks.ts';
import { createKeyedClient } from '../../../../src/adapters/venues/reference/keyed-client.ts';
import type { FeedMessage } from '../../../../src/domain/market/market-event.ts';
import type { ReferencePrice } from '../../../../src/domain/market/quote.ts';
import { createFaultSwitch } from '../../../../src/sandbox/faults.ts';
import { createHttpSimulator } from '../../../../src/sandbox/reference/http-simulator.ts';
import { createFreshness } from '../../../../streams/quality/freshness.ts';
import { createMarketView } from '../../../../streams/market-view.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { waitFor } from '../../../harness/wait-for.ts';
import { acceleratedClock } from '../../../sandbox/accelerated-clock.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const DAY = 86_400_000;
const MINT = 'PreANxuXjsy2pvisWWMNB6YaJNzr7681wJJr2rHsfTh';
const row = (over: object = {}) => ({
  symbol: 'SPACEX',
  contract_address: MINT,
  markPrice: 145.5,
  markValuation: 1_649_903_811_610,
  tokenPrice: 116.33,
  supply: 7381.972255745,
  ...over,
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Creates an issuer with these `rows`, and a feed that polls it every ten seconds. */
async function issuer(at: number, memory?: MarkMemory) {
  const clock = acceleratedClock(at, 100);
  const says: { rows: unknown[] } = { rows: [row()] };
  const server = await createHttpSimulator({
    clock,
    faults: createFaultSwitch(),
    port: 0,
    reply: () => ({ status: 200, body: says.rows }),
  });
  const client = createKeyedClient({ venue: 'reference', baseUrl: server.url, clock, random: () => 0.5, perMinute: 600 });
  const feed = createIssuerMarkFeed({
    client,
    mints: new Map([['SPACEX', MINT]]),
    clock,
    random: () => 0.5,
    everyMs: 10_000,
    ...(memory === undefined ? {} : { memory }),
  });
  const received: FeedMessage[] = [];
  const subscription = feed.messages.subscribe({
    next: (message) => received.push(message),
    error: (error) => expect.unreachable(String(error)),
  });
  cleanups.push(
    () => server.close(),
    () => subscription.unsubscribe(),
  );
  const marks = (): ReferencePrice[] => received.filter((message): message is ReferencePrice => message.kind === 'reference');
  return { clock, says, feed, received, marks };
}

async function database() {
  const sql = openDatabase({ url: await testDatabase(), name: 'mark test', connections: 2 });
  cleanups.push(() => sql.end({ timeout: 1 }));
  return sql;
}

describe('a mark', () => {
  test('repeated does not become younger; another one does', async () => {
    const { marks, says, feed } = await issuer(NOW);
    await waitFor(() => marks().length >= 3, { what: 'three readings' });
    const [first, , third] = marks();
    expect(third?.feedUpdatedAt).toBe(first?.feedUpdatedAt);
    expect(third?.observedAt).toBeGreaterThan(first?.observedAt ?? 0);
    says.rows = [row({ markPrice: 150 })];
    await waitFor(() => marks().at(-1)?.referencePrice === '150', { what: 'the new mark' });
    const [state] = feed.states();
    expect(state).toMatchObject({
      markPrice: '150',
      markValuation: '1649903811610',
      mintVerified: true,
      firstSeenAt: first?.feedUpdatedAt,
    });
    expect(state?.changedAt).toBe(marks().at(-1)?.feedUpdatedAt);
    expect(state?.changedAt).toBeGreaterThan(state?.firstSeenAt ?? 0);
  });

  test.each([
    ['with another mint', [row({ contract_address: 'Pren1FvFX6J3E4kXhJuCiAD5aDmGEb7qJRncwA8Lkhw' })]],
    ['not at all', []],
    ['without a valuation', [row({ markValuation: 0 })]],
  ])('that the issuer now names %s is degraded and not verified, and comes back', async (_how, rows) => {
    const { marks, says, feed } = await issuer(NOW);
    await waitFor(() => marks().at(-1)?.quality === 'live', { what: 'a mark' });
    says.rows = rows;
    await waitFor(() => marks().at(-1)?.quality === 'degraded', { what: 'the doubt' });
    expect(marks().at(-1)?.referencePrice).toBe('145.5');
    expect(feed.states()[0]).toMatchObject({ mint: MINT, mintVerified: false });
    says.rows = [row()];
    await waitFor(() => marks().at(-1)?.quality === 'live', { what: 'the return' });
    expect(feed.states()[0]?.mintVerified).toBe(true);
  });

  test('keeps its age over a restart, and is stale once it is older than thirty days', async () => {
    const sql = await database();
    const before = await issuer(NOW, createIssuerMarkStore(sql));
    await waitFor(() => before.marks().length >= 2, { what: 'the first life' });
    const seenAt = before.marks()[0]?.feedUpdatedAt as number;
    const after = await issuer(NOW + 30 * DAY - 3_600_000, createIssuerMarkStore(sql));
    await waitFor(() => after.marks().length >= 1, { what: 'the second life' });
    const mark = after.marks()[0] as ReferencePrice;
    expect(mark.feedUpdatedAt).toBe(seenAt);
    expect(after.feed.states()[0]).toMatchObject({ firstSeenAt: seenAt, changedAt: seenAt });
    const view = createMarketView({ freshness: createFreshness() });
    view.apply(mark);
    expect(view.referenceAt('reference:SPACEX', seenAt + 30 * DAY)?.quality).toBe('live');
    expect(view.referenceAt('reference:SPACEX', seenAt + 30 * DAY + 1)).toMatchObject({ quality: 'stale', flags: ['over_age'] });
    expect(await sql`select count(*)::int as count from issuer_marks`).toEqual([{ count: 1 }]);
  });

  test('that cannot be stored is not published either', async () => {
    const broken: MarkMemory = { newest: async () => [], append: async () => Promise.reject(new Error('the disk is full')) };
    const { received, marks } = await issuer(NOW, broken);
    await waitFor(() => received.some((message) => message.kind === 'feed_status'), { what: 'the refusal' });
    expect(received.find((message) => message.kind === 'feed_status')).toMatchObject({
      status: 'disconnected',
      detail: 'the disk is full',
    });
    expect(marks()).toEqual([]);
  });
});

describe('the history of marks', () => {
  test('has every change with the previous one, newest first, and can be neither changed nor removed', async () => {
    const sql = await database();
    const store = createIssuerMarkStore(sql);
    const change = (symbol: string, markPrice: string, markValuation: string, receivedAt: number) => ({
      symbol,
      mint: MINT,
      markPrice,
      markValuation,
      tokenPrice: null,
      impliedValuation: null,
      supply: '7381.972255745',
      receivedAt,
      issuer: 'prestocks',
      source: 'prestocks:mark',
    });
    await store.append([change('SPACEX', '100.25', '1000000000000', NOW), change('OPENAI', '700', '500000000000', NOW)]);
    await store.append([change('SPACEX', '110.275', '1100000000000', NOW + DAY)]);
    const { items, next } = await store.changes('SPACEX', { limit: 10, after: null });
    expect(items.map(({ change: one, previous }) => [one.markPrice, one.receivedAt, previous])).toEqual([
      ['110.275', NOW + DAY, { markPrice: '100.25', markValuation: '1000000000000' }],
      ['100.25', NOW, null],
    ]);
    expect(next).toBeNull();
    const first = await store.changes(null, { limit: 2, after: null });
    const rest = await store.changes(null, { limit: 2, after: first.next });
    expect([...first.items, ...rest.items].map(({ change: one }) => `${one.symbol} ${one.markPrice}`)).toEqual([
      'SPACEX 110.275',
      'OPENAI 700',
      'SPACEX 100.25',
    ]);
    // A page that begins after a change still knows the earlier value.
    const second = await store.changes('SPACEX', { limit: 1, after: String((items[0]?.id ?? 0) + 1) });
    expect(second.items[0]?.previous?.markPrice).toBe('100.25');
    expect((await store.newest()).map(({ first: one, last }) => [one.symbol, one.markPrice, last.markPrice]).sort()).toEqual([
      ['OPENAI', '700', '700'],
      ['SPACEX', '100.25', '110.275'],
    ]);
    await expect(sql`update issuer_marks set mark_price = 1`).rejects.toThrow();
    await expect(sql`delete from issuer_marks`).rejects.toThrow();
  });
});
