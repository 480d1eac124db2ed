// From an agent's order at the shadow stage to the measurement of its fill: signed by the feed, and reported by the verifier if it is
// wrong.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBookReads } from '../../src/adapters/store/books/book-reads.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createShadowStore } from '../../src/adapters/store/gates/shadow-store.ts';
import { createSignedRows, UnsignedRow } from '../../src/adapters/store/trail/signed-rows.ts';
import { verifyTrail } from '../../src/adapters/store/trail-verifier.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import { findCostModel } from '../../src/domain/orders/costs.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { EvidenceDraft } from '../../src/domain/agents/evidence.ts';
import { SLICES } from '../../src/domain/orders/execution-plan.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { flowDigest, flowText, readFlow, type VenueTrade } from '../../src/domain/shadow/flow.ts';
import { measureDue, measuredBy } from '../../src/trading/shadow-measuring.ts';
import { createFlowKeeper } from '../../streams/flow-keeper.ts';
import { BTC, eagerManifest, ORG, quoteOf, type TradingFixture, tradingFixture } from '../actors/proposal/trading-fixture.ts';
import { eachRow } from '../../actors/runtime/containment.ts';

const home = mkdtempSync(join(tmpdir(), 'sevengate-shadow-'));
let fixture: TradingFixture;
let owner: Sql;
beforeAll(async () => {
  fixture = await tradingFixture({ home });
  owner = openDatabase({ url: fixture.url, role: null, name: 'owner', connections: 1 });
});
afterAll(async () => {
  await owner.end();
  await fixture.close();
  rmSync(home, { recursive: true, force: true });
});

/** Creates the feed's flow and its measurement, from the venue data of the test. */
function feed() {
  const told = new Subject<FeedMessage>();
  const trades = new Subject<VenueTrade>();
  const flow = createFlowKeeper({
    assessed: told,
    trades,
    books: [],
    clock: fixture.clock,
    onFailure: (error) => expect.unreachable(String(error)),
  });
  const store = createShadowStore(fixture.feedSql);
  return {
    told,
    trades,
    look: () =>
      measureDue({
        contained: eachRow((error) => {
          throw error;
        }),
        store,
        keeper: flow,
        follow: flow.follow,
        now: fixture.clock.now(),
      }),
    stop: flow.stop,
  };
}

const brokenParts = async () => (await verifyTrail(owner)).breaks.filter(({ part }) => part === 'shadow flow').map(({ detail }) => detail);

test('a resting order is measured by the trades of its window, shown next to its fill, and checked by assessments', async () => {
  const { told, trades, look, stop } = feed();
  const manifest = eagerManifest({ algorithm: 'smart_order_routing_maker_first', urgency: 'high' });
  const id = await fixture.agent('policy_auto', manifest);
  await fixture.atStage(id, 'shadow');
  await look();
  let traded = 0;
  const trade = (price: string, quantity: string): void => {
    const at = fixture.clock.now();
    fixture.trades.push({ price, quantity, at });
    const print = { sequence: ++traded, price, quantity, observedAt: at, receivedAt: at };
    trades.next({ ...print, kind: 'trade', venue: 'spotexchange', instrument: 'BTCUSDT', source: 'binance:aggTrade' });
  };
  const quoted = (): void => {
    fixture.price('60000', '60010', 'live', BTC, '0.5');
    told.next(quoteOf(BTC, fixture.clock.now(), '60000', '60010', 'live', '0.5'));
  };

  quoted();
  trade('60005', '0.1');
  await fixture.tick();
  quoted();
  await fixture.carry();
  fixture.clock.advanceTo(fixture.clock.now() + 1_000);
  trade('60000', '0.2');
  trade('59999', '3');
  fixture.clock.advanceTo(fixture.clock.now() + 5_000);
  await fixture.timers.fireDue();
  await fixture.carry();
  const [proposal] = await fixture.list({ agentId: id });
  expect(proposal).toMatchObject({ state: 'filled', execution: { parts: [{ kind: 'rest' }] } });
  const [fill] = proposal?.fills ?? [];
  expect(fill).toMatchObject({ fillPrice: '60000' });

  // The result is unknown before the next trade completes the count.
  await look();
  expect(await fixture.sql`select 1 from shadow_windows`).toHaveLength(0);
  fixture.clock.advanceTo(fixture.clock.now() + 20_000);
  trade('60004', '0.1');
  fixture.clock.advanceTo(fixture.clock.now() + 11_000);
  await look();
  const booked = await createBookReads(fixture.sql).fills(ORG, bookIds.paper(id, 1), { limit: 10, after: null });
  const shadow = booked?.items[0]?.shadow;
  expect(shadow).toMatchObject({
    rule: 'book_and_trades',
    outcome: 'measured',
    reason: null,
    trades: 2,
    quantity: fill?.quantity,
    price: '60000',
  });
  const [row] = await fixture.sql<{ flow: string; sent_at: number; rested_until: number; limit_price: string }[]>`
    select w.flow, o.sent_at, o.rested_until, o.limit_price from shadow_windows w join shadow_orders o on o.fill_id = w.fill_id`;
  expect(row).toMatchObject({ sent_at: shadow?.from, rested_until: shadow?.until, limit_price: '60000' });
  expect(flowDigest(row?.flow as string)).toBe(shadow?.digest);
  expect(readFlow(row?.flow as string)?.trades.map(({ price }) => price)).toEqual(['60005', '60000', '59999', '60004']);
  expect(await brokenParts()).toEqual([]);

  // A row that contradicts its flow, or comes from another writer, is reported and ignored.
  const draft = { agentId: id, kind: 'shadow', manifestVersion: 1, series: { enteredAt: 0, evaluatedAt: Number.MAX_SAFE_INTEGER } };
  const assessed = () => createSignedRows(fixture.sql).requireBasis(draft as unknown as EvidenceDraft);
  await owner`alter table shadow_windows disable trigger user`;
  const altered = async (change: () => Promise<unknown>, back: () => Promise<unknown>) => {
    await change();
    const found = await brokenParts();
    await expect(assessed()).rejects.toBeInstanceOf(UnsignedRow);
    await back();
    return found;
  };
  const text = row?.flow as string;
  const generous = flowText({ ...(readFlow(text) as NonNullable<ReturnType<typeof readFlow>>), trades: [] });
  expect(
    await altered(
      () => owner`update shadow_windows set price = 59000`,
      () => owner`update shadow_windows set price = 60000`,
    ),
  ).toEqual([expect.stringMatching(/it comes to measured .* at 60000, its row says .* at 59000$/)]);
  expect(
    await altered(
      () => owner`update shadow_windows set flow = ${generous}, digest = ${flowDigest(generous)}`,
      () => owner`update shadow_windows set flow = ${text}, digest = ${flowDigest(text)}`,
    ),
  ).toEqual([expect.stringContaining('it comes to unknown')]);
  for (const { name } of await owner<{ name: string }[]>`
    select tgname as name from pg_trigger where tgrelid = 'shadow_windows'::regclass and not tgisinternal`)
    await owner`alter table shadow_windows enable always trigger ${owner(name)}`;
  expect(await brokenParts()).toEqual([]);
  stop();
});

test('an order in slices is measured slice by slice, each by the venue’s book on its arrival', async () => {
  const { told, look, stop } = feed();
  const { count, everyMs } = SLICES.high;
  const id = await fixture.agent('policy_auto', eagerManifest({ algorithm: 'twap', urgency: 'high' }));
  await fixture.atStage(id, 'shadow');
  await look();
  const shown = (ask: number): void => told.next(quoteOf(BTC, fixture.clock.now(), String(ask - 10), String(ask), 'live', '5'));
  fixture.price('60000', '60010', 'live', BTC, '5');
  await fixture.tick();
  const sentAt: number[] = [];
  for (let slice = 0; slice < count; slice++) {
    // Paper fills by the quote that risk saw; the venue shows two dollars more, and after the arrival much more.
    fixture.price(String(60_000 + 50 * slice), String(60_010 + 50 * slice), 'live', BTC, '5');
    shown(60_012 + 50 * slice);
    sentAt.push(fixture.clock.now());
    await fixture.timers.fireDue();
    await fixture.carry();
    fixture.clock.advanceTo(fixture.clock.now() + findCostModel(BTC).latencyMs + 200);
    shown(61_000);
    fixture.clock.advanceTo((sentAt[0] as number) + (slice + 1) * everyMs);
  }
  const [proposal] = await fixture.list({ agentId: id });
  expect(proposal).toMatchObject({
    state: 'filled',
    execution: { parts: Array.from({ length: count }, () => ({ kind: 'take', reason: null })) },
  });

  await look();
  const booked = await createBookReads(fixture.sql).fills(ORG, bookIds.paper(id, 1), { limit: 10, after: null });
  const slices = (booked?.items ?? []).toSorted((a, b) => a.at - b.at);
  expect(slices.map(({ fillPrice, shadow }) => [fillPrice, shadow?.outcome, shadow?.price, shadow?.from])).toEqual(
    sentAt.map((at, slice) => [String(60_010 + 50 * slice), 'measured', String(60_012 + 50 * slice), at]),
  );
  expect(slices.map(({ shadow }) => shadow?.quantity)).toEqual(slices.map(({ quantity }) => quantity));
  expect(slices.reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0)).eq(proposal?.order.quantity ?? 0)).toBe(true);
  expect(await brokenParts()).toEqual([]);
  stop();
});

test('an order with an unreceived window is unknown, and a window written by the worker is reported', async () => {
  const id = await fixture.agent('policy_auto', eagerManifest());
  await fixture.atStage(id, 'shadow');
  fixture.price('60000', '60010');
  await fixture.tick();
  await fixture.carry();
  const open = (await createShadowStore(fixture.feedSql).unmeasured(0, 1_000)).filter(({ restedUntil }) => restedUntil === null);
  expect(open).toMatchObject([{ instrument: BTC, side: 'buy' }]);
  const nothing = {
    window: (span: Parameters<Parameters<typeof measuredBy>[1]['window']>[0]) => ({ ...span, books: [], trades: [], gaps: [] }),
  };
  const found = open.map((order) => measuredBy(order, nothing));
  expect(found).toMatchObject([{ measurement: { outcome: 'unknown', reason: 'not_received', quantity: null } }]);
  const asWorker = () => createShadowStore(fixture.sql).write(found);
  await expect(asWorker()).rejects.toThrow('the worker does not write shadow_windows');
  // As if the database had no guards.
  await owner`update trail_tables set writers = '{feed,worker}' where name = 'shadow_windows'`;
  await asWorker();
  await owner`update trail_tables set writers = '{feed}' where name = 'shadow_windows'`;
  expect(await brokenParts()).toEqual([expect.stringMatching(/put it on record, and it is no key of the feed$/)]);
});

test('a paper order of an agent not at the shadow stage is not measured', async () => {
  const id = await fixture.agent('policy_auto', eagerManifest());
  await fixture.atStage(id, 'paper');
  fixture.price('60000', '60010');
  await fixture.tick();
  await fixture.carry();
  expect((await fixture.list({ agentId: id }))[0]).toMatchObject({ state: 'filled' });
  expect(
    await fixture.sql`select 1 from shadow_orders o join fills f on f.id = o.fill_id where f.book_id = ${bookIds.paper(id, 1)}`,
  ).toHaveLength(0);
});
