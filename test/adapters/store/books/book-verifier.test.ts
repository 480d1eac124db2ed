// The trail verifier on books, ledger and vaults: intact as booked, and illegal changes are found.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Sql } from '../../../../src/adapters/store/database.ts';
import { verifyTrail } from '../../../../src/adapters/store/trail-verifier.ts';
import { bookIds } from '../../../../src/domain/books/book.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { payIntoVault } from '../../../harness/vault.ts';
import { createGateFixture, type GateFixture, ORG } from '../gates/gate-fixture.ts';

const T0 = Date.UTC(2026, 2, 2);
let fixture: GateFixture;
let app: Sql;
let superuser: Sql;
beforeAll(async () => {
  fixture = await createGateFixture(await testDatabase());
  ({ app, superuser } = fixture);
});
afterAll(() => fixture.close());

/** Agent that has traded on paper, with two deposits in its vault. */
let id = '';
beforeEach(async () => {
  id = await fixture.agentAt('limited_live', { evidence: 'absent' });
  await payIntoVault(app, ORG, id, '100', T0);
  await payIntoVault(app, ORG, id, '50', T0 + 1);
});

/** Returns the breaks found in the agent's books. */
async function found(): Promise<readonly (readonly [part: string, detail: string])[]> {
  const { breaks } = await verifyTrail(superuser);
  return breaks
    .filter(({ agentId, part }) => agentId === id && ['ledger', 'fill', 'book', 'vault'].includes(part))
    .map(({ part, detail }) => [part, detail] as const);
}

/** Changes rows as the superuser with the table's triggers disabled. */
async function behind(table: string, change: (sql: Sql) => Promise<unknown>): Promise<void> {
  await superuser.begin(async (transaction) => {
    await transaction`alter table ${transaction(table)} disable trigger all`;
    await change(transaction as unknown as Sql);
    await transaction`alter table ${transaction(table)} enable trigger all`;
  });
}

test('bookings are intact and counted', async () => {
  expect(await found()).toEqual([]);
  expect((await verifyTrail(superuser)).books).toBeGreaterThanOrEqual(2);
});

test('a book that the application was made to write wrongly', async () => {
  const paper = bookIds.paper(id, 1);
  await app`update books set cash_usd = cash_usd + 1000000 where id = ${paper}`;
  expect(await found()).toEqual([['book', expect.stringContaining(`book ${paper} says`)]]);
  await app`update books set cash_usd = cash_usd - 1000000, holdings = '[{"instrument":"spotchain:AAPLx","quantity":"7"}]' where id = ${paper}`;
  expect(await found()).toEqual([['book', expect.stringContaining('holds {"spotchain:AAPLx": 7}')]]);
});

test('an improved fill, and an invented one', async () => {
  const [fill] = await app<{ id: string }[]>`select id from fills where book_id = ${bookIds.paper(id, 1)} order by number limit 1`;
  await behind('fills', (sql) => sql`update fills set quantity = 50, notional_usd = 50 * fill_price where id = ${fill?.id as string}`);
  expect(await found()).toEqual([['fill', expect.stringContaining(`fill ${fill?.id} says buy 50 spotchain:AAPLx`)]]);
  await behind('fills', (sql) => sql`delete from fills where id = ${fill?.id as string}`);
  expect(await found()).toEqual([['fill', `ledger transaction fill:${fill?.id} is of a fill that is not on record`]]);
});

test('a changed leg of the ledger, and a missing one', async () => {
  const transaction = `transfer:vault:${id}:1`;
  await behind(
    'ledger_legs',
    (sql) => sql`update ledger_legs set amount = amount * 2 where transaction_id = ${transaction} and amount > 0`,
  );
  expect(await found()).toEqual(
    expect.arrayContaining([
      ['ledger', `ledger transaction ${transaction} of book ${bookIds.live(id)} does not balance`],
      ['vault', 'change 1 of the vault says a deposit of 100, the ledger moved 200 dollars'],
    ]),
  );
  await behind('ledger_legs', (sql) => sql`delete from ledger_legs where transaction_id = ${transaction}`);
  expect(await found()).toEqual(
    expect.arrayContaining([['ledger', `ledger transaction ${transaction} of book ${bookIds.live(id)} has 0 of 2 legs`]]),
  );
});

test('a deposit removed from the record, and shares that nobody paid for', async () => {
  await behind('vaults', (sql) => sql`update vaults set total_shares = total_shares + 1000 where agent_id = ${id}`);
  expect(await found()).toEqual([['vault', 'the vault says 1150 shares after 2 changes, its changes on record come to 150 after 2']]);
  await behind('vaults', (sql) => sql`update vaults set total_shares = total_shares - 1000 where agent_id = ${id}`);
  await behind('vault_changes', (sql) => sql`delete from vault_changes where agent_id = ${id} and change = 1`);
  expect((await found()).map(([, detail]) => detail)).toEqual(
    expect.arrayContaining([
      `transfer:vault:${id}:1 pays into or out of a live book beside its vault`,
      'the vault says 150 shares after 2 changes, its changes on record come to 50 after 1',
    ]),
  );
});
