-- A swap has amounts and no price: what was given and got is booked to the last base unit, and the price is their quotient,
-- rounded to 12 decimals where it has no end. Everywhere else a price times a quantity is the money, exactly.
alter table fills drop constraint fills_check;
alter table fills add constraint fill_priced check (
  notional_usd = quantity * fill_price
  or (starts_with(instrument, 'spotchain:') and notional_usd > 0 and abs(quantity * fill_price - notional_usd) <= quantity * 0.0000000000005)
);

-- How deep the pools of a token were when they were heard last. Cuts say it by the minute; orders are judged between them,
-- and before the first one after a start.
create table pool_liquidity (
  instrument text primary key check (starts_with(instrument, 'spotchain:')),
  -- Both sides together.
  liquidity_usd numeric not null check (liquidity_usd >= 0),
  observed_at bigint not null
);
grant select, insert, update on pool_liquidity to sevengate_app;
grant select on pool_liquidity to sevengate_api;
