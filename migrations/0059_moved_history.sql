-- History that was moved to archive files: decisions, and the cuts and observations that they were made on. What was signed of
-- them stays (`tick_batches`, `cut_batches`), so that the archive is proved by the same sums as the rows were.
create table moved_history (
  until_slot bigint primary key check (until_slot % 86400000 = 0),
  from_slot bigint not null check (from_slot >= 0 and from_slot < until_slot),
  decisions bigint not null check (decisions >= 0),
  observations bigint not null check (observations >= 0),
  cuts bigint not null check (cuts >= 0),
  -- The name of the archive's file within its folder, and the SHA-256 of what it holds once it is unpacked.
  file text not null check (file ~ '^[a-z0-9][a-z0-9.-]*$'),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  moved_at timestamptz not null default clock_timestamp()
);
select make_append_only('moved_history');
grant select on moved_history to sevengate_api, sevengate_evaluator, sevengate_reader;

-- Stretches follow each other without a gap, are thirty days old, and no shard still has to decide within them.
create function admit_moved_history() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  moved bigint;
  behind bigint;
begin
  lock table moved_history in share row exclusive mode;
  select coalesce(max(until_slot), 0) into moved from moved_history;
  if new.from_slot <> moved then
    raise exception 'history was moved up to slot %, and the next stretch begins at %', moved, new.from_slot using errcode = 'check_violation', constraint = 'moved_in_order';
  end if;
  if new.until_slot > gate_now() - 30 * 86400000::bigint then
    raise exception 'history of the last 30 days stays in the database' using errcode = 'check_violation', constraint = 'moved_when_old';
  end if;
  select min(last_slot) into behind from tick_shards;
  if behind < new.until_slot then
    raise exception 'a shard has decided up to slot % only', behind using errcode = 'check_violation', constraint = 'moved_when_decided';
  end if;
  return new;
end $$;
create trigger admit_moved before insert on moved_history for each row execute function admit_moved_history();
alter table moved_history enable always trigger admit_moved;

-- Nobody takes a row away, but of a stretch that was moved.
create function refuse_change_of_kept() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' and old.slot < (select max(until_slot) from moved_history) then
    return old;
  end if;
  raise exception 'rows of % are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
do $$
declare
  target text;
begin
  foreach target in array array['decisions', 'observations', 'cuts'] loop
    execute format('drop trigger append_only_rows on %I', target);
    execute format('create trigger append_only_rows before update or delete on %I for each row execute function refuse_change_of_kept()', target);
    execute format('alter table %I enable always trigger append_only_rows', target);
  end loop;
end $$;

-- Takes at most so many rows of the stretches that were moved out of the database; answers how many. The newest decision of
-- each actor stays: the next one follows it.
create function forget_moved_history(most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  boundary bigint;
  gone bigint;
  forgotten bigint;
begin
  select coalesce(max(until_slot), 0) into boundary from moved_history;
  with chosen as (
    select d.agent_id, d.slot from traders t
    cross join lateral (select max(slot) as newest from decision_rows where agent_id = t.id) n
    cross join lateral (select agent_id, slot from decision_rows where agent_id = t.id and slot < least(boundary, n.newest) order by slot limit most) d
    limit most
  )
  delete from decision_rows d using chosen c where d.agent_id = c.agent_id and d.slot = c.slot;
  get diagnostics forgotten = row_count;
  with chosen as (select slot, instrument from observations where slot < boundary order by slot, instrument limit greatest(most - forgotten, 0))
  delete from observations o using chosen c where o.slot = c.slot and o.instrument = c.instrument;
  get diagnostics gone = row_count;
  forgotten := forgotten + gone;
  with chosen as (
    select slot from cuts c where slot < boundary and not exists (select 1 from observations o where o.slot = c.slot)
    order by slot limit greatest(most - forgotten, 0)
  )
  delete from cuts c using chosen h where c.slot = h.slot;
  get diagnostics gone = row_count;
  return forgotten + gone;
end $$;
revoke execute on function forget_moved_history(int) from public;
grant execute on function forget_moved_history(int) to sevengate_app;
