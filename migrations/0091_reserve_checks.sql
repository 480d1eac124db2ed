-- What vaults and books of an organization claimed, and what its account at the exchange and its wallets held at that moment.
create table reserve_checks (
  number bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  at bigint not null,
  verdict text not null check (verdict in ('backed', 'short', 'unknown')),
  -- [{"asset", "claimed", "held"}]: decimal texts; held is null where a place did not tell.
  lines jsonb not null check (jsonb_typeof(lines) = 'array'),
  unknown text[] not null
);
create index reserve_checks_newest on reserve_checks (org_id, number desc);
select make_append_only('reserve_checks');
select protect_organizations();
-- A worker compares, and nobody who serves callers says that something is backed.
revoke insert, update, delete on reserve_checks from sevengate_api, sevengate_evaluator;
select protect_writes();
