// An agent's orders on the primary chain are signed by the owner's wallet if there is no delegation: entries after an approval, exits
// always.
import { VersionedTransaction } from '@solana/web3.js';
import { afterEach, expect, test } from 'vitest';
import { createKillSwitch } from '../../actors/proposal/kill-switch.ts';
import { createKillSwitchStore } from '../../src/adapters/store/orders/kill-switch-store.ts';
import { AUTONOMY_LEVELS, type Autonomy } from '../../src/domain/agents/agent.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { condition } from '../actors/agent/sample.ts';
import { eagerManifest, ORG } from '../actors/proposal/trading-fixture.ts';
import { address, type ChainTradeFixture, chainTradeFixture, ownerSigned, AAPL_TOKEN as token } from './chain-trade-fixture.ts';
import { eachRow } from '../../actors/runtime/containment.ts';

let world: ChainTradeFixture;
afterEach(() => world.close());

/** Links a wallet of the organization's owner, as a signature would. */
async function linked(wallet: string = address, later = 0): Promise<void> {
  const { sql, clock } = world.fixture;
  await sql`insert into linked_wallets (id, org_id, chain, address, label, challenge, signature, proved_by, proved_at)
    values (gen_random_uuid(), ${ORG}, 'spotchain', ${wallet}, null, 'text', 'signature', 'ann', ${clock.now() + later})`;
}

const newest = async (agentId: string) => {
  const [proposal] = await world.fixture.list({ agentId });
  if (proposal === undefined) throw new Error(`agent ${agentId} has no proposal`);
  return proposal;
};

/** Approves the agent's proposal and prepares its order. */
async function approved(agentId: string) {
  await world.proposed(agentId);
  const { id, state } = await newest(agentId);
  expect(state).toBe('pending_approval');
  const answer = await world.fixture.orders.approve(world.fixture.context(), id);
  expect(answer).toMatchObject({ ok: true });
  await world.fixture.carry({ clients: { spotchain: world.orders } });
  return newest(agentId);
}

/** Signs the prepared transaction as the owner and returns the bytes. */
async function signedByOwner(agentId: string) {
  const { transaction } = await newest(agentId);
  if (transaction === null) throw new Error('nothing is prepared');
  const prepared = await world.swapReads.find(ORG, transaction.id);
  return world.swaps.execute(world.fixture.context(), transaction.id, ownerSigned(prepared?.unsigned ?? ''));
}

/** Creates an agent with a position that its owner signed for. */
async function holding(autonomy: Autonomy = 'confirm'): Promise<string> {
  const agentId = await world.liveAgent(autonomy, { exit: [condition('price_above', { price: '100000' })] });
  await approved(agentId);
  expect(await signedByOwner(agentId)).toMatchObject({ ok: true });
  expect(await world.finished(agentId)).toMatchObject({ state: 'filled', side: 'entry' });
  return agentId;
}

const look = () =>
  createKillSwitch({
    contained: eachRow((error) => {
      throw error;
    }),
    store: createKillSwitchStore(world.fixture.sql),
    runtime: world.runtime,
    preTrade: world.fixture.preTrade,
    bid: (instrument) => world.fixture.quotes.get(instrument)?.bid ?? null,
    clock: world.fixture.clock,
  }).look();

/** Sells everything by the kill switch, with the owner's signature. */
async function soldOut(agentId: string): Promise<void> {
  await world.receive();
  expect(await look()).toBe(1);
  await world.fixture.carry({ clients: { spotchain: world.orders } });
  expect(await newest(agentId)).toMatchObject({
    state: 'unknown',
    side: 'exit',
    transaction: { state: 'prepared', executor: 'user', wallet: address },
  });
  expect(await look()).toBe(0);
  expect(await signedByOwner(agentId)).toMatchObject({ ok: true });
  expect(await world.finished(agentId)).toMatchObject({ state: 'filled', decisionId: null });
  expect([
    await world.tokensOf(),
    await world.fixture.sql`select holdings from books where agent_id = ${agentId} and mode = 'live'`,
  ]).toEqual([0n, [{ holdings: [] }]]);
  expect(world.fixture.errors).toEqual([]);
}

test('at confirm an approved purchase waits for the wallet, and the signed transaction is booked once', async () => {
  world = await chainTradeFixture({ signer: false });
  await linked();
  const agentId = await world.liveAgent('confirm');
  const waiting = await approved(agentId);
  expect(waiting).toMatchObject({ state: 'unknown', transaction: { state: 'prepared', wallet: address, executor: 'user' } });
  expect([world.broadcasts(), world.answers]).toEqual([0, []]);
  const told = await world.fixture.sql<{ channel: string; body: object }[]>`
    select channel, body from announcements where body->>'what' in ('awaiting_signature', 'signature_needed') order by seq`;
  expect(told).toMatchObject(
    ['proposals', 'alerts'].map((channel) => ({ channel, body: { proposalId: waiting.id, transactionId: waiting.transaction?.id } })),
  );
  expect(await signedByOwner(agentId)).toMatchObject({ ok: true, value: { state: 'submitted' } });
  const done = await world.finished(agentId);
  expect([done?.state, done?.fills.length, done?.transaction?.state, world.broadcasts()]).toEqual(['filled', 1, 'finalized', 1]);
  const got = new Decimal((await world.tokensOf()).toString()).times(token.multiplier).div(10 ** token.decimals);
  expect(new Decimal(done?.fills[0]?.quantity ?? 0).eq(got)).toBe(true);
  expect(await world.fixture.sql`select book_id from fills`).toEqual([{ book_id: `agent:${agentId}:live` }]);
  expect(world.fixture.errors).toEqual([]);
});

test('a route more expensive than the reserve is prepared with less slippage, within the order’s limit', async () => {
  world = await chainTradeFixture({ signer: false });
  await linked();
  // Many times the quoted size: the pool's price moves with it.
  const agentId = await world.liveAgent('confirm', { maxTradeNotionalUsd: '1000', maxSlippageBps: 80 });
  const waiting = await approved(agentId);
  expect(waiting).toMatchObject({ state: 'unknown', transaction: { state: 'prepared' } });
  expect(await signedByOwner(agentId)).toMatchObject({ ok: true });
  const done = await world.finished(agentId);
  expect(done?.state).toBe('filled');
  expect(new Decimal(done?.fills[0]?.fillPrice ?? Number.POSITIVE_INFINITY).lte(waiting.order.limitPrice)).toBe(true);
});

test('an altered transaction moves nothing, and without a signature in time the proposal fails with the reason', async () => {
  world = await chainTradeFixture({ signer: false });
  await linked();
  const agentId = await world.liveAgent('confirm');
  const { transaction } = await approved(agentId);
  const prepared = await world.swapReads.find(ORG, transaction?.id ?? '');
  const altered = VersionedTransaction.deserialize(Buffer.from(prepared?.unsigned ?? '', 'base64'));
  const [first] = altered.message.compiledInstructions;
  if (first !== undefined) first.data = Uint8Array.from([...first.data, 0]);
  const bytes = Buffer.from(ownerSigned(Buffer.from(altered.serialize()).toString('base64')), 'base64').toString('base64');
  expect(await world.swaps.execute(world.fixture.context(), transaction?.id ?? '', bytes)).toMatchObject({
    ok: false,
    refusal: { code: 'signed_bytes_differ' },
  });
  for (let slots = 0; slots < 8; slots++) {
    for (let slot = 0; slot < 40; slot++) world.chain.chain.finalize();
    world.fixture.clock.advanceTo(world.fixture.clock.now() + 15_000);
  }
  const ended = await world.finished(agentId);
  expect([ended?.state, ended?.reason, world.broadcasts()]).toEqual(['failed', 'signature_window_over', 0]);
});

test('without a linked wallet nothing is prepared, and the proposal says what is missing', async () => {
  world = await chainTradeFixture({ signer: false });
  const agentId = await world.liveAgent('confirm');
  expect(await approved(agentId)).toMatchObject({ state: 'failed', reason: 'wallet_missing', transaction: null });
});

test.each([
  ['a pause', (id: string) => world.fixture.commands.pause(world.fixture.context(), id), 'halted'],
  ['an emergency halt', () => world.fixture.commands.emergencyHalt(world.fixture.context()), 'halted'],
  ['a lowered autonomy', (id: string) => world.fixture.commands.setAutonomy(world.fixture.context(), id, 'suggest'), 'state_conflict'],
] as const)('after %s the prepared transaction is no longer accepted', async (_, happens, code) => {
  world = await chainTradeFixture({ signer: false });
  await linked();
  const agentId = await world.liveAgent('confirm');
  await approved(agentId);
  await happens(agentId);
  const answer = await signedByOwner(agentId);
  expect(answer).toMatchObject({ ok: false });
  expect(['blocked_by_risk', code]).toContain(answer.ok ? '' : answer.refusal.code);
  expect(world.broadcasts()).toBe(0);
});

const CLOSED_AFTER: { readonly [what: string]: (id: string) => Promise<unknown> } = {
  'a pause': (id) => world.fixture.commands.pause(world.fixture.context(), id),
  'an emergency halt': () => world.fixture.commands.emergencyHalt(world.fixture.context()),
  'a demotion to paper': (id) =>
    world.runtime.deliver(
      id,
      { type: 'breaker.tripped', breaker: 'slippage', at: world.fixture.clock.now(), observed: 4, limit: 3 },
      { cause: 'test' },
    ),
  'a new version': async (id) => {
    const answer = await world.fixture.commands.addVersion(world.fixture.context(), id, eagerManifest());
    expect(answer).toMatchObject({ ok: true });
  },
  ...Object.fromEntries(
    AUTONOMY_LEVELS.map((level) => [
      `autonomy ${level}`,
      (id: string) => world.fixture.commands.setAutonomy(world.fixture.context(), id, level),
    ]),
  ),
};

test.each(Object.keys(CLOSED_AFTER))('after %s a person closes the agent’s position with the wallet that bought it', async (what) => {
  world = await chainTradeFixture({ signer: false });
  await linked();
  const agentId = await holding();
  await linked('2'.repeat(43), 1);
  await CLOSED_AFTER[what]?.(agentId);
  await world.fixture.commands.close(world.fixture.context(), agentId, { instrument: null, limitPrice: null });
  await soldOut(agentId);
});

test.each(['confirm', 'risk_only'] as const)('the kill switch of a breaker sells at %s with the owner’s signature', async (autonomy) => {
  world = await chainTradeFixture({ signer: false });
  await linked();
  const agentId = await world.liveAgent('confirm', {
    exit: [condition('price_above', { price: '100000' })],
    killSwitchAction: 'reduce_to_flat',
  });
  await approved(agentId);
  await signedByOwner(agentId);
  await world.finished(agentId);
  if (autonomy !== 'confirm') await world.fixture.commands.setAutonomy(world.fixture.context(), agentId, autonomy);
  await world.runtime.deliver(
    agentId,
    { type: 'breaker.tripped', breaker: 'daily_drawdown', at: world.fixture.clock.now(), observed: 4, limit: 3 },
    { cause: 'test' },
  );
  await soldOut(agentId);
});

test('at risk_only the agent’s own exit is prepared for the wallet without approval', async () => {
  world = await chainTradeFixture({ signer: false });
  await linked();
  const agentId = await world.liveAgent('confirm');
  await approved(agentId);
  await signedByOwner(agentId);
  await world.finished(agentId);
  await world.fixture.commands.setAutonomy(world.fixture.context(), agentId, 'risk_only');
  await world.proposed(agentId);
  expect(await newest(agentId)).toMatchObject({ side: 'exit', state: 'unknown', transaction: { state: 'prepared' } });
  await signedByOwner(agentId);
  expect(await world.finished(agentId)).toMatchObject({ side: 'exit', state: 'filled' });
});

test('at policy_auto an exit without a delegation goes to the wallet; a purchase is refused', async () => {
  world = await chainTradeFixture();
  await linked();
  const agentId = await world.liveAgent('confirm');
  await approved(agentId);
  await signedByOwner(agentId);
  await world.finished(agentId);
  await world.fixture.commands.setAutonomy(world.fixture.context(), agentId, 'policy_auto');
  await world.proposed(agentId);
  expect(await newest(agentId)).toMatchObject({ side: 'exit', state: 'unknown', transaction: { executor: 'user' } });
  await signedByOwner(agentId);
  expect(await world.finished(agentId)).toMatchObject({ side: 'exit', state: 'filled' });
  await world.proposed(agentId);
  expect(await newest(agentId)).toMatchObject({ side: 'entry', state: 'failed', reason: 'delegation_missing' });
});
