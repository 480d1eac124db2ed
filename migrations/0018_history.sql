-- Old history moves to archive files.

-- History that was moved to archive files: decisions, the cuts, observations and inputs that they were made on, the steps of actors that
-- have ended, what people did (`audit`), and the leaves of signed batches. What was signed of it stays (`tick_batches`, `cut_batches`,
-- `trail_changes`), so that the archive is proved by the same sums and digests as the rows were. Steps that gates and duties follow
-- from, and those that pages of transfers and launches read, stay.
create table moved_history (
  until_slot bigint primary key check (until_slot % 86400000 = 0),
  from_slot bigint not null check (from_slot >= 0 and from_slot < until_slot),
  decisions bigint not null check (decisions >= 0),
  observations bigint not null check (observations >= 0),
  cuts bigint not null check (cuts >= 0),
  -- The name of the archive's file within its folder, and the SHA-256 of what it holds once it is unpacked.
  file text not null check (file ~ '^[a-z0-9][a-z0-9.-]*$'),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  moved_at timestamptz not null default clock_timestamp(),
  -- Rows of a stretch; null where it was moved before steps and audit did.
  steps bigint check (steps >= 0),
  audit bigint check (audit >= 0),
  -- The first row of `audit` that stays.
  audit_until bigint,
  -- Leaves of the stretch, and the first entry of the log whose leaves stay; null where it was moved before leaves did.
  leaves bigint check (leaves >= 0),
  logged_until bigint check (logged_until >= 0),
  -- Inputs of the ticks of the stretch; null where it was moved before they were.
  inputs bigint check (inputs >= 0),
  constraint moved_together check (num_nulls(steps, audit, audit_until) in (0, 3)),
  constraint moved_with_leaves check (num_nulls(leaves, logged_until) in (0, 2))
);
alter table moved_history add constraint moved_with_inputs check (inputs is not null) not valid;
select make_append_only('moved_history');
grant select on moved_history to sevengate_api, sevengate_evaluator;

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

-- Leaves move in the order of the log, and none of the last thirty days.
create function admit_moved_leaves() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  moved bigint;
begin
  if new.logged_until is null then
    raise exception 'a stretch is moved with its leaves' using errcode = 'not_null_violation', column = 'logged_until';
  end if;
  select coalesce(max(logged_until), 0) into moved from moved_history;
  if new.logged_until < moved or new.logged_until > (select coalesce(max(index) + 1, 0) from trail_log) then
    raise exception 'the leaves of % entries of the log were moved, and the next stretch ends with entry %, which is not between them and the end of the log', moved, new.logged_until
      using errcode = 'check_violation', constraint = 'moved_in_order';
  end if;
  if exists (select 1 from trail_log l join trail_batches b on b.xid = l.xid
    where l.index >= moved and l.index < new.logged_until and b.at > record_clock_ms() - 30 * 86400000::bigint) then
    raise exception 'leaves before entry % of the log are younger than 30 days', new.logged_until using errcode = 'check_violation', constraint = 'moved_when_old';
  end if;
  return new;
end $$;
create trigger admit_leaves before insert on moved_history for each row execute function admit_moved_leaves();
alter table moved_history enable always trigger admit_leaves;

-- Whose steps lie in the file of which stretch: all that the actor ever took.
create table moved_actors (
  actor_id uuid primary key references actors,
  until_slot bigint not null references moved_history deferrable initially deferred
);
create index moved_actors_by_stretch on moved_actors (until_slot);
select make_append_only('moved_actors');
grant select on moved_actors to sevengate_evaluator;

-- The kinds of actors whose steps nobody assesses by: they move once the actor has ended.
create function moving_kinds() returns text[] language sql immutable set search_path = public, pg_temp as $$
  select array['proposal', 'market_order', 'prediction_order', 'prepared_transaction', 'evaluation', 'checkout']
$$;
revoke execute on function moving_kinds() from public;
grant execute on function moving_kinds() to sevengate_app;

-- Whether an actor has ended before a slot, and is of a kind whose steps nobody judges by.
create function has_ended_before(a actors, until bigint) returns boolean language sql stable set search_path = public, pg_temp as $$
  select a.status = 'done' and a.kind = any(moving_kinds())
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

-- The slot before which inputs of ticks are in files: those of stretches that were moved without them go with the next one.
create function inputs_moved_until() returns bigint language sql stable set search_path = public, pg_temp as $$
  select coalesce(max(until_slot), 0) from moved_history where inputs is not null
$$;
revoke execute on function inputs_moved_until() from public;
grant execute on function inputs_moved_until() to sevengate_app;

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

-- Where a proposal has ended, and what lists name it by. All that led there is in its steps.
create function without_context(snapshot jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select snapshot || jsonb_build_object('context', jsonb_build_object('order', (
    select jsonb_object_agg(key, value) from jsonb_each(snapshot #> '{context,order}') where key in ('side', 'quantity', 'instrument'))))
$$;
revoke execute on function without_context(jsonb) from public;

-- Takes at most so many steps and rows of audit that were moved out of the database, and the contexts of proposals with their steps;
-- answers how many steps and rows. One stretch is taken away before the next one is moved, so only the newest is looked at.
create function forget_moved_steps(most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten bigint;
  gone bigint;
begin
  with chosen as (
    select s.actor_id, s.version from moved_actors m join steps s on s.actor_id = m.actor_id
    where m.until_slot = (select max(until_slot) from moved_history) limit most
  ), gone as (
    delete from steps s using chosen c where s.actor_id = c.actor_id and s.version = c.version returning s.actor_id
  ), thinned as (
    update actors a set snapshot = without_context(a.snapshot)
    where a.kind = 'proposal' and a.id in (select actor_id from gone) and a.snapshot <> without_context(a.snapshot)
  )
  select count(*) into forgotten from gone;
  with chosen as (
    select seq from audit where seq < (select max(audit_until) from moved_history) order by seq limit greatest(most - forgotten, 0)
  )
  delete from audit a using chosen c where a.seq = c.seq;
  get diagnostics gone = row_count;
  return forgotten + gone;
end $$;
revoke execute on function forget_moved_steps(int) from public;
grant execute on function forget_moved_steps(int) to sevengate_app;

-- Whether a leaf stays though its batch has moved: it is the newest of a row that is assessed by. Steps are assessed by where they
-- stay themselves, and what was signed of a cut as long as its observations are there, from slot `kept_from` on.
create function leaf_stays(of_name text, of_op text, of_key text, of_seq bigint, kept_from bigint) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select of_op <> 'sum' and coalesce((select assessed from trail_tables where name = of_name), false)
    and case of_name
      when 'steps' then not exists (select 1 from actors where id = split_part(of_key, ' ', 1)::uuid and kind = any(moving_kinds()))
      when 'cut_batches' then of_key::bigint >= kept_from
      else true end
    and not exists (select 1 from trail_changes later
      where later.name = of_name and hashtext(later.key) = hashtext(of_key) and later.key = of_key and later.seq > of_seq)
$$;
revoke execute on function leaf_stays(text, text, text, bigint, bigint) from public;

-- Nobody takes a leaf away, but one that was moved and is not assessed by; and of each batch all of them together, so that what
-- stays of it makes its root with the hashes beside it.
create function refuse_removal_of_leaves() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  boundary bigint;
  kept_from bigint;
begin
  select coalesce(max(logged_until), 0), coalesce(max(until_slot), 0) into boundary, kept_from from moved_history;
  if exists (select 1 from removed r left join trail_log l on l.xid = r.xid
    where l.index is null or l.index >= boundary or leaf_stays(r.name, r.op, r.key, r.seq, kept_from)) then
    raise exception 'leaves of signed batches stay until they have moved to an archive file, and those that are assessed by stay then' using errcode = 'restrict_violation';
  end if;
  if exists (select 1 from (select distinct xid from removed) r where (select count(*) from trail_changes c where c.xid = r.xid)
    <> coalesce((select cardinality(places) from trail_thinned_batches t where t.xid = r.xid), 0)) then
    raise exception 'the leaves of a batch move together' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger append_only_but_moved after delete on trail_changes referencing old table as removed for each statement execute function refuse_removal_of_leaves();
alter table trail_changes enable always trigger append_only_but_moved;

-- Takes leaves that were moved out of the database: those of the batches from an entry of the log on, in its order, about `most` of
-- them. Answers the entry to go on from, or null at the end. The trees are RFC 6962's: nodes are paired level by level, the last one
-- of an odd number goes up as it is.
create function forget_moved_leaves(from_index bigint, most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  boundary bigint;
  kept_from bigint;
  go_on bigint;
begin
  if not session_is_proven() then
    raise exception 'leaves are taken away only by sessions that show the secret of a registered writer' using errcode = 'insufficient_privilege', constraint = 'proven_session';
  end if;
  select coalesce(max(logged_until), 0), coalesce(max(until_slot), 0) into boundary, kept_from from moved_history;
  select max(p.index) + 1 into go_on from (
    select l.index, sum(b.changes) over (order by l.index) - b.changes as before from trail_log l join trail_batches b on b.xid = l.xid
    where l.index >= from_index and l.index < least(boundary, from_index + most)) p
  where p.before < most;
  if go_on is null then
    return null;
  end if;
  with recursive leaves as materialized (
    select w.*, leaf_stays(w.name, w.op, w.key, w.seq, kept_from) as stays,
      sha256('\x00'::bytea || convert_to(concat_ws(chr(10), w.xid, w.name, w.op, w.key, encode(w.digest, 'hex')), 'UTF8')) as hash
    from (
      select c.*, b.changes, row_number() over (partition by c.xid order by c.seq) - 1 as place, count(*) over (partition by c.xid) as found
      from trail_log l join trail_batches b on b.xid = l.xid join trail_changes c on c.xid = l.xid
      where l.index >= from_index and l.index < go_on and not exists (select 1 from trail_thinned_batches t where t.xid = l.xid)
    ) w where w.found = w.changes
  ), tree as (
    select xid, 0 as level, place, hash, stays from leaves
    union all
    select xid, level + 1, place / 2, case when right_hash is null then hash else sha256('\x01'::bytea || hash || right_hash) end, stays or coalesce(right_stays, false)
    from (
      select t.*, lead(hash) over of_batch as right_hash, lead(stays) over of_batch as right_stays, count(*) over (partition by xid) as nodes
      from tree t window of_batch as (partition by xid order by place)
    ) n where place % 2 = 0 and nodes > 1
  ), gone as (
    select n.xid, string_agg(n.hash, ''::bytea order by n.place << n.level) as hashes
    from tree n join tree beside on beside.xid = n.xid and beside.level = n.level and beside.place = (n.place # 1)
    where not n.stays and beside.stays group by n.xid
  ), thinned as (
    insert into trail_thinned_batches (xid, places, hashes)
    select k.xid, k.places, g.hashes from (select xid, array_agg(place::int order by place) as places from leaves where stays group by xid) k
    join gone g on g.xid = k.xid
  )
  delete from trail_changes c using leaves l where c.xid = l.xid and c.seq = l.seq and not l.stays;
  return go_on;
end $$;
revoke execute on function forget_moved_leaves(bigint, int) from public;
grant execute on function forget_moved_leaves(bigint, int) to sevengate_app;

select protect_organizations();
-- Workers move, and no request does.
revoke insert on moved_actors from sevengate_api;
select protect_writes();
-- What was moved of these leaves nothing to sign when it goes: it is in the file as it was signed.
drop trigger trail_delete on steps;
drop trigger trail_delete on audit;
drop trigger trail_delete on tick_inputs;
