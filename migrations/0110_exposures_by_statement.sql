-- What books add to their organization's sums is brought up to date once per statement, not once per row: a transaction of many
-- executions then changes each sum once. The conditions are those of 0044; what a book adds is read in one query for all of them.

drop trigger book_opens_exposure on books;
drop trigger book_moves_exposure on books;
drop trigger proposal_opens_exposure on proposals;
drop trigger proposal_moves_exposure on proposals;
drop function expose_book();
drop function expose_proposal();

-- What each of the books adds, by its id, from the book and the proposals that wait on it. A book that only a proposal knows is
-- at its opening. A book whose figures no fill or transfer can have led to adds nothing: the tick of its agent quarantines it.
create function exposures_of_books(names text[]) returns jsonb language plpgsql stable set search_path = public, pg_temp as $$
declare
  adds jsonb;
begin
  with named as (
    select n.name, b.id is not null as is_kept, b.cash_usd, b.holdings, coalesce(b.mode, w.mode) as mode,
      coalesce(b.agent_id, w.agent_id) as agent_id, coalesce(b.manifest_version, w.manifest_version) as manifest_version
    from unnest(names) as n(name)
    left join books b on b.id = n.name
    left join lateral (
      select p.mode, p.agent_id, p.manifest_version from proposals p
      where b.id is null and p.book_id = n.name and p.state in ('pending_approval', 'approved', 'executing', 'unknown') limit 1
    ) w on true
    where (b.id is not null or w.mode is not null) and (b.fills > 0 and b.turnover_usd <= 0) is not true
  ), counted as (
    select * from named n
    where n.mode <> 'paper' or (n.is_kept and n.agent_id is null)
      or exists (select 1 from agents t where t.id = n.agent_id and t.manifest_version = n.manifest_version)
      or exists (select 1 from takes t where t.id = n.agent_id and t.manifest_version = n.manifest_version)
  ), parts as (
    select name, 'USD' as asset, cash_usd as quantity, 0::numeric as cost, 0::numeric as reserved from counted where is_kept
    union all
    select c.name, 'USD', (m.canonical::jsonb ->> 'maxCapitalUsd')::numeric, 0, 0
    from counted c join manifests m on m.agent_id = c.agent_id and m.version = c.manifest_version where not c.is_kept and c.mode = 'paper'
    union all
    select c.name, h ->> 'instrument', (h ->> 'quantity')::numeric, (h ->> 'costUsd')::numeric, 0
    from counted c cross join lateral jsonb_array_elements(c.holdings) h where c.is_kept
    union all
    select c.name, p.instrument, 0, 0, p.notional_usd from counted c join proposals p on p.book_id = c.name
    where p.state in ('pending_approval', 'approved', 'executing', 'unknown') and p.order_body ->> 'side' = 'buy'
  ), sums as (
    select name, asset, sum(quantity) as quantity, sum(cost) as cost, sum(reserved) as reserved,
      bool_and(coalesce((asset = 'USD' or quantity >= 0) and quantity + cost + reserved < 'Infinity' and quantity > '-Infinity', false)) as sound
    from parts group by name, asset
  ), added as (
    select name, jsonb_object_agg(asset, jsonb_build_array(quantity, cost, reserved)) as adds, bool_and(sound) as sound from sums group by name
  )
  select jsonb_object_agg(n.name, case when a.sound then a.adds else '{}' end) into adds from unnest(names) as n(name) left join added a using (name);
  return adds;
exception when data_exception or not_null_violation then
  -- One of them cannot be read: it adds nothing, and the others are not touched by it.
  if cardinality(names) = 1 then
    return jsonb_build_object(names[1], '{}'::jsonb);
  end if;
  select jsonb_object_agg(name, exposures_of_books(array[name]) -> name) into adds from unnest(names) as n(name);
  return adds;
end $$;
revoke execute on function exposures_of_books(text[]) from public;

-- Brings the sums to what the books add now. Whoever changes a book or its proposals waits here for whoever else does: each then
-- sees what the other has committed. Of each book the row in book_exposures has to be there.
create function refresh_exposures(names text[]) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  adds_now jsonb;
  change record;
begin
  perform 1 from book_exposures where book_id = any(names) order by book_id for update;
  adds_now := exposures_of_books(names);
  for change in
    with moved as (
      update book_exposures e set adds = adds_now -> e.book_id from book_exposures b
      where e.book_id = any(names) and b.book_id = e.book_id and e.adds <> adds_now -> e.book_id
      returning e.org_id, e.mode, b.adds as before, e.adds as after
    )
    select m.org_id, m.mode, d.asset, sum(d.quantity) as quantity, sum(d.cost) as cost, sum(d.reserved) as reserved
    from moved m cross join lateral (
      select asset, coalesce((a.value ->> 0)::numeric, 0) - coalesce((b.value ->> 0)::numeric, 0) as quantity,
        coalesce((a.value ->> 1)::numeric, 0) - coalesce((b.value ->> 1)::numeric, 0) as cost,
        coalesce((a.value ->> 2)::numeric, 0) - coalesce((b.value ->> 2)::numeric, 0) as reserved
      from jsonb_each(m.after) a(asset, value) full join jsonb_each(m.before) b(asset, value) using (asset) where a.value is distinct from b.value
    ) d group by m.org_id, m.mode, d.asset order by m.org_id, m.mode, d.asset
  loop
    perform add_exposure(change.org_id, change.mode, change.asset, change.quantity, change.cost, change.reserved);
  end loop;
end $$;
revoke execute on function refresh_exposures(text[]) from public;

create function expose_books() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  names text[];
begin
  if tg_op = 'INSERT' then
    select array_agg(id order by id) into names from books_after;
  else
    select array_agg(id order by id) into names from books_after n join books_before o using (id)
      where (o.version, o.cash_usd, o.holdings, o.fills, o.turnover_usd) is distinct from (n.version, n.cash_usd, n.holdings, n.fills, n.turnover_usd);
  end if;
  if names is not null then
    insert into book_exposures (book_id, org_id, mode) select id, org_id, mode from books_after b
      where id = any(names) and not exists (select 1 from book_exposures e where e.book_id = b.id) order by id on conflict do nothing;
    perform refresh_exposures(names);
  end if;
  return null;
end $$;
create trigger books_open_exposures after insert on books referencing new table as books_after for each statement execute function expose_books();
create trigger books_move_exposures after update on books referencing old table as books_before new table as books_after
  for each statement execute function expose_books();
alter table books enable always trigger books_open_exposures;
alter table books enable always trigger books_move_exposures;

-- The books are locked before what they add, as by whoever books to them.
create function expose_proposals() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  waits constant text[] := array['pending_approval', 'approved', 'executing', 'unknown'];
  names text[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct book_id order by book_id) into names from proposals_after where state = any(waits);
  else
    select array_agg(distinct n.book_id order by n.book_id) into names from proposals_after n join proposals_before o using (id)
      where (o.state = any(waits)) <> (n.state = any(waits)) or o.notional_usd <> n.notional_usd;
  end if;
  if names is not null then
    perform 1 from books where id = any(names) order by id for no key update;
    insert into book_exposures (book_id, org_id, mode) select distinct on (book_id) book_id, org_id, mode from proposals_after p
      where book_id = any(names) and not exists (select 1 from book_exposures e where e.book_id = p.book_id) order by book_id on conflict do nothing;
    perform refresh_exposures(names);
  end if;
  return null;
end $$;
create trigger proposals_open_exposures after insert on proposals referencing new table as proposals_after
  for each statement execute function expose_proposals();
create trigger proposals_move_exposures after update on proposals referencing old table as proposals_before new table as proposals_after
  for each statement execute function expose_proposals();
alter table proposals enable always trigger proposals_open_exposures;
alter table proposals enable always trigger proposals_move_exposures;

create or replace function expose_versions() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform refresh_exposures(array['agent:' || new.id || ':paper:' || old.manifest_version, 'agent:' || new.id || ':paper:' || new.manifest_version]);
  return null;
end $$;

drop function refresh_exposure(text, uuid, text);
drop function exposure_of_book(text);
