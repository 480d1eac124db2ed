-- What a transaction is checked by costs less: the same is asked once, and nothing is asked that cannot be otherwise.

-- The digests that a logged table leaves. Digests of times are taken in UTC.
create function trail_log_function(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  key text := trail_key_of(target);
  name text := target::text;
  has_times boolean := exists (select 1 from pg_attribute where attrelid = target and attnum > 0 and not attisdropped
    and atttypid in ('timestamptz'::regtype, 'timestamptz[]'::regtype));
begin
  if key is null then
    raise exception '% has no primary key, which a logged table needs', target;
  end if;
  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql security definer set search_path = public, pg_temp %4$s as $b$
    begin
      if not exists (select 1 from trail_writers) then
        return null;
      end if;
      if tg_op = 'INSERT' then
        insert into trail_changes (xid, name, op, key, digest)
        select pg_current_xact_id(), %2$L, 'insert', %3$s, sha256(convert_to(to_jsonb(r)::text, 'UTF8')) from added r;
      elsif tg_op = 'UPDATE' then
        insert into trail_changes (xid, name, op, key, digest)
        select pg_current_xact_id(), %2$L, 'update', %3$s, sha256(convert_to(to_jsonb(r)::text, 'UTF8')) from added r;
      else
        insert into trail_changes (xid, name, op, key, digest) select pg_current_xact_id(), %2$L, 'delete', %3$s, sha256(''::bytea) from removed r;
      end if;
      if found and not exists (select 1 from trail_batches where xid = pg_current_xact_id()) then
        insert into trail_batches (xid) values (pg_current_xact_id()) on conflict do nothing;
      end if;
      return null;
    end $b$ $f$, 'trail_of_' || name, name, key, case when has_times then 'set timezone = ''UTC''' else '' end);
  execute format('revoke execute on function %I() from public', 'trail_of_' || name);
end $$;
revoke execute on function trail_log_function(regclass) from public;

create or replace function trail_log_table(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  name text := target::text;
begin
  perform trail_log_function(target);
  execute format('create trigger trail_insert after insert on %s referencing new table as added for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('create trigger trail_update after update on %s referencing new table as added for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('create trigger trail_delete after delete on %s referencing old table as removed for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('alter table %s enable always trigger trail_insert', target);
  execute format('alter table %s enable always trigger trail_update', target);
  execute format('alter table %s enable always trigger trail_delete', target);
end $$;

do $$
declare
  target regclass;
begin
  for target in select distinct tgrelid::regclass from pg_trigger t join trail_tables k on to_regclass(k.name) = t.tgrelid
    where t.tgname = 'trail_insert' and k.mode = 'logged' loop
    perform trail_log_function(target);
  end loop;
end $$;

-- What no role of the service may write, because triggers keep it, is guarded where they are: their own statements are not asked again.
create function guarded_statements(target regclass) returns text language sql stable set search_path = public, pg_temp as $$
  select case when exists (select 1 from unnest(array['sevengate_app', 'sevengate_api', 'sevengate_evaluator']) as r(role)
      where has_any_column_privilege(role, target, 'insert') or has_any_column_privilege(role, target, 'update'))
    then 'insert or update or delete or truncate' else 'delete or truncate' end
$$;
revoke execute on function guarded_statements(regclass) from public;

create or replace function protect_writes() returns void language plpgsql set search_path = public, pg_temp as $$
declare
  target regclass;
  known trail_tables;
  guarded text;
begin
  for target in select c.oid from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and c.relname <> 'migrations' and not starts_with(c.relname, 'trail_') order by c.relname
  loop
    insert into trail_tables (name, mode, reason) values (target::text, 'logged', 'evidence, authority or money may rest on it') on conflict do nothing;
    select * into known from trail_tables where name = target::text;
    guarded := guarded_statements(target);
    -- What a role may write since is guarded from now on.
    if not exists (select 1 from pg_trigger where tgrelid = target and tgname = 'proven_writer'
      and pg_get_triggerdef(oid) ilike '% before ' || case when guarded like 'insert%' then 'insert' else 'delete' end || '%') then
      execute format('drop trigger if exists proven_writer on %s', target);
      execute format('create trigger proven_writer before %s on %s for each statement execute function guard_writer()', guarded, target);
      execute format('alter table %s enable always trigger proven_writer', target);
    end if;
    if known.mode <> 'guarded' and not exists (select 1 from pg_trigger where tgrelid = target and tgname = 'trail_insert') then
      if known.mode = 'logged' then
        perform trail_log_table(target);
      else
        perform trail_sum_table(target);
      end if;
    end if;
    if known.mode = 'logged' and exists (select 1 from trail_writers) and known.shape is distinct from trail_shape_of(target) then
      perform trail_log_function(target);
      perform trail_genesis(target);
    end if;
    -- What serves callers reads nothing either before it has shown its secret.
    if exists (select 1 from pg_policy where polrelid = target and polname = 'organization_rows')
      and not exists (select 1 from pg_policy where polrelid = target and polname = 'proven_rows') then
      execute format('create policy proven_rows on %s as restrictive to sevengate_api using ((select session_is_proven()))', target);
    end if;
  end loop;
end $$;
select protect_writes();

-- Only a live book can be left with less than nothing: the cash of the others need not be added up, which takes all that was ever booked.
create or replace function check_cash() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = 'force_generic_plan' as $$
declare
  cash numeric;
  moved numeric;
begin
  if not exists (select 1 from books where id = new.book_id and mode = 'live') then
    return null;
  end if;
  select coalesce(sum(l.amount), 0) into moved from (select account_id, amount from ledger_legs where transaction_id = new.id offset 0) l
    join ledger_accounts a on a.id = l.account_id where a.book_id = new.book_id and a.kind = 'cash';
  if moved >= 0 then
    return null;
  end if;
  select coalesce(sum(l.amount), 0) into cash from ledger_accounts a join ledger_legs l on l.account_id = a.id where a.book_id = new.book_id and a.kind = 'cash';
  if cash < 0 then
    raise exception 'transfer % leaves % dollars in book %', new.id, cash, new.book_id using errcode = 'check_violation', constraint = 'transfer_covered';
  end if;
  return null;
end $$;

-- The settings of what keeps exposures stand at the triggers alone: these call nothing without them.
alter function exposures_of_books(text[]) reset all;
alter function add_exposure(uuid, text, text, numeric, numeric, numeric) reset all;
alter function refresh_exposures(text[]) reset all;
alter function refresh_exposures(text[]) security invoker;
do $$
declare
  each regprocedure;
begin
  foreach each in array array['expose_books()', 'expose_proposals()', 'expose_versions()']::regprocedure[] loop
    execute format('alter function %s set enable_seqscan = off', each);
    execute format('alter function %s set plan_cache_mode = force_generic_plan', each);
  end loop;
end $$;

-- What waits on a book is found by its organization, its book and its place, however many orders have ended.
drop index market_orders_open;
create index market_orders_open on market_orders (org_id, book_id, number) where state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown');
drop index prediction_orders_open;
create index prediction_orders_open on prediction_orders (org_id, book_id, number) where mode = 'live' and state in ('prepared', 'submitted', 'open', 'partially_filled');
