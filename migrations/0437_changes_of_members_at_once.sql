-- Changes of members that happen at once. Before, two managers who removed each other at the same time both succeeded, whoever joined while
-- the role of the invitation was narrowed kept what it had given, and a manager who was removed came back by an invitation of their own.

-- That of 0002, where the members are locked before anybody asks whether the asker manages them.
create or replace function manages_members(org uuid, asker text) returns text language plpgsql security definer set search_path = public, pg_temp as $$
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

-- That of 0002. A role that has changed since its permissions were read is not granted with the earlier ones.
create or replace function change_member(org uuid, asker text, target text, its_role text, granted text[]) returns text
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

-- That of 0002. The lock lets a change of the role wait for whoever joins with it, or the other way round.
create or replace function accept_invitation(joining text, its_code_sha256 text, at bigint, out org uuid, out refusal text)
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
