-- Manifests that were simulated while they were written. Each is a trial: the deflated Sharpe ratio counts it as it counts a sweep's.
create table previewed_manifests (
  seq bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  -- The agent whose next version it was meant to be; null where it was meant for an agent that did not exist yet.
  agent_id uuid references actors,
  manifest_hash text not null check (manifest_hash ~ '^[0-9a-f]{64}$'),
  -- The distinct types of its entry and exit rules, sorted: what makes a family of manifests.
  entry_types text[] not null,
  exit_types text[] not null,
  at bigint not null,
  unique nulls not distinct (org_id, manifest_hash, agent_id)
);
select make_append_only('previewed_manifests');
select protect_organizations();
