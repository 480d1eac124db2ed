/** Deposits into agents' vaults for tests of live capital: the rows of a real deposit, without its HTTP. */
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import type { Sql } from '../../src/adapters/store/database.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';

/** Deposits an amount, or the rest of the stage's limit, at one dollar a share. */
export async function payIntoVault(sql: Sql, orgId: string, agentId: string, amountUsd: string, at: number): Promise<void> {
  await sql.begin(async (transaction) => {
    const [vault] = await transaction<{ stage: string; changes: number; room: string }[]>`
      select a.stage, coalesce(v.changes, 0) as changes, vault_ceiling_usd(a.id) - coalesce(v.allocated_usd, 0) as room
      from agents a left join vaults v on v.agent_id = a.id where a.id = ${agentId}`;
    if (vault === undefined) throw new Error(`there is no agent ${agentId}`);
    const paid = plainDecimal(Decimal.min(amountUsd, vault.room));
    const change = vault.changes + 1;
    await writeRecords(transaction, [
      {
        type: 'vault_change',
        agentId,
        change,
        kind: 'deposit',
        depositor: 'a depositor',
        amountUsd: paid,
        shares: paid,
        sharePriceUsd: '1',
        roundingUsd: '0',
        stage: vault.stage,
        at,
        requestId: 'test',
      },
      { type: 'ledger', orgId, bookId: bookIds.live(agentId), amountUsd: paid, reference: `vault:${agentId}:${change}`, at },
    ]);
  });
}
