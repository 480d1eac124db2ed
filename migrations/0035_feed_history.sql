-- What the feeds hand to whoever resumes is kept for some days: announcements are copies of rows that are logged elsewhere.
create function refuse_change_of_recent() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < extract(epoch from clock_timestamp() - interval '1 day') * 1000 then
    return old;
  end if;
  raise exception 'rows of % of the last day are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
drop trigger append_only_rows on announcements;
create trigger append_only_rows before update or delete on announcements for each row execute function refuse_change_of_recent();
alter table announcements enable always trigger append_only_rows;

-- Forgets the oldest announcements that are older than so many days, at most so many at a time; answers how many. The newest
-- one stays, so that a place from before everything that is kept can be told from the present.
create function forget_announcements(days int, most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten bigint;
begin
  if days < 1 then
    raise exception 'announcements are kept for at least one day, and % was asked', days using errcode = 'check_violation';
  end if;
  with oldest as (
    select xid, seq, at from announcements where (xid, seq) < (select xid, seq from announcements order by xid desc, seq desc limit 1)
    order by xid, seq limit most
  ), gone as (
    delete from announcements a using oldest o
    where a.xid = o.xid and a.seq = o.seq and o.at < extract(epoch from clock_timestamp() - make_interval(days => days)) * 1000
    returning 1
  )
  select count(*) into forgotten from gone;
  return forgotten;
end $$;
revoke execute on function forget_announcements(int, int) from public;
grant execute on function forget_announcements(int, int) to sevengate_app;
