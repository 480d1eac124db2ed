/** Comparisons of what is claimed with what is held, in PostgreSQL, and what they are made of. */
import type { ReserveReads } from '../../../../api/v1/agent-vaults/ports.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/decimal.ts';
import type { ReserveCheck, ReserveClaims } from '../../../domain/reserves.ts';
import type { InstrumentKey } from '../../../domain/venue.ts';
import type { ReserveStore } from '../../../trading/reserve-check.ts';
import { hintAnnouncements, inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { pageOfRows } from '../page-of-rows.ts';

interface ClaimRow {
  readonly org_id: string;
  readonly cash_usd: DecimalString;
  readonly has_vault: boolean;
  readonly holdings: readonly { readonly instrument: InstrumentKey; readonly quantity: DecimalString }[];
}

export function createReserveStore(sql: Sql): ReserveStore & ReserveReads {
  return {
    async claims() {
      const rows = await sql<ClaimRow[]>`
        select b.org_id, b.cash_usd::text, v.agent_id is not null as has_vault, b.holdings
        from books b left join vaults v on v.agent_id = b.agent_id where b.mode = 'live' order by b.org_id`;
      const holders = await sql<{ org_id: string }[]>`
        select org_id from exchange_accounts where removed_at is null union select org_id from linked_wallets where chain = 'spotchain'
        union select org_id from delegations`;
      const claims = new Map<string, ReserveClaims>(holders.map(({ org_id }) => [org_id, { cashUsd: '0', holdings: [] }]));
      for (const { org_id, cash_usd, has_vault, holdings } of rows) {
        const before = claims.get(org_id) ?? { cashUsd: '0', holdings: [] };
        const cashUsd = has_vault ? plainDecimal(new Decimal(before.cashUsd).plus(cash_usd)) : before.cashUsd;
        claims.set(org_id, { cashUsd, holdings: [...before.holdings, ...holdings] });
      }
      return claims;
    },

    async walletsOf(orgId) {
      const rows = await sql<{ address: string }[]>`
        select address from linked_wallets where org_id = ${orgId} and chain = 'spotchain'
        union select wallet from delegations d where org_id = ${orgId}
          and not exists (select 1 from delegation_revocations r where r.delegation_id = d.id)
        order by 1`;
      return rows.map(({ address }) => address);
    },

    async keep(orgId, check, alert) {
      await inTransaction(sql, async (transaction) => {
        await transaction`
          insert into reserve_checks (org_id, at, verdict, lines, unknown)
          values (${orgId}, ${check.at}, ${check.verdict}, ${transaction.json(check.lines as never)}, ${check.unknown as string[]})`;
        if (alert === null) return;
        await transaction`
          insert into announcements (channel, org_id, actor_id, at, body)
          values ('alerts', ${orgId}, null, ${check.at}, ${transaction.json(alert)})`;
        await hintAnnouncements(transaction);
      });
    },

    newest: (orgId) => newestCheck(sql, orgId),

    async cashUsd(orgId) {
      const [row] = await sql<{ cash: string }[]>`
        select coalesce(sum(b.cash_usd), 0)::text as cash from books b join vaults v on v.agent_id = b.agent_id
        where b.org_id = ${orgId} and b.mode = 'live'`;
      return plainDecimal(row?.cash ?? '0');
    },

    async list(orgId, { limit, after }) {
      const rows = await sql<(ReserveCheck & { number: number })[]>`
        select number, at, verdict, lines, unknown from reserve_checks where org_id = ${orgId}
        ${after === null ? sql`` : sql`and number < ${Number(after)}`} order by number desc limit ${limit + 1}`;
      return pageOfRows(rows, limit, (row) => String(row.number));
    },
  };
}

async function newestCheck(sql: Sql, orgId: string): Promise<ReserveCheck | null> {
  const [row] = await sql<ReserveCheck[]>`
    select at, verdict, lines, unknown from reserve_checks where org_id = ${orgId} order by number desc limit 1`;
  return row ?? null;
}
