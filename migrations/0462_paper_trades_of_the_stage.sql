-- Round trips of the paper gate are those of the stage. Before, a position that was open when the agent came to the stage counted with all that it
-- had gained before, and a gain counted that a person realized while the agent was paused: whoever held the winners of the months before, or
-- closed by hand whatever stood above its price, passed the gate's expectancy by trades that no rule of the manifest had made.

-- Positions at the entry to the stage: each round trip goes on from what its position was worth then, as `startEquityUsd` counts it.
create function held_since_entry(held jsonb, since bigint, until bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  with marked as (
    select h.key, h.value, last_bid_in_units(h.key, since, until) as bid from jsonb_each(held) h
  ), known as (
    select coalesce(bool_and(bid is not null), true) as by_bid from marked
  )
  select coalesce(jsonb_object_agg(m.key, m.value || jsonb_build_object('flow',
    -case when k.by_bid then (m.value ->> 'quantity')::numeric * m.bid else (m.value ->> 'cost')::numeric end)), '{}')
  from marked m cross join known k
$$;

-- Whether an agent was off duty at an instant.
create function was_paused(agent uuid, since bigint) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce((select to_value ->> 'duty' = 'paused' from steps where actor_id = agent and at <= since order by version desc limit 1), false)
$$;

-- That of 0009, with round trips from the entry to the stage on.
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
      held := held_since_entry(held, entered - day_ms, entered + 1);
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

-- That of 0009, without gains of round trips that ended while the agent was paused. Losses count.
create or replace function paper_series(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  with of_book as materialized (
    select paper_series_of_book(book, capital, entered, evaluated) as series, split_part(book, ':', 2)::uuid as agent
  )
  select series || jsonb_build_object('rules', 6,
    'trades', coalesce((select jsonb_agg(t.trade order by t.n) from jsonb_array_elements(series -> 'trades') with ordinality as t(trade, n)
      where (t.trade ->> 1)::numeric <= 0 or not was_paused(agent, (t.trade ->> 0)::bigint)), '[]'),
    'pausedMs', paused_ms(agent, entered, evaluated),
    'promisedBps', promised_cost_bps(agent, split_part(book, ':', 4)::int),
    'costs', coalesce((select jsonb_agg(jsonb_build_array(f.notional_usd::text, f.slippage_bps) order by f.number)
      from fills f where f.book_id = book and f.at between entered and evaluated), '[]'))
  from of_book
$$;

create or replace function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 7 when 'paper' then 6 when 'shadow' then 3 when 'stress_test' then 3 when 'manifest' then 2 else 1 end
$$;

-- Evidence that would not have passed by these trades.
insert into superseded_evidence
select e.id, 5, 'a round trip counts from the entry to the stage, and without gains realized while the agent was paused'
from evidence e join manifests m on m.agent_id = e.agent_id and m.version = e.manifest_version
cross join lateral (
  select 'agent:' || e.agent_id || ':paper:' || e.manifest_version as book, (e.series::jsonb ->> 'enteredAt')::bigint as entered,
    (e.series::jsonb ->> 'evaluatedAt')::bigint as evaluated
) stage
where e.kind = 'paper' and e.passed
  and ((e.series::jsonb ->> 'pausedMs')::bigint is distinct from 0 or exists (select 1 from fills f where f.book_id = stage.book and f.at < stage.entered))
  and not evidence_passes('paper', e.series::jsonb || jsonb_build_object('trades',
    paper_series(stage.book, (readable_json(m.canonical) ->> 'maxCapitalUsd')::numeric, stage.entered, stage.evaluated) -> 'trades'))
on conflict do nothing;
