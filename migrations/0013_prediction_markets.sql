-- Prediction markets of both providers in one shape, the events that group them, trades as they were heard, orders on them and their
-- settlement.

-- Groups of markets. `mutually_exclusive`: at most one of them resolves yes; null where the provider did not say.
create table prediction_events (
  id text primary key check (id ~ '^pe-[0-9a-f]{24}$'),
  provider text not null,
  provider_id text not null,
  title text not null,
  mutually_exclusive boolean,
  received_at bigint not null,
  unique (provider, provider_id)
);
grant select, insert, update on prediction_events to sevengate_app;
grant select on prediction_events to sevengate_api;

-- The latest word on each market; `body` is the whole object, the columns are what lists filter and order by.
create table prediction_markets (
  id text primary key check (id ~ '^pm-[0-9a-f]{24}$'),
  provider text not null,
  provider_id text not null,
  event_id text references prediction_events,
  question text not null,
  status text not null,
  provider_status text not null,
  underlying text,
  -- Milliseconds; the far future where the provider names no end, so that lists have one order.
  closes_at bigint not null,
  source text not null,
  observed_at bigint not null,
  received_at bigint not null,
  body jsonb not null,
  unique (provider, provider_id)
);
create index prediction_markets_by_end on prediction_markets (closes_at desc, id desc);
create index prediction_markets_by_underlying on prediction_markets (underlying, provider, closes_at desc);
create index prediction_markets_by_event on prediction_markets (event_id);
grant select, insert, update on prediction_markets to sevengate_app;
grant select on prediction_markets to sevengate_api;

-- Every change of a market's status, with who said so and when: what a resolution is traced by.
create table prediction_status_changes (
  market_id text not null references prediction_markets,
  status text not null,
  provider_status text not null,
  source text not null,
  observed_at bigint not null,
  received_at bigint not null,
  written_at timestamptz not null default clock_timestamp(),
  -- What the market resolved to, signed with its status: positions are settled by it.
  payouts jsonb,
  primary key (market_id, received_at, status)
);
select make_append_only('prediction_status_changes');

-- What each side of a market pays, of markets that are resolved.
create function prediction_payouts(body jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select jsonb_object_agg(o ->> 'side', o -> 'payout') from jsonb_array_elements(body -> 'outcomes') o where o ->> 'payout' is not null
$$;

-- Notes every change of a market's status or of what it resolved to.
create function note_prediction_status() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.status <> old.status or prediction_payouts(new.body) is distinct from prediction_payouts(old.body) then
    insert into prediction_status_changes (market_id, status, provider_status, source, observed_at, received_at, payouts)
    values (new.id, new.status, new.provider_status, new.source, new.observed_at, new.received_at, prediction_payouts(new.body))
    on conflict do nothing;
  end if;
  return new;
end $$;
create trigger prediction_status_noted after insert or update on prediction_markets for each row execute function note_prediction_status();

-- Trades as they were heard. `price` is that of the outcome `side`, in US dollars per contract.
create table prediction_trades (
  id text primary key,
  market_id text not null,
  side text not null check (side in ('yes', 'no')),
  price numeric not null check (price >= 0 and price <= 1),
  size numeric not null check (size > 0),
  taker text check (taker in ('buy', 'sell')),
  source text not null,
  observed_at bigint not null,
  received_at bigint not null
);
create index prediction_trades_by_market on prediction_trades (market_id, observed_at desc);
create index prediction_trades_by_time on prediction_trades (observed_at);
grant select, insert, delete on prediction_trades to sevengate_app;
grant select on prediction_trades to sevengate_api;

-- Orders on prediction markets, on paper and on the chain: the projection of their actors that lists and risk read (spec 4.4).
create table prediction_orders (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  mode text not null check (mode in ('paper', 'live')),
  book_id text not null,
  market_id text not null check (market_id ~ '^pm-[0-9a-f]{24}$'),
  outcome text not null check (outcome in ('yes', 'no')),
  instrument text not null,
  -- The order as it was compiled: domain `Order`.
  order_body jsonb not null,
  -- Wallet, accounts and deposit of a live order; null on paper.
  onchain jsonb,
  transaction_id uuid references prepared_transactions,
  decision_price numeric not null,
  risk jsonb not null,
  placed_by text not null,
  -- The control epoch that it was placed in.
  epoch bigint not null,
  state text not null check (state in ('prepared', 'submitted', 'open', 'partially_filled', 'filled', 'cancelled', 'failed')),
  reason text,
  detail text,
  filled_quantity numeric not null default 0 check (filled_quantity >= 0),
  filled_notional_usd numeric not null default 0,
  fees_usd numeric not null default 0,
  -- What came back of the deposit; null until the venue closed the order.
  refund_usd numeric,
  created_at bigint not null,
  changed_at bigint not null,
  check ((mode = 'live') = (onchain is not null) and (mode = 'live') = (transaction_id is not null)),
  -- Executed is not filled: what waits for the chain or for its first fill has none.
  check (state not in ('prepared', 'submitted', 'open') or filled_quantity = 0)
);
create index prediction_orders_by_org on prediction_orders (org_id, number desc);
create index prediction_orders_open on prediction_orders (org_id, book_id, number) where mode = 'live' and state in ('prepared', 'submitted', 'open', 'partially_filled');
create unique index prediction_orders_by_transaction on prediction_orders (transaction_id) where transaction_id is not null;
-- Positions at the prediction venue are compared with what live books claim, by the account that holds them.
create index prediction_orders_by_position on prediction_orders ((onchain ->> 'positionAccount')) where mode = 'live';
grant select, insert on prediction_orders to sevengate_app;
grant update (state, reason, detail, filled_quantity, filled_notional_usd, fees_usd, refund_usd, changed_at) on prediction_orders to sevengate_app, sevengate_api;

-- A finished order stays as it ended, none changes what it was about, and what was filled is never taken back.
create function guard_prediction_order() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'prediction orders are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.mode, new.book_id, new.market_id, new.outcome, new.instrument, new.order_body, new.onchain, new.placed_by, new.epoch)
    is distinct from (old.id, old.number, old.org_id, old.mode, old.book_id, old.market_id, old.outcome, old.instrument, old.order_body, old.onchain, old.placed_by, old.epoch) then
    raise exception 'what an order is about does not change' using errcode = 'check_violation';
  end if;
  if new.state <> old.state and (old.mode = 'paper' or old.state in ('filled', 'cancelled', 'failed')) then
    raise exception 'the order has ended as %', old.state using errcode = 'check_violation';
  end if;
  if new.filled_quantity < old.filled_quantity then
    raise exception 'a fill is not taken back' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger prediction_order_rows before update or delete on prediction_orders for each row execute function guard_prediction_order();
alter table prediction_orders enable always trigger prediction_order_rows;
create trigger prediction_order_table before truncate on prediction_orders for each statement execute function refuse_change();
alter table prediction_orders enable always trigger prediction_order_table;

-- What contracts paid once their market was resolved, beside the ledger transaction `settlement:<book>:<instrument>:<at>`. The position
-- goes with it, so that nothing is settled twice; what is filled after the resolution is settled by itself.
create table prediction_settlements (
  book_id text not null references books,
  instrument text not null,
  org_id uuid not null references organizations,
  market_id text not null references prediction_markets,
  quantity numeric not null check (quantity > 0),
  -- US dollars per contract.
  payout numeric not null check (payout >= 0 and payout <= 1),
  cost_usd numeric not null,
  at bigint not null,
  primary key (book_id, instrument, at)
);
select make_append_only('prediction_settlements');

select protect_organizations();
-- No request settles.
revoke insert on prediction_settlements from sevengate_api;
