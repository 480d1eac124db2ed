-- What leaves digests is planned once per session, as every trigger is, also in a database that is taken over from before the baseline.
create or replace function trail_log_function(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
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
    create or replace function %1$I() returns trigger language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan %4$s as $b$
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

do $$
declare
  each regprocedure;
begin
  for each in select oid::regprocedure from pg_proc where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype
    and not coalesce(proconfig, '{}') && array['plan_cache_mode=force_generic_plan'] loop
    execute format('alter function %s set plan_cache_mode = force_generic_plan', each);
  end loop;
end $$;
