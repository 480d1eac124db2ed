-- Activities of a quarantined actor wait for its release, as its timers do: it takes no answer, and no order is sent for it meanwhile.
-- Both functions are those of 0003 with that condition.
create or replace function share_organizations(now bigint, retry_ms bigint, of_kinds text[], by_worker text) returns uuid[]
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  due uuid[] := (select coalesce(array_agg(distinct a.org_id), '{}') from activities d join actors a on a.id = d.actor_id
    where d.state = 'pending' and d.due_at <= now and d.kind = any(of_kinds) and a.status <> 'quarantined');
  present text[];
  held uuid[];
  share int;
begin
  present := array(select w.worker from activity_workers w where w.until > now and w.until <= now + 2 * retry_ms and w.kinds @> of_kinds);
  held := array(select o.org_id from worked_organizations o where o.worker = by_worker and o.org_id = any(due) order by o.org_id);
  share := ceil(cardinality(due)::numeric / greatest(cardinality(present), 1));
  if cardinality(held) > share then
    update worked_organizations o set worker = '' where o.org_id = any(held[share + 1:]) and o.worker = by_worker;
    return held[:share];
  end if;
  if cardinality(held) < share then
    insert into worked_organizations (org_id, worker) select d.org_id, '' from unnest(due) as d(org_id)
      where not exists (select 1 from worked_organizations o where o.org_id = d.org_id) on conflict do nothing;
    -- Each worker begins elsewhere, and what another one is just beginning with it passes over: nobody waits.
    with free as materialized (
      select o.org_id from worked_organizations o where o.org_id = any(due) and o.worker <> all(present || by_worker)
      order by md5(o.org_id || by_worker) limit share - cardinality(held) for update skip locked
    ), gained as (
      update worked_organizations o set worker = by_worker from free f where o.org_id = f.org_id returning o.org_id
    )
    select held || array_agg(g.org_id) into held from gained g;
  end if;
  return held;
end $$;

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
      and a.status <> 'quarantined' and (organizations is null or a.org_id = any(organizations))
  ), free as materialized (
    select d.key, o.turn, o.due_at from due o join activities d on d.key = o.key where d.state = 'pending' and d.due_at <= now
    order by o.turn, o.due_at, o.key limit most for update of d skip locked
  ), taken as (
    update activities a set attempts = a.attempts + 1, due_at = now + retry_ms * (1 << least(a.attempts, 6))
    from free f where a.key = f.key returning a.key, a.actor_id, a.kind, a.payload, a.attempts, f.turn, f.due_at as was_due
  )
  select t.key, t.actor_id, t.kind, t.payload, t.attempts from taken t order by t.turn, t.was_due, t.key;
end $$;
