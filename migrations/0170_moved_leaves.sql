-- The leaves of signed batches move to archive files beside what they were signed of. Of a row that somebody still assesses by, the
-- newest leaf stays, and with it the hashes that lead from it to the signed root: whoever assesses checks the signature as before.
alter table moved_history
  -- Leaves of the stretch, and the first entry of the log whose leaves stay; null where it was moved before leaves did.
  add column leaves bigint check (leaves >= 0),
  add column logged_until bigint check (logged_until >= 0),
  add constraint moved_with_leaves check (num_nulls(leaves, logged_until) in (0, 2));

-- Whether somebody assesses by rows of a table: then the newest leaf of each row stays. A table that is not known here is assessed by.
alter table trail_tables add column assessed boolean not null default true;
update trail_tables set assessed = false
where name in ('actors', 'audit', 'ledger_accounts', 'ledger_legs', 'ledger_transactions', 'proposals', 'tick_batches', 'tick_inputs');

-- Batches of which some leaves stay and the others have moved: `places` of those that stay among all leaves of the batch (from
-- 0, in the order of writing), and the SHA-256 roots of the subtrees that moved whole, from left to right. Together they make the root.
create table trail_thinned_batches (
  xid xid8 primary key references trail_batches,
  places int[] not null check (cardinality(places) > 0),
  hashes bytea not null check (length(hashes) > 0 and length(hashes) % 32 = 0)
);
create trigger append_only_rows before update or delete on trail_thinned_batches for each row execute function refuse_change();
create trigger append_only_table before truncate on trail_thinned_batches for each statement execute function refuse_change();
alter table trail_thinned_batches enable always trigger append_only_rows;
alter table trail_thinned_batches enable always trigger append_only_table;
grant select on trail_thinned_batches to sevengate_app, sevengate_evaluator;

-- The kinds of actors whose steps nobody assesses by: they move once the actor has ended.
create function moving_kinds() returns text[] language sql immutable set search_path = public, pg_temp as $$
  select array['proposal', 'market_order', 'prediction_order', 'prepared_transaction', 'evaluation', 'checkout']
$$;
create or replace function has_ended_before(a actors, until bigint) returns boolean language sql stable set search_path = public, pg_temp as $$
  select a.status = 'done' and a.kind = any(moving_kinds())
    and not exists (select 1 from steps s where s.actor_id = a.id and s.at >= until)
$$;
revoke execute on function moving_kinds() from public;
grant execute on function moving_kinds() to sevengate_app;

-- Whether a leaf stays though its batch has moved: it is the newest of a row that is assessed by. Steps are assessed by where they
-- stay themselves, and what was signed of a cut as long as its observations are there, from slot `kept_from` on.
create function leaf_stays(of_name text, of_op text, of_key text, of_seq bigint, kept_from bigint) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select of_op <> 'sum' and coalesce((select assessed from trail_tables where name = of_name), false)
    and case of_name
      when 'steps' then not exists (select 1 from actors where id = split_part(of_key, ' ', 1)::uuid and kind = any(moving_kinds()))
      when 'cut_batches' then of_key::bigint >= kept_from
      else true end
    and not exists (select 1 from trail_changes later where later.name = of_name and later.key = of_key and later.seq > of_seq)
$$;
revoke execute on function leaf_stays(text, text, text, bigint, bigint) from public;

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
drop trigger append_only_rows on trail_changes;
create trigger append_only_rows before update on trail_changes for each row execute function refuse_change();
create trigger append_only_but_moved after delete on trail_changes referencing old table as removed for each statement execute function refuse_removal_of_leaves();
alter table trail_changes enable always trigger append_only_rows;
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

select protect_writes();
