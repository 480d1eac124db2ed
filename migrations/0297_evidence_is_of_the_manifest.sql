-- What opens a gate is of the manifest itself: a backtest of its timeframe over the stretch of the gate, a stress test within its own
-- mandate, round trips on paper, and an expected slippage that is known well enough. Series say by which rules they were drawn up.

create or replace function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 3 when 'paper' then 3 when 'shadow' then 3 when 'stress_test' then 2 else 1 end
$$;

-- True for a run that is no evidence; the same as `isLook` of src/domain/backtest/request.ts.
create function is_look(request jsonb, timeframe text, created_at bigint) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce(request ->> 'look', 'true') <> 'false' or coalesce(request ->> 'timeframe', timeframe) is distinct from timeframe
    or not coalesce((
      select bool_or((request ->> 'to')::timestamptz at time zone 'UTC' = ended
        and (request ->> 'from')::timestamptz at time zone 'UTC' = ended - interval '5 years' - interval '8 days')
      from (values (created_at), (created_at - 60000)) as v(at)
      cross join lateral (select date_trunc('day', to_timestamp(v.at / 1000.0) at time zone 'UTC') as ended) d), false)
$$;

-- Evidence of a backtest is of a run on record, of that very manifest, that is no look. (Its name lets it run after `evidence_admitted`.)
create function admit_evidence_of_manifest() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  look boolean;
begin
  if new.kind in ('stress_test', 'paper', 'shadow') and coalesce((new.series::jsonb ->> 'rules')::int, 1) <> gate_rules_version(new.kind) then
    raise exception 'the series of % is of version % of its rules, and % holds', new.kind, coalesce(new.series::jsonb ->> 'rules', '1'), gate_rules_version(new.kind)
      using errcode = 'check_violation', constraint = 'evidence_of_rules';
  end if;
  if new.kind = 'backtest' then
    select is_look(r.request, m.canonical::jsonb ->> 'timeframe', r.created_at) into look
      from evaluation_runs r join manifests m on m.agent_id = r.agent_id and m.version = r.manifest_version and m.hash = r.manifest_hash
      where r.id::text = new.run_id and r.evaluation = 'backtest' and r.agent_id = new.agent_id and r.manifest_version = new.manifest_version
        and r.manifest_hash = new.manifest_hash;
    if look is distinct from false then
      raise exception 'run % is %', coalesce(new.run_id, 'of nothing'),
        case when look then 'a look at another timeframe or stretch: it is no evidence' else 'no backtest of this manifest on record' end
        using errcode = 'check_violation', constraint = 'evidence_of_manifest';
    end if;
  end if;
  return new;
end $$;
create trigger evidence_of_manifest before insert on evidence for each row execute function admit_evidence_of_manifest();
alter table evidence enable always trigger evidence_of_manifest;

-- By the rules of version 1 a scenario could cost twice the mandate's daily drawdown.
create or replace function stress_metrics(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  with run as (
    select r ->> 'scenario' as scenario, (r ->> 'breaches')::float8 as breaches, (r ->> 'unsafeFills')::float8 as unsafe_fills,
      (select greatest(0, max(((r ->> 'startEquityUsd')::float8 - e::float8) / nullif((r ->> 'startEquityUsd')::float8, 0) * 100))
        from jsonb_array_elements_text(r -> 'equityUsd') as e) as loss
    from jsonb_array_elements(series -> 'runs') as r where r ->> 'severity' = 'standard'
  ), found as (
    select s.scenario, count(run.scenario)::float8 as runs, max(run.loss) as loss,
      coalesce(sum(run.breaches), 0) as breaches, coalesce(sum(run.unsafe_fills), 0) as unsafe_fills
    from unnest(array['flash_crash', 'weekend_gap', 'liquidity_freeze', 'reference_depeg']) as s(scenario)
    left join run on run.scenario = s.scenario group by s.scenario
  )
  select jsonb_build_object('lossLimitPct', (series ->> 'maxDailyDrawdownPct')::float8 * case when (series ->> 'rules')::int >= 2 then 1 else 2 end)
    || (select jsonb_object_agg(scenario || '_runs', runs) || jsonb_object_agg(scenario || '_loss_pct', loss)
      || jsonb_object_agg(scenario || '_breaches', breaches) || jsonb_object_agg(scenario || '_unsafe_fills', unsafe_fills) from found)
$$;

-- A trade is a round trip: from flat to flat of an instrument, however many fills open and close it.
create or replace function paper_series_of_book(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language plpgsql stable set search_path = public, pg_temp as $$
declare
  day_ms constant bigint := 86400000;
  cash numeric := capital;
  held jsonb := '{}';
  position jsonb;
  share numeric;
  flow numeric;
  fill fills;
  start numeric;
  equity numeric;
  day bigint := entered - entered % day_ms;
  days jsonb := '[]';
  trades jsonb := '[]';
begin
  for fill in select * from fills f where f.book_id = book and f.at <= evaluated order by f.number loop
    if start is null and fill.at >= entered then
      start := coalesce(paper_equity(cash, held, entered - day_ms, entered + 1), cash + (select coalesce(sum((value ->> 'cost')::numeric), 0) from jsonb_each(held)));
    end if;
    while fill.at >= day + day_ms and day <= evaluated loop
      equity := paper_equity(cash, held, day, day + day_ms);
      if equity is not null then
        days := days || jsonb_build_array(jsonb_build_array(day, equity::text));
      end if;
      day := day + day_ms;
    end loop;
    position := coalesce(held -> fill.instrument, '{"quantity": 0, "cost": 0, "flow": 0}');
    flow := (position ->> 'flow')::numeric + case fill.side when 'buy' then -fill.notional_usd else fill.notional_usd end - fill.fee_usd;
    if fill.side = 'buy' then
      cash := cash - fill.notional_usd - fill.fee_usd;
      held := held || jsonb_build_object(fill.instrument, jsonb_build_object('quantity', (position ->> 'quantity')::numeric + fill.quantity,
        'cost', (position ->> 'cost')::numeric + fill.notional_usd, 'flow', flow));
    else
      cash := cash + fill.notional_usd - fill.fee_usd;
      share := fill.quantity / (position ->> 'quantity')::numeric;
      if fill.at >= entered and (position ->> 'quantity')::numeric = fill.quantity then
        trades := trades || jsonb_build_array(jsonb_build_array(fill.at, flow::text));
      end if;
      held := case when (position ->> 'quantity')::numeric = fill.quantity then held - fill.instrument
        else held || jsonb_build_object(fill.instrument, jsonb_build_object('quantity', (position ->> 'quantity')::numeric - fill.quantity,
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
  select paper_series_of_book(book, capital, entered, evaluated)
    || jsonb_build_object('rules', 3, 'pausedMs', paused_ms(split_part(book, ':', 2)::uuid, entered, evaluated))
$$;

create or replace function shadow_series(book text, max_slippage_bps jsonb, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select jsonb_build_object('rules', 3, 'enteredAt', entered, 'evaluatedAt', evaluated, 'maxSlippageBps', max_slippage_bps, 'orders', coalesce(jsonb_agg(
    jsonb_build_array(f.at, f.side, f.decision_price::text, f.fill_price::text, f.quantity::text, coalesce(w.outcome, 'unknown'), w.quantity::text, w.price::text)
    order by f.number), '[]'))
  from fills f left join shadow_windows w on w.fill_id = f.id and w.measured_at <= evaluated
  where f.book_id = book and f.at between entered and evaluated and (w.fill_id is not null or f.at < evaluated - 300000)
$$;

-- The expected slippage has to lie within its budget together with its own error: 1.645 standard errors of the weighted mean.
create or replace function shadow_metrics(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  with fill as (
    select case f ->> 1 when 'buy' then 1 else -1 end as sign, (f ->> 2)::float8 as decision, (f ->> 3)::float8 as filled,
      (f ->> 4)::float8 as market, (f ->> 5)::float8 as notional
    from jsonb_array_elements(series -> 'fills') as f
  ), cost as (
    select notional, sign * (filled - decision) / nullif(decision, 0) * 10000 as paid, sign * (market - decision) / nullif(decision, 0) * 10000 as asked from fill
  ), total as (
    select count(*)::float8 as fills, nullif(sum(notional), 0) as weight, sum(notional * paid) as paid, sum(notional * asked) as asked,
      sum(notional * abs(paid - asked)) as error from cost
  ), sent as (
    select case o ->> 1 when 'buy' then 1 else -1 end as sign, (o ->> 2)::float8 as decision, (o ->> 3)::float8 as filled, (o ->> 4)::float8 as quantity,
      (o ->> 5) = 'measured' as known, (o ->> 6)::float8 as given, (o ->> 7)::float8 as price
    from jsonb_array_elements(series -> 'orders') as o
  ), compared as (
    select known, quantity * filled as notional, case when known then least(quantity, given) * filled end as matched,
      case when price is not null then sign * (price - decision) / nullif(decision, 0) * 10000 end as shortfall,
      case when price is not null then sign * (filled - decision) / nullif(decision, 0) * 10000 end as on_paper
    from sent
  ), summed as (
    select count(*)::float8 as orders, count(*) filter (where not known)::float8 as unknown, count(*) filter (where matched > 0)::float8 as fills,
      nullif(sum(matched), 0) as weight, sum(matched * shortfall) as shortfall, sum(matched * on_paper) as on_paper, sum(matched * abs(shortfall - on_paper)) as error,
      nullif(sum(notional) filter (where known), 0) as asked, sum(matched) as given
    from compared
  ), upper as (
    select case when s.fills >= 2 then s.shortfall / s.weight + 1.645 * sqrt((select sum((c.matched * (c.shortfall - s.shortfall / s.weight)) ^ 2) from compared c where c.matched > 0)
      * s.fills / (s.fills - 1)) / s.weight end as bps
    from summed s
  ), common as (
    select jsonb_build_object(
      'elapsedDays', ((series ->> 'evaluatedAt')::float8 - (series ->> 'enteredAt')::float8) / 86400000,
      'maxSlippageBps', (series ->> 'maxSlippageBps')::float8,
      'errorLimitBps', greatest(5, (series ->> 'maxSlippageBps')::float8 / 2)) as metrics
  )
  select metrics || case when series ? 'orders' then
      (select jsonb_build_object('orders', orders, 'fills', fills, 'unknownPct', unknown / nullif(orders, 0) * 100, 'missedPct', (1 - given / asked) * 100,
        'shortfallBps', shortfall / weight, 'paperShortfallBps', on_paper / weight, 'slippageErrorBps', error / weight)
        || case when (series ->> 'rules')::int >= 3 then jsonb_build_object('shortfallUpperBps', (select bps from upper)) else '{}' end from summed)
    else
      (select jsonb_build_object('fills', fills, 'shortfallBps', paid / weight, 'marketShortfallBps', asked / weight, 'slippageErrorBps', error / weight) from total)
    end
  from common
$$;

create or replace function gate_rules(kind text, metrics jsonb) returns table (place int, name text, metric text, rule text, gate_limit float8)
language sql immutable set search_path = public, pg_temp as $$
  select place, name, metric, rule, gate_limit from (values
    ('manifest', 1, 'universe', 'universe', 'at_least', 1::float8),
    ('manifest', 2, 'entry_conditions', 'entryConditions', 'at_least', 1),
    ('manifest', 3, 'max_capital', 'maxCapitalUsd', 'above', 0),
    ('manifest', 4, 'max_trade_notional', 'maxTradeNotionalUsd', 'above', 0),
    ('manifest', 5, 'notional_of_capacity', 'notionalOfCapacity', 'at_most', 1),
    ('manifest', 6, 'max_leverage', 'maxLeverage', 'at_least', 1),
    ('manifest', 7, 'stop_loss', 'stopLossPct', 'above', 0),
    ('manifest', 8, 'stop_loss_below_all', 'stopLossPct', 'below', 100),
    ('manifest', 9, 'take_profit', 'takeProfitPct', 'above', 0),
    ('manifest', 10, 'daily_drawdown', 'maxDailyDrawdownPct', 'above', 0),
    ('manifest', 11, 'daily_drawdown_below_all', 'maxDailyDrawdownPct', 'below', 100),
    ('manifest', 12, 'max_open_positions', 'maxOpenPositions', 'at_least', 1),
    ('backtest', 1, 'history_days', 'historyDays', 'at_least', (metrics ->> 'requiredDays')::float8),
    ('backtest', 2, 'sharpe', 'sharpe', 'above', 1.8),
    ('backtest', 3, 'max_drawdown_pct', 'maxDrawdownPct', 'below', 10),
    ('paper', 1, 'elapsed_days', 'elapsedDays', 'at_least', 14),
    ('paper', 2, 'marked_days', 'markedDays', 'at_least', 14),
    ('paper', 3, 'closed_trades', 'closedTrades', 'at_least', 5),
    ('paper', 4, 'expectancy_usd', 'expectancyUsd', 'above', 0),
    ('paper', 5, 'sharpe', 'sharpe', 'above', 0),
    ('shadow', 1, 'elapsed_days', 'elapsedDays', 'at_least', 1),
    ('shadow', 2, 'fills', 'fills', 'at_least', 10),
    ('shadow', 3, 'shortfall_bps', case when metrics ? 'orders' and not metrics ? 'shortfallUpperBps' then 'shortfallBps' else 'shortfallUpperBps' end, 'at_most', (metrics ->> 'maxSlippageBps')::float8),
    ('shadow', 4, 'slippage_error_bps', 'slippageErrorBps', 'at_most', (metrics ->> 'errorLimitBps')::float8),
    ('shadow', 5, 'unknown_pct', 'unknownPct', 'at_most', 20),
    ('shadow', 6, 'missed_pct', 'missedPct', 'at_most', 20),
    ('risk_signoff', 1, 'approved', 'approved', 'at_least', 1)
  ) as r(of_kind, place, name, metric, rule, gate_limit) where r.of_kind = kind
  union all
  select (s.n * 4 + t.n)::int, s.scenario || t.suffix, s.scenario || t.suffix, t.rule,
    case t.suffix when '_runs' then 1 when '_loss_pct' then (metrics ->> 'lossLimitPct')::float8 else 0 end
  from unnest(array['flash_crash', 'weekend_gap', 'liquidity_freeze', 'reference_depeg']) with ordinality as s(scenario, n)
  cross join (values (1, '_runs', 'at_least'), (2, '_loss_pct', 'at_most'), (3, '_breaches', 'at_most'), (4, '_unsafe_fills', 'at_most')) as t(n, suffix, rule)
  where kind = 'stress_test'
$$;

insert into superseded_evidence
select e.id, 2, 'a backtest of another timeframe or stretch is a look and no evidence'
  from evidence e join manifests m on m.agent_id = e.agent_id and m.version = e.manifest_version left join evaluation_runs r on r.id::text = e.run_id
  where e.kind = 'backtest' and is_look(r.request, m.canonical::jsonb ->> 'timeframe', r.created_at) is distinct from false
union all select id, 1, 'a scenario may cost no more than the daily drawdown of the mandate' from evidence where kind = 'stress_test'
union all select id, 2, 'a trade is a round trip from flat to flat, however many fills close it' from evidence where kind = 'paper'
union all select id, 2, 'the expected slippage has to lie within its budget together with its own error' from evidence where kind = 'shadow'
on conflict do nothing;
