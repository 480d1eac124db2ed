// A swap from its preparation to its fill, on a real chain: what a wallet may sign, what it signed, and the outcome.
import { createAssociatedTokenAccountInstruction, createTransferInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { AddressLookupTableAccount, PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { beforeEach, expect, test } from 'vitest';
import { swapSubject } from '../../../actors/prepared-transaction/swap-purpose.ts';
import { verifyBooks } from '../../../src/adapters/store/books/book-verifier.ts';
import { createReserveStore } from '../../../src/adapters/store/vaults/reserve-store.ts';
import { CATALOG, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { compareReserves, walletPlace } from '../../../src/domain/books/reserves.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { hashBytes, fromBase64 } from '../../../src/domain/solana/verify.ts';
import { keyOf, LIGHTHOUSE } from '../../domain/solana/honest-transactions.ts';
import { AAPLX, must, ORG, preparedSwap, type SwapFixture, signedBy, swapFixture } from './swap-fixture.ts';

let fixture: SwapFixture;
beforeEach(async () => {
  fixture = await swapFixture();
  return () => fixture.close();
});

async function held(mint: string): Promise<bigint> {
  const balances = must(await fixture.node.balancesOf(fixture.wallet.publicKey.toBase58()));
  return balances.tokens.find((token) => token.mint === mint)?.amount ?? 0n;
}
const AAPL_MINT = CATALOG.byKey(AAPLX)?.token?.mint as string;

/** Advances slots until the transaction has ended. */
async function untilEnded(id: string): Promise<void> {
  for (let round = 0; round < 40; round++) {
    fixture.chain.advance(8);
    await fixture.pass(3_000);
    if (['finalized', 'failed', 'expired'].includes((await fixture.find(id)).state)) return;
  }
  throw new Error(`it is still ${JSON.stringify(await fixture.find(id))}`);
}

test('prepared, signed, executed, finalized: one fill of the wallet’s real balance change, and the ledger sums to zero', async () => {
  const before = { usdc: await held(USDC_MINT), aapl: await held(AAPL_MINT) };
  const order = await preparedSwap(fixture);
  expect(order).toMatchObject({ state: 'prepared', purpose: 'swap', signature: null, fills: [] });
  // The stored message is the one given to the wallet, and its digest matches.
  const stored = await fixture.find(order.id);
  expect(stored.unsigned).toBe(order.unsigned);
  const read = must(readTransaction(fromBase64(order.unsigned) as Uint8Array));
  expect(hashBytes(read.message)).toBe(order.message.digest);
  expect(order.message.requiredSigners[0]).toBe(fixture.wallet.publicKey.toBase58());

  const executed = must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  expect(executed.state).toBe('submitted');
  expect(executed.signature).not.toBeNull();
  await fixture.work();
  expect(['broadcast', 'confirmed']).toContain((await fixture.find(order.id)).state);
  expect(await fixture.booked()).toEqual({ fills: 0, sums: 0 });
  await untilEnded(order.id);

  const done = await fixture.find(order.id);
  expect(done).toMatchObject({ state: 'finalized', reason: null });
  expect(done.fills).toHaveLength(1);
  const after = { usdc: await held(USDC_MINT), aapl: await held(AAPL_MINT) };
  const { promise } = swapSubject(done);
  expect(before.usdc - after.usdc).toBe(BigInt(promise.inAmount));
  expect(after.aapl - before.aapl).toBe(BigInt(promise.outAmount));
  // The book's dollars equal the wallet's, to the last unit. AAPLx is not scaled and has eight decimals.
  const [book] = await fixture.sql<{ capital: string; cash: string; holdings: { quantity: string }[] }[]>`
    select capital_usd::text as capital, cash_usd::text as cash, holdings from books where id = ${`manual:${ORG}:live`}`;
  expect(
    new Decimal(book?.capital as string)
      .minus(book?.cash as string)
      .times(1e6)
      .toFixed(),
  ).toBe((before.usdc - after.usdc).toString());
  expect(new Decimal(book?.holdings[0]?.quantity as string).times(1e8).toFixed()).toBe((after.aapl - before.aapl).toString());
  expect(await fixture.booked()).toEqual({ fills: 1, sums: 0 });
  expect(fixture.errors).toEqual([]);
});

test('a position is sold again; more than book and wallet hold is refused', async () => {
  const buy = await preparedSwap(fixture, { amount: '500' });
  must(await fixture.swaps.execute(fixture.context(), buy.id, signedBy(fixture.wallet, buy.unsigned)));
  await fixture.work();
  await untilEnded(buy.id);
  await fixture.cut();
  await fixture.receive();
  const [fill] = (await fixture.find(buy.id)).fills;
  const half = new Decimal(fill?.quantity as string).div(2).toDecimalPlaces(6, Decimal.ROUND_DOWN).toFixed();
  const whole = new Decimal(fill?.quantity as string).plus(1).toDecimalPlaces(6).toFixed();
  const refused = await fixture.swaps.prepare(fixture.context(), fixture.wish({ side: 'sell', amount: whole }));
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'reduce_only' }] } });
  const sell = await preparedSwap(fixture, { side: 'sell', amount: half });
  must(await fixture.swaps.execute(fixture.context(), sell.id, signedBy(fixture.wallet, sell.unsigned)));
  await fixture.work();
  await untilEnded(sell.id);
  const done = await fixture.find(sell.id);
  expect(done).toMatchObject({ state: 'finalized', fills: [{ side: 'sell' }] });
  expect(await fixture.booked()).toEqual({ fills: 2, sums: 0 });
});

test("a wallet's own tokens can be sold without a book position; more than it holds is refused", async () => {
  // Received from someone else: the manual book does not know it.
  fixture.fund(AAPL_MINT, 200_000_000n);
  fixture.solana.chain.finalize();
  const refused = await fixture.swaps.prepare(fixture.context(), fixture.wish({ side: 'sell', amount: '2.000001' }));
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'reduce_only' }] } });
  const sell = await preparedSwap(fixture, { side: 'sell', amount: '2' });
  // A pending sale reserves its quantity.
  const twice = await fixture.swaps.prepare(fixture.context(), fixture.wish({ side: 'sell', amount: '1' }));
  expect(twice).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'reduce_only' }] } });
  must(await fixture.swaps.execute(fixture.context(), sell.id, signedBy(fixture.wallet, sell.unsigned)));
  await fixture.work();
  await untilEnded(sell.id);
  const done = await fixture.find(sell.id);
  expect(done).toMatchObject({ state: 'finalized', fills: [{ side: 'sell', quantity: '2' }] });
  expect(await held(AAPL_MINT)).toBe(0n);
  // The tokens were booked at the price of their sale: no profit, and nothing is left.
  const [book] = await fixture.sql`
    select capital_usd::text as capital, cash_usd::text as cash, realized_pnl_usd::text as realized, holdings from books where id = ${`manual:${ORG}:live`}`;
  expect(book).toEqual({ capital: '0', cash: '0', realized: '0', holdings: [] });
  expect(await fixture.booked()).toEqual({ fills: 1, sums: 0 });
  const complaints: unknown[] = [];
  await fixture.sql.begin((sql) => verifyBooks(sql, (...complaint) => complaints.push(complaint)));
  expect(complaints).toEqual([]);
  expect(fixture.errors).toEqual([]);
});

test('a wallet that inserts its guard gets its program named; nothing is sent, and honest bytes still pass', async () => {
  const order = await preparedSwap(fixture);
  const guarded = await withGuard(order.unsigned);
  const refused = await fixture.swaps.execute(fixture.context(), order.id, guarded);
  expect(refused).toMatchObject({
    ok: false,
    refusal: { code: 'signed_bytes_differ', difference: { inserted: [{ program: LIGHTHOUSE.toBase58(), name: 'Lighthouse' }] } },
  });
  expect((await fixture.find(order.id)).state).toBe('prepared');
  await fixture.work();
  expect(fixture.solana.requests.get('sendTransaction') ?? 0).toBe(0);
  expect(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned))).toMatchObject({ ok: true });
});

/** Adds a transaction guard at the end, as a wallet does. */
async function withGuard(unsigned: string): Promise<string> {
  const transaction = VersionedTransaction.deserialize(Buffer.from(unsigned, 'base64'));
  const tables = await Promise.all(
    transaction.message.addressTableLookups.map(
      async ({ accountKey }) =>
        new AddressLookupTableAccount({
          key: accountKey,
          state: {
            deactivationSlot: 0xffff_ffff_ffff_ffffn,
            lastExtendedSlot: 0,
            lastExtendedSlotStartIndex: 0,
            addresses: ((await fixture.node.lookupTable(accountKey.toBase58())) ?? []).map((address) => new PublicKey(address)),
          },
        }),
    ),
  );
  const decompiled = TransactionMessage.decompile(transaction.message, { addressLookupTableAccounts: tables });
  decompiled.instructions.push(
    new TransactionInstruction({
      programId: LIGHTHOUSE,
      keys: [{ pubkey: fixture.wallet.publicKey, isSigner: false, isWritable: false }],
      data: Buffer.of(1, 2),
    }),
  );
  const changed = new VersionedTransaction(decompiled.compileToV0Message(tables));
  changed.sign([fixture.wallet]);
  return Buffer.from(changed.serialize()).toString('base64');
}

test('fifty submissions of the same bytes at once, and again later, are one broadcast and one fill', async () => {
  const order = await preparedSwap(fixture);
  const signed = signedBy(fixture.wallet, order.unsigned);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => fixture.swaps.execute(fixture.context(`s${index}`), order.id, signed)),
  );
  expect(answers.filter(({ ok }) => !ok)).toEqual([]);
  expect(new Set(answers.map((answer) => must(answer).signature)).size).toBe(1);
  const [{ n: submits }] =
    (await fixture.sql`select count(*)::int as n from steps where actor_id = ${order.id} and event->>'type' = 'submit'`) as [{ n: number }];
  expect(submits).toBe(1);
  await fixture.work();
  expect(fixture.solana.requests.get('sendTransaction')).toBe(1);
  await untilEnded(order.id);
  const again = await Promise.all(Array.from({ length: 5 }, () => fixture.swaps.execute(fixture.context(), order.id, signed)));
  expect(again.map((answer) => must(answer).state)).toEqual(Array(5).fill('finalized'));
  await fixture.pass(86_400_000);
  expect(must(await fixture.swaps.execute(fixture.context(), order.id, signed)).state).toBe('finalized');
  expect(fixture.solana.requests.get('sendTransaction')).toBe(1);
  expect(await fixture.booked()).toEqual({ fills: 1, sums: 0 });
  const other = Buffer.from(signed, 'base64');
  other[5] = (other[5] as number) ^ 1;
  expect(await fixture.swaps.execute(fixture.context(), order.id, other.toString('base64'))).toMatchObject({
    ok: false,
    refusal: { code: 'state_conflict' },
  });
});

test('a broadcast with a lost answer is unknown, and only the chain resolves it', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  const lossy = {
    ...fixture.node,
    broadcast: async (bytes: Uint8Array) => {
      await fixture.node.broadcast(bytes);
      return { outcome: 'unknown' as const, detail: 'the answer was lost' };
    },
  };
  await fixture.work({ chain: lossy });
  expect(await fixture.find(order.id)).toMatchObject({ state: 'unknown', reason: 'outcome_unknown' });
  expect(
    await fixture.sql`select 1 from announcements where channel = 'alerts' and body->>'what' = 'transaction_outcome_unknown'`,
  ).toHaveLength(1);
  await untilEnded(order.id);
  expect(await fixture.find(order.id)).toMatchObject({ state: 'finalized', reason: null });
  expect(await fixture.booked()).toEqual({ fills: 1, sums: 0 });
});

test('bytes lost by the chain are sent again unchanged until they land', async () => {
  const order = await preparedSwap(fixture);
  fixture.chain.intake('lose');
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  await fixture.work();
  for (let round = 0; round < 3; round++) await fixture.pass(2_500);
  expect((await fixture.find(order.id)).state).toBe('broadcast');
  expect(fixture.solana.requests.get('sendTransaction')).toBeGreaterThan(2);
  fixture.chain.intake('land');
  await untilEnded(order.id);
  expect((await fixture.find(order.id)).state).toBe('finalized');
  expect(await fixture.booked()).toEqual({ fills: 1, sums: 0 });
});

test('an order that never lands expires by two proofs: the finalized height, and a look-up after it', async () => {
  const order = await preparedSwap(fixture);
  fixture.chain.intake('lose');
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  await fixture.work();
  // The height is no proof until it is final, and a look-up is none before that height.
  await fixture.pass(2_500);
  expect((await fixture.find(order.id)).state).toBe('broadcast');
  const seen: string[] = [];
  const watched = {
    ...fixture.node,
    blockHeight: async (commitment: 'finalized') => {
      const height = await fixture.node.blockHeight(commitment);
      seen.push(`${commitment} ${height > order.message.lastValidBlockHeight ? 'past' : 'before'}`);
      return height;
    },
    status: async (signature: string) => {
      seen.push('look-up');
      return fixture.node.status(signature);
    },
  };
  fixture.chain.expireBlockhashes();
  fixture.chain.finalize();
  await fixture.pass(2_500, { chain: watched });
  expect(await fixture.find(order.id)).toMatchObject({ state: 'expired' });
  expect(seen.slice(-3)).toEqual(['look-up', 'finalized past', 'look-up']);
  const [row] =
    await fixture.sql`select expired_at_height > (message->>'lastValidBlockHeight')::bigint as past from prepared_transactions where id = ${order.id}`;
  expect(row).toEqual({ past: true });
  expect(await fixture.booked()).toEqual({ fills: 0, sums: 0 });
});

test('an unsigned order expires by itself and releases its reservation', async () => {
  const order = await preparedSwap(fixture);
  fixture.chain.expireBlockhashes();
  fixture.chain.finalize();
  await fixture.pass(16_000);
  expect(await fixture.find(order.id)).toMatchObject({ state: 'expired', signature: null });
  const late = await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned));
  expect(late).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
});

test('a swap undone by a fork is not booked until it is final again', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  await fixture.work();
  const { signature } = await fixture.find(order.id);
  fixture.chain.advance(2);
  await fixture.pass(2_500);
  expect((await fixture.find(order.id)).state).toBe('confirmed');
  expect(fixture.chain.drop(signature as string)).toBe(true);
  await fixture.pass(2_500);
  expect((await fixture.find(order.id)).state).toBe('confirmed');
  expect(await fixture.booked()).toEqual({ fills: 0, sums: 0 });
  // It never returns: the two proofs end it.
  fixture.chain.expireBlockhashes();
  fixture.chain.finalize();
  await fixture.pass(2_500);
  expect((await fixture.find(order.id)).state).toBe('expired');
  expect(await fixture.booked()).toEqual({ fills: 0, sums: 0 });
});

test('a node that reports a wrong height ends nothing that the chain has', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  fixture.chain.misreportHeight(100_000);
  await fixture.work();
  fixture.chain.advance(2);
  await fixture.pass(2_500);
  expect((await fixture.find(order.id)).state).toBe('confirmed');
  fixture.chain.misreportHeight(0);
  await untilEnded(order.id);
  expect((await fixture.find(order.id)).state).toBe('finalized');
});

test('a swap that fails on the chain is final without a fill', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  const landing = { ...fixture.node, simulate: async () => ({ error: null, logs: [], unitsConsumed: null, changes: KEPT(order) }) };
  // Between the last check and the block, the wallet's dollars were spent elsewhere.
  await emptied();
  await fixture.work({ chain: { ...landing, broadcast: async (bytes) => landAnyway(bytes) } });
  await untilEnded(order.id);
  expect(await fixture.find(order.id)).toMatchObject({ state: 'failed', reason: 'failed_on_chain', fills: [] });
  expect(await fixture.booked()).toEqual({ fills: 0, sums: 0 });
});

/** Balances that satisfy an order. */
const KEPT = (order: Awaited<ReturnType<typeof preparedSwap>>) => {
  const { promise } = swapSubject(order);
  const owner = promise.wallet;
  return {
    lamports: [],
    tokens: [
      { account: 'a', mint: promise.input.mint, owner, before: promise.inAmount, after: '0' },
      { account: 'b', mint: promise.output.mint, owner, before: '0', after: promise.outAmount },
    ],
  };
};

/** Empties the wallet of its dollars. */
async function emptied(): Promise<void> {
  const mint = new PublicKey(USDC_MINT);
  const from = getAssociatedTokenAddressSync(mint, fixture.wallet.publicKey);
  const other = keyOf(99).publicKey;
  const to = getAssociatedTokenAddressSync(mint, other);
  const { blockhash } = await fixture.node.latestBlockhash('confirmed');
  const message = new TransactionMessage({
    payerKey: fixture.wallet.publicKey,
    recentBlockhash: blockhash,
    instructions: [
      createAssociatedTokenAccountInstruction(fixture.wallet.publicKey, to, other, mint),
      createTransferInstruction(from, to, fixture.wallet.publicKey, await held(USDC_MINT)),
    ],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  transaction.sign([fixture.wallet]);
  expect(await fixture.node.broadcast(transaction.serialize())).toEqual({ outcome: 'sent' });
}

/** Sends without the preflight check. */
async function landAnyway(bytes: Uint8Array): Promise<{ readonly outcome: 'sent' }> {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'sendTransaction',
    params: [Buffer.from(bytes).toString('base64'), { encoding: 'base64', skipPreflight: true }],
  };
  const answer = await fetch(fixture.solana.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(await answer.json()).toMatchObject({ result: expect.any(String) });
  return { outcome: 'sent' };
}

test('a wallet that lacks the dollars is refused before anything is stored', async () => {
  const refused = await fixture.swaps.prepare(fixture.context(), fixture.wish({ amount: '20000' }));
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'insufficient_balance' }] } });
  expect(await fixture.sql`select 1 from prepared_transactions`).toEqual([]);
});

test('dollars gone before the broadcast prevent it: nothing is filled, and it ends by its two proofs', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  await emptied();
  fixture.chain.advance(1);
  await fixture.work();
  expect(await fixture.find(order.id)).toMatchObject({ state: 'refused', reason: 'simulation_failed' });
  expect(fixture.solana.requests.get('sendTransaction')).toBe(1);
  fixture.chain.expireBlockhashes();
  fixture.chain.finalize();
  await fixture.pass(11_000);
  expect(await fixture.find(order.id)).toMatchObject({ state: 'expired', reason: 'simulation_failed' });
  expect(await fixture.booked()).toEqual({ fills: 0, sums: 0 });
});

test('a lookup table that changed before the broadcast stops it', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  const stranger = keyOf(66).publicKey.toBase58();
  const lying = {
    ...fixture.node,
    lookupTable: async (table: string) => ((await fixture.node.lookupTable(table)) ?? []).map(() => stranger),
  };
  await fixture.work({ chain: lying });
  expect(await fixture.find(order.id)).toMatchObject({ state: 'refused', reason: 'lookup_table_changed' });
  expect(fixture.solana.requests.get('sendTransaction') ?? 0).toBe(0);
});

test('a simulation that breaks the promise stops the broadcast', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  const { promise } = swapSubject(order);
  const kept = KEPT(order);
  const tokens = kept.tokens.map((one) => (one.mint === promise.output.mint ? { ...one, after: '1' } : one));
  const poor = {
    ...fixture.node,
    simulate: async () => ({ error: null, logs: [], unitsConsumed: null, changes: { lamports: [], tokens } }),
  };
  await fixture.work({ chain: poor });
  expect(await fixture.find(order.id)).toMatchObject({ state: 'refused', reason: 'promise_broken' });
  expect(fixture.solana.requests.get('sendTransaction') ?? 0).toBe(0);
});

test('signed bytes altered in the database are not sent', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  const other = must(await fixture.swaps.prepare(fixture.context(), fixture.wish({ amount: '77' })));
  const bytes = signedBy(fixture.wallet, other.unsigned);
  await fixture.sql`update actors set snapshot = jsonb_set(snapshot, '{context,signedBase64}', to_jsonb(${bytes}::text)) where id = ${order.id}`;
  await fixture.work();
  expect(await fixture.find(order.id)).toMatchObject({ state: 'refused', reason: 'signed_bytes_differ' });
  expect(fixture.solana.requests.get('sendTransaction') ?? 0).toBe(0);
});

test.each(['other_recipient', 'half_output', 'takes_all'] as const)('a route that cheats (%s) is never stored', async (how) => {
  fixture.aggregator.cheat(how);
  const refused = await fixture.swaps.prepare(fixture.context(), fixture.wish());
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'route_refused' } });
  expect(await fixture.sql`select 1 from prepared_transactions`).toEqual([]);
});

test.each(['stale', 'delayed', 'degraded', 'halted'] as const)('a %s quote buys nothing, and is not quoted', async (quality) => {
  await fixture.receive(quality);
  const wish = fixture.wish();
  for (const outcome of [await fixture.swaps.prepare(fixture.context(), wish), await fixture.swaps.quote(ORG, wish)])
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'quote_not_live' }] } });
});

test('a quote that is no longer live stops the submission; the same bytes pass once it is live', async () => {
  const order = await preparedSwap(fixture);
  const signed = signedBy(fixture.wallet, order.unsigned);
  await fixture.receive('stale');
  expect(await fixture.swaps.execute(fixture.context(), order.id, signed)).toMatchObject({
    ok: false,
    refusal: { code: 'blocked_by_risk' },
  });
  expect((await fixture.find(order.id)).state).toBe('prepared');
  await fixture.receive();
  expect(must(await fixture.swaps.execute(fixture.context(), order.id, signed)).state).toBe('submitted');
});

test('a mandate that was tightened since the preparation holds at the execution', async () => {
  const order = await preparedSwap(fixture);
  await fixture.sql`
    insert into risk_preferences (org_id, version, body, set_by) values (${ORG}, 1, ${fixture.sql.json({ maxTradeNotionalUsd: '100' })}, 'risk')`;
  const refused = await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned));
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'notional_limit_breach' }] } });
});

test('prepared orders reserve capital: together they never exceed the mandate, however many are requested at once', async () => {
  await fixture.sql`
    insert into risk_preferences (org_id, version, body, set_by) values (${ORG}, 1, ${fixture.sql.json({ maxCapitalUsd: '1000' })}, 'risk')`;
  const asked = await Promise.all(
    Array.from({ length: 8 }, (_, index) => fixture.swaps.prepare(fixture.context(), fixture.wish({ amount: String(300 + index) }))),
  );
  const prepared = asked.flatMap((outcome) => (outcome.ok ? [outcome.value] : []));
  const [{ usd }] = (await fixture.sql`select coalesce(sum(notional_usd), 0)::text as usd from prepared_transactions`) as [{ usd: string }];
  expect(prepared.length).toBeGreaterThan(0);
  expect(prepared.length).toBeLessThanOrEqual(3);
  expect(new Decimal(usd).lte(1_000)).toBe(true);
  for (const outcome of asked) if (!outcome.ok) expect(['blocked_by_risk', 'unavailable']).toContain(outcome.refusal.code);
});

test('a purchase cannot use dollars reserved by vaults, counting what waits for a signature; a sale uses none', async () => {
  const address = fixture.wallet.publicKey.toBase58();
  const place = { place: walletPlace(address), venue: 'spotchain', known: true, dollars: '10000', assets: new Map() } as const;
  const claims = {
    cashUsd: '9700',
    cashAt: { spotexchange: '0', spotchain: '0' },
    holdings: [],
    depositedUsd: '9700',
    books: { cashUsd: '9700', capitalUsd: '0' },
  };
  await createReserveStore(fixture.sql).keep(ORG, compareReserves(claims, [place], fixture.clock.now()), null);
  const refused = await fixture.swaps.prepare(fixture.context(), fixture.wish({ amount: '301' }));
  expect(refused).toMatchObject({
    ok: false,
    refusal: { code: 'blocked_by_risk', rejections: [{ code: 'insufficient_balance', limit: '300', after: '301' }] },
  });
  await preparedSwap(fixture, { amount: '200' });
  // The first one waits for its signature.
  expect(await fixture.swaps.prepare(fixture.context(), fixture.wish({ amount: '101' }))).toMatchObject({
    ok: false,
    refusal: { rejections: [{ code: 'insufficient_balance', limit: '100' }] },
  });
  fixture.fund(AAPL_MINT, 200_000_000n);
  fixture.solana.chain.finalize();
  await preparedSwap(fixture, { side: 'sell', amount: '1' });
});

test('at most twenty are open at once', async () => {
  for (let index = 0; index < 20; index++) await preparedSwap(fixture, { amount: String(10 + index) });
  expect(await fixture.swaps.prepare(fixture.context(), fixture.wish({ amount: '10' }))).toMatchObject({
    ok: false,
    refusal: { code: 'too_many_prepared' },
  });
});

test('the same message is prepared once: no order can claim the fill of another', async () => {
  await preparedSwap(fixture);
  expect(await fixture.swaps.prepare(fixture.context(), fixture.wish())).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  fixture.chain.advance(1);
  expect(await fixture.swaps.prepare(fixture.context(), fixture.wish())).toMatchObject({ ok: true });
});

test('another organization finds no such order, and neither does another purpose', async () => {
  const order = await preparedSwap(fixture);
  const signed = signedBy(fixture.wallet, order.unsigned);
  const foreign = await fixture.swaps.execute(fixture.context('eve', '00000000-0000-7000-8000-0000000000ff'), order.id, signed);
  const missing = await fixture.swaps.execute(
    fixture.context('eve', '00000000-0000-7000-8000-0000000000ff'),
    '00000000-0000-7000-8000-00000000ffff',
    signed,
  );
  expect(foreign).toEqual(missing);
  expect(foreign).toMatchObject({ ok: false, refusal: { code: 'not_found' } });
});

test('an order prepared before a halt cannot be submitted after it, and a submitted one is not sent', async () => {
  const [first, second] = [await preparedSwap(fixture), await preparedSwap(fixture, { amount: '100' })];
  must(await fixture.swaps.execute(fixture.context(), first.id, signedBy(fixture.wallet, first.unsigned)));
  expect(await fixture.commands.emergencyHalt(fixture.context())).toMatchObject({ ok: true });
  await fixture.work();
  expect(fixture.solana.requests.get('sendTransaction') ?? 0).toBe(0);
  expect(await fixture.find(first.id)).toMatchObject({ state: 'refused', reason: 'halted' });
  const late = await fixture.swaps.execute(fixture.context(), second.id, signedBy(fixture.wallet, second.unsigned));
  expect(late).toMatchObject({ ok: false, refusal: { code: 'halted' } });
  expect((await fixture.find(second.id)).state).toBe('prepared');
});
