// Takes armed under an older reading of their words buy nothing until their author confirms, alert once, and can still sell their
// positions.
import { beforeEach, expect, test } from 'vitest';
import { eachRow } from '../../../actors/runtime/containment.ts';
import { rereadArmed } from '../../../actors/take/reread-armed.ts';
import { unaskedTakes } from '../../../src/adapters/store/takes/take-reads.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import { TAKE_TICK_MS } from '../../../src/domain/values/time.ts';
import { undocumentedAnnouncement } from '../../harness/documented-frames.ts';
import { ORG, type TradingFixture, tradingFixture } from '../proposal/trading-fixture.ts';

const SETTLED = 'Buy BTCUSDT below $60,000 with $1,000; sell above $65,000';
/** Was read as a purchase below 60000, because the reason swallowed the rest of the text. */
const SWALLOWED = 'Buy BTCUSDT below $60,000 with $1,000 because it is undervalued, and sell above $65,000';
/** Ambiguous today. */
const UNCLEAR = 'Buy BTCUSDT below $60.000 with $1,000; sell above $65,000';

let fixture: TradingFixture;
beforeEach(async () => {
  fixture = await tradingFixture();
  return () => fixture.close();
});

/** Creates a Take as armed by a version that stored no open readings. */
async function armedBefore(thesis: string, over: object = {}): Promise<string> {
  const fields = {
    symbol: 'BTCUSDT',
    target: { kind: 'price', direction: 'below', value: '60000' },
    conditions: { exit: [{ type: 'price_above', price: '65000' }] },
    allocationUsd: '1000',
    ...over,
  };
  const read = readTakeFields(fields, { catalog: CATALOG, now: fixture.clock.now() });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const reading = { thesis, understood: [], assumed: [], notUnderstood: [], open: [] };
  const created = await fixture.takes.create(fixture.context(), read.take, reading);
  if (!created.ok) throw new Error(created.refusal.detail);
  const { id } = created.value;
  await fixture.owner.begin(async (transaction) => {
    await transaction`alter table takes disable trigger take_rows`;
    await transaction`update takes set compiled = compiled - 'open' where id = ${id}`;
    await transaction`alter table takes enable always trigger take_rows`;
  });
  const armed = await fixture.runtime.deliver(id, { type: 'arm', mode: 'paper', at: fixture.clock.now() }, { cause: 'ann' });
  expect(armed.ok).toBe(true);
  return id;
}

const reread = () =>
  rereadArmed({
    unasked: () => unaskedTakes(fixture.sql),
    runtime: fixture.runtime,
    contained: eachRow((error) => fixture.errors.push(error)),
  });
const find = async (id: string) => {
  const view = await fixture.takeReads.find(ORG, id);
  if (view === null) throw new Error('there is no such Take');
  return view;
};
const alerts = async () =>
  (
    await fixture.sql<{ body: { takeId: string; detail: string } }[]>`
    select body from announcements where channel = 'alerts' and body ->> 'what' = 'reading_open' order by xid, seq`
  ).map(({ body }) => body);

async function settle(): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await fixture.timers.fireDue();
    fixture.clock.advanceTo(fixture.clock.now() + 2);
  }
}

async function tickAt(bid: string, ask: string): Promise<void> {
  fixture.price(bid, ask);
  await fixture.tick('live', TAKE_TICK_MS);
  await settle();
  await fixture.carry();
  await settle();
}

test('a Take with an unchanged reading stays armed; others are disarmed with one alert, and armed again by confirmation', async () => {
  const same = await armedBefore(SETTLED);
  const swallowed = await armedBefore(SWALLOWED, { conditions: { exit: [] } });
  const unclear = await armedBefore(UNCLEAR);
  await reread();
  await reread();
  expect((await find(same)).onDuty).toBe(true);
  for (const id of [swallowed, unclear]) expect(await find(id)).toMatchObject({ state: 'disarmed', onDuty: false, reason: 'reading_open' });
  const told = await alerts();
  expect(told.map(({ takeId }) => takeId)).toEqual([swallowed, unclear]);
  for (const body of told) expect(undocumentedAnnouncement('alerts', body)).toEqual([]);
  expect(told[0]?.detail).toContain('the words mean today: entry price');
  expect(told[1]?.detail).toContain('the words are asked about today');
  expect(told[1]?.detail).toContain('It was disarmed and buys nothing. Arm it again to confirm the reading');

  // At this price all of them would have bought.
  await tickAt('59000', '59010');
  expect((await fixture.list()).map(({ agentId }) => agentId)).toEqual([same]);

  const { open } = await find(swallowed);
  expect(await fixture.takes.arm(fixture.context(), swallowed, 'paper')).toMatchObject({ ok: false, refusal: { code: 'take_unsettled' } });
  expect(await fixture.takes.arm(fixture.context(), swallowed, 'paper', open)).toMatchObject({ ok: true, value: { state: 'armed' } });
  await reread();
  expect((await find(swallowed)).onDuty).toBe(true);
  expect(await alerts()).toHaveLength(2);
  expect(fixture.errors).toEqual([]);
});

test('a Take with a position keeps its exit conditions, and buys nothing afterwards', async () => {
  const id = await armedBefore(UNCLEAR);
  await tickAt('59000', '59010');
  expect(await find(id)).toMatchObject({ state: 'filled', onDuty: true });
  await reread();
  await reread();
  expect(await find(id)).toMatchObject({ state: 'filled', onDuty: true });
  expect((await alerts()).map(({ takeId, detail }) => [takeId, detail.includes('Its exit conditions stay in force')])).toEqual([
    [id, true],
  ]);
  await tickAt('66000', '66010');
  expect(await find(id)).toMatchObject({ state: 'closed', onDuty: false });
  await tickAt('59000', '59010');
  expect((await fixture.list()).map(({ side }) => side).sort()).toEqual(['entry', 'exit']);
});

test('a Take disarmed with its position can be closed by hand', async () => {
  const id = await armedBefore(UNCLEAR);
  await tickAt('59000', '59010');
  await reread();
  expect(await fixture.takes.disarm(fixture.context(), id)).toMatchObject({ ok: true });
  expect(await fixture.takes.arm(fixture.context(), id, 'paper')).toMatchObject({ ok: false, refusal: { code: 'take_unsettled' } });
  expect(await fixture.takes.close(fixture.context(), id)).toMatchObject({ ok: true, value: { reason: 'closing' } });
});
