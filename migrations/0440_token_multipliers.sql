-- Splits and reinvested dividends of tokens. Before, books kept their units through a change of the multiplier while prices went over to
-- the new one: a split was a loss, and a merger of shares a profit, of positions, breakers and evidence.

-- From when on quotes of a token are in units of which multiplier (Token-2022 scaled UI amount), as the feed heard it. The first row of an
-- instrument is no change.
create table token_multipliers (
  instrument text not null check (starts_with(instrument, 'spotchain:')),
  at bigint not null,
  multiplier numeric not null check (multiplier > 0),
  is_real boolean not null,
  primary key (instrument, at)
);
select make_append_only('token_multipliers');
grant select on token_multipliers to sevengate_api, sevengate_evaluator;
insert into trail_tables (name, mode, reason, writers)
values ('token_multipliers', 'logged', 'evidence, authority or money may rest on it', '{feed}');

-- Changes of an instrument's multiplier up to an instant, of the real series or of the simulated one.
create function multiplier_changes(of_instrument text, until bigint) returns table (at bigint, before numeric, after numeric)
language sql stable set search_path = public, pg_temp as $$
  select m.at, m.before, m.after from (
    select t.at, lag(t.multiplier) over (order by t.at) as before, t.multiplier as after from token_multipliers t
    where t.instrument = of_instrument and t.is_real = reads_real('spotchain') and t.at <= until) m
  where m.before <> m.after order by m.at
$$;

-- What a quantity is after a change: domain `rescaledBy`. Cut after 18 decimals, by whole numbers: a quotient has not always so many.
create function rescaled(quantity numeric, before numeric, after numeric) returns numeric language sql immutable as $$
  select div(quantity * after * 1e18, before) * 1e-18
$$;

alter table ledger_transactions drop constraint ledger_transactions_kind_check;
alter table ledger_transactions add constraint ledger_transactions_kind_check
  check (kind in ('opening', 'transfer', 'fill', 'settlement', 'funding', 'rescaling'));

-- The last live bid of a span in the units of its end: what was bid before a change is no price of what is held after it.
create function last_bid_in_units(of_instrument text, since bigint, until bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select last_live_bid(of_instrument, greatest(since, (select max(c.at) from multiplier_changes(of_instrument, until - 1) c)), until)
$$;

-- That of 0009, by bids in the units of what is held.
create or replace function paper_equity(cash numeric, held jsonb, since bigint, until bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select case when coalesce(bool_or(m.bid is null), false) then null else cash + coalesce(sum((h.value ->> 'quantity')::numeric * m.bid), 0) end
  from jsonb_each(held) h cross join lateral (select last_bid_in_units(h.key, since, until) as bid) m
$$;

-- That of 0009, in which a new multiplier changes what is held.
create or replace function paper_series_of_book(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language plpgsql stable set search_path = public, pg_temp as $$
declare
  day_ms constant bigint := 86400000;
  cash numeric := capital;
  held jsonb := '{}';
  position jsonb;
  share numeric;
  flow numeric;
  event record;
  start numeric;
  equity numeric;
  day bigint := entered - entered % day_ms;
  days jsonb := '[]';
  trades jsonb := '[]';
begin
  for event in
    select f.at, 1 as place, f.number, f.instrument, f.side, f.quantity, f.notional_usd, f.fee_usd
    from fills f where f.book_id = book and f.at <= evaluated
    union all
    select substring(t.id from '\d+$')::bigint, 0, t.number, substring(t.id from '(evmvenue:.*):\d+$'), 'funding', 0, 0, -l.amount
    from ledger_transactions t join ledger_legs l on l.transaction_id = t.id join ledger_accounts a on a.id = l.account_id and a.kind = 'cash'
    where t.book_id = book and t.kind = 'funding' and t.at <= evaluated
    union all
    select c.at, 0, null, i.instrument, 'rescaling', c.before, c.after, 0
    from (select distinct o.instrument from fills o where o.book_id = book and o.at <= evaluated and starts_with(o.instrument, 'spotchain:')) i
    cross join lateral multiplier_changes(i.instrument, evaluated) c
    order by 1, 2, 3 loop
    if start is null and event.at >= entered then
      start := coalesce(paper_equity(cash, held, entered - day_ms, entered + 1), cash + (select coalesce(sum((value ->> 'cost')::numeric), 0) from jsonb_each(held)));
    end if;
    while event.at >= day + day_ms and day <= evaluated loop
      equity := paper_equity(cash, held, day, day + day_ms);
      if equity is not null then
        days := days || jsonb_build_array(jsonb_build_array(day, equity::text));
      end if;
      day := day + day_ms;
    end loop;
    position := coalesce(held -> event.instrument, '{"quantity": 0, "cost": 0, "flow": 0}');
    flow := (position ->> 'flow')::numeric + case event.side when 'buy' then -event.notional_usd else event.notional_usd end - event.fee_usd;
    if event.side = 'rescaling' then
      if held ? event.instrument then
        held := held || jsonb_build_object(event.instrument,
          position || jsonb_build_object('quantity', rescaled((position ->> 'quantity')::numeric, event.quantity, event.notional_usd)));
      end if;
    elsif event.side = 'funding' then
      cash := cash - event.fee_usd;
      if held ? event.instrument then
        held := held || jsonb_build_object(event.instrument, position || jsonb_build_object('flow', flow));
      end if;
    elsif event.side = 'buy' then
      cash := cash - event.notional_usd - event.fee_usd;
      held := held || jsonb_build_object(event.instrument, jsonb_build_object('quantity', (position ->> 'quantity')::numeric + event.quantity,
        'cost', (position ->> 'cost')::numeric + event.notional_usd, 'flow', flow));
    else
      cash := cash + event.notional_usd - event.fee_usd;
      share := event.quantity / (position ->> 'quantity')::numeric;
      if event.at >= entered and (position ->> 'quantity')::numeric = event.quantity then
        trades := trades || jsonb_build_array(jsonb_build_array(event.at, flow::text));
      end if;
      held := case when (position ->> 'quantity')::numeric = event.quantity then held - event.instrument
        else held || jsonb_build_object(event.instrument, jsonb_build_object('quantity', (position ->> 'quantity')::numeric - event.quantity,
          'cost', (position ->> 'cost')::numeric * (1 - share), 'flow', flow)) end;
    end if;
  end loop;
  if start is null then
    start := coalesce(paper_equity(cash, held, entered - day_ms, entered + 1), cash + (select coalesce(sum((value ->> 'cost')::numeric), 0) from jsonb_each(held)));
  end if;
  while day <= evaluated loop
    equity := paper_equity(cash, held, day, least(day + day_ms, evaluated + 1));
    if equity is not null then
      days := days || jsonb_build_array(jsonb_build_array(day, equity::text));
    end if;
    day := day + day_ms;
  end loop;
  return jsonb_build_object('enteredAt', entered, 'evaluatedAt', evaluated, 'startEquityUsd', start::text, 'days', days, 'trades', trades);
end $$;
