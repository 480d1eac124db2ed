/** Registrations of addresses. A trigger adds a new address to the leaderboard in the same transaction. */
import type { RegistrationDirectory } from '../../../../actors/leaderboard-wallet/commands.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';

export function createRegistrationStore(sql: Sql): RegistrationDirectory {
  return {
    async count(orgId) {
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from leaderboard_registrations where org_id = ${orgId}`;
      return row?.n ?? 0;
    },

    register: (orgId, { chain, address, label, by, at }, records) =>
      inTransaction(sql, async (transaction) => {
        await transaction`
          insert into leaderboard_registrations (org_id, chain, address, label, registered_by, registered_at)
          values (${orgId}, ${chain}, ${address}, ${label}, ${by}, ${at}) on conflict do nothing`;
        await writeRecords(transaction, records);
      }),
  };
}
