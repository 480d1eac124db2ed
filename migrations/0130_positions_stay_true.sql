-- Rows that nobody signs say how far work is. A session without a key could say with them that work of the future is done, so that
-- it stopped without a word; these rows keep to the clock now, and what is under way begins, as it ends, with a signed step.

-- A shard was ticked up to a slot that has come, and never back from there.
create function check_shard_progress() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from trail_writers) or session_is_owner() then
    return new;
  end if;
  if new.last_slot > service_clock_ms() + new.period_ms then
    raise exception 'shard % cannot have been ticked to slot %, which has not come', new.shard, new.last_slot
      using errcode = 'check_violation', constraint = 'shard_of_reached_slot';
  end if;
  if tg_op = 'UPDATE' and new.last_slot < old.last_slot then
    raise exception 'shard % was ticked to slot %: it does not go back to %', new.shard, old.last_slot, new.last_slot
      using errcode = 'check_violation', constraint = 'shard_goes_on';
  end if;
  return new;
end $$;
create trigger shard_of_reached_slot before insert or update on tick_shards for each row execute function check_shard_progress();
alter table tick_shards enable always trigger shard_of_reached_slot;

-- Recurring work is done of slots that have come, and claimed for ten minutes at most.
create function check_recurring_progress() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select 1 from trail_writers) and not session_is_owner()
    and (new.done_slot > service_clock_ms() + 60000 or new.claimed_until > clock_timestamp() + interval '10 minutes')
  then
    raise exception 'the work % cannot be done up to % and claimed until %', new.name, new.done_slot, new.claimed_until
      using errcode = 'check_violation', constraint = 'recurring_work_of_now';
  end if;
  return new;
end $$;
create trigger recurring_work_of_now before insert or update on recurring_work for each row execute function check_recurring_progress();
alter table recurring_work enable always trigger recurring_work_of_now;

-- A claim of an activity, which nobody signs, keeps it for an hour at most: the longest wait between two tries is 5 minutes 20 seconds.
create function check_claim() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.due_at > greatest(old.due_at, service_clock_ms() + 3600000) and exists (select 1 from trail_writers) and not session_is_owner() then
    raise exception 'the activity % cannot be put off to %', new.key, to_timestamp(new.due_at / 1000.0)
      using errcode = 'check_violation', constraint = 'claim_is_short';
  end if;
  return new;
end $$;
create trigger claim_is_short before update on activities for each row when (new.due_at > old.due_at) execute function check_claim();
alter table activities enable always trigger claim_is_short;

-- A lease to execute begins with a step of the actor that holds it, as it ends with one: a halt waits for leases that live.
create or replace function check_lease_end() returns trigger language plpgsql security definer
set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  lease execution_leases := coalesce(old, new);
begin
  if greatest(old.held_until, new.held_until) > clock_timestamp() and old.held_until is distinct from new.held_until
    and exists (select 1 from trail_writers) and not session_is_owner()
    and not exists (select 1 from trail_changes where name = 'steps' and key > lease.key || ' ' and key < lease.key || '!' and xid = pg_current_xact_id())
  then
    raise exception 'the lease of % lives until %, and no step of it begins or ends it', lease.key, greatest(old.held_until, new.held_until)
      using errcode = 'insufficient_privilege', constraint = 'lease_ended_by_step';
  end if;
  return null;
end $$;
drop trigger lease_ended_by_step on execution_leases;
create constraint trigger lease_ended_by_step after insert or update or delete on execution_leases deferrable initially deferred
  for each row execute function check_lease_end();
alter table execution_leases enable always trigger lease_ended_by_step;

-- A checkpoint is of the log as it is: one of entries to come would be the last for ever.
create or replace function trail_checkpoint(of_size bigint, signed_note text, of_frontier bytea[], signed_at bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  entries bigint := (select coalesce(max(index) + 1, 0) from trail_log);
begin
  if not exists (select 1 from trail_writers w where w.key_id = proven_key() and w.writer = 'worker') then
    raise exception 'the log is kept by the worker' using errcode = 'insufficient_privilege';
  end if;
  if of_size <> entries then
    raise exception 'the log has % entries, not %', entries, of_size using errcode = 'check_violation', constraint = 'checkpoint_of_the_log';
  end if;
  insert into trail_checkpoints (size, note, frontier, at) values (of_size, signed_note, of_frontier, signed_at) on conflict do nothing;
end $$;

-- The settings of a login count at its next connection, and a login may change its own: read-only transactions, for example. The
-- start gives it back what the service works with.
create or replace function ensure_login(name text, of_role text, secret text) returns text language plpgsql set search_path = public, pg_temp as $$
declare
  login text := (select name || '_' || oid from pg_database where datname = current_database());
begin
  if exists (select 1 from pg_roles where rolname = login) then
    execute format('alter role %I login noinherit password %L', login, secret);
    execute format('alter role %I reset all', login);
    execute format('alter role %I in database %I reset all', login, current_database());
  else
    execute format('create role %I login noinherit password %L in role %I', login, secret, of_role);
  end if;
  return login;
exception when internal_error or duplicate_object or unique_violation then
  raise exception 'the login % is being made by somebody else', login using errcode = 'serialization_failure';
end $$;
