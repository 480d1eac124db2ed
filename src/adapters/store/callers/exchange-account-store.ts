/** Spot-exchange accounts of organizations, in PostgreSQL. Keys are in the signer's folder and nowhere else. */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

export interface ExchangeAccount {
  readonly orgId: string;
  /** The exchange's own number of it. */
  readonly account: string;
  readonly addedAt: EpochMs;
  /** Null while the organization has a key of it. */
  readonly removedAt: EpochMs | null;
}

export interface ExchangeAccountStore {
  all(): Promise<readonly ExchangeAccount[]>;
  /** Live orders of the organization whose outcome at the exchange is still open. */
  openOrders(orgId: string): Promise<number>;
  /** Notes whose account it is; only the owner of the tables may. @throws if another organization has this account. */
  note(orgId: string, account: string, at: EpochMs): Promise<void>;
  noteRemoved(orgId: string, at: EpochMs): Promise<void>;
}

export function createExchangeAccountStore(sql: Sql): ExchangeAccountStore {
  return {
    all: () =>
      sql<ExchangeAccount[]>`
        select org_id as "orgId", account, added_at as "addedAt", removed_at as "removedAt" from exchange_accounts order by added_at, org_id`,

    async openOrders(orgId) {
      const [row] = await sql<{ open: number }[]>`
        select ((select count(*) from proposals where org_id = ${orgId} and mode = 'live' and starts_with(instrument, 'spotexchange:')
            and state in ('approved', 'executing', 'unknown'))
          + (select count(*) from market_orders where org_id = ${orgId} and mode = 'live'
            and state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown')))::int as open`;
      return row?.open ?? 0;
    },

    async note(orgId, account, at) {
      await sql`
        insert into exchange_accounts (org_id, account, added_at) values (${orgId}, ${account}, ${at})
        on conflict (org_id) do update set account = excluded.account, added_at = excluded.added_at, removed_at = null`;
    },

    async noteRemoved(orgId, at) {
      await sql`update exchange_accounts set removed_at = ${at} where org_id = ${orgId} and removed_at is null`;
    },
  };
}
