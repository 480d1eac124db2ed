-- The leaderboard of wallets: who registered which address, what was read of it outside, and where it stands.

-- The leaderboard of wallets: who registered which address, what was read of it outside, and where it stands.
create table leaderboard_registrations (
  org_id uuid not null references organizations,
  chain text not null check (chain in ('spotchain', 'evmvenue')),
  address text not null check (address ~ '^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$'),
  label text check (label <> ''),
  registered_by text not null check (registered_by <> ''),
  registered_at bigint not null,
  primary key (org_id, chain, address)
);
select make_append_only('leaderboard_registrations');

-- One row per address, whoever registered it. What follows from histories outside is read again at any time.
create table leaderboard_wallets (
  id bigint generated always as identity primary key,
  chain text not null check (chain in ('spotchain', 'evmvenue')),
  address text not null,
  label text,
  registered_at bigint not null,
  -- When it was asked for last, and when an answer came last; null before.
  asked_at bigint,
  read_at bigint,
  failure text,
  -- How far its history is read: the newest signature, or the time of the newest fill.
  newest text,
  -- The newest slot whose events the ledger holds.
  ledger_slot bigint,
  ledger jsonb not null default '{}',
  -- Transactions or fills that were read, and since when none is missing; null where its whole history was read.
  transactions int not null default 0,
  truncated_at bigint,
  unique (chain, address)
);
create index leaderboard_wallets_stale on leaderboard_wallets (chain, asked_at nulls first, id);
grant select, insert, update on leaderboard_wallets to sevengate_app;

-- What a transaction did to the holdings of a wallet, once per signature.
create table leaderboard_events (
  wallet_id bigint not null references leaderboard_wallets,
  signature text not null,
  seq bigint generated always as identity,
  slot bigint not null,
  at bigint not null,
  source text not null check (source in ('service', 'provider')),
  body jsonb not null,
  primary key (wallet_id, signature)
);
create index leaderboard_events_in_order on leaderboard_events (wallet_id, slot, seq);
grant select, insert, delete on leaderboard_events to sevengate_app;

-- Sales and closing fills. Amounts are dollars; cost and profit are null where the basis is not known.
create table leaderboard_sales (
  wallet_id bigint not null references leaderboard_wallets,
  key text not null,
  at bigint not null,
  -- The mint or the coin, and the venue's own word for what was closed.
  asset text not null,
  direction text not null,
  quantity text,
  proceeds_usd numeric,
  cost_usd numeric,
  profit_usd numeric,
  reference text not null,
  primary key (wallet_id, key)
);
create index leaderboard_sales_by_time on leaderboard_sales (wallet_id, at desc, key);
create index leaderboard_sales_leaving on leaderboard_sales (at);
grant select, insert, delete on leaderboard_sales to sevengate_app;

-- The ranking of each window, kept up to date as sales come and leave. `place` is the order of the list.
create table leaderboard_standings (
  "window" text not null check ("window" in ('24h', '7d', '30d')),
  wallet_id bigint not null references leaderboard_wallets,
  place int not null,
  rank int,
  realized_usd numeric,
  sales int not null default 0,
  matched int not null default 0,
  -- Of the wallet's reading, as it was when the figures beside it were ranked.
  read_at bigint,
  failure text,
  truncated_at bigint,
  primary key ("window", wallet_id)
);
create index leaderboard_standings_in_order on leaderboard_standings ("window", place);
grant select, insert, update on leaderboard_standings to sevengate_app;

-- How far the refresh is: one row.
create table leaderboard_progress (
  singleton boolean primary key default true check (singleton),
  at bigint not null,
  -- Up to when sales have left their windows.
  swept_at bigint not null,
  waiting int not null,
  behind_ms bigint not null
);
insert into leaderboard_progress (at, swept_at, waiting, behind_ms) values (0, 0, 0, 0);
grant select, insert, update on leaderboard_progress to sevengate_app;

-- A registered address is on the board at once, without a rank.
create function place_registered_wallet() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  wallet bigint;
begin
  insert into leaderboard_wallets (chain, address, label, registered_at) values (new.chain, new.address, new.label, new.registered_at)
    on conflict (chain, address) do nothing returning id into wallet;
  if wallet is not null then
    insert into leaderboard_standings ("window", wallet_id, place)
      select w, wallet, coalesce((select max(place) from leaderboard_standings s where s."window" = w), 0) + 1 from unnest(array['24h', '7d', '30d']) as w;
  end if;
  return null;
end $$;
create trigger registered_wallet after insert on leaderboard_registrations for each row execute function place_registered_wallet();
alter table leaderboard_registrations enable always trigger registered_wallet;
