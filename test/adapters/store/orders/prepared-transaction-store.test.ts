// Stored prepared transactions: the database keeps message, signature and outcome unchanged.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPreparedTransactions } from '../../../../src/adapters/store/orders/prepared-transaction-store.ts';
import { ORG, preparedSwap, type SwapFixture, swapFixture } from '../../../actors/prepared-transaction/swap-fixture.ts';
import { runQuery } from '../../../../src/adapters/store/queries.ts';

let fixture: SwapFixture;
let id: string;
beforeAll(async () => {
  fixture = await swapFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  fixture.chain.advance(1);
  await fixture.receive();
  ({ id } = await preparedSwap(fixture));
});

const update = (fields: Record<string, unknown>) => fixture.sql`update prepared_transactions set ${fixture.sql(fields)} where id = ${id}`;

test.each<[string, Record<string, unknown>]>([
  ['wallet', { wallet: 'another' }],
  ['unsigned', { unsigned: 'AAAA' }],
  ['preparedBy', { prepared_by: 'eve' }],
  ['epoch', { epoch: 9 }],
  ['what it reserves', { notional_usd: '1' }],
  ['purpose', { purpose: 'launch' }],
])('its subject does not change: %s', async (_, fields) => {
  await expect(update(fields)).rejects.toThrow('permission denied for table prepared_transactions');
});

test('the message does not change, and its digest matches from the start', async () => {
  await expect(
    fixture.sql`update prepared_transactions set message = message || '{"lastValidBlockHeight": 9}' where id = ${id}`,
  ).rejects.toThrow('permission denied for table prepared_transactions');
  const forged = fixture.sql`
    insert into prepared_transactions (id, org_id, purpose, executor, wallet, subject, message, unsigned, prepared_by, epoch, state, created_at, changed_at)
    select gen_random_uuid(), org_id, purpose, executor, wallet, subject, message || '{"digest": "00"}', unsigned, prepared_by, epoch, 'prepared', 0, 0
    from prepared_transactions where id = ${id}`;
  await expect(forged).rejects.toThrow(/check constraint/);
});

test('signed bytes are named once, and nothing is sent without a name', async () => {
  await expect(update({ state: 'submitted' })).rejects.toThrow(/check constraint/);
  await update({ state: 'submitted', signature: `s-${id}`, submitted_by: 'ann' });
  await expect(update({ signature: 'another' })).rejects.toThrow(`the transaction was signed as s-${id}`);
  await expect(update({ signature: null, submitted_by: null })).rejects.toThrow('was signed as');
});

test('an end needs its proof and is final', async () => {
  await expect(update({ state: 'expired' })).rejects.toThrow(/check constraint/);
  await expect(update({ state: 'expired', expired_at_height: 1 })).rejects.toThrow(/check constraint/);
  await fixture.sql`
    update prepared_transactions set state = 'expired', expired_at_height = (message->>'lastValidBlockHeight')::bigint + 1 where id = ${id}`;
  await expect(update({ state: 'prepared' })).rejects.toThrow('the transaction has ended as expired');
});

test('nothing is deleted or emptied', async () => {
  const whoever = /permission denied|not deleted/;
  await expect(fixture.sql`delete from prepared_transactions where id = ${id}`).rejects.toThrow(whoever);
  await expect(fixture.sql`truncate prepared_transactions cascade`).rejects.toThrow();
});

test('an open one reserves in its book until it has ended', async () => {
  const book = `manual:${ORG}:live`;
  const mine = async () => (await runQuery(openPreparedTransactions(fixture.sql, ORG, book))).filter((one) => one.id === id);
  expect(await mine()).toMatchObject([{ side: 'buy', instrument: 'spotchain:AAPLx' }]);
  await update({ state: 'refused', signature: `r-${id}`, submitted_by: 'ann' });
  expect(await mine()).toHaveLength(1);
  await fixture.sql`
    update prepared_transactions set state = 'expired', expired_at_height = (message->>'lastValidBlockHeight')::bigint + 1 where id = ${id}`;
  expect(await mine()).toEqual([]);
});
