-- Orders on prediction markets, on paper and on the chain: the projection of their actors that lists and risk read (spec
-- 4.4), and the settlement of what is held of a market that was resolved.
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
create index prediction_orders_open on prediction_orders (book_id) where mode = 'live' and state in ('prepared', 'submitted', 'open', 'partially_filled');
create unique index prediction_orders_by_transaction on prediction_orders (transaction_id) where transaction_id is not null;

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
create trigger prediction_order_table before truncate on prediction_orders for each statement execute function refuse_change();
alter table prediction_orders enable always trigger prediction_order_rows;
alter table prediction_orders enable always trigger prediction_order_table;

grant select, insert, update on prediction_orders to sevengate_app;

-- What contracts paid once their market was resolved, beside the ledger transaction `settlement:<book>:<instrument>:<at>`.
-- The position goes with it, so that nothing is settled twice; what is filled after the resolution is settled by itself.
alter table ledger_transactions drop constraint ledger_transactions_kind_check;
alter table ledger_transactions add constraint ledger_transactions_kind_check check (kind in ('opening', 'transfer', 'fill', 'settlement'));

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
-- No request settles.
select belongs_to_organization('prediction_settlements');
revoke insert on prediction_settlements from sevengate_api;
