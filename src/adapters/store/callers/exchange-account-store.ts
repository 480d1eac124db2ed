/** Store of the organizations' spot exchange accounts. Keys are only in the signer's folder. */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

interface ExchangeAccount {
  readonly orgId: string;
  /** Account number at the exchange. */
  readonly account: string;
  readonly addedAt: EpochMs;
  /** Null while the organization has a key of the account. */
  readonly removedAt: EpochMs | null;
}

export function createExchangeAccountStore(sql: Sql) {
  return {
    all: (): Promise<readonly ExchangeAccount[]> =>
      sql<ExchangeAccount[]>`
        select org_id as "orgId", account, added_at as "addedAt", removed_at as "removedAt" from exchange_accounts order by added_at, org_id`,

    /** Counts the organization's live orders whose outcome is not known yet. */
    async openOrders(orgId: string): Promise<number> {
      const [row] = await sql<{ open: number }[]>`
        select ((select count(*) from proposals where org_id = ${orgId} and mode = 'live' and starts_with(instrument, 'spotexchange:')
            and state in ('approved', 'executing', 'unknown'))
          + (select count(*) from market_orders where org_id = ${orgId} and mode = 'live'
            and state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown')))::int as open`;
      return row?.open ?? 0;
    },

    /** Records the owner of an account; permitted to the owner of the tables. @throws Error if another organization has the account */
    async note(orgId: string, account: string, at: EpochMs): Promise<void> {
      await sql`
        insert into exchange_accounts (org_id, account, added_at) values (${orgId}, ${account}, ${at})
        on conflict (org_id) do update set account = excluded.account, added_at = excluded.added_at, removed_at = null`;
    },

    async noteRemoved(orgId: string, at: EpochMs): Promise<void> {
      await sql`update exchange_accounts set removed_at = ${at} where org_id = ${orgId} and removed_at is null`;
    },
  };
}
