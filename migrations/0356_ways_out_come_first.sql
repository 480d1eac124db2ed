-- Organizations take turns, and within an organization what sells or withdraws comes first: however many openings wait, people can
-- get out. The conditions stand twice because a row that another worker took meanwhile is checked again under its lock. Without a
-- worker's name it takes the work of all organizations.
create or replace function take_activities(now bigint, retry_ms bigint, most int, kinds text[], by_worker text)
returns table (key text, actor_id uuid, kind text, payload jsonb, attempts int)
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  organizations uuid[] := case when by_worker is not null then share_organizations(now, retry_ms, kinds, by_worker) end;
begin
  return query with due as materialized (
    select d.key, d.due_at, row_number() over (partition by a.org_id order by d.payload -> 'reduces' = 'true' desc nulls last, d.due_at, d.key) as turn
    from activities d join actors a on a.id = d.actor_id where d.state = 'pending' and d.due_at <= now and d.kind = any(kinds)
      and (organizations is null or a.org_id = any(organizations))
  ), free as materialized (
    select d.key, o.turn, o.due_at from due o join activities d on d.key = o.key where d.state = 'pending' and d.due_at <= now
    order by o.turn, o.due_at, o.key limit most for update of d skip locked
  ), taken as (
    update activities a set attempts = a.attempts + 1, due_at = now + retry_ms * (1 << least(a.attempts, 6))
    from free f where a.key = f.key returning a.key, a.actor_id, a.kind, a.payload, a.attempts, f.turn, f.due_at as was_due
  )
  select t.key, t.actor_id, t.kind, t.payload, t.attempts from taken t order by t.turn, t.was_due, t.key;
end $$;
