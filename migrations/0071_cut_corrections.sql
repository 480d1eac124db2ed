-- A wrong cut stays as the feed signed it, and is superseded by a correction that the owner signs: what was decided on it stays
-- as it was, and whatever judges leaves the cut out.
alter table trail_writers drop constraint trail_writers_writer_check,
  add constraint trail_writers_writer_check check (writer in ('feed', 'worker', 'evaluator', 'api', 'log', 'owner'));

create table cut_corrections (
  slot bigint primary key,
  reason text not null check (length(btrim(reason)) between 10 and 500 and position(chr(10) in reason) = 0),
  corrected_by text not null check (corrected_by <> ''),
  corrected_at bigint not null default gate_now()
);
select make_append_only('cut_corrections');
-- Nobody but the owner of the tables writes one.
revoke insert, update, delete on cut_corrections from sevengate_app;
grant select on cut_corrections to sevengate_app, sevengate_api, sevengate_evaluator, sevengate_reader;

-- A correction is of a cut that was written, and comes once every shard has decided on it: no tick finds another cut than a replay.
create function admit_cut_correction() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  behind bigint;
begin
  if not exists (select 1 from cut_batches where slot = new.slot) then
    raise exception 'no cut of % was written', to_timestamp(new.slot / 1000.0) using errcode = 'check_violation', constraint = 'corrected_cut_is_there';
  end if;
  select min(last_slot) into behind from tick_shards;
  if behind < new.slot then
    raise exception 'a shard has decided up to % only: the cut of % is corrected after that', to_timestamp(behind / 1000.0), to_timestamp(new.slot / 1000.0)
      using errcode = 'check_violation', constraint = 'corrected_when_decided';
  end if;
  return new;
end $$;
create trigger admit_correction before insert on cut_corrections for each row execute function admit_cut_correction();
alter table cut_corrections enable always trigger admit_correction;

-- What judges reads these: cuts, observations and marks of vaults without those that were corrected.
create view judged_cuts with (security_invoker = true) as
  select c.* from cuts c where not exists (select 1 from cut_corrections w where w.slot = c.slot);
create view judged_observations with (security_invoker = true) as
  select o.* from observations o where not exists (select 1 from cut_corrections w where w.slot = o.slot);
create view judged_vault_marks with (security_invoker = true) as
  select m.* from vault_marks m where not exists (select 1 from cut_corrections w where w.slot = m.at);
grant select on judged_cuts, judged_observations, judged_vault_marks to sevengate_app, sevengate_api, sevengate_evaluator, sevengate_reader;

create or replace function last_live_bid(of_instrument text, since bigint, until bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select (body::jsonb #>> '{quote,bid}')::numeric from judged_observations
  where slot >= since and slot < until and instrument = of_instrument
    and body::jsonb #>> '{quote,quality}' = 'live' and body::jsonb #>> '{quote,bid}' is not null
  order by slot desc limit 1
$$;

create or replace function next_live_price(of_instrument text, side text, since bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select case when body::jsonb #>> '{quote,quality}' = 'live' then (body::jsonb #>> array['quote', case side when 'buy' then 'ask' else 'bid' end])::numeric end
  from judged_observations where slot > since and slot <= since + 60000 and instrument = of_instrument order by slot limit 1
$$;

-- Evidence of a stage that was found before a cut of its span was corrected counts no more: it is to be found anew.
create or replace function gate_evidence(agent uuid, of_kind text, of_version int, of_hash text) returns setof evidence language sql stable set search_path = public, pg_temp as $$
  select * from (
    select * from evidence e
    where e.agent_id = agent and e.kind = of_kind and e.manifest_version = of_version and e.manifest_hash = of_hash
      and e.seq > case when of_kind in ('paper', 'shadow', 'risk_signoff') then (stage_entry(agent)).seq else gate_reset_seq(agent) end
    order by e.seq desc limit 1
  ) newest
  where newest.kind not in ('paper', 'shadow') or not exists (
    select 1 from cut_corrections c where c.corrected_at > newest.at
      and c.slot between (newest.series::jsonb ->> 'enteredAt')::bigint - 86400000 and (newest.series::jsonb ->> 'evaluatedAt')::bigint + 60000
  )
$$;

create or replace function vault_worth(agent uuid) returns table (equity_usd numeric, positions bigint) language sql stable set search_path = public, pg_temp as $$
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

select protect_writes();
