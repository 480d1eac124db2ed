-- A lease to execute that still lives ends early only with a step of the actor that holds it, in the same transaction: that step is
-- signed. A session without a key can no longer make two processes carry out the same order, nor tell a halt that nothing is on its way.
create function check_lease_end() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if old.held_until > clock_timestamp() and (tg_op = 'DELETE' or new.held_until < old.held_until)
    and exists (select 1 from trail_writers) and not session_is_owner()
    and not exists (select 1 from trail_changes where xid = pg_current_xact_id() and name = 'steps' and split_part(key, ' ', 1) = old.key)
  then
    raise exception 'the lease of % lives until %, and no step of it ends it', old.key, old.held_until
      using errcode = 'insufficient_privilege', constraint = 'lease_ended_by_step';
  end if;
  return null;
end $$;
create constraint trigger lease_ended_by_step after update or delete on execution_leases deferrable initially deferred
  for each row execute function check_lease_end();
alter table execution_leases enable always trigger lease_ended_by_step;
