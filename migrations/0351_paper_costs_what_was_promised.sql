-- What fills cost on paper has to lie within what the backtest promised, and every cost is measured from the price that could be traded
-- at the decision: a backtest measured it from the middle, so that the slippage breaker allowed three half spreads more.

create or replace function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 5 when 'paper' then 4 when 'shadow' then 3 when 'stress_test' then 2 else 1 end
$$;

-- The mean cost of a fill that the backtest of a manifest promised, in basis points: that of the newest one that passed.
create function promised_cost_bps(agent uuid, of_version int) returns float8 language sql stable set search_path = public, pg_temp as $$
  select (metrics::jsonb ->> 'slippageBps')::float8 from evidence
  where agent_id = agent and kind = 'backtest' and manifest_version = of_version and passed order by seq desc limit 1
$$;

create or replace function paper_series(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select paper_series_of_book(book, capital, entered, evaluated) || jsonb_build_object('rules', 4,
    'pausedMs', paused_ms(split_part(book, ':', 2)::uuid, entered, evaluated),
    'promisedBps', promised_cost_bps(split_part(book, ':', 2)::uuid, split_part(book, ':', 4)::int),
    'costs', coalesce((select jsonb_agg(jsonb_build_array(f.notional_usd::text, f.slippage_bps) order by f.number)
      from fills f where f.book_id = book and f.at between entered and evaluated), '[]'))
$$;

-- The band ends 5 basis points and 1.645 standard errors of the weighted mean above the promise.
create or replace function paper_metrics(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  with walked as (
    select (d.day ->> 1)::float8 / nullif(lag((d.day ->> 1)::float8, 1, (series ->> 'startEquityUsd')::float8) over (order by d.n), 0) - 1 as return
    from jsonb_array_elements(series -> 'days') with ordinality as d(day, n)
  ), mean as (
    select count(*)::float8 as periods, avg(return) as value from walked
  ), spread as (
    select case when mean.periods >= 2 then sqrt((select sum((w.return - mean.value) ^ 2) from walked w) / (mean.periods - 1)) end as deviation from mean
  ), trade as (
    select count(*)::float8 as closed, avg((t ->> 1)::float8) as expectancy from jsonb_array_elements(series -> 'trades') as t
  ), cost as (
    select (c ->> 0)::float8 as weight, (c ->> 1)::float8 as bps from jsonb_array_elements(coalesce(series -> 'costs', '[]')) c
  ), paid as (
    select count(*)::float8 as n, nullif(sum(weight), 0) as weight, sum(weight * bps) / nullif(sum(weight), 0) as bps from cost
  ), error as (
    select case when p.n >= 2 then sqrt((select sum((c.weight * (c.bps - p.bps)) ^ 2) from cost c) * p.n / (p.n - 1)) / p.weight end as bps from paid p
  )
  select jsonb_build_object(
    -- Series from before 0017 do not say how long the agent was off duty.
    'elapsedDays', ((series ->> 'evaluatedAt')::float8 - (series ->> 'enteredAt')::float8 - coalesce((series ->> 'pausedMs')::float8, 0)) / 86400000,
    'markedDays', mean.periods,
    'meanDailyReturnPct', mean.value * 100,
    'sharpe', case when spread.deviation >= 1e-12 then mean.value / spread.deviation * sqrt(365::float8) end,
    'tStatistic', case when spread.deviation >= 1e-12 then mean.value / spread.deviation * sqrt(mean.periods) end,
    'closedTrades', trade.closed,
    'expectancyUsd', trade.expectancy)
    || case when (series ->> 'rules')::int >= 4 then jsonb_build_object('costFills', paid.n, 'costBps', paid.bps,
      'promisedBps', (series ->> 'promisedBps')::float8, 'costBandBps', (series ->> 'promisedBps')::float8 + 5 + 1.645 * error.bps) else '{}' end
  from mean, spread, trade, paid, error
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
    ('paper', 6, 'cost_fills', 'costFills', 'at_least', 10),
    ('paper', 7, 'cost_bps', 'costBps', 'at_most', (metrics ->> 'costBandBps')::float8),
    ('shadow', 1, 'elapsed_days', 'elapsedDays', 'at_least', 1),
    ('shadow', 2, 'fills', 'fills', 'at_least', 10),
    ('shadow', 3, 'shortfall_bps', case when metrics ? 'orders' and not metrics ? 'shortfallUpperBps' then 'shortfallBps' else 'shortfallUpperBps' end, 'at_most', (metrics ->> 'maxSlippageBps')::float8),
    ('shadow', 4, 'slippage_error_bps', 'slippageErrorBps', 'at_most', (metrics ->> 'errorLimitBps')::float8),
    ('shadow', 5, 'unknown_pct', 'unknownPct', 'at_most', 20),
    ('shadow', 6, 'missed_pct', 'missedPct', 'at_most', 20),
    ('risk_signoff', 1, 'approved', 'approved', 'at_least', 1)
  ) as r(of_kind, place, name, metric, rule, gate_limit)
  -- Metrics of earlier rules hold no cost.
  where r.of_kind = kind and (not starts_with(r.name, 'cost_') or metrics ? 'costFills')
  union all
  select (s.n * 4 + t.n)::int, s.scenario || t.suffix, s.scenario || t.suffix, t.rule,
    case t.suffix when '_runs' then 1 when '_loss_pct' then (metrics ->> 'lossLimitPct')::float8 else 0 end
  from unnest(array['flash_crash', 'weekend_gap', 'liquidity_freeze', 'reference_depeg']) with ordinality as s(scenario, n)
  cross join (values (1, '_runs', 'at_least'), (2, '_loss_pct', 'at_most'), (3, '_breaches', 'at_most'), (4, '_unsafe_fills', 'at_most')) as t(n, suffix, rule)
  where kind = 'stress_test'
$$;

insert into superseded_evidence
select id, 4, 'the cost of a fill is measured from the price that could be traded at the decision' from evidence where kind = 'backtest'
union all select id, 3, 'what its fills cost has to lie within what the backtest promised' from evidence where kind = 'paper'
on conflict do nothing;
