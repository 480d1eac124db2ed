-- A writer's key that somebody may know is retired: its sessions change nothing any more, and what it signs later counts for nothing.
-- What it signed before stays as it is.
create table trail_retirements (
  key_id text primary key references trail_writers,
  retired_at timestamptz not null default clock_timestamp(),
  reason text not null check (length(btrim(reason)) between 3 and 500 and position(chr(10) in reason) = 0)
);
create trigger append_only_rows before update or delete on trail_retirements for each row execute function refuse_change();
create trigger append_only_table before truncate on trail_retirements for each statement execute function refuse_change();
alter table trail_retirements enable always trigger append_only_rows;
alter table trail_retirements enable always trigger append_only_table;
-- Nobody but the owner of the tables writes one.
grant select on trail_retirements to sevengate_app, sevengate_evaluator;

create or replace function proven_key() returns text language sql stable security definer set search_path = public, pg_temp as $$
  select key_id from trail_writers w where session_digest = sha256(convert_to(current_setting('sevengate.proof', true), 'UTF8'))
    and not exists (select 1 from trail_retirements r where r.key_id = w.key_id)
$$;

create or replace function guard_writer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from trail_writers w join trail_tables t on t.name = tg_table_name and w.writer = any(t.writers)
  where w.session_digest = sha256(convert_to(current_setting('sevengate.proof', true), 'UTF8'))
    and not exists (select 1 from trail_retirements r where r.key_id = w.key_id);
  if found or session_is_owner() or not exists (select 1 from trail_writers) then
    return null;
  end if;
  if proven_key() is not null then
    raise exception 'the % does not write %', (select writer from trail_writers where key_id = proven_key()), tg_table_name
      using errcode = 'insufficient_privilege', constraint = 'writer_of_table';
  end if;
  raise exception 'changes of % are taken only from sessions that show the secret of a registered writer', tg_table_name
    using errcode = 'insufficient_privilege', constraint = 'proven_session';
end $$;
