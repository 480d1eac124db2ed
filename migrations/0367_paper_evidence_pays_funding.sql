-- Paper evidence counts the funding that its book has paid and received, at the end of each hour: in the equity of the day and in the
-- round trip that it belongs to.

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
    if event.side = 'funding' then
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

create or replace function paper_series(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select paper_series_of_book(book, capital, entered, evaluated) || jsonb_build_object('rules', 5,
    'pausedMs', paused_ms(split_part(book, ':', 2)::uuid, entered, evaluated),
    'promisedBps', promised_cost_bps(split_part(book, ':', 2)::uuid, split_part(book, ':', 4)::int),
    'costs', coalesce((select jsonb_agg(jsonb_build_array(f.notional_usd::text, f.slippage_bps) order by f.number)
      from fills f where f.book_id = book and f.at between entered and evaluated), '[]'))
$$;

create or replace function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 6 when 'paper' then 5 when 'shadow' then 3 when 'stress_test' then 3 when 'manifest' then 2 else 1 end
$$;

insert into superseded_evidence
select e.id, 4, 'paper pays and receives the funding of perpetuals' from evidence e
where e.kind = 'paper' and exists (
  select 1 from fills f where f.book_id = 'agent:' || e.agent_id || ':paper:' || e.manifest_version and starts_with(f.instrument, 'evmvenue:'))
on conflict do nothing;
