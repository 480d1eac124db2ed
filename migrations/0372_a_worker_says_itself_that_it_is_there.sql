-- A worker says that it takes part where it renews its leases, and nowhere else: taking work said so too, even of one without capacity.
-- One that has just begun is not among the present yet, and takes what they leave.
create or replace function share_organizations(now bigint, retry_ms bigint, of_kinds text[], by_worker text) returns uuid[]
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  due uuid[] := (select coalesce(array_agg(distinct a.org_id), '{}') from activities d join actors a on a.id = d.actor_id
    where d.state = 'pending' and d.due_at <= now and d.kind = any(of_kinds));
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
