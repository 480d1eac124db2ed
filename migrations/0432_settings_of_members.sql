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
insert into trail_tables (name, mode, reason) values ('member_settings', 'guarded', 'how a member''s terminal is arranged; nothing acts on it');

-- A member's settings are counted one write after the other.
create function limit_member_settings() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = 'force_generic_plan' as $$
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
