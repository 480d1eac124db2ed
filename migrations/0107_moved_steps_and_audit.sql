-- The steps of actors that have ended, and what people did (`audit`), move to archive files beside decisions. What was signed of
-- each row stays in `trail_changes`, so that the archive is proved by it. Steps that gates and duties follow from, and those that
-- pages of transfers and launches read, stay.
alter table moved_history
  -- Rows of a stretch; null where it was moved before steps and audit did.
  add column steps bigint check (steps >= 0),
  add column audit bigint check (audit >= 0),
  -- The first row of `audit` that stays.
  add column audit_until bigint,
  add constraint moved_together check (num_nulls(steps, audit, audit_until) in (0, 3));

-- Whose steps lie in the file of which stretch: all that the actor ever took.
create table moved_actors (
  actor_id uuid primary key references actors,
  until_slot bigint not null references moved_history deferrable initially deferred
);
create index moved_actors_by_stretch on moved_actors (until_slot);
select make_append_only('moved_actors');
grant select on moved_actors to sevengate_evaluator, sevengate_reader;
insert into trail_tables (name, mode, reason) values
  ('moved_actors', 'summed', 'whose steps lie in which archive file; each step is logged, and verify-trail finds it in the file');
select protect_organizations();
revoke insert on moved_actors from sevengate_api;

-- Whether an actor has ended before a slot, and is of a kind whose steps nobody judges by.
create function has_ended_before(a actors, until bigint) returns boolean language sql stable set search_path = public, pg_temp as $$
  select a.status = 'done' and a.kind in ('proposal', 'market_order', 'prediction_order', 'prepared_transaction', 'evaluation', 'checkout')
    and not exists (select 1 from steps s where s.actor_id = a.id and s.at >= until)
$$;
revoke execute on function has_ended_before(actors, bigint) from public;
grant execute on function has_ended_before(actors, bigint) to sevengate_app;

-- An actor is named with the stretch that its steps are in, and no later than that.
create function admit_moved_actor() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select 1 from moved_history where until_slot = new.until_slot) then
    raise exception 'the stretch before slot % is on record already, and its file holds no step of actor %', new.until_slot, new.actor_id
      using errcode = 'check_violation', constraint = 'moved_with_stretch';
  end if;
  if not (select has_ended_before(a, new.until_slot) from actors a where a.id = new.actor_id) then
    raise exception 'actor % has not ended before slot %, or its steps are judged by', new.actor_id, new.until_slot
      using errcode = 'check_violation', constraint = 'moved_when_ended';
  end if;
  return new;
end $$;
create trigger admit_moved before insert on moved_actors for each row execute function admit_moved_actor();
alter table moved_actors enable always trigger admit_moved;

-- What people did in the last thirty days stays, by the database's own clock.
create function admit_moved_audit() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.audit_until is null then
    raise exception 'a stretch is moved with its steps and its audit' using errcode = 'not_null_violation', column = 'audit_until';
  end if;
  if exists (select 1 from audit where seq < new.audit_until and at > clock_timestamp() - interval '30 days') then
    raise exception 'rows of audit before % are younger than 30 days', new.audit_until using errcode = 'check_violation', constraint = 'moved_when_old';
  end if;
  return new;
end $$;
create trigger admit_audit before insert on moved_history for each row execute function admit_moved_audit();
alter table moved_history enable always trigger admit_audit;

-- Nobody takes a row away, but one that was moved. That leaves nothing to sign: the row is in the file as it was signed.
create function refuse_change_of_unmoved() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'steps' then
    if exists (select 1 from moved_actors where actor_id = old.actor_id) then
      return old;
    end if;
  elsif tg_op = 'DELETE' then
    if old.seq < (select max(audit_until) from moved_history) then
      return old;
    end if;
  end if;
  raise exception 'rows of % are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
do $$
declare
  target text;
begin
  foreach target in array array['steps', 'audit'] loop
    execute format('drop trigger append_only_rows on %I', target);
    execute format('create trigger append_only_rows before update or delete on %I for each row execute function refuse_change_of_unmoved()', target);
    execute format('alter table %I enable always trigger append_only_rows', target);
    execute format('drop trigger trail_delete on %I', target);
  end loop;
end $$;

-- Takes at most so many steps and rows of audit that were moved out of the database; answers how many. One stretch is taken away
-- before the next one is moved, so only the newest is looked at.
create function forget_moved_steps(most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten bigint;
  gone bigint;
begin
  with chosen as (
    select s.actor_id, s.version from moved_actors m join steps s on s.actor_id = m.actor_id
    where m.until_slot = (select max(until_slot) from moved_history) limit most
  )
  delete from steps s using chosen c where s.actor_id = c.actor_id and s.version = c.version;
  get diagnostics forgotten = row_count;
  with chosen as (
    select seq from audit where seq < (select max(audit_until) from moved_history) order by seq limit greatest(most - forgotten, 0)
  )
  delete from audit a using chosen c where a.seq = c.seq;
  get diagnostics gone = row_count;
  return forgotten + gone;
end $$;
revoke execute on function forget_moved_steps(int) from public;
grant execute on function forget_moved_steps(int) to sevengate_app;

select protect_writes();
