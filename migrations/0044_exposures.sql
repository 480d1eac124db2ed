-- What an organization has at work over its books, kept as sums: an order reads one row per instrument, however many books
-- there are. Triggers alone write these tables, in the transaction that changes a book or a proposal.

-- What each book adds to the sums of its organization: {asset: [quantity, cost in US dollars, reserved US dollars]}. Of the
-- asset USD the quantity is the book's cash. A paper book of a manifest version that is not active adds nothing.
create table book_exposures (
  book_id text primary key,
  org_id uuid not null references organizations,
  mode text not null check (mode in ('paper', 'live')),
  adds jsonb not null default '{}'
);

-- The sums, each in several lanes: a transaction adds to a lane that no other transaction is writing to, so that fills of one
-- organization do not wait for each other. There are as many lanes as transactions have met at one time.
create table exposures (
  org_id uuid not null references organizations,
  mode text not null check (mode in ('paper', 'live')),
  asset text not null,
  lane int not null,
  quantity numeric not null default 0,
  cost_usd numeric not null default 0,
  reserved_usd numeric not null default 0,
  primary key (org_id, mode, asset, lane)
) with (fillfactor = 60);

insert into trail_tables (name, mode, reason) values
  ('book_exposures', 'guarded', 'kept by triggers; follows from books and proposals, which are logged, and is held against them'),
  ('exposures', 'guarded', 'kept by triggers; follows from books and proposals, which are logged, and is held against them');

-- What a book adds, from the book and the proposals that wait on it. A book that only a proposal knows is at its opening. A
-- book whose figures no fill or transfer can have led to adds nothing: the tick of its agent quarantines that agent.
create function exposure_of_book(name text) returns jsonb language plpgsql stable set search_path = public, pg_temp as $$
declare
  book books;
  waiting proposals;
  adds jsonb;
  sound boolean;
begin
  select * into book from books where id = name;
  if book.id is null then
    select * into waiting from proposals where book_id = name and state in ('pending_approval', 'approved', 'executing', 'unknown') limit 1;
    if waiting.id is null then
      return '{}';
    end if;
  end if;
  if coalesce(book.mode, waiting.mode) = 'paper' and (book.id is null or book.agent_id is not null)
    and not exists (select 1 from agents t where t.id = coalesce(book.agent_id, waiting.agent_id) and t.manifest_version = coalesce(book.manifest_version, waiting.manifest_version))
    and not exists (select 1 from takes t where t.id = coalesce(book.agent_id, waiting.agent_id) and t.manifest_version = coalesce(book.manifest_version, waiting.manifest_version)) then
    return '{}';
  end if;
  if book.fills > 0 and book.turnover_usd <= 0 then
    return '{}';
  end if;
  with parts as (
    select 'USD' as asset, book.cash_usd as quantity, 0::numeric as cost, 0::numeric as reserved where book.id is not null
    union all
    select 'USD', (m.canonical::jsonb ->> 'maxCapitalUsd')::numeric, 0, 0 from manifests m
    where book.id is null and waiting.mode = 'paper' and m.agent_id = waiting.agent_id and m.version = waiting.manifest_version
    union all
    select h ->> 'instrument', (h ->> 'quantity')::numeric, (h ->> 'costUsd')::numeric, 0
    from jsonb_array_elements(case when book.id is not null then book.holdings else '[]' end) h
    union all
    select p.instrument, 0, 0, p.notional_usd from proposals p
    where p.book_id = name and p.state in ('pending_approval', 'approved', 'executing', 'unknown') and p.order_body ->> 'side' = 'buy'
  ), sums as (
    select asset, sum(quantity) as quantity, sum(cost) as cost, sum(reserved) as reserved,
      bool_and(coalesce((asset = 'USD' or quantity >= 0) and quantity + cost + reserved < 'Infinity' and quantity > '-Infinity', false)) as sound
    from parts group by asset
  )
  select jsonb_object_agg(s.asset, jsonb_build_array(s.quantity, s.cost, s.reserved)), bool_and(s.sound) into adds, sound from sums s;
  return case when sound then adds else '{}' end;
exception when data_exception or not_null_violation then
  return '{}';
end $$;
revoke execute on function exposure_of_book(text) from public;

-- Adds to a sum: to a lane that nobody else holds, else to a new one.
create function add_exposure(org uuid, its_mode text, its_asset text, quantity_more numeric, cost_more numeric, reserved_more numeric) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  free int;
begin
  select lane into free from exposures where org_id = org and mode = its_mode and asset = its_asset order by lane limit 1 for no key update skip locked;
  if found then
    update exposures set quantity = quantity + quantity_more, cost_usd = cost_usd + cost_more, reserved_usd = reserved_usd + reserved_more
      where org_id = org and mode = its_mode and asset = its_asset and lane = free;
  else
    insert into exposures (org_id, mode, asset, lane, quantity, cost_usd, reserved_usd)
      values (org, its_mode, its_asset, (random() * 2147483647)::int, quantity_more, cost_more, reserved_more);
  end if;
end $$;
revoke execute on function add_exposure(uuid, text, text, numeric, numeric, numeric) from public;

-- Brings the sums to what a book adds now. Whoever changes a book or its proposals waits here for whoever else does: each then
-- sees what the other has committed.
create function refresh_exposure(name text, org uuid, its_mode text) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before jsonb;
  after jsonb;
  change record;
begin
  select adds into before from book_exposures where book_id = name for update;
  if not found then
    insert into book_exposures (book_id, org_id, mode) values (name, org, its_mode) on conflict do nothing;
    select adds into before from book_exposures where book_id = name for update;
  end if;
  after := exposure_of_book(name);
  if after = before then
    return;
  end if;
  update book_exposures set adds = after where book_id = name;
  for change in
    select asset, coalesce((a.value ->> 0)::numeric, 0) - coalesce((b.value ->> 0)::numeric, 0) as quantity,
      coalesce((a.value ->> 1)::numeric, 0) - coalesce((b.value ->> 1)::numeric, 0) as cost,
      coalesce((a.value ->> 2)::numeric, 0) - coalesce((b.value ->> 2)::numeric, 0) as reserved
    from jsonb_each(after) a(asset, value) full join jsonb_each(before) b(asset, value) using (asset) where a.value is distinct from b.value
  loop
    perform add_exposure(org, its_mode, change.asset, change.quantity, change.cost, change.reserved);
  end loop;
end $$;
revoke execute on function refresh_exposure(text, uuid, text) from public;

create function expose_book() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform refresh_exposure(new.id, new.org_id, new.mode);
  return null;
end $$;
create trigger book_opens_exposure after insert on books for each row execute function expose_book();
create trigger book_moves_exposure after update on books for each row
  when ((old.version, old.cash_usd, old.holdings, old.fills, old.turnover_usd) is distinct from (new.version, new.cash_usd, new.holdings, new.fills, new.turnover_usd))
  execute function expose_book();
alter table books enable always trigger book_opens_exposure;
alter table books enable always trigger book_moves_exposure;

-- The book is locked before what it adds, as by whoever books to it.
create function expose_proposal() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from books where id = new.book_id for no key update;
  perform refresh_exposure(new.book_id, new.org_id, new.mode);
  return null;
end $$;
create trigger proposal_opens_exposure after insert on proposals for each row
  when (new.state in ('pending_approval', 'approved', 'executing', 'unknown')) execute function expose_proposal();
create trigger proposal_moves_exposure after update on proposals for each row
  when ((old.state in ('pending_approval', 'approved', 'executing', 'unknown')) <> (new.state in ('pending_approval', 'approved', 'executing', 'unknown'))
    or old.notional_usd <> new.notional_usd)
  execute function expose_proposal();
alter table proposals enable always trigger proposal_opens_exposure;
alter table proposals enable always trigger proposal_moves_exposure;

-- Another manifest version of an agent is active (a Take has one): the paper book of the version before adds nothing any more.
create function expose_versions() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  book record;
begin
  for book in
    select book_id from book_exposures
    where book_id in ('agent:' || new.id || ':paper:' || old.manifest_version, 'agent:' || new.id || ':paper:' || new.manifest_version) order by book_id
  loop
    perform refresh_exposure(book.book_id, new.org_id, 'paper');
  end loop;
  return null;
end $$;
create trigger agent_moves_exposure after update on agents for each row
  when (old.manifest_version <> new.manifest_version) execute function expose_versions();
alter table agents enable always trigger agent_moves_exposure;

select belongs_to_organization('book_exposures');
select belongs_to_organization('exposures');
grant select on book_exposures, exposures to sevengate_app, sevengate_api, sevengate_reader;

-- What is there already.
select refresh_exposure(id, org_id, mode) from books order by id;
select refresh_exposure(book_id, org_id, mode) from proposals
  where state in ('pending_approval', 'approved', 'executing', 'unknown') and not exists (select 1 from books b where b.id = book_id) order by book_id;
