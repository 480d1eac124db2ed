-- People's orders may rest on the spot exchange until they are filled or cancelled: how they do is shown, and what of them may
-- still be filled stays reserved.
alter table market_orders
  add column time_in_force text not null default 'ioc' check (time_in_force in ('ioc', 'gtc')),
  add column post_only boolean not null default false,
  -- What it rests at; null where it does not rest.
  add column resting_at numeric,
  -- What the order still may come to, in US dollars; null of orders from before.
  add column bound_usd numeric;

alter table market_orders drop constraint market_orders_state_check;
alter table market_orders add constraint market_orders_state_check
  check (state in ('approved', 'executing', 'resting', 'withdrawing', 'filled', 'partially_filled', 'failed', 'unknown', 'cancelled', 'blocked_by_risk'));

drop index market_orders_open;
create index market_orders_open on market_orders (book_id) where state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown');
create index market_orders_resting on market_orders (number) where state in ('resting', 'withdrawing');

create or replace function guard_market_order() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'market orders are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.mode, new.book_id, new.instrument, new.order_body, new.placed_by, new.epoch, new.time_in_force, new.post_only)
    is distinct from
    (old.id, old.number, old.org_id, old.mode, old.book_id, old.instrument, old.order_body, old.placed_by, old.epoch, old.time_in_force, old.post_only) then
    raise exception 'what an order is about does not change' using errcode = 'check_violation';
  end if;
  if old.state not in ('approved', 'executing', 'resting', 'withdrawing', 'unknown') and new.state <> old.state then
    raise exception 'the order has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
