-- What ticks read besides the cut moves to archive files with the decisions that rest on it.

-- Inputs of ticks of a stretch; null where it was moved before they were.
alter table moved_history add column inputs bigint check (inputs >= 0);
alter table moved_history add constraint moved_with_inputs check (inputs is not null) not valid;

-- The slot before which inputs of ticks are in files: those of stretches that were moved without them go with the next one.
create function inputs_moved_until() returns bigint language sql stable set search_path = public, pg_temp as $$
  select coalesce(max(until_slot), 0) from moved_history where inputs is not null
$$;
revoke execute on function inputs_moved_until() from public;
grant execute on function inputs_moved_until() to sevengate_app;

create or replace function refuse_change_of_unmoved() returns trigger language plpgsql set search_path = public, pg_temp
  set plan_cache_mode = 'force_generic_plan' as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'steps' then
    if exists (select 1 from moved_actors where actor_id = old.actor_id) then
      return old;
    end if;
  elsif tg_op = 'DELETE' and tg_table_name = 'tick_inputs' then
    if old.slot < inputs_moved_until() then
      return old;
    end if;
  elsif tg_op = 'DELETE' then
    if old.seq < (select max(audit_until) from moved_history) then
      return old;
    end if;
  end if;
  raise exception 'rows of % are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
drop trigger append_only_rows on tick_inputs;
create trigger append_only_rows before update or delete on tick_inputs for each row execute function refuse_change_of_unmoved();
alter table tick_inputs enable always trigger append_only_rows;

-- Takes at most so many inputs that were moved out of the database; answers how many. The newest of each agent stay: they hold from
-- their slot on.
create function forget_moved_inputs(most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  boundary bigint := inputs_moved_until();
  forgotten bigint;
begin
  with chosen as (
    select i.agent_id, i.slot from traders t
    cross join lateral (select max(slot) as newest from tick_inputs where agent_id = t.id) n
    cross join lateral (select agent_id, slot from tick_inputs where agent_id = t.id and slot < least(boundary, n.newest) order by slot limit most) i
    limit most
  )
  delete from tick_inputs i using chosen c where i.agent_id = c.agent_id and i.slot = c.slot;
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
revoke execute on function forget_moved_inputs(int) from public;
grant execute on function forget_moved_inputs(int) to sevengate_app;

select protect_writes();
-- Inputs that were moved leave nothing to sign when they go: they are in the file as they were signed.
drop trigger trail_delete on tick_inputs;
