-- Shadow trading is held against the flow of its venue: what was traded and quoted there while each order was alive.

-- What an agent at the shadow stage sent, beside its fill on paper: the limit of its price, and the time it was alive.
create table shadow_orders (
  fill_id text primary key references fills,
  org_id uuid not null references organizations,
  limit_price numeric not null check (limit_price > 0),
  -- When it left; of an order that rested, since when it did, and until when. Null of one that took at once.
  sent_at bigint not null,
  rested_until bigint check (rested_until >= sent_at)
);
select make_append_only('shadow_orders');

-- What the feed received meanwhile, and what that would have made of the order. `flow` is canonical JSON, kept to be measured again.
create table shadow_windows (
  fill_id text primary key references shadow_orders,
  org_id uuid not null references organizations,
  rule text check (rule in ('book_and_trades', 'book', 'pool_state')),
  from_at bigint not null,
  until_at bigint not null check (until_at >= from_at),
  trades int not null check (trades >= 0),
  books int not null check (books >= 0),
  outcome text not null check (outcome in ('measured', 'unknown')),
  reason text check ((reason is null) = (outcome = 'measured')),
  quantity numeric check (quantity >= 0 and (quantity is null) = (outcome = 'unknown')),
  price numeric check (price > 0 and (price is null) = (coalesce(quantity, 0) = 0)),
  digest text not null,
  flow text not null,
  measured_at bigint not null default gate_now(),
  constraint flow_digest check (digest = encode(sha256(convert_to(flow, 'UTF8')), 'hex'))
);
select make_append_only('shadow_windows');
select protect_organizations();
-- Nobody who serves callers says what an order came to.
revoke insert, update, delete on shadow_orders, shadow_windows from sevengate_api, sevengate_evaluator;
grant select on shadow_orders, shadow_windows to sevengate_evaluator;

-- What the feed is to measure: orders without a window.
create index shadow_orders_newest on shadow_orders (sent_at);

-- The series of src/domain/shadow-evaluation.ts once more: each fill of the stage beside what the flow would have given. A fill
-- that nobody has measured within five minutes is unknown.
create or replace function shadow_series(book text, max_slippage_bps jsonb, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select jsonb_build_object('enteredAt', entered, 'evaluatedAt', evaluated, 'maxSlippageBps', max_slippage_bps, 'orders', coalesce(jsonb_agg(
    jsonb_build_array(f.at, f.side, f.decision_price::text, f.fill_price::text, f.quantity::text, coalesce(w.outcome, 'unknown'), w.quantity::text, w.price::text)
    order by f.number), '[]'))
  from fills f left join shadow_windows w on w.fill_id = f.id and w.measured_at <= evaluated
  where f.book_id = book and f.at between entered and evaluated and (w.fill_id is not null or f.at < evaluated - 300000)
$$;

-- Series with `fills` are from before the flow was measured: they lie on record, and have not what the gate asks for now.
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
  ), common as (
    select jsonb_build_object(
      'elapsedDays', ((series ->> 'evaluatedAt')::float8 - (series ->> 'enteredAt')::float8) / 86400000,
      'maxSlippageBps', (series ->> 'maxSlippageBps')::float8,
      'errorLimitBps', greatest(5, (series ->> 'maxSlippageBps')::float8 / 2)) as metrics
  )
  select metrics || case when series ? 'orders' then
      (select jsonb_build_object('orders', orders, 'fills', fills, 'unknownPct', unknown / nullif(orders, 0) * 100, 'missedPct', (1 - given / asked) * 100,
        'shortfallBps', shortfall / weight, 'paperShortfallBps', on_paper / weight, 'slippageErrorBps', error / weight) from summed)
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
    ('shadow', 3, 'shortfall_bps', 'shortfallBps', 'at_most', (metrics ->> 'maxSlippageBps')::float8),
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

create or replace function series_problem(kind text, series jsonb) returns text language plpgsql immutable set search_path = public, pg_temp as $$
declare
  found text;
begin
  if kind = 'backtest' then
    if (series ->> 'annualisation') is null or (series ->> 'annualisation') not in ('365', '252') then
      return 'the annualisation is 365 or 252';
    end if;
    select case
      when count(*) = 0 then 'there are no days'
      when bool_or(at % 86400000 <> 0) then 'a day does not begin at midnight UTC'
      when bool_or(at - before > case series ->> 'annualisation' when '365' then 1 else 6 end * 86400000::bigint or at <= before) then 'days are missing or out of order'
      when bool_or(low <= 0 or low > close or close > high or inner_pct < 0 or inner_pct > (high - low) / high * 100 + 1e-6) then 'the marks of a day contradict each other'
      when min(at) > (series ->> 'firstCandleAt')::bigint or (series ->> 'firstCandleAt')::bigint >= min(at) + 6 * 86400000::bigint then 'the days do not begin with the first candle'
      when max(at) > (series ->> 'lastCandleAt')::bigint or (series ->> 'lastCandleAt')::bigint > max(at) + 6 * 86400000::bigint then 'the days do not end with the last candle'
      end into found
    from (
      select (day ->> 0)::bigint as at, lag((day ->> 0)::bigint) over (order by n) as before, (day ->> 1)::numeric as close,
        (day ->> 2)::numeric as high, (day ->> 3)::numeric as low, (day ->> 4)::numeric as inner_pct
      from jsonb_array_elements(series -> 'days') with ordinality as d(day, n)
    ) d;
    return coalesce(found, case when (series ->> 'startEquityUsd')::numeric > 0 then null else 'the equity begins at nothing' end);
  elsif kind = 'stress_test' then
    if exists (select 1 from jsonb_array_elements(series -> 'runs') r
      where (r ->> 'startEquityUsd')::numeric > 0 is not true or jsonb_array_length(r -> 'equityUsd') = 0
        or (r ->> 'breaches')::numeric < 0 or (r ->> 'unsafeFills')::numeric < 0) then
      return 'a run has no marks, no capital or a negative count';
    end if;
  elsif kind = 'paper' then
    select case
      when bool_or(at % 86400000 <> 0 or at <= before) then 'days are out of order'
      when bool_or(equity <= 0) then 'an equity of nothing'
      when min(at) < (series ->> 'enteredAt')::bigint - 86400000 or max(at) > (series ->> 'evaluatedAt')::bigint then 'a day outside of the stage'
      end into found
    from (
      select (day ->> 0)::bigint as at, lag((day ->> 0)::bigint) over (order by n) as before, (day ->> 1)::numeric as equity
      from jsonb_array_elements(series -> 'days') with ordinality as d(day, n)
    ) d;
    if found is null and (series ->> 'startEquityUsd')::numeric > 0 is not true then
      return 'the equity begins at nothing';
    end if;
    if found is null and exists (select 1 from jsonb_array_elements(series -> 'trades') t
      where (t ->> 0)::bigint not between (series ->> 'enteredAt')::bigint and (series ->> 'evaluatedAt')::bigint) then
      return 'a trade outside of the stage';
    end if;
    return found;
  elsif kind = 'shadow' then
    if exists (select 1 from jsonb_array_elements(series -> 'fills') f
      where (f ->> 0)::bigint not between (series ->> 'enteredAt')::bigint and (series ->> 'evaluatedAt')::bigint
        or (f ->> 1) not in ('buy', 'sell') or least((f ->> 2)::numeric, (f ->> 3)::numeric, (f ->> 4)::numeric, (f ->> 5)::numeric) <= 0) then
      return 'a fill outside of the stage, or without a price or size';
    end if;
    if exists (select 1 from jsonb_array_elements(series -> 'orders') o
      where (o ->> 0)::bigint not between (series ->> 'enteredAt')::bigint and (series ->> 'evaluatedAt')::bigint
        or (o ->> 1) not in ('buy', 'sell') or least((o ->> 2)::numeric, (o ->> 3)::numeric, (o ->> 4)::numeric) <= 0
        or (o ->> 5) not in ('measured', 'unknown') or ((o ->> 6) is null) <> ((o ->> 5) = 'unknown') or (o ->> 6)::numeric < 0
        or ((o ->> 7) is null) <> (coalesce((o ->> 6)::numeric, 0) = 0) or (o ->> 7)::numeric <= 0) then
      return 'an order outside of the stage, without a price or size, or given at no price';
    end if;
  end if;
  return null;
end $$;
select protect_writes();
