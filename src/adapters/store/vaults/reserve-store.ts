/** Store of comparisons between claims and holdings, and their inputs. */
import type { VaultReserves } from '../../../../actors/agent/vault-handler.ts';
import {
  type DollarVenue,
  type KeptReserveCheck,
  type PresentClaims,
  type ReserveCheck,
  type ReserveClaims,
  simulatedCheck,
} from '../../../domain/books/reserves.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { hintAnnouncements, inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { pageOfRows } from '../queries.ts';

interface ClaimRow {
  readonly org_id: string;
  readonly cash_usd: DecimalString;
  readonly capital_usd: DecimalString;
  readonly has_vault: boolean;
  /** Single venue of the vault; null for several venues and for other books. */
  readonly venue: DollarVenue | null;
  readonly holdings: readonly { readonly instrument: InstrumentKey; readonly quantity: DecimalString }[];
}

const NO_CLAIMS: ReserveClaims = {
  cashUsd: '0',
  cashAt: { spotexchange: '0', spotchain: '0' },
  holdings: [],
  depositedUsd: '0',
  books: { cashUsd: '0', capitalUsd: '0' },
};

/** A wallet of the primary chain that an organization has linked or delegated. */
export interface ReserveWallet {
  readonly address: string;
  /** True if another organization has it too, so that its balance would back both. */
  readonly isShared: boolean;
}

/** An account at the prediction venue with one outcome of a wallet. */
export interface ReservePosition {
  readonly instrument: InstrumentKey;
  readonly wallet: string;
  /** Address on the chain. */
  readonly account: string;
  /** True if orders of another organization also filled it, so that its balance would back both. */
  readonly isShared: boolean;
}

export function createReserveStore(sql: Sql) {
  return {
    /**
     * Returns the claims of each organization with a live book, an account or a wallet, even without claims. Each throws if a row of its
     * organization cannot be read.
     */
    claims: (): Promise<ReadonlyMap<string, () => ReserveClaims>> => sql.begin('isolation level repeatable read read only', claimsIn),

    /** Linked and delegated wallets of the primary chain. */
    async walletsOf(orgId: string): Promise<readonly ReserveWallet[]> {
      return sql<ReserveWallet[]>`
        with named as (
          select org_id, address from linked_wallets where chain = 'spotchain'
          union select org_id, wallet from delegations d where not exists (select 1 from delegation_revocations r where r.delegation_id = d.id)
        )
        select address, exists (select 1 from named o where o.address = n.address and o.org_id <> n.org_id) as "isShared"
        from named n where org_id = ${orgId} order by address`;
    },

    /** Returns the accounts at the prediction venue that the organization's live orders filled, for these outcomes. */
    async positionsOf(orgId: string, outcomes: readonly InstrumentKey[]): Promise<readonly ReservePosition[]> {
      return sql<ReservePosition[]>`
        select distinct p.instrument, p.onchain ->> 'wallet' as wallet, p.onchain ->> 'positionAccount' as account, exists (
            select 1 from prediction_orders o where o.mode = 'live' and o.onchain ->> 'positionAccount' = p.onchain ->> 'positionAccount'
            and o.org_id <> p.org_id and o.filled_quantity > 0) as "isShared"
        from prediction_orders p
        where p.org_id = ${orgId} and p.mode = 'live' and p.filled_quantity > 0 and p.instrument = any(${outcomes as string[]}) order by 1, 2, 3`;
    },

    /** Stores a check, and sends the alert to the organization, if given. */
    async keep(orgId: string, check: ReserveCheck, alert: { readonly [detail: string]: string } | null): Promise<void> {
      await inTransaction(sql, async (transaction) => {
        await transaction`
          insert into reserve_checks (org_id, at, verdict, lines, unknown, deposited_usd, dollars)
          values (${orgId}, ${check.at}, ${check.verdict}, ${transaction.json(check.lines)}, ${check.unknown as string[]}, ${check.depositedUsd},
            ${check.dollars === null ? null : transaction.json(check.dollars)})`;
        if (alert === null) return;
        await transaction`
          insert into announcements (channel, org_id, actor_id, at, body)
          values ('alerts', ${orgId}, null, ${check.at}, ${transaction.json(alert)})`;
        await hintAnnouncements(transaction);
      });
    },

    newest: (orgId: string): Promise<KeptReserveCheck | null> => newestCheck(sql, orgId),

    present: (orgId: string, agentId: string): Promise<PresentClaims> => presentClaims(sql, orgId, agentId),

    /** Lists reserve checks, newest first. */
    async list(orgId: string, { limit, after }: Page): Promise<PageOf<ReserveCheck>> {
      const rows = await sql<KeptReserveCheck[]>`
        select number, at, verdict, lines, unknown, deposited_usd::text as "depositedUsd", dollars from reserve_checks where org_id = ${orgId}
        ${after === null ? sql`` : sql`and number < ${Number(after)}`} order by number desc limit ${limit + 1}`;
      return pageOfRows(rows, limit, (row) => String(row.number));
    },
  };
}

export type ReserveStore = ReturnType<typeof createReserveStore>;
export type ReserveReads = Pick<ReserveStore, 'list'>;

/**
 * Creates reserves of a sandbox without real holdings: each organization has the same simulated dollars, and deposits into its vaults use
 * them up. The database admits deposits by the same sum (`sandbox_claims`).
 */
export function createSimulatedReserves(sql: Sql, clock: { now(): EpochMs }): VaultReserves & ReserveReads {
  const read = async (orgId: string) => {
    const [row] = await sql<[{ held: string; claimed: string; deposited: string }]>`
      select sandbox_dollars()::text as held, deposited_usd::text as deposited,
        (sandbox_claims(${orgId}) + (select coalesce(sum(capital_usd), 0) from bound_dollars(${orgId})))::text as claimed
      from vault_claims(${orgId})`;
    return { held: plainDecimal(row.held), claimed: plainDecimal(row.claimed), depositedUsd: plainDecimal(row.deposited) };
  };
  const newest = async (orgId: string) => ({ ...simulatedCheck(await read(orgId), clock.now()), number: null });
  return {
    newest,
    async present(orgId) {
      const { claimed, depositedUsd } = await read(orgId);
      return { claimedUsd: claimed, depositedUsd, armedUsd: '0', armedAtVenueUsd: '0', venue: null };
    },
    list: async (orgId) => ({ items: [await newest(orgId)], next: null }),
  };
}

async function presentClaims(sql: Sql, orgId: string, agentId: string): Promise<PresentClaims> {
  const [row] = await sql<{ claimed_usd: string; deposited_usd: string; venue: DollarVenue | null; armed: string; armed_there: string }[]>`
    select c.claimed_usd::text, c.deposited_usd::text, v.venue, a.armed::text, a.armed_there::text
    from vault_claims(${orgId}) c, vault_dollar_venue(${agentId}) v (venue), lateral (
      select coalesce(sum(cash_usd + spent_usd), 0) as armed, coalesce(sum(cash_usd + spent_usd) filter (where t.venue = v.venue), 0) as armed_there
      from bound_dollars(${orgId}) t) a`;
  return {
    claimedUsd: plainDecimal(row?.claimed_usd ?? '0'),
    depositedUsd: plainDecimal(row?.deposited_usd ?? '0'),
    armedUsd: plainDecimal(row?.armed ?? '0'),
    armedAtVenueUsd: plainDecimal(row?.armed_there ?? '0'),
    venue: row?.venue ?? null,
  };
}

async function newestCheck(sql: Sql, orgId: string): Promise<KeptReserveCheck | null> {
  const [row] = await sql<KeptReserveCheck[]>`
    select number, at, verdict, lines, unknown, deposited_usd::text as "depositedUsd", dollars
    from reserve_checks where org_id = ${orgId} order by number desc limit 1`;
  return row ?? null;
}

/** Reads claims and deposits in one snapshot, so that a deposit is in both or in neither. */
async function claimsIn(transaction: Transaction): Promise<ReadonlyMap<string, () => ReserveClaims>> {
  const rows = await transaction<ClaimRow[]>`
    select b.org_id, b.cash_usd::text, b.capital_usd::text, v.agent_id is not null as has_vault, vault_dollar_venue(v.agent_id) as venue, b.holdings
    from books b left join vaults v on v.agent_id = b.agent_id where b.mode = 'live' order by b.org_id`;
  const holders = await transaction<{ org_id: string }[]>`
    select org_id from exchange_accounts where removed_at is null union select org_id from linked_wallets where chain = 'spotchain'
    union select org_id from delegations`;
  const deposited = await transaction<{ org_id: string; usd: string }[]>`
    select a.org_id, sum(c.amount_usd)::text as usd from vault_changes c join agents a on a.id = c.agent_id
    where c.kind = 'deposit' group by a.org_id`;
  const depositedUsd = new Map(deposited.map(({ org_id, usd }) => [org_id, usd]));
  const books = new Map<string, ClaimRow[]>();
  for (const row of rows) books.set(row.org_id, [...(books.get(row.org_id) ?? []), row]);
  const orgIds = new Set([...holders.map(({ org_id }) => org_id), ...books.keys(), ...depositedUsd.keys()]);
  return new Map([...orgIds].map((id) => [id, () => sumClaims(books.get(id) ?? [], depositedUsd.get(id))]));
}

/** Returns the claims of one organization. @throws Error if a book is unreadable */
function sumClaims(books: readonly ClaimRow[], depositedUsd: string | undefined): ReserveClaims {
  let claims = depositedUsd === undefined ? NO_CLAIMS : { ...NO_CLAIMS, depositedUsd: plainDecimal(depositedUsd) };
  for (const { cash_usd, capital_usd, has_vault, venue, holdings } of books) {
    const cashUsd = has_vault ? plainDecimal(new Decimal(claims.cashUsd).plus(cash_usd)) : claims.cashUsd;
    const all = {
      cashUsd: plainDecimal(new Decimal(claims.books.cashUsd).plus(cash_usd)),
      capitalUsd: plainDecimal(new Decimal(claims.books.capitalUsd).plus(capital_usd)),
    };
    const cashAt =
      venue === null || !has_vault
        ? claims.cashAt
        : { ...claims.cashAt, [venue]: plainDecimal(new Decimal(claims.cashAt[venue]).plus(cash_usd)) };
    claims = { ...claims, cashUsd, cashAt, holdings: [...claims.holdings, ...holdings], books: all };
  }
  return claims;
}
