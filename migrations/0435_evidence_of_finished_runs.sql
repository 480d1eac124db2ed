-- Evidence counts only of a run that finished, because its trials are charged as it finishes. Before, whoever cancelled a backtest as it
-- wrote its evidence (a worker notices within seconds) kept evidence that opens the gate, and no trial was charged.

-- That of 0009. Evidence of an evaluation that is not finished, or ended otherwise, decides nothing.
create or replace function gate_evidence(agent uuid, of_kind text, of_version int, of_hash text) returns setof evidence language sql stable set search_path = public, pg_temp as $$
  select * from (
    select * from evidence e
    where e.agent_id = agent and e.kind = of_kind and e.manifest_version = of_version and e.manifest_hash = of_hash
      and e.seq > case when of_kind in ('paper', 'shadow', 'risk_signoff') then (stage_entry(agent)).seq else gate_reset_seq(agent) end
      and not exists (
        select 1 from evaluation_runs r where r.agent_id = e.agent_id and r.id::text = e.run_id and r.evaluation = e.kind and r.state <> 'finished')
    order by e.seq desc limit 1
  ) newest
  where newest.kind not in ('paper', 'shadow') or not exists (
    select 1 from cut_corrections c where c.corrected_at > newest.at
      and c.slot between (newest.series::jsonb ->> 'enteredAt')::bigint - 86400000 and (newest.series::jsonb ->> 'evaluatedAt')::bigint + 60000
  )
$$;

-- No evidence of a run that ended without a result. The lock lets a cancellation wait for the evidence, or the evidence for it.
create function admit_evidence_of_open_run() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ended text;
begin
  select r.state into ended from evaluation_runs r
    where r.agent_id = new.agent_id and r.id::text = new.run_id and r.evaluation = new.kind for share;
  if ended in ('refused', 'cancelled', 'failed') then
    raise exception 'run % has ended as %: it is no evidence', new.run_id, ended using errcode = 'check_violation', constraint = 'evidence_of_open_run';
  end if;
  return new;
end $$;
-- After `evidence_admitted`, which skips the evidence of a run that has left it already.
create trigger evidence_of_open_run before insert on evidence for each row execute function admit_evidence_of_open_run();
alter table evidence enable always trigger evidence_of_open_run;
