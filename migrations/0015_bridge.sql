-- Transfers between the chains, and the wallets whose owners have proved them.

-- Bridge transfers: the projection of their actors that lists, limits and the portfolio read.
create table bridge_transfers (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  provider text not null check (provider in ('relay', 'cctp')),
  from_chain text not null check (from_chain in ('spotchain', 'evmvenue')),
  to_chain text not null check (to_chain in ('spotchain', 'evmvenue') and to_chain <> from_chain),
  amount_usd numeric not null check (amount_usd > 0),
  -- The name of the source transaction on its chain; null before it was submitted.
  hash text,
  state text not null check (state in ('quoted', 'submitted', 'source_confirmed', 'source_final', 'filling', 'completed', 'refunding', 'refunded', 'failed', 'unknown', 'expired')),
  -- When it was told to be late; null while it was not.
  delayed_at bigint,
  -- Everything else that is shown: wish, offer, transaction, axes, attentions.
  body jsonb not null,
  created_at bigint not null,
  changed_at bigint not null,
  check ((state in ('quoted', 'expired')) = (hash is null))
);
create index bridge_transfers_by_org on bridge_transfers (org_id, number desc);
create index bridge_transfers_open on bridge_transfers (org_id) where state in ('quoted', 'submitted', 'source_confirmed', 'source_final', 'filling', 'refunding', 'unknown');
-- A source transaction belongs to one transfer of an organization.
create unique index bridge_transfers_by_hash on bridge_transfers (org_id, from_chain, hash) where hash is not null;
grant select, insert on bridge_transfers to sevengate_app;
grant update (state, hash, delayed_at, body, changed_at) on bridge_transfers to sevengate_app, sevengate_api;

-- What a transfer is about does not change, its transaction is named once, and an ended one stays as it ended.
create function guard_bridge_transfer() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'bridge transfers are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.provider, new.from_chain, new.to_chain, new.amount_usd, new.created_at)
    is distinct from (old.id, old.number, old.org_id, old.provider, old.from_chain, old.to_chain, old.amount_usd, old.created_at) then
    raise exception 'what a transfer is about does not change' using errcode = 'check_violation';
  end if;
  if old.hash is not null and new.hash is distinct from old.hash then
    raise exception 'a transfer has one source transaction' using errcode = 'check_violation';
  end if;
  if new.state <> old.state and old.state in ('completed', 'refunded', 'failed', 'expired') then
    raise exception 'the transfer has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger bridge_transfer_rows before update or delete on bridge_transfers for each row execute function guard_bridge_transfer();
alter table bridge_transfers enable always trigger bridge_transfer_rows;
create trigger bridge_transfer_table before truncate on bridge_transfers for each statement execute function refuse_change();
alter table bridge_transfers enable always trigger bridge_transfer_table;

-- What has arrived for a transfer between the chains counts for its source transaction alone: a provider that names the same
-- payment for a second transfer is not believed.
create table bridge_arrivals (
  chain text not null check (chain in ('spotchain', 'evmvenue')),
  -- In its one spelling: lower case on the EVM chain.
  hash text not null check (chain = 'spotchain' or hash ~ '^0x[0-9a-f]{64}$'),
  kind text not null check (kind in ('payment', 'refund')),
  -- The transfer that it ended first.
  transfer_id uuid not null references bridge_transfers,
  source_chain text not null check (source_chain in ('spotchain', 'evmvenue')),
  source_hash text not null,
  primary key (chain, hash)
);
create index bridge_arrivals_by_transfer on bridge_arrivals (transfer_id);
select make_append_only('bridge_arrivals');

-- A transfer ends by the arrival that is recorded for it, and by no other.
create function guard_bridge_end() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from bridge_arrivals a where a.transfer_id = new.id and a.source_chain = new.from_chain and a.source_hash = new.hash
    and a.chain = case new.state when 'completed' then new.to_chain else new.from_chain end
    and a.hash = new.body #>> case new.state when 'completed' then '{axes,destination,hash}'::text[] else '{axes,refund,hash}'::text[] end) then
    raise exception 'no arrival of its own ends transfer % as %', new.id, new.state using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger bridge_transfer_end after insert or update of state on bridge_transfers deferrable initially deferred
  for each row when (new.state in ('completed', 'refunded')) execute function guard_bridge_end();
alter table bridge_transfers enable always trigger bridge_transfer_end;

-- The text that proves a wallet once its owner has signed it: the newest one of an address counts.
create table wallet_challenges (
  org_id uuid not null references organizations,
  address text not null,
  text text not null,
  issued_at bigint not null,
  primary key (org_id, address)
);
grant select, insert, update, delete on wallet_challenges to sevengate_app;

-- Wallets whose owners have signed such a text. Ownership permits nothing by itself.
create table linked_wallets (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  chain text not null check (chain in ('spotchain', 'evmvenue')),
  address text not null check (address ~ '^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$'),
  label text check (label <> ''),
  -- What was signed, and the signature under it.
  challenge text not null,
  signature text not null,
  proved_by text not null check (proved_by <> ''),
  proved_at bigint not null,
  unique (org_id, address)
);
create index linked_wallets_by_org on linked_wallets (org_id, number desc);
grant select, insert, update, delete on linked_wallets to sevengate_app;

-- Everything that a person or a Take pays in dollars, said once for deposits, armings, orders, transactions that a wallet signs, and
-- transfers to the other chain.

-- Dollars that a book has spent since a moment and not got back: accounts that were compared then still held them. US dollars.
create function spent_since(book text, since bigint) returns table (venue text, usd numeric)
language sql stable set search_path = public, pg_temp as $$
  select case split_part(f.instrument, ':', 1) when 'spotexchange' then 'spotexchange' else 'spotchain' end,
    greatest(sum(case f.side when 'buy' then f.notional_usd else -f.notional_usd end + f.fee_usd), 0)
  from fills f where f.book_id = book and f.at > since group by 1
$$;

-- The wallet that a Take trades from: that of its newest delegation. Null at the exchange.
create function wallet_of_take(take uuid) returns text language sql stable set search_path = public, pg_temp as $$
  select wallet from delegations where agent_id = take order by number desc limit 1
$$;

-- Dollars that people have spent since accounts were compared, or may still spend with what they have asked for: each by the order,
-- transaction or transfer, with the wallet that pays. Accounts that were compared still held what was spent since, and the books know only
-- fills of it. US dollars.
create function dollars_of_people(org uuid) returns table (holder uuid, venue text, wallet text, usd numeric, in_books boolean)
language sql stable set search_path = public, pg_temp as $$
  with compared as (select at from reserve_checks where org_id = org order by number desc limit 1)
  select o.id, case split_part(o.instrument, ':', 1) when 'spotexchange' then 'spotexchange' else 'spotchain' end, null,
    coalesce(o.bound_usd, (o.order_body ->> 'notionalUsd')::numeric), false
  from market_orders o where o.org_id = org and o.book_id = 'manual:' || org || ':live' and o.order_body ->> 'side' = 'buy'
    and o.state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown')
  union all
  select t.id, 'spotchain', t.wallet, coalesce(t.dollars_usd, case when t.side = 'buy' and not t.subject ? 'proposal' then t.notional_usd else 0 end), false
  from prepared_transactions t where t.org_id = org and t.executor = 'user'
    and t.state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown')
  union all
  select t.id, 'spotchain', t.wallet, coalesce(t.dollars_usd, case when t.side = 'buy' and not t.subject ? 'proposal' then t.notional_usd else 0 end), t.purpose = 'swap'
  from prepared_transactions t, compared c where t.org_id = org and t.executor = 'user' and t.state = 'finalized' and t.changed_at > c.at
  union all
  select t.id, 'spotchain', t.body #>> '{wish,sender}', t.amount_usd, false
  from bridge_transfers t left join compared c on true
  where t.org_id = org and t.from_chain = 'spotchain' and t.state in ('submitted', 'source_confirmed', 'source_final', 'filling', 'refunding', 'unknown')
    and (t.body #>> '{axes,source,state}' is distinct from 'included' and t.body #>> '{axes,source,state}' is distinct from 'final' or t.changed_at > c.at)
  union all
  select null, s.venue, null, s.usd, true from books b, compared c, spent_since(b.id, c.at) s
  where b.org_id = org and b.agent_id is null and b.mode = 'live' and s.venue = 'spotexchange'
$$;

create function bound_dollars(org uuid)
returns table (holder uuid, venue text, wallet text, cash_usd numeric, spent_usd numeric, in_books boolean, capital_usd numeric)
language sql stable set search_path = public, pg_temp as $$
  with compared as (select at from reserve_checks where org_id = org order by number desc limit 1)
  select t.id, v.venue, case v.venue when 'spotchain' then wallet_of_take(t.id) end,
    greatest(b.cash_usd, 0), coalesce((select sum(s.usd) from compared c, spent_since(b.id, c.at) s), 0), true, b.capital_usd
  from takes t join books b on b.agent_id = t.id and b.mode = 'live',
    lateral (select case split_part(readable_json(t.canonical) #>> '{asset,key}', ':', 1) when 'spotexchange' then 'spotexchange' else 'spotchain' end) v (venue)
  where t.org_id = org and t.mode = 'live' and (t.on_duty or b.holdings <> '[]' and t.state <> 'closed'
    or exists (select 1 from proposals p where p.agent_id = t.id and p.state in ('pending_approval', 'approved', 'executing', 'unknown')))
  union all
  select p.holder, p.venue, p.wallet, 0, p.usd, p.in_books, 0
  from dollars_of_people(org) p
  where p.usd > 0 and (p.wallet is null or exists (
    select 1 from reserve_checks c, jsonb_array_elements(c.dollars -> 'places') place
    where c.number = (select max(number) from reserve_checks where org_id = org) and place ->> 'place' = 'wallet ' || p.wallet))
$$;
revoke execute on function spent_since(text, bigint), wallet_of_take(uuid), dollars_of_people(uuid), bound_dollars(uuid) from public;
grant execute on function spent_since(text, bigint), wallet_of_take(uuid), dollars_of_people(uuid), bound_dollars(uuid) to sevengate_app, sevengate_api;

select protect_organizations();
-- Transfers are ended by workers alone.
revoke insert on bridge_arrivals from sevengate_api;
