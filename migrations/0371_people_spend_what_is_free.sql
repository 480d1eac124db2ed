-- Everything that a person pays in dollars is bound by the rule that binds deposits and armings: orders at the exchange, transactions that a
-- wallet signs, and transfers to the other chain.

-- What a person's transaction takes of its wallet's dollars; zero of an agent's or a Take's, null of transactions from before. US dollars.
alter table prepared_transactions add column dollars_usd numeric check (dollars_usd >= 0);
create index prepared_transactions_final on prepared_transactions (org_id, changed_at) where state = 'finalized';

create or replace function guard_prepared_transaction() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'prepared transactions are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.purpose, new.executor, new.wallet, new.subject, new.message, new.unsigned, new.book_id, new.instrument,
      new.side, new.quantity, new.notional_usd, new.dollars_usd, new.prepared_by, new.epoch, new.created_at)
    is distinct from (old.id, old.number, old.org_id, old.purpose, old.executor, old.wallet, old.subject, old.message, old.unsigned, old.book_id, old.instrument,
      old.side, old.quantity, old.notional_usd, old.dollars_usd, old.prepared_by, old.epoch, old.created_at) then
    raise exception 'what a prepared transaction is about does not change' using errcode = 'check_violation';
  end if;
  if old.signature is not null and new.signature is distinct from old.signature then
    raise exception 'the transaction was signed as %', old.signature using errcode = 'check_violation';
  end if;
  if old.state in ('finalized', 'failed', 'expired') and new.state <> old.state then
    raise exception 'the transaction has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;

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

-- A row for each live Take that may buy or hold something: the venue and the wallet whose dollars pay for it, what is left of them, what it
-- spent since the newest comparison, and what was paid in. A Take that was closed buys nothing any more, whatever dust it keeps. The
-- other rows are those of people, but for wallets that nobody compares: no dollars of theirs were found. US dollars.
drop function bound_dollars(uuid);
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
revoke execute on function wallet_of_take(uuid), dollars_of_people(uuid), bound_dollars(uuid) from public;
grant execute on function wallet_of_take(uuid), dollars_of_people(uuid), bound_dollars(uuid) to sevengate_app, sevengate_api;
