-- Organizations, their members with roles, invitations and tokens, the emergency halt, and who changed what.

-- Whose everything is.
create table organizations (
  id uuid primary key,
  name text not null check (name <> ''),
  created_at timestamptz not null default clock_timestamp()
);
grant select, insert on organizations to sevengate_app;

-- Who may do what. A subject of the identity provider belongs to one organization; claims in its token never count.
create table members (
  subject text primary key check (subject <> ''),
  org_id uuid not null references organizations,
  name text not null,
  permissions text[] not null check (permissions <@ array['market:read', 'agent:read', 'trade:execute', 'risk:manage', 'members:manage']),
  created_at timestamptz not null default clock_timestamp(),
  -- The role that was granted last; null where permissions were named one by one.
  role text
);
grant select on members to sevengate_app, sevengate_evaluator;

-- How a member's terminal is arranged: views, workspaces, watchlist, theme. It follows the member to another browser, and goes with the
-- membership. Nothing acts on it.
create table member_settings (
  org_id uuid not null references organizations,
  subject text not null references members on delete cascade,
  name text not null check (name ~ '^[a-z][a-z0-9-]{0,63}$'),
  -- Counts the changes, so that a browser with an older one does not overwrite a newer one.
  version int not null check (version > 0),
  value text not null check (length(value) <= 16384),
  primary key (subject, org_id, name)
);
grant select, insert, update, delete on member_settings to sevengate_app;

-- A member's settings are counted one write after the other.
create function limit_member_settings() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from members where subject = new.subject for no key update;
  if (select count(*) from member_settings where subject = new.subject and org_id = new.org_id and name <> new.name) >= 64 then
    raise exception 'member % has 64 settings', new.subject using errcode = 'check_violation', constraint = 'member_settings_number';
  end if;
  return new;
end $$;
revoke execute on function limit_member_settings() from public;
create trigger member_settings_number before insert on member_settings for each row execute function limit_member_settings();
alter table member_settings enable always trigger member_settings_number;

-- Roles of an organization's own.
create table member_roles (
  org_id uuid not null references organizations,
  name text not null check (name ~ '^[a-z][a-z0-9_-]{0,39}$'),
  permissions text[] not null check (cardinality(permissions) > 0
    and permissions <@ array['market:read', 'agent:read', 'trade:execute', 'risk:manage', 'members:manage']),
  primary key (org_id, name)
);
grant select on member_roles to sevengate_app;

-- Who was invited, by whom, and until when.
create table invitations (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  -- The code itself is shown once and kept by nobody.
  code_sha256 text not null unique check (code_sha256 ~ '^[0-9a-f]{64}$'),
  name text not null check (name <> ''),
  role text,
  permissions text[] not null,
  invited_by text not null,
  created_at bigint not null,
  expires_at bigint not null check (expires_at > created_at),
  accepted_by text,
  accepted_at bigint,
  revoked_at bigint,
  check ((accepted_by is null) = (accepted_at is null)),
  check (accepted_at is null or revoked_at is null)
);
grant select on invitations to sevengate_app;

-- Tokens of a subject that are refused although they have not expired: those issued until `before_at`, or one session's, or one token.
create table token_revocations (
  id bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  subject text not null,
  session text,
  token text,
  before_at bigint not null,
  -- Every token that this is about has expired by then.
  until_at bigint not null check (until_at > before_at),
  revoked_by text not null
);
create index token_revocations_subject on token_revocations (subject);
grant select on token_revocations to sevengate_app;

-- Members are managed by members. No login writes these tables. The functions below do, each after it has checked that the session is
-- proven, that it works for the organization, and that whoever asks manages its members.

-- Null where the subject may change who belongs to the organization, else why not.
create function manages_members(org uuid, asker text) returns text language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not session_is_proven() then
    raise exception 'members are changed by sessions that show the secret of a registered writer' using errcode = 'insufficient_privilege', constraint = 'proven_session';
  end if;
  if current_organization() is distinct from org then
    raise exception 'the session does not work for organization %', org using errcode = 'insufficient_privilege';
  end if;
  -- Two changes at once would each see the other manager still there.
  perform 1 from members m where m.org_id = org order by m.subject for update;
  -- The login that owns the tables speaks for nobody and may do anything: so begins an organization.
  if not (session_is_owner() and current_setting('role') = 'none') and not exists (select 1 from members m where m.org_id = org and m.subject = asker and 'members:manage' = any(m.permissions)) then
    return 'this needs members:manage';
  end if;
  return null;
end $$;
revoke execute on function manages_members(uuid, text) from public;

-- Gives a member other permissions; without any it is a member no more. A role that has changed since its permissions were read is not
-- granted with the earlier ones.
create function change_member(org uuid, asker text, target text, its_role text, granted text[]) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  refusal text := manages_members(org, asker);
begin
  if refusal is not null then return refusal; end if;
  if asker = target then return 'nobody changes the permissions of their own: ask another member with members:manage'; end if;
  if exists (select 1 from member_roles r where r.org_id = org and r.name = its_role and r.permissions <> granted) then
    return format('role %s has just changed: grant it again', its_role);
  end if;
  if granted is null then
    delete from members where subject = target and org_id = org;
  else
    update members set permissions = granted, role = its_role where subject = target and org_id = org;
  end if;
  return case when not found then 'there is no such member' end;
end $$;
revoke execute on function change_member(uuid, text, text, text, text[]) from public;
grant execute on function change_member(uuid, text, text, text, text[]) to sevengate_api;

-- Makes or changes a role; whoever has it has its permissions.
create function set_member_role(org uuid, asker text, its_name text, granted text[]) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  refusal text := manages_members(org, asker);
begin
  if refusal is not null then return refusal; end if;
  if exists (select 1 from members m where m.org_id = org and m.subject = asker and m.role = its_name) then
    return 'nobody changes the permissions of their own: ask another member with members:manage';
  end if;
  insert into member_roles (org_id, name, permissions) values (org, its_name, granted)
    on conflict (org_id, name) do update set permissions = excluded.permissions;
  -- Whoever has the role has its permissions.
  update members set permissions = granted where org_id = org and role = its_name;
  return null;
end $$;
revoke execute on function set_member_role(uuid, text, text, text[]) from public;
grant execute on function set_member_role(uuid, text, text, text[]) to sevengate_api;

-- Invites somebody.
create function invite_member(org uuid, asker text, its_id uuid, its_code_sha256 text, its_name text, its_role text, granted text[], at bigint, ends bigint)
returns text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  refusal text := manages_members(org, asker);
begin
  if refusal is not null then return refusal; end if;
  insert into invitations (id, org_id, code_sha256, name, role, permissions, invited_by, created_at, expires_at)
    values (its_id, org, its_code_sha256, its_name, its_role, granted, asker, at, ends);
  return null;
end $$;
revoke execute on function invite_member(uuid, text, uuid, text, text, text, text[], bigint, bigint) from public;
grant execute on function invite_member(uuid, text, uuid, text, text, text, text[], bigint, bigint) to sevengate_api;

-- Takes an invitation back.
create function revoke_invitation(org uuid, asker text, its_id uuid, at bigint) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  refusal text := manages_members(org, asker);
begin
  if refusal is not null then return refusal; end if;
  if not exists (select 1 from invitations where id = its_id and org_id = org) then return 'there is no such invitation'; end if;
  update invitations set revoked_at = at where id = its_id and org_id = org and accepted_at is null and revoked_at is null;
  return case when not found then 'the invitation was accepted or revoked already' end;
end $$;
revoke execute on function revoke_invitation(uuid, text, uuid, bigint) from public;
grant execute on function revoke_invitation(uuid, text, uuid, bigint) to sevengate_api;

-- Whoever holds the code joins, once; nobody belongs to two organizations. Answers the organization, or null with why not. A change of the
-- role waits for whoever joins with it, or the other way round.
create function accept_invitation(joining text, its_code_sha256 text, at bigint, out org uuid, out refusal text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  invited invitations;
  granted text[];
begin
  if not session_is_proven() then
    raise exception 'members are changed by sessions that show the secret of a registered writer' using errcode = 'insufficient_privilege', constraint = 'proven_session';
  end if;
  select * into invited from invitations where code_sha256 = its_code_sha256 for update;
  if not found then refusal := 'no invitation has this code'; return; end if;
  if invited.revoked_at is not null then refusal := 'the invitation was revoked'; return; end if;
  if invited.accepted_at is not null then refusal := 'the invitation was accepted already'; return; end if;
  if at >= invited.expires_at then refusal := 'the invitation has expired: ask for a new one'; return; end if;
  -- A role that was changed meanwhile counts as it is now.
  select r.permissions into granted from member_roles r where r.org_id = invited.org_id and r.name = invited.role for share;
  insert into members (subject, org_id, name, permissions, role)
    values (joining, invited.org_id, invited.name, coalesce(granted, invited.permissions), invited.role) on conflict (subject) do nothing;
  if not found then refusal := 'this identity belongs to an organization already'; return; end if;
  update invitations set accepted_by = joining, accepted_at = at where id = invited.id;
  org := invited.org_id;
end $$;
revoke execute on function accept_invitation(text, text, bigint) from public;
grant execute on function accept_invitation(text, text, bigint) to sevengate_app;

-- Open invitations of whoever manages members no more are revoked.
create function revoke_own_invitations() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update invitations set revoked_at = service_clock_ms()
    where org_id = old.org_id and invited_by = old.subject and accepted_at is null and revoked_at is null;
  return null;
end $$;
revoke execute on function revoke_own_invitations() from public;
create trigger member_removed after delete on members for each row when ('members:manage' = any(old.permissions)) execute function revoke_own_invitations();
create trigger member_changed after update on members for each row
  when ('members:manage' = any(old.permissions) and not 'members:manage' = any(new.permissions)) execute function revoke_own_invitations();
alter table members enable always trigger member_removed;
alter table members enable always trigger member_changed;

-- Takes tokens back: a member its own, and whoever manages members those of each member.
create function revoke_tokens(org uuid, asker text, target text, its_session text, its_token text, before bigint, ends bigint) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  refusal text;
begin
  if not session_is_proven() then
    raise exception 'tokens are taken back by sessions that show the secret of a registered writer' using errcode = 'insufficient_privilege', constraint = 'proven_session';
  end if;
  if current_organization() is distinct from org then
    raise exception 'the session does not work for organization %', org using errcode = 'insufficient_privilege';
  end if;
  if asker <> target then
    refusal := manages_members(org, asker);
    if refusal is not null then return refusal; end if;
  end if;
  if not exists (select 1 from members where subject = target and org_id = org) then return 'there is no such member'; end if;
  delete from token_revocations where subject = target and until_at <= before;
  insert into token_revocations (org_id, subject, session, token, before_at, until_at, revoked_by)
    values (org, target, its_session, its_token, before, ends, asker);
  return null;
end $$;
revoke execute on function revoke_tokens(uuid, text, text, text, text, bigint, bigint) from public;
grant execute on function revoke_tokens(uuid, text, text, text, text, bigint, bigint) to sevengate_api;

-- The emergency halt's row: every transaction that leads to a venue reads it FOR SHARE, the halt updates it. A halt holds from its
-- epoch on. Pausing what it found on duty may take longer: until that is done (swept_epoch), no agent of the organization gets a
-- permit to execute.
create table control (
  org_id uuid primary key references organizations,
  halted_at timestamptz,
  epoch bigint not null default 0,
  swept_epoch bigint not null default 0,
  -- Whoever pauses renews it; another worker goes on after it.
  sweeping_until timestamptz,
  -- Who asked for the newest halt, and why.
  halted_by text,
  halt_reason text check (halt_reason is null or (halt_reason ~ '\S' and length(halt_reason) <= 500)),
  constraint control_swept check (swept_epoch <= epoch)
);
create index control_to_sweep on control (org_id) where swept_epoch < epoch;
grant select, insert, update on control to sevengate_app;

-- A control row can only be locked where there is one: every organization has its own from its birth on.
create function open_control() returns trigger language plpgsql as $$
begin
  insert into control (org_id) values (new.id) on conflict do nothing;
  return null;
end $$;
create trigger organization_control after insert on organizations for each row execute function open_control();
alter table organizations enable always trigger organization_control;

-- A halt is never taken back: its epoch only grows, whoever writes.
create function guard_control() returns trigger language plpgsql as $$
begin
  if new.epoch < old.epoch or new.org_id <> old.org_id then
    raise exception 'the control epoch of an organization only grows: % after %', new.epoch, old.epoch using errcode = 'check_violation', constraint = 'control_epoch';
  end if;
  return new;
end $$;
create trigger control_grows before update on control for each row execute function guard_control();
alter table control enable always trigger control_grows;

-- Answers of unsafe requests by their Idempotency-Key.
create table idempotency_keys (
  org_id uuid not null references organizations,
  subject text not null,
  route text not null,
  key text not null,
  request_hash text not null,
  status int,
  body text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, subject, route, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
grant select, insert, update, delete on idempotency_keys to sevengate_app;

-- Who changed what: one row per accepted command.
create table audit (
  seq bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  subject text not null,
  permission text,
  action text not null,
  request_id text not null,
  target text not null,
  before_hash text,
  after_hash text,
  at timestamptz not null default clock_timestamp()
);
create trigger append_only_rows before update or delete on audit for each row execute function refuse_change_of_unmoved();
create trigger append_only_table before truncate on audit for each statement execute function refuse_change();
alter table audit enable always trigger append_only_rows;
alter table audit enable always trigger append_only_table;
grant select, insert on audit to sevengate_app;
