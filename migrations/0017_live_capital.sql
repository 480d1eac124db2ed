-- Live capital is what the vault was paid (spec sections 2.12, 8): no way into an agent's live book but a deposit under the
-- ceiling of its stage, and no figure of that book but what its ledger says. Who wrote a manifest does not sign it off, and
-- the fortnight on paper is one of trading, not of waiting.

-- At the commit a deposit or a withdrawal has moved its money: the transfer of its own name, in the agent's live book, to the last digit.
create function check_vault_money() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  moved numeric;
begin
  select coalesce(sum(l.amount), 0) into moved
    from (select account_id, amount from ledger_legs where transaction_id = 'transfer:vault:' || new.agent_id || ':' || new.change offset 0) l
    join ledger_accounts a on a.id = l.account_id where a.kind = 'cash' and a.book_id = 'agent:' || new.agent_id || ':live';
  if moved <> (case new.kind when 'deposit' then new.amount_usd else -new.amount_usd end) then
    raise exception 'change % of the vault says a % of %, the ledger moved % dollars', new.change, new.kind, new.amount_usd, moved
      using errcode = 'check_violation', constraint = 'vault_money_moved';
  end if;
  return null;
end $$;
create constraint trigger vault_money_moved after insert on vault_changes deferrable initially deferred for each row execute function check_vault_money();
alter table vault_changes enable always trigger vault_money_moved;

-- And what is paid into or out of an agent's live book is a change of its vault. (Its amount is held against the legs above.)
create function check_live_transfer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  agent uuid;
begin
  if new.kind not in ('opening', 'transfer') then
    return null;
  end if;
  select agent_id into agent from books where id = new.book_id and mode = 'live';
  if agent is not null and not exists (
    select 1 from vault_changes v where v.agent_id = agent and new.id = 'transfer:vault:' || v.agent_id || ':' || v.change) then
    raise exception '% pays into or out of the live book of agent % beside its vault', new.id, agent using errcode = 'check_violation', constraint = 'live_money_by_vault';
  end if;
  return null;
end $$;
create constraint trigger live_money_by_vault after insert on ledger_transactions deferrable initially deferred for each row execute function check_live_transfer();
alter table ledger_transactions enable always trigger live_money_by_vault;

-- At the commit the money and the positions of an agent's live book are those of its ledger: what it may lose, what it is
-- worth and what it pays out follow from them.
create function check_live_book() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  book books;
  cash numeric;
  capital numeric;
  held jsonb;
  booked jsonb;
begin
  -- As it is at the end of the transaction: a step books more than once.
  select * into book from books where id = new.id;
  select coalesce(sum(l.amount) filter (where a.kind = 'cash'), 0), coalesce(-sum(l.amount) filter (where a.kind = 'capital'), 0) into cash, capital
    from ledger_accounts a join ledger_legs l on l.account_id = a.id where a.book_id = new.id and a.kind in ('cash', 'capital');
  if book.cash_usd <> cash or book.capital_usd <> capital then
    raise exception 'book % says % dollars of cash and % of capital, its ledger says % and %', book.id, book.cash_usd, book.capital_usd, cash, capital
      using errcode = 'check_violation', constraint = 'live_book_in_ledger';
  end if;
  select coalesce(jsonb_object_agg(h.instrument, h.quantity), '{}') into held from (
    select h ->> 'instrument' as instrument, sum((h ->> 'quantity')::numeric) as quantity from jsonb_array_elements(book.holdings) h group by 1) h;
  select coalesce(jsonb_object_agg(p.asset, p.quantity), '{}') into booked from (
    select a.asset, sum(l.amount) as quantity from ledger_accounts a join ledger_legs l on l.account_id = a.id
    where a.book_id = new.id and a.kind = 'position' group by 1 having sum(l.amount) <> 0) p;
  if held <> booked then
    raise exception 'book % says it holds %, its ledger says %', book.id, held, booked using errcode = 'check_violation', constraint = 'live_book_in_ledger';
  end if;
  return null;
end $$;
create constraint trigger live_book_opened after insert on books deferrable initially deferred for each row
  when (new.agent_id is not null and new.mode = 'live') execute function check_live_book();
create constraint trigger live_book_in_ledger after update on books deferrable initially deferred for each row
  when (new.agent_id is not null and new.mode = 'live' and (new.cash_usd, new.capital_usd, new.holdings) is distinct from (old.cash_usd, old.capital_usd, old.holdings)) execute function check_live_book();
alter table books enable always trigger live_book_opened;
alter table books enable always trigger live_book_in_ledger;

-- A withdrawal leaves what open purchases may still cost. Proposals are born, and executions begin, with the agent's row locked
-- for share: here it is locked against them, before anything else of the vault is. (Its name lets it run before `vault_change_admitted`.)
create function keep_reserved_cash() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  reserved numeric;
  cash numeric;
begin
  perform 1 from agents where id = new.agent_id for no key update;
  select coalesce(sum(notional_usd), 0) into reserved from proposals where agent_id = new.agent_id and mode = 'live'
    and state in ('pending_approval', 'approved', 'executing', 'unknown') and order_body ->> 'side' = 'buy';
  if reserved > 0 then
    select cash_usd into cash from books where id = 'agent:' || new.agent_id || ':live';
    if coalesce(cash, 0) - new.amount_usd < reserved then
      raise exception 'of % dollars % are reserved for open purchases: % cannot be paid out', coalesce(cash, 0), reserved, new.amount_usd
        using errcode = 'check_violation', constraint = 'vault_reserved';
    end if;
  end if;
  return new;
end $$;
create trigger vault_cash_reserved before insert on vault_changes for each row when (new.kind = 'withdrawal') execute function keep_reserved_cash();
alter table vault_changes enable always trigger vault_cash_reserved;

-- Independent of what it signs off: whoever wrote the manifest version is not, even where somebody else created the agent.
create function refuse_own_signoff() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.kind = 'risk_signoff' and exists (select 1 from manifests m where m.agent_id = new.agent_id and m.version = new.manifest_version
    and m.created_by = new.series::jsonb ->> 'subject') then
    raise exception 'a sign-off is given by a member who did not write manifest version %', new.manifest_version using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger evidence_independent before insert on evidence for each row execute function refuse_own_signoff();
alter table evidence enable always trigger evidence_independent;

-- How long an agent was off duty within [since, until), by the steps of its life.
create function paused_ms(agent uuid, since bigint, until bigint) returns bigint language sql stable set search_path = public, pg_temp as $$
  select coalesce(sum(greatest(0, least(coalesce(s.next_at, until), until) - greatest(s.at, since))), 0)::bigint from (
    select at, to_value ->> 'duty' as duty, lead(at) over (order by version) as next_at from steps where actor_id = agent
  ) s where s.duty = 'paused'
$$;

-- The series of a paper evaluation says it, and the days that have passed do not count it.
alter function paper_series(text, numeric, bigint, bigint) rename to paper_series_of_book;
create function paper_series(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select paper_series_of_book(book, capital, entered, evaluated)
    || jsonb_build_object('pausedMs', paused_ms(split_part(book, ':', 2)::uuid, entered, evaluated))
$$;

create or replace function paper_metrics(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  with walked as (
    select (d.day ->> 1)::float8 / nullif(lag((d.day ->> 1)::float8, 1, (series ->> 'startEquityUsd')::float8) over (order by d.n), 0) - 1 as return
    from jsonb_array_elements(series -> 'days') with ordinality as d(day, n)
  ), mean as (
    select count(*)::float8 as periods, avg(return) as value from walked
  ), spread as (
    select case when mean.periods >= 2 then sqrt((select sum((w.return - mean.value) ^ 2) from walked w) / (mean.periods - 1)) end as deviation from mean
  ), trade as (
    select count(*)::float8 as closed, avg((t ->> 1)::float8) as expectancy from jsonb_array_elements(series -> 'trades') as t
  )
  select jsonb_build_object(
    -- Series from before 0017 do not say how long the agent was off duty.
    'elapsedDays', ((series ->> 'evaluatedAt')::float8 - (series ->> 'enteredAt')::float8 - coalesce((series ->> 'pausedMs')::float8, 0)) / 86400000,
    'markedDays', mean.periods,
    'meanDailyReturnPct', mean.value * 100,
    'sharpe', case when spread.deviation >= 1e-12 then mean.value / spread.deviation * sqrt(365::float8) end,
    'tStatistic', case when spread.deviation >= 1e-12 then mean.value / spread.deviation * sqrt(mean.periods) end,
    'closedTrades', trade.closed,
    'expectancyUsd', trade.expectancy)
  from mean, spread, trade
$$;
