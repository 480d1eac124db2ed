-- Outside code that trades is asked again for answers that it gave in the session that passed. A session of agreement is an evaluation run.
alter table evaluation_runs drop constraint evaluation_runs_evaluation_check;
alter table evaluation_runs add constraint evaluation_runs_evaluation_check check (evaluation in ('backtest', 'stress_test', 'sweep', 'agreement'));

-- Nothing of an external agent is sold, tokenized or evaluated, but by a session; and nothing else is evaluated by one.
create or replace function refuse_external() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  evaluation text := case when tg_table_name = 'evaluation_runs' then to_jsonb(new) ->> 'evaluation' end;
  is_session boolean := evaluation is not null and coalesce(to_jsonb(new) -> 'request' ? 'session', false);
  external boolean := new.agent_id is not null and is_external(new.agent_id, case tg_table_name
    when 'launches' then (select manifest_version from agents where id = new.agent_id)
    else (to_jsonb(new) ->> 'manifest_version')::int end);
begin
  if is_session and not (external and evaluation <> 'sweep') then
    raise exception 'a session is the backtest, the stress test or the agreement of an external agent' using errcode = 'check_violation', constraint = 'session_of_external_agent';
  end if;
  -- The service asks at its own time, and no caller.
  if evaluation = 'agreement' and (current_user = 'sevengate_api' or not is_session) then
    raise exception 'the service alone asks for agreement' using errcode = 'check_violation', constraint = 'session_of_external_agent';
  end if;
  if external and not is_session then
    raise exception 'the strategy of this agent is code outside of the service: it is evaluated by sessions alone, and neither listed, tokenized nor swept'
      using errcode = 'check_violation', constraint = 'external_not_listable';
  end if;
  return new;
end $$;
alter function refuse_external() set plan_cache_mode = force_generic_plan;

-- A session of agreement is due by the last one.
create index evaluation_runs_of_agreement on evaluation_runs (agent_id, created_at desc) where evaluation = 'agreement';
