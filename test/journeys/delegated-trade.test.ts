// An agent or Take trades on the primary chain without a wallet prompt: all conditions or a refusal, verified signatures, at most one fill.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutsideHandler } from '../../actors/agent/outside-proposals.ts';
import { createKillSwitch } from '../../actors/proposal/kill-switch.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import type { DelegatedOrder } from '../../actors/delegation/resource.ts';
import { createOutsideStore } from '../../src/adapters/store/agents/outside-store.ts';
import { createDelegationStore, readDelegatedOrder } from '../../src/adapters/store/delegations/delegation-store.ts';
import { createKillSwitchStore } from '../../src/adapters/store/orders/kill-switch-store.ts';
import { policyTake } from '../../src/domain/basis/policy.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { TraderKind } from '../../src/domain/identity/delegation.ts';
import { readTakeFields } from '../../src/domain/take/read-take.ts';
import { TAKE_TICK_MS } from '../../src/domain/values/time.ts';
import { delegatedOrderText } from '../../src/trading/delegated-orders.ts';
import { createSigning } from '../../src/trading/signing-validation.ts';
import { ORG, type TradingFixture } from '../actors/proposal/trading-fixture.ts';
import { condition } from '../actors/agent/sample.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { signingOn, signsAsWorker } from '../harness/trading.ts';
import { AAPL, address, type ChainTradeFixture, chainTradeFixture, sign, AAPL_TOKEN as token, WALLET } from './chain-trade-fixture.ts';
import { eachRow } from '../../actors/runtime/containment.ts';

/** Daily limit of the signer in US dollars. */
const limit = { usd: '1000000' };
let world: ChainTradeFixture;
let fixture: TradingFixture;
beforeEach(async () => {
  limit.usd = '1000000';
  world = await chainTradeFixture({ limit });
  fixture = world.fixture;
});
afterEach(() => world.close());

interface Granted {
  readonly maxNotionalUsd?: string;
  readonly hours?: number;
  readonly trader?: TraderKind;
}

async function delegate(agentId: string, changes: Granted = {}): Promise<string> {
  const { commands } = world.delegations;
  const wish = {
    trader: changes.trader ?? ('agent' as const),
    agentId,
    wallet: address as string,
    signerWallet: WALLET,
    maxNotionalUsd: changes.maxNotionalUsd ?? '1000',
    expiresAt: fixture.clock.now() + (changes.hours ?? 24) * 3_600_000,
  };
  const challenge = await commands.challenge(fixture.context(), wish);
  if (!challenge.ok) throw new Error(challenge.refusal.detail);
  const signature = Buffer.from(sign(Buffer.from(challenge.value.text))).toString('base64');
  const granted = await commands.grant(fixture.context(), challenge.value.terms, signature);
  if (!granted.ok) throw new Error(granted.refusal.detail);
  return granted.value.id;
}

/** Milliseconds, more than the longest wait for a node's answer. */
const ANSWER_MS = 12_000;

/** Advances time while the work waits for it, once `hasBegun` is true: a busy machine sends its requests late. */
async function meanwhileTicking<T>(work: Promise<T>, hasBegun: () => boolean): Promise<T> {
  let isDone = false;
  const watched = work.finally(() => {
    isDone = true;
  });
  // No further than that: on a busy machine real time passes without the order's deadlines.
  for (let passed = 0; !isDone; ) {
    if (passed < ANSWER_MS && hasBegun()) {
      fixture.clock.advanceTo(fixture.clock.now() + 200);
      passed += 200;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return watched;
}

test('if every condition is met the agent buys, and its book equals the wallet’s change', async () => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  const begun = await world.proposed(agentId);
  expect([begun?.state, world.answers]).toEqual(['unknown', [expect.objectContaining({ outcome: 'signed' })]]);
  const done = await world.finished(agentId);
  expect([done?.state, done?.fills.length]).toEqual(['filled', 1]);
  const got = new Decimal((await world.tokensOf()).toString()).times(token.multiplier).div(10 ** token.decimals);
  expect(new Decimal(done?.fills[0]?.quantity ?? 0).eq(got)).toBe(true);
  expect(world.broadcasts()).toBe(1);
  expect(fixture.errors).toEqual([]);
});

test('a swap position is no whole number of lots, and its sale leaves nothing in the book or the wallet', async () => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  await world.proposed(agentId);
  const quantity = (await world.finished(agentId))?.fills[0]?.quantity ?? '0';
  // With whole lots the test would prove nothing.
  expect(new Decimal(quantity).mod('0.000001').isZero()).toBe(false);
  await world.proposed(agentId);
  const sold = await world.finished(agentId);
  expect([sold?.order.side, sold?.state, sold?.fills.map((fill) => fill.quantity)]).toEqual(['sell', 'filled', [quantity]]);
  // The assessed and reserved amount is its whole lots.
  expect(new Decimal(quantity).minus(sold?.order.quantity ?? 0).lt('0.000001')).toBe(true);
  expect(await world.tokensOf()).toBe(0n);
  expect(await fixture.sql`select holdings from books where agent_id = ${agentId} and mode = 'live'`).toEqual([{ holdings: [] }]);
  expect(world.answers.map(({ outcome }) => outcome)).toEqual(['signed', 'signed']);
  expect(fixture.errors).toEqual([]);
});

test.each([
  ['its proposal sells', [], { side: 'sell', notionalUsd: '100', quantity: null }],
  ['a rule of its mandate sells, in the slot of a proposal', [condition('price_above', { price: '1' })], null],
] as const)('outside code buys from a delegated wallet, and %s', async (_, exit, sale) => {
  const agentId = await world.liveAgent('policy_auto', { entry: [], exit, strategy: { kind: 'external', release: 'bot 1' } });
  await delegate(agentId);
  const outside = createOutsideHandler({ store: createOutsideStore(fixture.sql), clock: fixture.clock, newId: fixture.newId });
  const manifestHash = (await fixture.agents.find(ORG, agentId))?.manifestHash ?? '';
  const buy = { side: 'buy', notionalUsd: '200', quantity: null } as const;
  const ended: unknown[] = [];
  for (const [clientId, trade] of [buy, sale ?? buy].entries()) {
    const wish = {
      ...trade,
      instrument: AAPL,
      limitPrice: null,
      reason: 'a test',
      inputs: undefined,
      clientId: `${clientId}`,
      manifestHash,
    };
    const received = await outside.propose(fixture.context(), agentId, wish);
    expect(received.ok ? 'received' : received.refusal).toBe('received');
    await world.proposed(agentId);
    const proposal = await world.finished(agentId);
    ended.push([proposal?.order.side, proposal?.state, proposal?.reason]);
  }
  expect(ended).toEqual([
    ['buy', 'filled', null],
    ['sell', 'filled', null],
  ]);
  expect(world.answers.map(({ outcome }) => outcome)).toEqual(['signed', 'signed']);
  expect(fixture.errors).toEqual([]);
});

test.each([
  ['no delegation', async () => {}, 'delegation_missing'],
  [
    'a delegation that was revoked',
    async (agentId: string) => {
      const id = await delegate(agentId);
      await world.delegations.commands.revoke(fixture.context(), id);
    },
    'delegation_revoked',
  ],
  [
    'a delegation that has expired',
    async (agentId: string) => {
      await delegate(agentId, { hours: 1 });
      fixture.clock.advanceTo(fixture.clock.now() + 10);
      await fixture.sql`select 1`;
      // The tick is more than an hour later.
      for (let minute = 0; minute < 61; minute++) await fixture.tick('stale');
    },
    'delegation_expired',
  ],
  ['a delegation of less', (agentId: string) => delegate(agentId, { maxNotionalUsd: '10' }), 'delegation_limit_breach'],
  [
    'no session signer at the provider',
    async (agentId: string) => {
      await delegate(agentId);
      await world.atProvider([]);
    },
    'signer_delegation_missing',
  ],
] as const)('%s: nothing is broadcast, and the proposal says why', async (_, arrange, reason) => {
  const agentId = await world.liveAgent();
  await arrange(agentId);
  const failed = await world.proposed(agentId);
  expect([failed?.state, failed?.reason]).toEqual(['failed', reason]);
  expect([world.broadcasts(), world.provider.signed.size]).toEqual([0, 0]);
});

test('without the server’s switch and key there is no client, and the proposal says so', async () => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  await world.receive();
  await fixture.tick();
  await fixture.carry({ clients: {} });
  const [failed] = await fixture.list({ agentId });
  expect([failed?.state, failed?.reason, world.broadcasts()]).toEqual(['failed', 'feature_disabled', 0]);
});

const CHANGES: readonly (readonly [string, (agentId: string) => Promise<unknown>, string])[] = [
  ['the owner revokes', revokeNewest, 'delegation_revoked'],
  [
    'the agent is lowered to confirm',
    (agentId: string) => fixture.commands.setAutonomy(fixture.context(), agentId, 'confirm'),
    'autonomy_refused',
  ],
  ['the agent goes back to paper', (agentId: string) => placeAtStage(fixture.url, agentId, 'paper', fixture.writer), 'stage_changed'],
  ['the feed has signed nothing for two minutes', async () => fixture.clock.advanceTo(fixture.clock.now() + 120_000), 'quote_stale'],
  ['a cut comes that the worker wrote, and not the feed', () => cutOf(fixture.sql), 'quote_unsigned'],
  ['the quote ages', async () => fixture.clock.advanceTo(fixture.clock.now() + 20_000), 'blocked_by_risk'],
  ['the proposal has gone on', async () => fixture.sql`update proposals set state = 'unknown'`, 'state_conflict'],
  ['an emergency halt comes', async () => fixture.sql`update control set epoch = epoch + 1`, 'halted'],
];
test.each(CHANGES)('%s between preparing and signing: the signer detects it and refuses', async (_, change, code) => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  world.meanwhile.call = () => change(agentId);
  await world.proposed(agentId);
  expect(world.answers).toEqual([expect.objectContaining({ outcome: 'refused', code })]);
  expect([world.broadcasts(), world.provider.signed.size]).toEqual([0, 0]);
});

/** Writes the cut of the next half minute without any instrument, over these connections. */
async function cutOf(sql: Sql): Promise<void> {
  await writeCut(sql, { slot: fixture.slot + 30_000, observations: new Map() }, 'streams');
  fixture.clock.advanceTo(fixture.slot + 30_500);
}

async function revokeNewest(agentId: string): Promise<void> {
  const newest = await createDelegationStore(fixture.sql).newest(ORG, agentId);
  // Bypasses the command handler, which waits until this very execution has ended.
  await fixture.sql`insert into delegation_revocations (delegation_id, org_id, revoked_by, revoked_at) values (${newest?.id ?? ''}, ${ORG}, 'ann', ${fixture.clock.now()})`;
}

const AFTER: readonly (readonly [string, (agentId: string) => Promise<unknown>, string])[] = [
  [
    'the owner revokes',
    async (agentId) => {
      const newest = await createDelegationStore(fixture.sql).newest(ORG, agentId);
      return world.delegations.commands.revoke(fixture.context(), newest?.id ?? '');
    },
    'delegation_revoked',
  ],
  ['the agent is paused', (agentId) => fixture.commands.pause(fixture.context(), agentId), 'halted'],
  ['an emergency halt comes', () => fixture.commands.emergencyHalt(fixture.context()), 'halted'],
];
test.each(AFTER)('%s after signing and is answered: the signed bytes are never submitted', async (_, change, reason) => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  const done: unknown[] = [];
  world.meanwhile.signed = async () => done.push(await change(agentId));
  const ended = await world.proposed(agentId);
  expect(done).toEqual([expect.objectContaining({ ok: true })]);
  expect(world.answers).toEqual([expect.objectContaining({ outcome: 'signed' })]);
  expect([ended?.state, ended?.reason]).toEqual(['failed', reason]);
  await world.finished(agentId);
  expect([world.broadcasts(), await world.tokensOf()]).toEqual([0, 0n]);
});

test.each([
  ['altered', 'signed_bytes_differ'],
  ['wrong_signature', 'signature_invalid'],
  ['other_key', 'signature_invalid'],
  ['unsigned', 'signature_missing'],
] as const)(
  'an answer of the provider that is %s does not match the prepared message: %s, and nothing is broadcast',
  async (conduct, reason) => {
    const agentId = await world.liveAgent();
    await delegate(agentId);
    world.provider.behave(conduct);
    const failed = await world.proposed(agentId);
    expect([failed?.state, failed?.reason, world.broadcasts()]).toEqual(['failed', reason, 0]);
    expect(await world.tokensOf()).toBe(0n);
  },
);

test('a lost answer of the provider leaves no fill; a lost answer of the chain leaves exactly one', async () => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  world.provider.faults.set({ lostAnswer: 1 });
  const failed = await world.proposed(agentId);
  expect([failed?.state, failed?.reason, world.broadcasts()]).toEqual(['failed', 'signer_unavailable', 0]);
  world.provider.faults.reset();

  // A provider that has just failed may be skipped for a minute; the order of a later tick is tried.
  let order = await world.proposed(agentId);
  for (let minute = 0; minute < 5 && order?.state === 'failed'; minute++) order = await world.proposed(agentId);
  expect([order?.state === 'failed', order?.reason]).toEqual([false, null]);
  await world.activities.carryDue();
  // The node takes the bytes but its answer is lost; the caller waits on the clock.
  world.chain.faults.set({ lostAnswer: 1 });
  const sent = world.broadcasts();
  await meanwhileTicking(world.activities.carryDue(), () => world.broadcasts() > sent);
  world.chain.faults.reset();
  const done = await world.finished(agentId);
  expect([done?.state, done?.reason, done?.fills.length]).toEqual(['filled', null, 1]);
  const [{ fills } = { fills: -1 }] = await fixture.sql<{ fills: number }[]>`select count(*)::int as fills from fills`;
  expect(fills).toBe(1);
});

test('only an id is accepted: an order never proposed, or a person’s, is not signed', async () => {
  const signing = createSigning({
    ...signingOn(fixture.sql, { home: world.home, chain: world.rpc }),
    remote: { signTransaction: () => expect.fail('nothing is to be signed') },
    clock: fixture.clock,
  });
  expect(await signing('00000000-0000-7000-8000-00000000ffff', '')).toMatchObject({ outcome: 'refused', code: 'not_found' });
});

/**
 * Rows that a thief of the database writes with the owner's login and all triggers off. The signer reads them, and all are well
 * formed.
 */
const FORGERIES: readonly (readonly [what: string, statement: string, code: string, words: string])[] = [
  [
    'an order at a worse price under the same id',
    `update delegated_orders set order_body = jsonb_set(order_body, '{limitPrice}', '"9999"')`,
    'signature_invalid',
    'not what the worker signed',
  ],
  [
    'another price than was quoted',
    `update delegated_orders set heard = jsonb_set(heard, '{0,ask}', '"1"')`,
    'signature_invalid',
    'not what the worker signed',
  ],
  [
    'a delegation with an invented signature of its owner',
    `update delegations set owner_signature = '${Buffer.alloc(64, 9).toString('base64')}'`,
    'delegation_missing',
    'signature of the wallet',
  ],
  [
    'a higher limit under the owner’s signature',
    'update delegations set max_notional_usd = 100000',
    'delegation_missing',
    'signature of the wallet',
  ],
];

async function forged(statement: string): Promise<void> {
  const owner = openDatabase({ url: fixture.url, role: null, connections: 1, name: 'test thief' });
  const table = statement.split(' ')[1] as string;
  await owner.begin(async (transaction) => {
    await transaction.unsafe(`alter table ${table} disable trigger user`);
    await transaction.unsafe(statement);
  });
  await owner.end();
}

test.each(FORGERIES)('%s, written into the database, is not signed', async (_, statement, code, words) => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  world.meanwhile.call = () => forged(statement);
  await world.proposed(agentId);
  expect(world.answers).toEqual([expect.objectContaining({ outcome: 'refused', code, detail: expect.stringContaining(words) })]);
  expect(world.broadcasts()).toBe(0);
});

/** Rewrites the quoted rows of a cut consistently, except for the feed's signature. */
const FORGED_CUT = `
  update observations set body = regexp_replace(body, '"ask":"[0-9.]+"', '"ask":"9999"');
  update observations set hash = encode(sha256(convert_to(body, 'UTF8')), 'hex');
  update cut_batches b set digest = encode(sha256(convert_to((select string_agg(instrument || ' ' || hash || chr(10), '' order by instrument collate "C")
    from observations where slot = b.slot), 'UTF8')), 'hex');
  update trail_changes c set digest = (select sha256(convert_to(to_jsonb(b)::text, 'UTF8')) from cut_batches b where b.slot::text = c.key) where name = 'cut_batches'`;

test('a quote inserted into the database is not the feed’s, whatever else was made to match', async () => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  world.meanwhile.call = async () => {
    const owner = openDatabase({ url: fixture.url, role: null, connections: 1, name: 'test thief' });
    for (const table of ['observations', 'cut_batches', 'trail_changes']) await owner`alter table ${owner(table)} disable trigger user`;
    await owner.unsafe(FORGED_CUT);
    await owner.end();
  };
  await world.proposed(agentId);
  expect(world.answers).toEqual([
    expect.objectContaining({ outcome: 'refused', code: 'quote_unsigned', detail: expect.stringContaining('not those that were signed') }),
  ]);
  expect([world.broadcasts(), world.provider.signed.size]).toEqual([0, 0]);
});

test('a compromised worker signs a worse price with a matching quote: the feed’s own quote refuses it', async () => {
  const agentId = await world.liveAgent();
  await delegate(agentId);
  world.meanwhile.call = async () => {
    const owner = openDatabase({ url: fixture.url, role: null, connections: 1, name: 'test thief' });
    for (const table of ['delegated_orders', 'proposals']) {
      await owner`alter table ${owner(table)} disable trigger user`;
      await owner`update ${owner(table)} set order_body = jsonb_set(order_body, '{limitPrice}', to_jsonb(((order_body->>'limitPrice')::numeric * 2)::text))`;
    }
    await owner`update delegated_orders set heard = jsonb_set(heard, '{0,ask}', to_jsonb(((heard#>>'{0,ask}')::numeric * 2)::text))`;
    const [row] = await owner<{ order_id: string; digest: string }[]>`
      select d.order_id, a.snapshot #>> '{context,prepared,digest}' as digest from delegated_orders d join actors a on a.id = d.order_id`;
    await owner.end();
    const noted = await readDelegatedOrder(fixture.sql, row?.order_id ?? '');
    world.meanwhile.signature = signsAsWorker(world.home)(delegatedOrderText(noted as DelegatedOrder, row?.digest ?? ''));
  };
  await world.proposed(agentId);
  expect(world.answers).toEqual([expect.objectContaining({ outcome: 'refused', code: 'price_refused' })]);
  expect([world.broadcasts(), world.provider.signed.size]).toEqual([0, 0]);
});

test('the signer counts purchases in its own file and stops them at its own limit, which holds up no sale', async () => {
  limit.usd = '500';
  const agentId = await world.liveAgent();
  await delegate(agentId);
  await world.proposed(agentId);
  await world.finished(agentId);
  // The first purchase was within the limit, and so would the second one be alone: each within a day counts with those before it.
  limit.usd = '299.95';
  const before = world.answers.length;
  const again = await world.liveAgent();
  await delegate(again);
  // In the same slot the first agent sells, and more is counted than is allowed.
  const refused = await world.proposed(again);
  const answers = world.answers.slice(before);
  expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['refused', 'signed']);
  expect(answers).toContainEqual(expect.objectContaining({ outcome: 'refused', code: 'signer_limit_breach' }));
  expect([refused?.state, refused?.reason]).toEqual(['failed', 'signer_limit_breach']);
  const sold = await world.finished(agentId);
  expect([sold?.order.side, sold?.state, sold?.reason]).toEqual(['sell', 'filled', null]);
});

/** Creates a draft Take on the token, or a basis policy on it. */
async function draftTake(kind: 'thesis' | 'basis' = 'thesis'): Promise<string> {
  const world = { catalog: CATALOG, now: fixture.clock.now() };
  const conditions = { entry: [{ type: 'price_above', price: '1' }], exit: [{ type: 'price_above', price: '900000' }] };
  const read =
    kind === 'thesis'
      ? readTakeFields({ symbol: 'AAPLx', conditions, allocationUsd: '300', maxSlippageBps: 100 }, world)
      : policyTake(
          {
            symbol: 'AAPLx',
            enterDiscountPct: 2,
            exitDiscountPct: 0.5,
            notionalUsd: '300',
            maxSlippageBps: 100,
            maxHoldHours: 72,
            expiresAt: world.now + 86_400_000,
          },
          world,
        );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const reading = { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] };
  const created = await fixture.takes.create(fixture.context(), read.take, reading);
  if (!created.ok) throw new Error(created.refusal.detail);
  return created.value.id;
}

async function armed(id: string) {
  return fixture.takes.arm(fixture.context(), id, 'live', []);
}

const takeOf = (id: string) => fixture.takeReads.find(ORG, id);

/** Fires due timers, which tell a Take about its proposals. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await fixture.timers.fireDue();
    fixture.clock.advanceTo(fixture.clock.now() + 2);
  }
}

async function boughtByTake(kind: 'thesis' | 'basis'): Promise<string> {
  const id = await draftTake(kind);
  await delegate(id, { trader: 'take' });
  expect(await armed(id)).toMatchObject({ ok: true, value: { state: 'armed', mode: 'live', onDuty: true } });
  const begun = await world.proposed(id, TAKE_TICK_MS);
  expect([begun?.state, world.answers]).toEqual(['unknown', [expect.objectContaining({ outcome: 'signed' })]]);
  const done = await world.finished(id);
  await settle();
  expect([done?.state, done?.side, done?.order.bookId, done?.fills.length]).toEqual(['filled', 'entry', `agent:${id}:live`, 1]);
  const got = new Decimal((await world.tokensOf()).toString()).times(token.multiplier).div(10 ** token.decimals);
  expect(new Decimal(done?.fills[0]?.quantity ?? 0).eq(got)).toBe(true);
  expect(await takeOf(id)).toMatchObject({ state: 'filled', onDuty: true, mode: 'live' });
  return id;
}

test('a Take buys from its owner’s delegated wallet, and its operator closes it to the last unit', async () => {
  const id = await boughtByTake('thesis');
  expect(await fixture.takes.close(fixture.context(), id)).toMatchObject({ ok: true, value: { reason: 'closing' } });
  await world.receive();
  const killSwitch = createKillSwitch({
    contained: eachRow((error) => {
      throw error;
    }),
    runtime: fixture.runtime,
    store: createKillSwitchStore(fixture.sql),
    preTrade: fixture.preTrade,
    bid: (instrument) => fixture.quotes.get(instrument)?.bid ?? null,
    clock: fixture.clock,
  });
  expect(await killSwitch.look()).toBe(1);
  await world.receive();
  await fixture.carry({ clients: { spotchain: world.orders } });
  const sold = await world.finished(id);
  await settle();
  expect([sold?.side, sold?.state, await world.tokensOf()]).toEqual(['exit', 'filled', 0n]);
  expect(await takeOf(id)).toMatchObject({ state: 'closed', onDuty: false });
  expect(world.answers.map(({ outcome }) => outcome)).toEqual(['signed', 'signed']);
  const acted = await fixture.sql<{ subject: string }[]>`select distinct subject from audit where subject like 'take:%'`;
  expect(acted.map(({ subject }) => subject)).toEqual([`take:${id}`]);
  expect(fixture.errors).toEqual([]);
});

test('a basis policy enters at its discount from a delegated wallet and exits on reversion', async () => {
  world.receiveReference();
  fixture.premiums.set(AAPL, -3);
  const id = await boughtByTake('basis');
  // No payment has reverted yet: it stays held.
  await world.proposed(id, TAKE_TICK_MS);
  expect(await fixture.list({ agentId: id })).toHaveLength(1);
  fixture.premiums.set(AAPL, 0.1);
  await world.proposed(id, TAKE_TICK_MS);
  const sold = await world.finished(id);
  await settle();
  expect([sold?.side, sold?.state, await world.tokensOf()]).toEqual(['exit', 'filled', 0n]);
  expect(await takeOf(id)).toMatchObject({ state: 'closed' });
  expect(fixture.errors).toEqual([]);
});

test('without a wallet delegated to this very Take it is not armed live, and nothing is deposited', async () => {
  const id = await draftTake();
  const refusedFor = async (words: string) =>
    expect(await armed(id)).toMatchObject({ ok: false, refusal: { code: 'state_conflict', detail: expect.stringContaining(words) } });
  await refusedFor('delegation_missing');
  // A delegation to an agent does not apply to a Take.
  await delegate(await world.liveAgent());
  await expect(delegate(id)).rejects.toThrow('there is no agent with this id');
  await refusedFor('delegation_missing');
  await delegate(id, { trader: 'take', maxNotionalUsd: '10' });
  await refusedFor('delegation_limit_breach');
  const revoked = await delegate(id, { trader: 'take' });
  await world.delegations.commands.revoke(fixture.context(), revoked);
  await refusedFor('delegation_revoked');
  fixture.disabled.venues = { spotchain: 'IDP_AUTHORIZATION_PRIVATE_KEY' };
  expect(await armed(id)).toMatchObject({ ok: false, refusal: { code: 'feature_disabled' } });
  fixture.disabled.venues = {};
  expect(await fixture.sql`select 1 from books where agent_id = ${id}`).toEqual([]);
  expect(await takeOf(id)).toMatchObject({ state: 'draft', mode: null });
});

const TAKE_CHANGES: readonly (readonly [string, (id: string) => Promise<unknown>, string])[] = [
  ['the owner revokes', revokeNewest, 'delegation_revoked'],
  ['the Take is disarmed', (id) => fixture.takes.disarm(fixture.context(), id), 'paused'],
  ['an emergency halt comes', async () => fixture.sql`update control set epoch = epoch + 1`, 'halted'],
  [
    'a thief of the database turns the delegation into one of an agent',
    () => forged(`update delegations set trader = 'agent'`),
    'delegation_missing',
  ],
];
test.each(TAKE_CHANGES)('%s between preparing and signing: nothing is signed for the Take', async (_, change, code) => {
  const id = await draftTake();
  await delegate(id, { trader: 'take' });
  expect(await armed(id)).toMatchObject({ ok: true });
  world.meanwhile.call = () => change(id);
  const ended = await world.proposed(id, TAKE_TICK_MS);
  expect(world.answers).toEqual([expect.objectContaining({ outcome: 'refused', code })]);
  expect([ended?.state, world.broadcasts(), world.provider.signed.size]).toEqual(['failed', 0, 0]);
});
