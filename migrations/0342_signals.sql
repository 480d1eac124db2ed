-- Signals: alerts of somebody else's charts that become outside proposals of one external agent, by a template.

create table signal_hooks (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  name text not null check (name <> ''),
  -- RFC 8785 text of the template and its tickers.
  template text not null check (octet_length(template) <= 16384),
  manifest_hash text not null check (manifest_hash ~ '^[0-9a-f]{64}$'),
  created_by text not null check (created_by <> ''),
  created_at bigint not null
);
select make_append_only('signal_hooks');
create index signal_hooks_by_agent on signal_hooks (agent_id, number desc);

-- The SHA-256 of each secret, which is also the key of signed deliveries: whoever reads it can sign, so sessions of callers do not.
create table signal_secrets (
  digest text primary key check (digest ~ '^[0-9a-f]{64}$'),
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  hook_id uuid not null references signal_hooks,
  created_by text not null check (created_by <> ''),
  created_at bigint not null
);
select make_append_only('signal_secrets');
create index signal_secrets_by_hook on signal_secrets (hook_id, number desc);
revoke select on signal_secrets from sevengate_api;

create table signal_hook_revocations (
  hook_id uuid primary key references signal_hooks,
  org_id uuid not null references organizations,
  revoked_by text not null check (revoked_by <> ''),
  revoked_at bigint not null
);
select make_append_only('signal_hook_revocations');
