-- Vaults: who owns what of an agent's live capital (spec section 2.12), and the ceilings of its stage (spec section 8). Live capital is
-- what the vault was paid: no way into an agent's live book but a deposit under the ceiling of its stage, backed by what accounts and
-- wallets hold, and no figure of that book but what its ledger says.

-- What vaults and books of an organization claimed, and what its account at the exchange and its wallets held at that moment.
create table reserve_checks (
  number bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  at bigint not null,
  verdict text not null check (verdict in ('backed', 'short', 'unknown')),
  -- [{"asset", "claimed", "held"}]: decimal texts; held is null where a place did not tell.
  lines jsonb not null check (jsonb_typeof(lines) = 'array'),
  unknown text[] not null,
  -- All that was ever paid into vaults of the organization when its claims were read, in US dollars. Null of comparisons from before:
  -- they back nothing.
  deposited_usd numeric check (deposited_usd >= 0),
  -- What accounts hold in dollars, place by place, beside the cash and the capital of the organization's live books at the same moment:
  -- {places: [{place, usd}], booksCashUsd, booksCapitalUsd}. Null of comparisons from before.
  dollars jsonb
);
create index reserve_checks_newest on reserve_checks (org_id, number desc);
select make_append_only('reserve_checks');

-- The state of each vault: kept by the triggers below and by nobody else. Shares in units of 10^-9, money in US dollars.
create table vaults (
  agent_id uuid primary key references agents,
  total_shares numeric not null default 0 check (total_shares >= 0),
  -- Fractions of the stablecoin's smallest unit that no share stands for.
  rounding_usd numeric not null default 0 check (rounding_usd >= 0),
  -- What was paid in less what the shares taken back had cost: the capital that the ceilings are about.
  allocated_usd numeric not null default 0 check (allocated_usd >= 0),
  high_water_usd numeric not null default 1 check (high_water_usd > 0),
  high_water_at bigint,
  changes int not null default 0
);
grant select on vaults to sevengate_app, sevengate_evaluator;

-- Every deposit and withdrawal, numbered without a hole.
create table vault_changes (
  agent_id uuid not null references agents,
  change int not null check (change > 0),
  kind text not null check (kind in ('deposit', 'withdrawal')),
  depositor text not null check (depositor <> ''),
  amount_usd numeric not null check (amount_usd > 0 and scale(amount_usd) <= 6),
  shares numeric not null check (shares > 0 and scale(shares) <= 9),
  share_price_usd numeric not null check (share_price_usd > 0 and scale(share_price_usd) <= 9),
  -- The vault's rounding account afterwards.
  rounding_usd numeric not null,
  stage text not null,
  at bigint not null,
  request_id text not null,
  -- The comparison that backs a deposit; null where nothing real is at stake, and of withdrawals.
  reserve_check bigint references reserve_checks,
  primary key (agent_id, change)
);
create index vault_changes_by_depositor on vault_changes (agent_id, depositor);
select make_append_only('vault_changes');

-- What a share was worth at a moment at which every position of the vault had a live quote.
create table vault_marks (
  agent_id uuid not null references vaults,
  at bigint not null,
  equity_usd numeric not null,
  share_price_usd numeric not null check (share_price_usd >= 0),
  primary key (agent_id, at)
);
select make_append_only('vault_marks');
grant select on vault_marks to sevengate_evaluator;

-- Marks without those that rest on a cut that was corrected.
create view judged_vault_marks with (security_invoker = true) as
  select m.* from vault_marks m where not exists (select 1 from cut_corrections w where w.slot = m.at);
grant select on judged_vault_marks to sevengate_app, sevengate_api, sevengate_evaluator;

-- How much capital a vault may hold at a stage: none on paper, a tenth of the mandate at limited_live, all of it at live.
create function vault_ceiling_usd(agent uuid) returns numeric language sql stable set search_path = public, pg_temp as $$
  select case a.stage when 'live' then 1 when 'limited_live' then 0.1 else 0 end * (m.canonical::jsonb ->> 'maxCapitalUsd')::numeric
  from agents a join manifests m on m.agent_id = a.id and m.version = a.manifest_version where a.id = agent
$$;

-- What lies in an agent's live book by its ledger: cash, and positions at the middle of the newest cut's live quotes; null
-- where a position has none in a cut of the last three minutes.
create function vault_worth(agent uuid) returns table (equity_usd numeric, positions bigint) language sql stable set search_path = public, pg_temp as $$
  with held as (
    select a.kind, a.asset, sum(l.amount) as amount from ledger_accounts a join ledger_legs l on l.account_id = a.id
    where a.book_id = 'agent:' || agent || ':live' and a.kind in ('cash', 'position') group by 1, 2 having sum(l.amount) <> 0
  ), cut as (
    select slot from judged_cuts where slot >= gate_now() - 180000 order by slot desc limit 1
  ), priced as (
    select h.kind, h.amount * case h.kind when 'cash' then 1 else (
      select case when o.body::jsonb #>> '{quote,quality}' = 'live' then (o.body::jsonb #>> '{quote,mid}')::numeric end
      from observations o where o.slot = (select slot from cut) and o.instrument = h.asset) end as usd
    from held h
  )
  select case when bool_or(usd is null) then null else coalesce(sum(usd), 0) end, count(*) filter (where kind = 'position') from priced
$$;
revoke execute on function vault_worth(uuid) from public;

-- Admits a deposit or a withdrawal, whoever writes it: the next number, the right arithmetic, within the ceiling, and
-- nobody takes more than is theirs. Then brings the vault's state up to date.
create function admit_vault_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  vault vaults;
  agent_stage text;
  owned numeric;
  worth record;
  whole numeric;
begin
  select stage into agent_stage from agents where id = new.agent_id for share;
  insert into vaults (agent_id) values (new.agent_id) on conflict do nothing;
  select * into vault from vaults where agent_id = new.agent_id for update;
  if new.change <> vault.changes + 1 then
    raise exception 'the next change of this vault is number %, not %', vault.changes + 1, new.change
      using errcode = 'unique_violation', constraint = 'vault_changes_pkey';
  end if;
  if new.stage <> agent_stage then
    raise exception 'the agent stands at %, not at %', agent_stage, new.stage using errcode = 'unique_violation', constraint = 'vault_changes_pkey';
  end if;
  if new.rounding_usd < vault.rounding_usd then
    raise exception 'the rounding account only grows' using errcode = 'check_violation';
  end if;
  -- A share costs what the ledger and the newest cut make of it.
  select * into worth from vault_worth(new.agent_id);
  whole := worth.equity_usd - vault.rounding_usd;
  if vault.total_shares = 0 then
    if new.share_price_usd <> 1 then
      raise exception 'the first share of a vault costs 1 dollar, not %', new.share_price_usd using errcode = 'check_violation', constraint = 'vault_price';
    end if;
  elsif worth.positions = 0 then
    if new.share_price_usd * vault.total_shares > greatest(whole, 0) or (new.share_price_usd + 0.000000001) * vault.total_shares <= whole then
      raise exception '% shares of % dollars do not cost % each', vault.total_shares, whole, new.share_price_usd using errcode = 'check_violation', constraint = 'vault_price';
    end if;
  elsif exists (select 1 from trail_writers) then
    if worth.equity_usd is null then
      raise exception 'no cut of the last three minutes has a live quote of every position of this vault' using errcode = 'check_violation', constraint = 'vault_price';
    end if;
    if abs(new.share_price_usd * vault.total_shares - whole) > abs(whole) * 0.05 then
      raise exception '% shares cost % dollars at the newest cut, not % each', vault.total_shares, whole, new.share_price_usd using errcode = 'check_violation', constraint = 'vault_price';
    end if;
  end if;
  if new.kind = 'deposit' then
    if new.shares * new.share_price_usd > new.amount_usd or (new.shares + 0.000000001) * new.share_price_usd <= new.amount_usd then
      raise exception '% dollars buy no % shares at %', new.amount_usd, new.shares, new.share_price_usd using errcode = 'check_violation';
    end if;
    if vault.allocated_usd + new.amount_usd > vault_ceiling_usd(new.agent_id) then
      raise exception 'at % this vault may hold % dollars; it holds % and % more were paid in', agent_stage, vault_ceiling_usd(new.agent_id), vault.allocated_usd, new.amount_usd
        using errcode = 'check_violation', constraint = 'vault_ceiling';
    end if;
    update vaults set total_shares = total_shares + new.shares, allocated_usd = allocated_usd + new.amount_usd,
      rounding_usd = new.rounding_usd, changes = new.change,
      -- The first share after none sets a new mark.
      high_water_usd = case when vault.total_shares = 0 then new.share_price_usd else greatest(high_water_usd, new.share_price_usd) end,
      high_water_at = case when vault.total_shares = 0 or new.share_price_usd > high_water_usd then new.at else high_water_at end
      where agent_id = new.agent_id;
  else
    select coalesce(sum(case kind when 'deposit' then shares else -shares end), 0) into owned
      from vault_changes where agent_id = new.agent_id and depositor = new.depositor;
    if new.shares > owned then
      raise exception '% owns % shares of this vault, not %', new.depositor, owned, new.shares using errcode = 'check_violation', constraint = 'vault_shares';
    end if;
    if new.amount_usd > new.shares * new.share_price_usd then
      raise exception '% shares at % are not worth % dollars', new.shares, new.share_price_usd, new.amount_usd using errcode = 'check_violation';
    end if;
    update vaults set total_shares = total_shares - new.shares, rounding_usd = new.rounding_usd, changes = new.change,
      allocated_usd = case when vault.total_shares = new.shares then 0 else round(allocated_usd * (1 - new.shares / vault.total_shares), 6) end
      where agent_id = new.agent_id;
  end if;
  return new;
end $$;
create trigger vault_change_admitted before insert on vault_changes for each row execute function admit_vault_change();
alter table vault_changes enable always trigger vault_change_admitted;

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

-- What is paid into or out of an agent's live book is a change of its vault, whose amount is held against the legs above. The
-- allocation of a Take enters its live book once, under its own name and to the last digit.
create function check_live_transfer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  agent uuid;
  allocation numeric;
  moved numeric;
begin
  if new.kind not in ('opening', 'transfer') then
    return null;
  end if;
  select agent_id into agent from books where id = new.book_id and mode = 'live';
  if agent is null then
    return null;
  end if;
  select (canonical::jsonb ->> 'allocationUsd')::numeric into allocation from takes where id = agent and mode = 'live';
  if allocation is not null and new.id = 'transfer:take:' || agent then
    select coalesce(sum(l.amount), 0) into moved from ledger_legs l join ledger_accounts a on a.id = l.account_id
      where l.transaction_id = new.id and a.kind = 'cash' and a.book_id = new.book_id;
    if moved <> allocation then
      raise exception '% pays % dollars into the live book of a Take that was allocated %', new.id, moved, allocation
        using errcode = 'check_violation', constraint = 'live_money_by_vault';
    end if;
    return null;
  end if;
  if not exists (
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
alter table books enable always trigger live_book_opened;
create constraint trigger live_book_in_ledger after update on books deferrable initially deferred for each row
  when (new.agent_id is not null and new.mode = 'live' and (new.cash_usd, new.capital_usd, new.holdings) is distinct from (old.cash_usd, old.capital_usd, old.holdings)) execute function check_live_book();
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

-- Nothing is paid into the vault of an agent that stands on evidence of earlier rules (0009_gates.sql).
create function guard_deposit_evidence() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  outdated record;
begin
  select * into outdated from outdated_evidence(new.agent_id) limit 1;
  if outdated.kind is not null then
    raise exception 'the vault takes no deposit: the evidence of % was made under version % of its rules, and since then %',
      outdated.kind, outdated.rules_version, outdated.rule_change using errcode = 'check_violation', constraint = 'vault_evidence';
  end if;
  return new;
end $$;
create trigger deposit_on_evidence before insert on vault_changes for each row when (new.kind = 'deposit') execute function guard_deposit_evidence();
alter table vault_changes enable always trigger deposit_on_evidence;

-- An agent that comes to limited_live with more in its vault than a tenth of its mandate has to give back first.
create function guard_live_capital() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  allocated numeric;
  most numeric;
begin
  if new.stage <> 'limited_live' or old.stage = 'limited_live' then
    return new;
  end if;
  select allocated_usd into allocated from vaults where agent_id = new.id;
  select (canonical::jsonb ->> 'maxCapitalUsd')::numeric / 10 into most from manifests where agent_id = new.id and version = new.manifest_version;
  if coalesce(allocated, 0) > most then
    raise exception 'the vault holds % dollars, at limited_live it may hold %', allocated, most using errcode = 'check_violation', constraint = 'vault_ceiling';
  end if;
  return new;
end $$;
create trigger agent_live_capital before update on agents for each row execute function guard_live_capital();
alter table agents enable always trigger agent_live_capital;

-- A mark above the highest price of a share is the new one.
create function note_high_water() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update vaults set high_water_usd = new.share_price_usd, high_water_at = new.at
    where agent_id = new.agent_id and new.share_price_usd > high_water_usd and total_shares > 0;
  return new;
end $$;
create trigger vault_marked after insert on vault_marks for each row execute function note_high_water();
alter table vault_marks enable always trigger vault_marked;

-- The highest price of a share follows from prices that hold: once a cut is corrected, a mark that rests on it counts no more.
create function lower_high_waters() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  with open_since as (
    -- The deposit that came when there was no share: what was reached before it belongs to nobody who holds one now.
    select v.agent_id, (
      select c.change from (
        select change, sum(case kind when 'deposit' then shares else -shares end) over (order by change) as owned
        from vault_changes where agent_id = v.agent_id) c
      where c.owned = 0 order by c.change desc limit 1) as emptied
    from vaults v where v.total_shares > 0
  ), first as (
    select o.agent_id, c.change, c.at, c.share_price_usd from open_since o
    join vault_changes c on c.agent_id = o.agent_id and c.change = coalesce(o.emptied, 0) + 1
  ), reached as (
    select agent_id, at, share_price_usd from first
    union all
    select c.agent_id, c.at, c.share_price_usd from first f
    join vault_changes c on c.agent_id = f.agent_id and c.change > f.change and c.kind = 'deposit'
    where not exists (
      select 1 from cut_corrections w
      where w.slot = (select slot from cut_batches where slot <= c.at and slot >= c.at - 180000 order by slot desc limit 1))
    union all
    select m.agent_id, m.at, m.share_price_usd from first f join judged_vault_marks m on m.agent_id = f.agent_id and m.at >= f.at
  ), highest as (
    select distinct on (agent_id) agent_id, at, share_price_usd from reached order by agent_id, share_price_usd desc, at
  )
  update vaults v set high_water_usd = h.share_price_usd, high_water_at = h.at
    from highest h where h.agent_id = v.agent_id and h.share_price_usd < v.high_water_usd;
  return null;
end $$;
create trigger high_waters_follow after insert on cut_corrections for each statement execute function lower_high_waters();
alter table cut_corrections enable always trigger high_waters_follow;

-- What backs a deposit.

-- What vaults of an organization claim at this moment, and all that was ever paid into them. US dollars.
create function vault_claims(org uuid) returns table (claimed_usd numeric, deposited_usd numeric)
language sql stable set search_path = public, pg_temp as $$
  select
    (select coalesce(sum(b.cash_usd), 0) from books b join vaults v on v.agent_id = b.agent_id where b.org_id = org and b.mode = 'live'),
    (select coalesce(sum(c.amount_usd), 0) from vault_changes c join agents a on a.id = c.agent_id where a.org_id = org and c.kind = 'deposit')
$$;

-- The one venue whose dollars pay for what an agent buys: outcomes of prediction markets are paid from wallets of the primary chain.
-- Null if the agent trades at several.
create function vault_dollar_venue(agent uuid) returns text language sql stable set search_path = public, pg_temp as $$
  select case when bool_and(venue = 'spotexchange') then 'spotexchange' when bool_and(venue in ('spotchain', 'prediction')) then 'spotchain' end
  from (
    select split_part(entry ->> 'key', ':', 1) as venue
    from agents a join manifests m on m.agent_id = a.id and m.version = a.manifest_version,
      lateral (select readable_json(m.canonical) -> 'universe' as universe) r,
      lateral readable_elements(r.universe) entry
    where a.id = agent
  ) v
$$;

-- Simulated dollars of each organization in a sandbox.
create function sandbox_dollars() returns numeric language sql immutable as $$ select 100000::numeric $$;

-- Simulated dollars that were paid into vaults of the organization and not paid out again.
create function sandbox_claims(org uuid) returns numeric language sql stable set search_path = public, pg_temp as $$
  select coalesce(sum(case c.kind when 'deposit' then c.amount_usd else -c.amount_usd end), 0)
  from vault_changes c join agents a on a.id = c.agent_id where a.org_id = org
$$;

-- Admits a deposit that the newest comparison backs, beside every deposit before it and the dollars that armed Takes were given; of a
-- vault that trades at one venue only, by dollars that lie there. Deposits that name no comparison are paid from the simulated dollars
-- of a sandbox. The organization's row is locked until the commit, before anything of the vault is, so that each deposit sees the one
-- before. (Its name lets it run before the other triggers.)
create function back_vault_deposit() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  org uuid;
  newest reserve_checks;
  present record;
  held numeric;
  armed numeric;
  claimed numeric;
  free numeric;
  venue text := vault_dollar_venue(new.agent_id);
begin
  select org_id into org from agents where id = new.agent_id;
  perform 1 from organizations where id = org for no key update;
  -- A live Take is armed under this lock: neither takes the dollars of the other.
  perform 1 from control where org_id = org for no key update;
  select * into newest from reserve_checks where org_id = org order by number desc limit 1;
  if new.reserve_check is null then
    -- Where somebody compares, something real is at stake.
    if newest.at > new.at - 360000 then
      raise exception 'a deposit names the comparison that backs it' using errcode = 'check_violation', constraint = 'vault_backing';
    end if;
    select coalesce(sum(capital_usd), 0) into armed from bound_dollars(org);
    free := sandbox_dollars() - sandbox_claims(org) - armed;
    if free < new.amount_usd then
      raise exception '% simulated dollars are free, not %', free, new.amount_usd using errcode = 'check_violation', constraint = 'vault_backing';
    end if;
    return new;
  end if;
  if newest.number is distinct from new.reserve_check then
    raise exception 'comparison % is not the newest of the organization', new.reserve_check using errcode = 'check_violation', constraint = 'vault_backing';
  end if;
  if newest.verdict <> 'backed' or newest.deposited_usd is null or abs(new.at - newest.at) > 360000 then
    raise exception 'comparison % backs nothing', new.reserve_check using errcode = 'check_violation', constraint = 'vault_backing';
  end if;
  select (line ->> 'held')::numeric, (line ->> 'claimed')::numeric into held, claimed
    from jsonb_array_elements(newest.lines) line where line ->> 'asset' = 'USD';
  select * into present from vault_claims(org);
  select coalesce(sum(cash_usd + spent_usd), 0) into armed from bound_dollars(org);
  free := held - greatest(present.claimed_usd, claimed + present.deposited_usd - newest.deposited_usd) - armed;
  if free is null or free < new.amount_usd then
    raise exception '% dollars are free of what comparison % found, not %', free, new.reserve_check, new.amount_usd
      using errcode = 'check_violation', constraint = 'vault_backing';
  end if;
  if venue is not null then
    select coalesce(sum((place ->> 'usd')::numeric), 0) into held from jsonb_array_elements(newest.dollars -> 'places') place where place ->> 'venue' = venue;
    select coalesce(sum((line ->> 'claimed')::numeric), 0) into claimed from jsonb_array_elements(newest.lines) line where line ->> 'asset' = 'USD:' || venue;
    select coalesce(sum(cash_usd + spent_usd), 0) into armed from bound_dollars(org) a where a.venue = vault_dollar_venue(new.agent_id);
    free := held - claimed - (present.deposited_usd - newest.deposited_usd) - armed;
    if free is null or free < new.amount_usd then
      raise exception '% dollars are free at % of what comparison % found, not %', free, venue, new.reserve_check, new.amount_usd
        using errcode = 'check_violation', constraint = 'vault_backing';
    end if;
  end if;
  return new;
end $$;
create trigger vault_backed before insert on vault_changes for each row when (new.kind = 'deposit') execute function back_vault_deposit();
alter table vault_changes enable always trigger vault_backed;

select protect_organizations();
-- A worker compares and marks, and nobody who serves callers says that something is backed.
revoke insert on reserve_checks, vault_marks from sevengate_api;
