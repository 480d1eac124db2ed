-- Blind stress sessions: outside code answers the scenarios of the stress test as it answers the history. Every gate opens for it.

-- Nothing of an external agent is sold, tokenized or evaluated, but by a session; and nothing else is evaluated by one.
create or replace function refuse_external() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  is_session boolean := tg_table_name = 'evaluation_runs' and coalesce(to_jsonb(new) -> 'request' ? 'session', false);
  external boolean := new.agent_id is not null and is_external(new.agent_id, case tg_table_name
    when 'launches' then (select manifest_version from agents where id = new.agent_id)
    else (to_jsonb(new) ->> 'manifest_version')::int end);
begin
  if is_session and not (external and to_jsonb(new) ->> 'evaluation' in ('backtest', 'stress_test')) then
    raise exception 'a session is the backtest or the stress test of an external agent' using errcode = 'check_violation', constraint = 'session_of_external_agent';
  end if;
  if external and not is_session then
    raise exception 'the strategy of this agent is code outside of the service: it is evaluated by sessions alone, and neither listed, tokenized nor swept'
      using errcode = 'check_violation', constraint = 'external_not_listable';
  end if;
  return new;
end $$;
alter function refuse_external() set plan_cache_mode = force_generic_plan;

drop trigger agent_stage_external on agents;
drop function guard_external_stage();

-- Every session of a backtest is a trial by its row, whatever became of it. One of a stress test is none: its scenarios have no return
-- that could be found by trying.
create or replace function other_trials(agent uuid, before bigint, own_hashes text[], own_stretch text, own_first_day int, own_returns real[])
  returns table (sharpe float8) language sql stable set search_path = public, pg_temp as $$
  with org as materialized (
    select org_id as id from agents where id = agent
  ), tried as (
    select r.agent_id, t.manifest_hash, trial_stretch(r.request) as stretch, t.sharpe, r.created_at as at, r.id::text as run, t.first_day, t.returns
    from trials t join evaluation_runs r on r.id = t.run_id where t.org_id = (select id from org) and r.created_at < before
    union all
    select r.agent_id, r.manifest_hash, trial_stretch(r.request), null, r.created_at, r.id::text, null, null
    from evaluation_runs r where r.org_id = (select id from org) and r.evaluation = 'backtest' and r.request ? 'session'
      and not r.request ? 'check' and r.created_at < before and not exists (select 1 from trials t where t.run_id = r.id)
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
