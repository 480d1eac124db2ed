-- Activities that have ended are kept for some days: what they came to is a step, which stays. They are found by the time of
-- their end and removed some thousand at a time; a table in parts of time would have to hold the pending ones of every age.
create index activities_ended on activities (ended_at) where state <> 'pending';

-- Forgets activities that ended more than so many days ago, at most so many at a time; answers how many. What is pending stays.
create function forget_activities(days int, most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten bigint;
begin
  if days < 1 then
    raise exception 'activities are kept for at least one day, and % was asked', days using errcode = 'check_violation';
  end if;
  with gone as (
    delete from activities where key in (
      select key from activities where state <> 'pending' and ended_at < clock_timestamp() - make_interval(days => days)
      order by ended_at limit most for update skip locked
    ) returning 1
  )
  select count(*) into forgotten from gone;
  return forgotten;
end $$;
revoke execute on function forget_activities(int, int) from public;
grant execute on function forget_activities(int, int) to sevengate_app;
