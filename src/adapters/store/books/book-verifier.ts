/**
 * Independent verification of the books: every ledger transaction balances, every fill and its ledger legs agree, every new multiplier
 * moved what was held by its ratio, every book equals its ledger, live capital equals the payments into vaults, and each organization's
 * exposure equals that of its books. It finds changes that bypassed the rules.
 */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Transaction } from '../database.ts';

/** Receives one difference: time, agent, affected part, and a sentence. */
type BookComplaint = (at: EpochMs, agentId: string | null, part: string, detail: string) => unknown;

interface Complained {
  readonly at: EpochMs;
  readonly agent_id: string | null;
  readonly detail: string;
}

/** Verifies every book and returns their number. */
export async function verifyBooks(sql: Transaction, complain: BookComplaint): Promise<number> {
  for (const [part, find] of Object.entries(LOOKS)) {
    for (const { at, agent_id, detail } of await find(sql)) complain(at, agent_id, part, detail);
  }
  const [books] = await sql<{ count: number }[]>`select count(*)::int as count from books`;
  return books?.count ?? 0;
}

const LOOKS: Readonly<Record<string, (sql: Transaction) => Promise<readonly Complained[]>>> = {
  ledger: (sql) => sql<Complained[]>`
    with sums as (
      select l.transaction_id as id, a.asset, sum(l.amount) as amount, count(*) as legs from ledger_legs l join ledger_accounts a on a.id = l.account_id group by 1, 2
    ), transactions as (
      select id, sum(legs) as legs, bool_or(amount <> 0) as off from sums group by 1
    )
    select t.at, b.agent_id, 'ledger transaction ' || t.id || ' of book ' || t.book_id || case
      when s.off then ' does not balance' else ' has ' || coalesce(s.legs, 0) || ' of ' || t.legs || ' legs' end as detail
    from ledger_transactions t join books b on b.id = t.book_id left join transactions s on s.id = t.id
    where s.off is distinct from false or s.legs is distinct from t.legs order by t.number limit 100`,

  fill: (sql) => sql<Complained[]>`
    with moved as (
      select l.transaction_id as id, sum(l.amount) filter (where a.kind = 'cash') as cash, sum(l.amount) filter (where a.kind = 'position') as quantity,
        min(a.asset) filter (where a.kind = 'position') as instrument
      from ledger_legs l join ledger_accounts a on a.id = l.account_id where starts_with(l.transaction_id, 'fill:') group by 1
    )
    select coalesce(f.at, t.at) as at, b.agent_id, case
      when f.id is null then 'ledger transaction ' || t.id || ' is of a fill that is not on record'
      else 'fill ' || f.id || ' says ' || f.side || ' ' || f.quantity || ' ' || f.instrument || ' for ' || f.notional_usd || ', its ledger moved '
        || coalesce(m.quantity, 0) || ' and ' || coalesce(m.cash, 0) || ' dollars' end as detail
    from fills f full join (select * from ledger_transactions where kind = 'fill') t on t.id = 'fill:' || f.id
    left join moved m on m.id = coalesce(t.id, 'fill:' || f.id) join books b on b.id = coalesce(f.book_id, t.book_id)
    where f.id is null or t.id is null or f.instrument is distinct from m.instrument
      or m.quantity is distinct from case f.side when 'buy' then f.quantity else -f.quantity end
      or coalesce(m.cash, 0) <> case f.side when 'buy' then -f.notional_usd else f.notional_usd end - f.fee_usd
    order by 1 limit 100`,

  rescaling: (sql) => sql<Complained[]>`
    with booked as (
      select t.id, t.book_id, t.at, a.id as account, a.asset, l.amount from ledger_transactions t
      join ledger_legs l on l.transaction_id = t.id join ledger_accounts a on a.id = l.account_id and a.kind = 'position'
      where t.kind = 'rescaling'
    ), expected as (
      select r.*, h.held, rescaled(h.held, c.before, c.after) - h.held as due from booked r cross join lateral (
        select coalesce(sum(l.amount), 0) as held from ledger_legs l join ledger_transactions t on t.id = l.transaction_id
        where l.account_id = r.account and t.at < r.at) h
      left join lateral multiplier_changes(r.asset, r.at) c on c.at = r.at
    )
    select e.at, b.agent_id, 'ledger transaction ' || e.id || ' moved ' || e.amount || ' ' || e.asset || ', the multiplier on record ' || coalesce(e.due::text, 'nothing')
      || ' of the ' || e.held || ' held' as detail
    from expected e join books b on b.id = e.book_id where e.due is distinct from e.amount order by e.at, e.id limit 100`,

  book: (sql) => sql<Complained[]>`
    with sums as (
      select a.book_id as id, a.kind, a.asset, sum(l.amount) as amount from ledger_accounts a join ledger_legs l on l.account_id = a.id group by 1, 2, 3
    ), ledger as (
      select b.id, coalesce(sum(s.amount) filter (where s.kind = 'cash'), 0) as cash, coalesce(-sum(s.amount) filter (where s.kind = 'capital'), 0) as capital,
        coalesce(sum(s.amount) filter (where s.kind = 'fees'), 0) as fees, coalesce(sum(s.amount) filter (where s.kind = 'funding'), 0) as funding,
        coalesce(jsonb_object_agg(s.asset, s.amount) filter (where s.kind = 'position' and s.amount <> 0), '{}') as held
      from books b left join sums s on s.id = b.id group by 1
    ), books_held as (
      select b.id, coalesce((select jsonb_object_agg(h.instrument, h.quantity) from (
        select h ->> 'instrument' as instrument, sum((h ->> 'quantity')::numeric) as quantity from jsonb_array_elements(b.holdings) h group by 1) h), '{}') as held
      from books b
    )
    select b.changed_at as at, b.agent_id, 'book ' || b.id || ' says ' || b.cash_usd || ' dollars of cash, ' || b.capital_usd || ' of capital, '
      || b.fees_usd || ' of fees, ' || b.funding_usd || ' of funding and holds ' || h.held || '; its ledger ' || l.cash || ', ' || l.capital || ', ' || l.fees
      || ', ' || l.funding || ' and ' || l.held as detail
    from books b join ledger l on l.id = b.id join books_held h on h.id = b.id
    where (b.cash_usd, b.capital_usd, b.fees_usd, b.funding_usd) is distinct from (l.cash, l.capital, l.fees, l.funding) or h.held <> l.held
    order by b.changed_at, b.id limit 100`,

  // Computed from books and open proposals, independently of the triggers that maintain the sums.
  exposure: (sql) => sql<Complained[]>`
    with waiting as (
      select p.book_id, p.org_id, p.agent_id, p.mode, p.manifest_version, p.instrument, case p.order_body ->> 'side' when 'buy' then p.notional_usd else 0 end as reserved
      from proposals p where p.state in ('pending_approval', 'approved', 'executing', 'unknown')
        and (p.mode = 'live' or exists (select 1 from traders t where t.id = p.agent_id and t.manifest_version = p.manifest_version))
    ), counted as (
      select b.* from books b where (b.fills = 0 or b.turnover_usd > 0)
        and (b.manifest_version is null or exists (select 1 from traders t where t.id = b.agent_id and t.manifest_version = b.manifest_version))
    ), parts as (
      select org_id, mode, 'USD' as asset, cash_usd as quantity, 0 as cost, 0 as reserved from counted
      union all
      select c.org_id, c.mode, h ->> 'instrument', (h ->> 'quantity')::numeric, (h ->> 'costUsd')::numeric, 0 from counted c, jsonb_array_elements(c.holdings) h
      union all
      select w.org_id, w.mode, w.instrument, 0, 0, w.reserved from waiting w where not exists (select 1 from books b where b.id = w.book_id and b.fills > 0 and b.turnover_usd <= 0)
      union all
      select distinct on (w.book_id) w.org_id, w.mode, 'USD', (m.canonical::jsonb ->> 'maxCapitalUsd')::numeric, 0, 0
      from waiting w join manifests m on m.agent_id = w.agent_id and m.version = w.manifest_version
      where w.mode = 'paper' and not exists (select 1 from books b where b.id = w.book_id)
    ), from_books as (
      select org_id, mode, asset, sum(quantity) as quantity, sum(cost) as cost, sum(reserved) as reserved from parts group by 1, 2, 3
    ), kept as (
      select org_id, mode, asset, sum(quantity) as quantity, sum(cost_usd) as cost, sum(reserved_usd) as reserved from exposures group by 1, 2, 3
    )
    select 0 as at, null::uuid as agent_id, 'organization ' || org_id || ' has ' || coalesce(k.quantity, 0) || ' ' || asset || ' at a cost of ' || coalesce(k.cost, 0)
      || ' with ' || coalesce(k.reserved, 0) || ' reserved at work on ' || mode || ', its books and proposals come to ' || coalesce(b.quantity, 0) || ', '
      || coalesce(b.cost, 0) || ' and ' || coalesce(b.reserved, 0) as detail
    from from_books b full join kept k using (org_id, mode, asset)
    where (coalesce(k.quantity, 0), coalesce(k.cost, 0), coalesce(k.reserved, 0)) <> (coalesce(b.quantity, 0), coalesce(b.cost, 0), coalesce(b.reserved, 0))
    order by org_id, mode, asset limit 100`,

  vault: (sql) => sql<Complained[]>`
    with moved as (
      select l.transaction_id as id, sum(l.amount) as cash from ledger_legs l join ledger_accounts a on a.id = l.account_id
      where a.kind = 'cash' and starts_with(l.transaction_id, 'transfer:vault:') group by 1
    ), sums as (
      select agent_id, count(*) as changes, max(change) as last, sum(case kind when 'deposit' then shares else -shares end) as shares,
        min(at) as first_at from vault_changes group by 1
    )
    select v.at, v.agent_id, 'change ' || v.change || ' of the vault says a ' || v.kind || ' of ' || v.amount_usd || ', the ledger moved ' || coalesce(m.cash, 0) || ' dollars' as detail
    from vault_changes v left join moved m on m.id = 'transfer:vault:' || v.agent_id || ':' || v.change
    where m.cash is distinct from case v.kind when 'deposit' then v.amount_usd else -v.amount_usd end
    union all
    select t.at, b.agent_id, t.id || ' pays into or out of a live book beside its vault' from ledger_transactions t join books b on b.id = t.book_id
    where b.mode = 'live' and b.agent_id is not null and t.kind in ('opening', 'transfer')
      and not exists (select 1 from vault_changes v where v.agent_id = b.agent_id and t.id = 'transfer:vault:' || v.agent_id || ':' || v.change)
      and not exists (select 1 from takes k where k.id = b.agent_id and t.id = 'transfer:take:' || k.id and (k.canonical::jsonb ->> 'allocationUsd')::numeric = (
        select sum(l.amount) from ledger_legs l join ledger_accounts a on a.id = l.account_id where l.transaction_id = t.id and a.kind = 'cash'))
    union all
    select coalesce(s.first_at, 0), a.agent_id, 'the vault says ' || coalesce(a.total_shares, 0) || ' shares after ' || coalesce(a.changes, 0) || ' changes, its changes on record come to '
      || coalesce(s.shares, 0) || ' after ' || coalesce(s.changes, 0)
    from vaults a left join sums s on s.agent_id = a.agent_id
    where (a.total_shares, a.changes) is distinct from (coalesce(s.shares, 0), coalesce(s.changes, 0)) or s.last is distinct from nullif(s.changes, 0)
    order by 1 limit 100`,
};
