-- Delegations of wallets to agents, and what was put before the delegated signer (spec 5.6). No column holds a key: signatures are public.

-- The newest one of an agent counts; it ends by its time or by its revocation, and an older one never holds again.
create table delegations (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  wallet text not null check (wallet ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'),
  signer_wallet text not null check (signer_wallet ~ '^[A-Za-z0-9_-]{1,64}$'),
  max_notional_usd numeric not null check (max_notional_usd > 0),
  expires_at bigint not null,
  issued_at bigint not null,
  nonce uuid not null,
  -- What the owner signed, and the signature under it.
  challenge text not null,
  owner_signature text not null check (owner_signature ~ '^[A-Za-z0-9+/]{86}==$'),
  granted_by text not null check (granted_by <> ''),
  granted_at bigint not null,
  check (expires_at > granted_at),
  -- A text grants once: whoever revokes need not fear that it is sent again.
  constraint delegation_signed_once unique (challenge)
);
create index delegations_by_org on delegations (org_id, number desc);
create index delegations_by_agent on delegations (agent_id, number desc);
select make_append_only('delegations');

create table delegation_revocations (
  delegation_id uuid primary key references delegations,
  org_id uuid not null references organizations,
  revoked_by text not null check (revoked_by <> ''),
  revoked_at bigint not null
);
select make_append_only('delegation_revocations');

-- A delegation is of its agent's organization, and so is its revocation.
create function guard_delegation() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  -- The agent's column in one table, the delegation's in the other.
  subject uuid := (to_jsonb(new)->>tg_argv[1])::uuid;
  is_of_it boolean;
begin
  execute format('select exists (select 1 from %I where id = $1 and org_id = $2)', tg_argv[0]) into is_of_it using subject, new.org_id;
  if not is_of_it then
    raise exception 'a delegation belongs to the organization of its agent' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger delegation_of_its_organization before insert on delegations for each row execute function guard_delegation('agents', 'agent_id');
create trigger revocation_of_its_organization before insert on delegation_revocations for each row execute function guard_delegation('delegations', 'delegation_id');
alter table delegations enable always trigger delegation_of_its_organization;
alter table delegation_revocations enable always trigger revocation_of_its_organization;

-- One row per transaction that the service puts before the delegated signer: whose it is and on which market risk passed it.
-- The signer reads it and everything else itself; what it was told is the id alone.
create table delegated_orders (
  order_id uuid primary key,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  proposal_id uuid not null references proposals,
  delegation_id uuid not null references delegations,
  -- The order as risk passed it: domain `Order`.
  order_body jsonb not null,
  -- The quotes and the reference price that it was passed on, and those that the organization's holdings are valued by.
  heard jsonb not null,
  prepared_at bigint not null
);
create index delegated_orders_by_proposal on delegated_orders (proposal_id);
select make_append_only('delegated_orders');

-- No request of a caller puts anything before the signer.
select protect_organizations();
revoke insert, update, delete on delegated_orders from sevengate_api;
