-- Orders of people on the spot exchange: the projection of their actors that lists and risk read (spec 4.4).
create table market_orders (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  mode text not null check (mode in ('paper', 'live')),
  book_id text not null,
  instrument text not null,
  -- The order as it was compiled: domain `Order`.
  order_body jsonb not null,
  decision_price numeric not null,
  risk jsonb not null,
  placed_by text not null,
  -- The control epoch that it was placed in.
  epoch bigint not null,
  state text not null check (state in ('approved', 'executing', 'filled', 'partially_filled', 'failed', 'unknown', 'cancelled', 'blocked_by_risk')),
  reason text,
  detail text,
  filled_quantity numeric not null default 0,
  filled_notional_usd numeric not null default 0,
  created_at bigint not null,
  changed_at bigint not null
);
create index market_orders_by_org on market_orders (org_id, number desc);
create index market_orders_open on market_orders (book_id) where state in ('approved', 'executing', 'unknown');

-- A finished order stays as it ended, and none changes what it was about.
create function guard_market_order() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'market orders are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.mode, new.book_id, new.instrument, new.order_body, new.placed_by, new.epoch)
    is distinct from (old.id, old.number, old.org_id, old.mode, old.book_id, old.instrument, old.order_body, old.placed_by, old.epoch) then
    raise exception 'what an order is about does not change' using errcode = 'check_violation';
  end if;
  if old.state not in ('approved', 'executing', 'unknown') and new.state <> old.state then
    raise exception 'the order has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger market_order_rows before update or delete on market_orders for each row execute function guard_market_order();
create trigger market_order_table before truncate on market_orders for each statement execute function refuse_change();
alter table market_orders enable always trigger market_order_rows;
alter table market_orders enable always trigger market_order_table;

grant select, insert, update on market_orders to sevengate_app;
