-- Blind replay sessions: the backtest of an external agent, whose code answers the history slot by slot. A session is an evaluation run
-- whose request names it.

-- Nothing of an external agent is sold, tokenized or evaluated, but by a session; and nothing else is evaluated by one.
create or replace function refuse_external() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  is_session boolean := tg_table_name = 'evaluation_runs' and coalesce(to_jsonb(new) -> 'request' ? 'session', false);
  external boolean := new.agent_id is not null and is_external(new.agent_id, case tg_table_name
    when 'launches' then (select manifest_version from agents where id = new.agent_id)
    else (to_jsonb(new) ->> 'manifest_version')::int end);
begin
  if is_session and not (external and to_jsonb(new) ->> 'evaluation' = 'backtest') then
    raise exception 'a replay session is the backtest of an external agent' using errcode = 'check_violation', constraint = 'session_of_external_agent';
  end if;
  if external and not is_session then
    raise exception 'the strategy of this agent is code outside of the service: it is backtested by a replay session alone, and neither listed, tokenized, stress-tested nor swept'
      using errcode = 'check_violation', constraint = 'external_not_listable';
  end if;
  return new;
end $$;

-- The gates of draft and backtest open for an external agent as for any other. No stress scenario is served to outside code yet, so it
-- goes no further than stress_test.
create or replace function guard_external_stage() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if new.stage not in ('draft', 'backtest', 'stress_test') and is_external(new.id, new.manifest_version) then
    raise exception 'an external agent goes no further than stress_test: no stress scenario is served to outside code yet'
      using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  return new;
end $$;

-- The proposals of outside code are a condition of entry. The same as `manifestMetrics` of src/domain/evidence.ts.
create or replace function manifest_metrics(manifest jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select jsonb_build_object(
    'universe', jsonb_array_length(manifest -> 'universe'),
    'entryConditions', jsonb_array_length(manifest -> 'entry') + case when manifest -> 'strategy' ->> 'kind' = 'external' then 1 else 0 end,
    'maxCapitalUsd', (manifest ->> 'maxCapitalUsd')::float8,
    'maxTradeNotionalUsd', (manifest ->> 'maxTradeNotionalUsd')::float8,
    'notionalOfCapacity', ((manifest ->> 'maxTradeNotionalUsd')::numeric
      / nullif((manifest ->> 'maxCapitalUsd')::numeric * (manifest ->> 'maxLeverage')::numeric, 0))::float8,
    'maxLeverage', (manifest ->> 'maxLeverage')::float8,
    'stopLossPct', (manifest ->> 'stopLossPct')::float8,
    'takeProfitPct', (manifest ->> 'takeProfitPct')::float8,
    'maxDailyDrawdownPct', (manifest ->> 'maxDailyDrawdownPct')::float8,
    'maxOpenPositions', (manifest ->> 'maxOpenPositions')::float8)
$$;

create or replace function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 5 when 'paper' then 4 when 'shadow' then 3 when 'stress_test' then 2 when 'manifest' then 2 else 1 end
$$;

-- What was on record of outside code before counts no condition of entry. It stays true to what it said, and opens no gate.
create or replace function metrics_follow(claimed jsonb, kind text, series jsonb) returns boolean language sql immutable set search_path = public, pg_temp as $$
  select coalesce(bool_and(c.key is not null and f.key is not null and case
    when kind = 'manifest' and f.key = 'entryConditions' and series -> 'strategy' ->> 'kind' = 'external' and c.value = '0' then true
    when jsonb_typeof(f.value) = 'null' or jsonb_typeof(c.value) = 'null' then f.value = c.value
    when jsonb_typeof(c.value) <> 'number' then false
    else abs((c.value #>> '{}')::float8 - (f.value #>> '{}')::float8) <= 1e-6 * greatest(1, abs((f.value #>> '{}')::float8)) end), false)
  from jsonb_each(claimed) c full join jsonb_each(evidence_metrics(kind, series)) f on f.key = c.key
$$;

insert into superseded_evidence
select id, 1, 'the proposals of outside code are a condition of entry' from evidence
where kind = 'manifest' and series::jsonb -> 'strategy' ->> 'kind' = 'external'
on conflict do nothing;

-- Every session is a trial by its row, whatever became of it: abandoned, expired, interrupted or refused. A session that came to no
-- result has no returns, so it is of the family of its own agent and of its own manifest.
create or replace function other_trials(agent uuid, before bigint, own_hashes text[], own_stretch text, own_first_day int, own_returns real[])
  returns table (sharpe float8) language sql stable set search_path = public, pg_temp as $$
  with org as materialized (
    select org_id as id from agents where id = agent
  ), tried as (
    select r.agent_id, t.manifest_hash, trial_stretch(r.request) as stretch, t.sharpe, r.created_at as at, r.id::text as run, t.first_day, t.returns
    from trials t join evaluation_runs r on r.id = t.run_id where t.org_id = (select id from org) and r.created_at < before
    union all
    select r.agent_id, r.manifest_hash, trial_stretch(r.request), null, r.created_at, r.id::text, null, null
    from evaluation_runs r where r.org_id = (select id from org) and r.request ? 'session' and r.created_at < before
      and not exists (select 1 from trials t where t.run_id = r.id)
    union all
    select p.agent_id, p.manifest_hash, null, null, p.at, null, t.first_day, t.returns
    from previewed_manifests p left join trials t on t.org_id = p.org_id and t.run_id is null and t.manifest_hash = p.manifest_hash
    where p.org_id = (select id from org) and p.at < before
  ), newest as (
    select distinct on (t.manifest_hash, t.stretch) t.*,
      coalesce(bool_or(t.agent_id = agent) over (partition by t.manifest_hash, t.stretch), false) or t.manifest_hash = any(own_hashes) as is_own
    from tried t order by t.manifest_hash, t.stretch, t.at desc, t.run desc
  ), family as (
    select n.manifest_hash, n.stretch, n.sharpe,
      row_number() over (partition by n.manifest_hash order by (n.stretch is null), n.at desc, n.run desc) as place
    from newest n where coalesce(returns_correlation(own_first_day, own_returns, n.first_day, n.returns) >= 0.5, n.is_own)
  )
  select case when f.place = 1 and f.manifest_hash <> all(own_hashes) then f.sharpe end from family f
  -- A preview counts where its manifest never ran.
  where (f.stretch is not null or (f.place = 1 and f.manifest_hash <> all(own_hashes)))
    and not (f.manifest_hash = any(own_hashes) and f.stretch is not distinct from own_stretch)
$$;

-- As all triggers since 0341.
alter function refuse_external() set plan_cache_mode = force_generic_plan;
alter function guard_external_stage() set plan_cache_mode = force_generic_plan;
