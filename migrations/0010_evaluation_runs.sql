-- Evaluation runs: what was asked, where each stands, and the reports of those that finished.

create table evaluation_runs (
  id uuid primary key references actors,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  evaluation text not null check (evaluation in ('backtest', 'stress_test')),
  state text not null check (state in ('queued', 'running', 'finished', 'refused', 'cancelled', 'failed')),
  manifest_version int not null,
  manifest_hash text not null,
  request jsonb not null,
  requested_by text not null,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  attempts int not null,
  ending jsonb,
  result_hash text,
  summary jsonb,
  -- Who works on it, for as long as the lease is renewed.
  holder text,
  held_until timestamptz,
  foreign key (agent_id, manifest_version) references manifests (agent_id, version),
  check ((state = 'finished') = (result_hash is not null)),
  check ((state in ('finished', 'refused', 'cancelled', 'failed')) = (ended_at is not null))
);
create unique index one_open_evaluation_per_agent on evaluation_runs (agent_id) where state in ('queued', 'running');
create index evaluation_runs_open on evaluation_runs (created_at) where state in ('queued', 'running');
create index evaluation_runs_by_agent on evaluation_runs (agent_id, created_at desc, id desc);
grant select, insert, update on evaluation_runs to sevengate_app;

-- A run that has ended stays as it ended.
create function guard_evaluation_end() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null and (new.state, new.result_hash, new.summary, new.ended_at) is distinct from (old.state, old.result_hash, old.summary, old.ended_at) then
    raise exception 'evaluation run % has ended as %', old.id, old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger evaluation_end before update on evaluation_runs for each row execute function guard_evaluation_end();
alter table evaluation_runs enable always trigger evaluation_end;

-- The whole result as canonical JSON and the page for people. The hash is of the result, not of the page.
create table evaluation_reports (
  run_id uuid primary key references evaluation_runs,
  result_hash text not null check (result_hash ~ '^[0-9a-f]{64}$'),
  result text not null,
  report text not null,
  constraint result_hash_is_true check (encode(sha256(convert_to(result, 'UTF8')), 'hex') = result_hash)
);
select make_append_only('evaluation_reports');
