-- Tokens of external agents: each is bound to one agent, proposes for it and reads what it needs for that. It can be revoked.

-- Only the SHA-256 of a token is kept: it is shown once.
create table agent_tokens (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  name text not null check (name <> ''),
  digest text not null unique check (digest ~ '^[0-9a-f]{64}$'),
  created_by text not null check (created_by <> ''),
  created_at bigint not null
);
select make_append_only('agent_tokens');
create index agent_tokens_by_agent on agent_tokens (agent_id, number desc);

create table agent_token_revocations (
  token_id uuid primary key references agent_tokens,
  org_id uuid not null references organizations,
  revoked_by text not null check (revoked_by <> ''),
  revoked_at bigint not null
);
select make_append_only('agent_token_revocations');
