-- Prediction markets of both providers in one shape, the events that group them, and trades as they were heard.

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

-- Every change of a market's status, with who said so and when: what a resolution is traced by.
create table prediction_status_changes (
  market_id text not null references prediction_markets,
  status text not null,
  provider_status text not null,
  source text not null,
  observed_at bigint not null,
  received_at bigint not null,
  written_at timestamptz not null default clock_timestamp(),
  primary key (market_id, received_at, status)
);
select make_append_only('prediction_status_changes');

create function note_prediction_status() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.status <> old.status then
    insert into prediction_status_changes (market_id, status, provider_status, source, observed_at, received_at)
    values (new.id, new.status, new.provider_status, new.source, new.observed_at, new.received_at)
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

grant select, insert, update on prediction_events, prediction_markets to sevengate_app;
grant select, insert, delete on prediction_trades to sevengate_app;
