/** Reads the newest comparison of an organization's accounts, and the claims on them. */
import type { DollarsSpentRecord } from '../../../../actors/manual-order/manual-order.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import { type AccountFacts, NO_ACCOUNTS } from '../../../domain/books/free-dollars.ts';
import type { DollarVenue, HeldDollars, ReserveLine } from '../../../domain/books/reserves.ts';
import { type BoundAtVenue, type BoundDollars, boundDollarsObjection, DollarsBound } from '../../../domain/take/live-capital.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Sql, Transaction } from '../database.ts';
import { type Query, runQuery } from '../queries.ts';

interface FactsRow {
  readonly org_id: string;
  readonly capital_usd: string;
  readonly takes_cash: AccountFacts['takesCash'];
  /** Text if the row is part of a JSON result. */
  readonly at: number | string | null;
  readonly lines: readonly ReserveLine[] | null;
  readonly unknown: readonly string[] | null;
  readonly dollars: HeldDollars | null;
}

/** Reads the facts of several organizations in one snapshot. */
export async function readAccountFacts(sql: Sql | Transaction, orgIds: readonly string[]): Promise<ReadonlyMap<string, AccountFacts>> {
  if (orgIds.length === 0) return new Map();
  return runQuery({
    statement: factsRows(sql, orgIds),
    read: (rows: FactsRow[]) => new Map(rows.map((row) => [row.org_id, toFacts(row)])),
  });
}

/** Query of one organization's facts, to be combined with others. */
export function accountFacts(sql: Sql | Transaction, orgId: string): Query<AccountFacts> {
  return { statement: factsRows(sql, [orgId]), read: ([row]: FactsRow[]) => (row === undefined ? NO_ACCOUNTS : toFacts(row)) };
}

/** Claims on an organization's accounts. */
export type Bound = Omit<BoundDollars, 'facts'>;
/** Absence of claims. */
export const NOTHING_BOUND: Bound = Object.freeze({ vaultsPaidInUsd: '0', bound: [] });

interface BoundRow {
  readonly holder: string | null;
  readonly venue: DollarVenue | null;
  readonly wallet: string | null;
  readonly cash_usd: string;
  readonly spent_usd: string;
  readonly in_books: boolean;
  readonly capital_usd: string;
  readonly since: string;
}

/**
 * Reads the dollars that live Takes and manual orders reserve, by the same sum that admits a deposit. @param exceptTake Take that is being
 * armed again
 */
export function boundDollars(
  sql: Sql | Transaction,
  orgId: string,
  exceptTake: string | null = null,
): Query<Bound & { readonly allocatedUsd: DecimalString }> {
  return {
    statement: sql`
      select b.holder, b.venue, b.wallet, coalesce(b.cash_usd, 0)::text as cash_usd, coalesce(b.spent_usd, 0)::text as spent_usd, b.in_books, coalesce(b.capital_usd, 0)::text as capital_usd,
        (v.deposited_usd - coalesce((select deposited_usd from reserve_checks where org_id = ${orgId} order by number desc limit 1), 0))::text as since
      from vault_claims(${orgId}) v left join bound_dollars(${orgId}) b on b.holder is distinct from ${exceptTake}::uuid`,
    read: (rows: BoundRow[]) => ({
      vaultsPaidInUsd: plainDecimal(rows[0]?.since ?? '0'),
      bound: rows.flatMap(({ holder, venue, wallet, cash_usd, spent_usd, in_books: isBooked }) =>
        venue === null ? [] : [{ holder, venue, wallet, cashUsd: plainDecimal(cash_usd), spentUsd: plainDecimal(spent_usd), isBooked }],
      ),
      allocatedUsd: plainDecimal(rows.reduce((sum, { capital_usd }) => sum.plus(capital_usd), new Decimal(0))),
    }),
  };
}

function factsRows(sql: Sql | Transaction, orgIds: readonly string[]) {
  return sql`
    select asked.org_id, b.capital_usd, b.takes_cash, r.at, r.lines, r.unknown, r.dollars
    from unnest(${orgIds as string[]}::uuid[]) as asked(org_id)
    cross join lateral (
      select coalesce(sum(capital_usd), 0)::text as capital_usd,
        coalesce(jsonb_object_agg(id, cash_usd::text) filter (where agent_id in (select id from takes)), '{}') as takes_cash
      from books where org_id = asked.org_id and mode = 'live'
    ) b
    left join lateral (
      select at, lines, unknown, dollars from reserve_checks where org_id = asked.org_id order by number desc limit 1
    ) r on true`;
}

function toFacts({ capital_usd, takes_cash, at, lines, unknown, dollars }: FactsRow): AccountFacts {
  return {
    check: at === null ? null : { at: Number(at), lines: lines ?? [], unknown: unknown ?? [], dollars },
    booksCapitalUsd: plainDecimal(capital_usd),
    takesCash: takes_cash,
  };
}

/**
 * Checks that a manual order uses no dollars reserved by vaults or armed Takes. Locks the organization's control row, as armings and
 * deposits do, so that the second one sees the first. @throws DollarsBound
 */
export async function requireUnboundDollars(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  const before: BoundAtVenue[] = [];
  for (const row of rows) {
    const { orgId, at, ...spending } = row as unknown as DollarsSpentRecord;
    await transaction`select 1 from control where org_id = ${orgId} for no key update`;
    const { vaultsPaidInUsd, bound } = await runQuery(boundDollars(transaction, orgId));
    const facts = await runQuery(accountFacts(transaction, orgId));
    const lacking = boundDollarsObjection({ facts, vaultsPaidInUsd, bound: [...bound, ...before] }, spending, at);
    if (lacking !== null) throw new DollarsBound(lacking);
    before.push({ ...spending, holder: spending.id, cashUsd: '0', spentUsd: spending.usd, isBooked: false });
  }
}
