-- Rows that nobody signed one by one are signed as a sum where they change alone: a statement that changes a summed table
-- in a transaction that has changed nothing logged before leaves one digest over its rows, and the transaction is refused at its
-- commit unless its writer signs it. Beside a step, a command or a tick they cost nothing: that transaction is signed already.
alter table trail_tables drop constraint trail_tables_mode_check,
  add constraint trail_tables_mode_check check (mode in ('logged', 'summed', 'guarded')),
  -- Columns of a summed table whose change alone nobody signs: claims of work, and how long a lease lasts.
  add column unsigned_columns text[] not null default '{}',
  -- SQL over a row named r of a summed table: nobody signs that such a row is removed.
  add column unsigned_removal text not null default 'false';
alter table trail_changes drop constraint trail_changes_op_check,
  add constraint trail_changes_op_check check (op in ('insert', 'update', 'delete', 'genesis', 'sum'));

update trail_tables set mode = 'summed', reason = m.reason, unsigned_columns = m.columns, unsigned_removal = m.removal
from (values
  ('leases', 'who is on duty; a move from one holder to the next is signed, a renewal is not', array['held_until'], 'false'),
  ('timers', 'what is still to happen; set, fired and cancelled by signed steps, dropped alone under a signature', '{}', 'false'),
  ('activities', 'what is still to be done; asked for and answered by signed steps, given up under a signature', array['attempts', 'due_at'],
    'r.state <> ''pending'' and r.ended_at < clock_timestamp() - interval ''1 day'''),
  ('announcements', 'copies of logged rows for whoever follows the feeds; what is announced alone is signed', '{}',
    'r.at < extract(epoch from clock_timestamp() - interval ''1 day'') * 1000'),
  ('idempotency_keys', 'answers that are repeated for two days, written with the signed command that they answer', '{}', 'false'),
  ('intelligence_events', 'news; cuts hold what is decided on', '{}', 'false'),
  ('intelligence_reports', 'news; cuts hold what is decided on', '{}', 'false'),
  ('macro_observations', 'news; nothing is decided on it', '{}', 'false'),
  ('macro_releases', 'news; nothing is decided on it', '{}', 'false'),
  ('chain_tvl', 'news; nothing is decided on it', '{}', 'false'),
  ('chain_tvl_days', 'news; nothing is decided on it', '{}', 'false'),
  ('social_posts', 'news; nothing is decided on it', '{}', 'false')
) as m(name, reason, columns, removal) where trail_tables.name = m.name;

-- Makes a table's changes leave a sum where nothing else of their transaction is signed.
create function trail_sum_table(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  known trail_tables;
  summed text;
begin
  select * into known from trail_tables where name = target::text;
  summed := format('select pg_current_xact_id(), %L, ''sum'', lower(tg_op) || '' '' || count(*),
        sha256(convert_to(string_agg(to_jsonb(r)::text, chr(10) order by to_jsonb(r)::text), ''UTF8''))', known.name);
  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $b$
    begin
      -- Beside what is signed already, and before anybody signs, nothing is summed.
      if exists (select 1 from trail_batches where xid = pg_current_xact_id_if_assigned()) or not exists (select 1 from trail_writers) then
        return null;
      end if;
      if tg_op = 'INSERT' then
        insert into trail_changes (xid, name, op, key, digest) %2$s from added r having count(*) > 0;
      elsif tg_op = 'DELETE' then
        insert into trail_changes (xid, name, op, key, digest) %2$s from removed r where not (%3$s) having count(*) > 0;
      else
        insert into trail_changes (xid, name, op, key, digest) %2$s from added r
        where not exists (select 1 from removed o where to_jsonb(o) - %4$L::text[] = to_jsonb(r) - %4$L::text[]) having count(*) > 0;
      end if;
      if found then
        insert into trail_batches (xid) values (pg_current_xact_id()) on conflict do nothing;
      end if;
      return null;
    end $b$ $f$, 'trail_of_' || known.name, summed, known.unsigned_removal, known.unsigned_columns);
  execute format('revoke execute on function %I() from public', 'trail_of_' || known.name);
  execute format('create trigger trail_insert after insert on %s referencing new table as added for each statement execute function %I()', target, 'trail_of_' || known.name);
  execute format('create trigger trail_update after update on %s referencing old table as removed new table as added for each statement execute function %I()', target, 'trail_of_' || known.name);
  execute format('create trigger trail_delete after delete on %s referencing old table as removed for each statement execute function %I()', target, 'trail_of_' || known.name);
  execute format('alter table %s enable always trigger trail_insert', target);
  execute format('alter table %s enable always trigger trail_update', target);
  execute format('alter table %s enable always trigger trail_delete', target);
end $$;
revoke execute on function trail_sum_table(regclass) from public;

create or replace function protect_writes() returns void language plpgsql set search_path = public, pg_temp as $$
declare
  target regclass;
  known trail_tables;
begin
  for target in select c.oid from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and c.relname <> 'migrations' and not starts_with(c.relname, 'trail_') order by c.relname
  loop
    if not exists (select 1 from pg_trigger where tgrelid = target and tgname = 'proven_writer') then
      execute format('create trigger proven_writer before insert or update or delete or truncate on %s for each statement execute function guard_writer()', target);
      execute format('alter table %s enable always trigger proven_writer', target);
    end if;
    insert into trail_tables (name, mode, reason) values (target::text, 'logged', 'evidence, authority or money may rest on it') on conflict do nothing;
    select * into known from trail_tables where name = target::text;
    if known.mode <> 'guarded' and not exists (select 1 from pg_trigger where tgrelid = target and tgname = 'trail_insert') then
      if known.mode = 'logged' then
        perform trail_log_table(target);
      else
        perform trail_sum_table(target);
      end if;
    end if;
    if known.mode = 'logged' and exists (select 1 from trail_writers) and known.shape is distinct from trail_shape_of(target) then
      perform trail_genesis(target);
    end if;
    -- What serves callers reads nothing either before it has shown its secret.
    if exists (select 1 from pg_policy where polrelid = target and polname = 'organization_rows')
      and not exists (select 1 from pg_policy where polrelid = target and polname = 'proven_rows') then
      execute format('create policy proven_rows on %s as restrictive to sevengate_api using ((select session_is_proven()))', target);
    end if;
  end loop;
end $$;

-- A duty that somebody holds is not taken from them, and nobody holds one for long without renewing it.
create function check_lease() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'UPDATE' and new.holder <> old.holder and old.held_until > clock_timestamp() then
    raise exception 'the duty % is held by % until %', old.duty, old.holder, old.held_until using errcode = 'restrict_violation', constraint = 'lease_is_held';
  end if;
  if new.held_until > clock_timestamp() + interval '10 minutes' then
    raise exception 'a duty is held for 10 minutes at most before it is renewed, and % was asked until %', new.duty, new.held_until
      using errcode = 'check_violation', constraint = 'lease_is_short';
  end if;
  return new;
end $$;
create trigger lease_is_held before insert or update on leases for each row execute function check_lease();
alter table leases enable always trigger lease_is_held;

-- Claims of activities that are due: how often each was tried and when it is due again, and nothing that is signed.
create function take_activities(now bigint, retry_ms bigint, most int, kinds text[])
returns table (key text, actor_id uuid, kind text, payload jsonb, attempts int) language sql set search_path = public, pg_temp as $$
  update activities a set attempts = a.attempts + 1, due_at = now + retry_ms * (1 << least(a.attempts, 6))
  where a.key in (select d.key from activities d where d.state = 'pending' and d.due_at <= now and d.kind = any(kinds)
    order by d.due_at limit most for update skip locked)
  returning a.key, a.actor_id, a.kind, a.payload, a.attempts
$$;
create function renew_activities(keys text[], until bigint) returns void language sql set search_path = public, pg_temp as $$
  update activities set due_at = until where key = any(keys) and state = 'pending' and due_at < until
$$;
revoke execute on function take_activities(bigint, bigint, int, text[]), renew_activities(text[], bigint) from public;
grant execute on function take_activities(bigint, bigint, int, text[]), renew_activities(text[], bigint) to sevengate_app;

select protect_writes();
