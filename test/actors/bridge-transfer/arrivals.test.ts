// Payments that do not belong to a transfer: older ones, and those that settled another transfer, over real stores, chains and providers.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { writeRecords } from '../../../src/adapters/store/actors/actor-records.ts';
import { inTransaction } from '../../../src/adapters/store/actors/actor-store.ts';
import { createReserveStore } from '../../../src/adapters/store/vaults/reserve-store.ts';
import { settledArrivals } from '../../../src/adapters/store/bridge/bridge-transfer-store.ts';
import type { BridgeTransfer } from '../../../actors/bridge-transfer/resource.ts';
import { compareReserves, walletPlace } from '../../../src/domain/books/reserves.ts';
import { EVM_WALLET, signEvm, signSolana, TOKEN, wishFrom } from '../../adapters/bridge/bridge-world.ts';
import { type BridgeFixture, ORG, openBridgeFixture, STRANGER } from './bridge-fixture.ts';

let fixture: BridgeFixture;
beforeAll(async () => {
  fixture = await openBridgeFixture();
}, 300_000);
afterEach(() => {
  fixture.world.relaySimulator.script.trouble(null);
  fixture.world.cctpSimulator.script.trouble(null);
});
afterAll(() => fixture?.close());

const SLOW = { timeout: 600_000 };

/** Follows a transfer until it has stayed in this state for some checks. */
async function settledIn(id: string, state: string): Promise<BridgeTransfer> {
  let stood = 0;
  for (let look = 0; look < 60; look++) {
    fixture.pass();
    await fixture.round();
    stood = (await fixture.view(id)).state === state ? stood + 1 : 0;
    if (stood === 4) return fixture.view(id);
  }
  throw new Error(`it is ${JSON.stringify((await fixture.view(id)).axes)}`);
}

describe.each(['evmvenue', 'spotchain'] as const)('from %s', (from) => {
  test('a provider that names a payment of before the quote is not believed, and told of once', SLOW, async () => {
    fixture.world.relaySimulator.script.trouble('names_older_payment');
    const { id } = await fixture.submitted(from, 'relay');
    const found = await settledIn(id, 'unknown');
    expect(found.axes.provider.state).toBe('filled');
    expect(found.axes.destination).toMatchObject({ state: 'foreign', objection: 'older' });
    expect(found.attentions).toContain('fill_older_than_quote');
    expect((await fixture.alertsOf(id)).filter((what) => what !== 'bridge_transfer_delayed')).toEqual(['bridge_fill_older_than_quote']);
    // Nothing ties the payment to this transfer: it settles neither.
    expect(await settledArrivals(fixture.sql).settledBy(found.wish.to, found.axes.destination.hash as string)).toBeNull();
  });

  test.each(['relay', 'cctp'] as const)(
    '%s names the payment of another transfer to the same recipient: it counts once',
    SLOW,
    async (provider) => {
      const simulator = provider === 'relay' ? fixture.world.relaySimulator : fixture.world.cctpSimulator;
      simulator.script.trouble('names_used_payment');
      // Quoted first, so that the other transfer's payment is not older.
      const late = await fixture.quoted(from, provider);
      simulator.script.trouble(null);
      const first = await fixture.submitted(from, provider);
      const ended = await fixture.followed(first.id);
      expect(ended.state).toBe('completed');
      simulator.script.trouble('names_used_payment');
      const { id } = await fixture.signedAndSubmitted(late);
      const found = await settledIn(id, 'unknown');
      expect(found.axes.destination).toMatchObject({ state: 'foreign', objection: 'settled_another', hash: ended.axes.destination.hash });
      expect((await fixture.alertsOf(id)).filter((what) => what !== 'bridge_transfer_delayed')).toEqual([
        'bridge_fill_of_another_transfer',
      ]);
      expect((await fixture.view(first.id)).state).toBe('completed');
    },
  );
});

test('of two processes that end two transfers by one payment at once, the database commits one', SLOW, async () => {
  const one = await fixture.submitted('evmvenue', 'relay');
  // Sent, so that the next one gets the following nonce.
  await fixture.round();
  const two = await fixture.submitted('evmvenue', 'relay');
  await fixture.round();
  const hash = 'one payment for both';
  const claim = ({ id, hash: sourceHash }: BridgeTransfer) =>
    inTransaction(fixture.sql, (transaction) =>
      writeRecords(transaction, [
        { type: 'bridge_arrival', chain: 'spotchain', hash, kind: 'payment', transferId: id, sourceChain: 'evmvenue', sourceHash },
      ]),
    );
  const outcomes = await Promise.allSettled([claim(one), claim(two)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const failed = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(String(failed.reason)).toContain('has settled transfer');
  const winner = outcomes[0]?.status === 'fulfilled' ? one : two;
  // Another run of the same process changes nothing.
  await claim(winner);
  expect(await settledArrivals(fixture.sql).settledBy('spotchain', hash)).toBe(winner.id);
  await expect(fixture.sql`delete from bridge_arrivals where hash = ${hash}`).rejects.toThrow();
  await expect(fixture.sql`update bridge_arrivals set source_hash = 'other' where hash = ${hash}`).rejects.toThrow();
});

test('the database ends no transfer by money that is not recorded as its own', SLOW, async () => {
  const { id } = await fixture.submitted('evmvenue', 'relay');
  for (const state of ['completed', 'refunded'])
    await expect(fixture.sql`update bridge_transfers set state = ${state} where id = ${id}`).rejects.toThrow('no arrival of its own');
  expect((await fixture.followed(id)).state).toBe('completed');
});

test('a payment that a first transfer has ended by is not taken by a second one that saw it before', SLOW, async () => {
  // Both see the final payment before either has ended: the second step is refused, checks again and reports why.
  fixture.world.relaySimulator.script.trouble('names_used_payment');
  const late = await fixture.quoted('evmvenue', 'relay');
  fixture.world.relaySimulator.script.trouble(null);
  const first = await fixture.submitted('evmvenue', 'relay');
  await fixture.round();
  const second = await fixture.signedAndSubmitted(late);
  for (let look = 0; look < 40; look++) {
    fixture.pass();
    await fixture.round();
    const [a, b] = [await fixture.view(first.id), await fixture.view(second.id)];
    expect([a.state, b.state].filter((state) => state === 'completed').length).toBeLessThanOrEqual(1);
  }
  const states = [(await fixture.view(first.id)).state, (await fixture.view(second.id)).state];
  expect(states).toContain('completed');
  expect(states).toContain('unknown');
});

test('a transaction of before the quote that says the same is not the transfer’s', SLOW, async () => {
  const before = await fixture.quoted('evmvenue', 'cctp');
  const { transaction } = before;
  if (transaction.kind !== 'evm') throw new Error('not of the EVM chain');
  const { ledger } = fixture.world;
  ledger.setBalance(EVM_WALLET.address, TOKEN, 10_000_000_000n);
  if (transaction.approval !== null) ledger.submit(await signEvm(transaction.approval, ledger.nonce(EVM_WALLET.address)));
  const hash = ledger.submit(await signEvm(transaction, ledger.nonce(EVM_WALLET.address)));
  fixture.pass();
  const anew = await fixture.quoted('evmvenue', 'cctp');
  expect(anew.transaction).toMatchObject({ to: transaction.to, value: transaction.value });
  const taken = await fixture.commands.submit(fixture.contextOf(), anew.id, { hash });
  expect(taken.ok).toBe(true);
  const ended = await fixture.followed(anew.id);
  expect(ended.state).toBe('failed');
  expect(ended.axes.source).toMatchObject({ state: 'other', detail: expect.stringContaining('older than the quote') });
});

describe('a deposit of another organization', () => {
  test.each(['relay', 'cctp'] as const)('is not taken for the own of a quote of the same terms by %s', SLOW, async (provider) => {
    const { commands, contextOf } = fixture;
    const stranger = () => ({ ...contextOf(), orgId: STRANGER });
    const wish = { ...wishFrom('evmvenue', '25'), preference: 'received' as const, provider };
    fixture.world.catchUp();
    const copied = await commands.quote(stranger(), wish);
    if (!copied.ok) throw new Error(copied.refusal.detail);
    const ours = await fixture.submitted('evmvenue', provider);
    const taken = await commands.submit(stranger(), copied.value.id, { hash: ours.hash as string });
    expect(taken.ok).toBe(true);
    // Both are followed in the same rounds.
    expect((await fixture.followed(ours.id)).state).toBe('completed');
    for (let look = 0; look < 4; look++) {
      fixture.pass();
      await fixture.round();
    }
    const [theirs] = await fixture.sql`select state, body #> '{axes,source}' as source from bridge_transfers where id = ${copied.value.id}`;
    expect(theirs).toMatchObject({ state: 'failed', source: { state: 'other', detail: expect.stringContaining('data') } });
  });

  test('ends no transfer by its arrival, whatever source transaction the transfer names', SLOW, async () => {
    const ours = await fixture.followed((await fixture.submitted('evmvenue', 'cctp')).id);
    const copied = await fixture.submitted('evmvenue', 'cctp');
    const arrival = fixture.sql.json({ hash: ours.axes.destination.hash });
    await expect(
      fixture.sql`update bridge_transfers set state = 'completed', body = jsonb_set(body, '{axes,destination}', ${arrival}) where id = ${copied.id}`,
    ).rejects.toThrow('no arrival of its own');
    const claim = inTransaction(fixture.sql, (transaction) =>
      writeRecords(transaction, [
        {
          type: 'bridge_arrival',
          chain: 'spotchain',
          hash: ours.axes.destination.hash as string,
          kind: 'payment',
          transferId: copied.id,
          sourceChain: 'evmvenue',
          sourceHash: ours.hash,
        },
      ]),
    );
    await expect(claim).rejects.toThrow('has settled transfer');
  });
});

describe('a deposit that the provider swaps', () => {
  test.each([
    ['swaps_destination', 'spotchain', 'its destination account is'],
    ['swaps_order', 'spotchain', `its order id is 0x${'0d'.repeat(32)} instead of 0x`],
    ['swaps_destination', 'evmvenue', 'the deposit goes to 0x6666666666666666666666666666666666666666, not to the depository'],
    ['swaps_order', 'evmvenue', `it deposits for the order 0x${'0d'.repeat(32)} instead of 0x`],
  ] as const)('%s from %s is refused before it is shown, naming the field', async (how, from, words) => {
    fixture.world.relaySimulator.script.trouble(how);
    await expect(fixture.quoted(from, 'relay')).rejects.toThrow(words);
  });

  test('is refused at submission too if the stored terms differ from the quote', async () => {
    const honest = await fixture.quoted('spotchain', 'relay');
    const { transaction } = honest;
    if (transaction.kind !== 'solana') throw new Error('not of the primary chain');
    // The stored terms now belong to another order: the message to sign does not match.
    await fixture.sql`update actors set snapshot = jsonb_set(snapshot, '{context,source,call,data,2,hex}', ${fixture.sql.json('0e'.repeat(32))}) where id = ${honest.id}`;
    const signedTransaction = signSolana(transaction.unsignedBase64);
    const refused = await fixture.commands.submit(fixture.contextOf(), honest.id, { signedTransaction });
    expect(refused.ok ? null : refused.refusal).toMatchObject({
      code: 'signed_bytes_differ',
      detail: expect.stringContaining(`instead of 0x${'0e'.repeat(32)}`),
    });
    expect((await fixture.view(honest.id)).state).toBe('quoted');
  });
});

test('a transfer cannot use dollars that vaults have reserved, neither at the quote nor at a later signature', async () => {
  const { wish, id, transaction } = await fixture.quoted('spotchain', 'relay');
  const { sql, commands } = fixture;
  const wallet = { place: walletPlace(wish.sender), venue: 'spotchain', known: true, dollars: '1000', assets: new Map() } as const;
  const claims = {
    cashUsd: '976',
    cashAt: { spotexchange: '0', spotchain: '0' },
    holdings: [],
    depositedUsd: '0',
    books: { cashUsd: '976', capitalUsd: '976' },
  };
  const compare = (cashUsd: string) =>
    createReserveStore(sql).keep(
      ORG,
      compareReserves({ ...claims, cashUsd, books: { cashUsd, capitalUsd: '0' } }, [wallet], fixture.world.clock.now()),
      null,
    );
  await compare('976');
  const lacking = {
    ok: false,
    refusal: { code: 'blocked_by_risk', rejections: [{ code: 'insufficient_balance', limit: '24', after: '25' }] },
  };
  expect(
    await commands.quote(fixture.contextOf(), { ...wishFrom('spotchain', '25'), preference: 'received', provider: 'relay' }),
  ).toMatchObject(lacking);
  if (transaction.kind !== 'solana') throw new Error('it is signed on the other chain');
  const signedTransaction = signSolana(transaction.unsignedBase64);
  expect(await commands.submit(fixture.contextOf(), id, { signedTransaction })).toMatchObject(lacking);
  expect((await fixture.view(id)).state).toBe('quoted');
  // Nothing is bound on the other chain, and what its owner has sent is still followed.
  expect(
    await commands.quote(fixture.contextOf(), { ...wishFrom('evmvenue', '25'), preference: 'received', provider: 'relay' }),
  ).toMatchObject({ ok: true });
  await compare('975');
  expect(await commands.submit(fixture.contextOf(), id, { signedTransaction })).toMatchObject({ ok: true });
});
