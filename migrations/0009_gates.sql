-- The seven gates (spec section 3.1): evidence that nobody can forge, and a chain of everything that moved an agent.
-- The rules of `evidence.ts` of the domain stand here a second time: metrics follow from the raw series, checks and verdict
-- from the metrics, and no role writes any of the three.

-- Evaluation runs: what was asked, and where each stands. A sweep is a run that is no evidence: variants of a manifest over one history,
-- each counted as a trial.
create table evaluation_runs (
  id uuid primary key references actors,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  evaluation text not null check (evaluation in ('backtest', 'stress_test', 'sweep', 'agreement')),
  state text not null check (state in ('queued', 'running', 'finished', 'refused', 'cancelled', 'failed')),
  manifest_version int not null,
  manifest_hash text not null,
  request jsonb not null,
  requested_by text not null,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  attempts int not null,
  ending jsonb,
  result_hash text,
  summary jsonb,
  -- Who works on it, for as long as the lease is renewed.
  holder text,
  held_until timestamptz,
  -- How far it is, as its worker said last: what it does, since when, and how much of how much of that is done.
  progress jsonb,
  foreign key (agent_id, manifest_version) references manifests (agent_id, version),
  check ((state = 'finished') = (result_hash is not null)),
  check ((state in ('finished', 'refused', 'cancelled', 'failed')) = (ended_at is not null))
);
create unique index one_open_evaluation_per_agent on evaluation_runs (agent_id) where state in ('queued', 'running');
create index evaluation_runs_open on evaluation_runs (created_at) where state in ('queued', 'running');
create index evaluation_runs_by_agent on evaluation_runs (agent_id, created_at desc, id desc);
grant select, insert, update on evaluation_runs to sevengate_app;

-- A run that has ended stays as it ended.
create function guard_evaluation_end() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null and (new.state, new.result_hash, new.summary, new.ended_at) is distinct from (old.state, old.result_hash, old.summary, old.ended_at) then
    raise exception 'evaluation run % has ended as %', old.id, old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger evaluation_end before update on evaluation_runs for each row execute function guard_evaluation_end();
alter table evaluation_runs enable always trigger evaluation_end;

-- The whole result as canonical JSON and the page for people. The hash is of the result, not of the page.
create table evaluation_reports (
  run_id uuid primary key references evaluation_runs,
  result_hash text not null check (result_hash ~ '^[0-9a-f]{64}$'),
  result text not null,
  -- Null of a backtest, whose page is made of its result whenever somebody asks for it.
  report text,
  constraint result_hash_is_true check (encode(sha256(convert_to(result, 'UTF8')), 'hex') = result_hash)
);
select make_append_only('evaluation_reports');

-- Manifests that were simulated while they were written. Each is a trial: the deflated Sharpe ratio counts it as it counts a sweep's.
create table previewed_manifests (
  seq bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  -- The agent whose next version it was meant to be; null where it was meant for an agent that did not exist yet.
  agent_id uuid references actors,
  manifest_hash text not null check (manifest_hash ~ '^[0-9a-f]{64}$'),
  -- The distinct types of its entry and exit rules, as they were asked for once.
  entry_types text[],
  exit_types text[],
  at bigint not null,
  unique nulls not distinct (org_id, manifest_hash, agent_id)
);
select make_append_only('previewed_manifests');

-- What was tried, with its returns by UTC day from `first_day` on; null on days without a mark. A run tries one manifest or, as a sweep,
-- many; without a run a manifest was previewed. Without returns it was tried before they were kept.
create table trials (
  seq bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  run_id uuid references evaluation_runs,
  manifest_hash text not null check (manifest_hash ~ '^[0-9a-f]{64}$'),
  -- Annualised; null where it is not defined, and of a preview.
  sharpe float8,
  first_day int,
  returns real[],
  check ((first_day is null) = (returns is null))
);
-- A manifest that is previewed over other days leaves their returns too.
create unique index one_trial_of_days on trials (org_id, run_id, manifest_hash, (case when run_id is null then first_day end),
  (case when run_id is null then cardinality(returns) end)) nulls not distinct;
select make_append_only('trials');

-- The end of each agent's chain of gate records. Evidence and changes of stage are numbered together, without a hole.
create table gate_heads (
  agent_id uuid primary key references agents,
  seq int not null,
  hash text not null
);
-- The trail's verifier reads where each chain ends.
grant select on gate_heads to sevengate_app;

-- Every change of an agent's stage or manifest, in the chain of its gate records.
create table stage_changes (
  agent_id uuid not null references agents,
  seq int not null,
  at bigint not null,
  -- Null where the agent begins.
  from_stage text,
  to_stage text not null,
  manifest_version int not null,
  manifest_hash text not null,
  -- What opened the gate; null for the beginning, a changed manifest and a demotion.
  evidence_id uuid,
  asked_by text,
  previous_hash text not null,
  hash text not null,
  primary key (agent_id, seq)
);
select make_append_only('stage_changes');
revoke insert on stage_changes from sevengate_app;
grant select on stage_changes to sevengate_evaluator;

-- Metrics of a series by kind. Statistics are double precision; money comes as decimal texts.
create function backtest_metrics(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  with base as (
    select (series ->> 'startEquityUsd')::float8 as start, (series ->> 'firstCandleAt')::float8 as first_at,
      (series ->> 'lastCandleAt')::float8 as last_at, (series ->> 'annualisation')::float8 as annualisation
  ), marked as (
    select d.n, (d.day ->> 1)::float8 as close, (d.day ->> 2)::float8 as high, (d.day ->> 3)::float8 as low, (d.day ->> 4)::float8 as inner_pct
    from jsonb_array_elements(series -> 'days') with ordinality as d(day, n)
  ), walked as (
    select m.n, m.close, m.low, m.inner_pct, m.close / nullif(lag(m.close, 1, base.start) over (order by m.n), 0) - 1 as return,
      greatest(base.start, max(m.high) over (order by m.n rows between unbounded preceding and 1 preceding)) as peak
    from marked m cross join base
  ), mean as (
    select count(*)::float8 as periods, avg(return) as value, max(greatest((peak - low) / nullif(peak, 0) * 100, inner_pct)) as drawdown from walked
  ), spread as (
    select case when mean.periods >= 2 then sqrt((select sum((w.return - mean.value) ^ 2) from walked w) / (mean.periods - 1)) end as deviation from mean
  )
  select jsonb_build_object(
    'historyDays', (base.last_at - base.first_at) / 86400000,
    'requiredDays', extract(epoch from (to_timestamp(base.first_at / 1000) at time zone 'UTC' + interval '5 years')
      - (to_timestamp(base.first_at / 1000) at time zone 'UTC'))::float8 / 86400,
    'periods', mean.periods,
    'ddof', 1,
    'annualisation', base.annualisation,
    'sharpe', case when spread.deviation >= 1e-12 then mean.value / spread.deviation * sqrt(base.annualisation) end,
    'maxDrawdownPct', greatest(0, mean.drawdown),
    'returnPct', ((select close from walked order by n desc limit 1) / nullif(base.start, 0) - 1) * 100,
    'fills', (series ->> 'fills')::float8,
    'closedTrades', (series ->> 'closedTrades')::float8,
    'slippageBps', (series ->> 'slippageBps')::float8)
  from base, mean, spread
$$;

create function stress_metrics(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
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

create function paper_metrics(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
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

-- Series with `fills` are from before the flow was measured: they lie on record, and have not what the gate asks for now.
create function shadow_metrics(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
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

create function manifest_metrics(manifest jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select jsonb_build_object(
    'universe', jsonb_array_length(manifest -> 'universe'),
    'entryConditions', jsonb_array_length(manifest -> 'entry') + case when manifest -> 'strategy' ->> 'kind' = 'external' then 1 else 0 end,
    'maxCapitalUsd', (manifest ->> 'maxCapitalUsd')::float8,
    'maxTradeNotionalUsd', (manifest ->> 'maxTradeNotionalUsd')::float8,
    'notionalOfCapacity', ((manifest ->> 'maxTradeNotionalUsd')::numeric
      / nullif((manifest ->> 'maxCapitalUsd')::numeric * (manifest ->> 'maxLeverage')::numeric, 0))::float8,
    'maxLeverage', (manifest ->> 'maxLeverage')::float8,
    'stopLossPct', (manifest ->> 'stopLossPct')::float8,
    'takeProfitPct', (manifest ->> 'takeProfitPct')::float8,
    'maxDailyDrawdownPct', (manifest ->> 'maxDailyDrawdownPct')::float8,
    'maxOpenPositions', (manifest ->> 'maxOpenPositions')::float8)
$$;

-- Metrics by kind of evidence.
create function evidence_metrics(kind text, series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select case kind
    when 'manifest' then manifest_metrics(series)
    when 'backtest' then backtest_metrics(series)
    when 'stress_test' then stress_metrics(series)
    when 'paper' then paper_metrics(series)
    when 'shadow' then shadow_metrics(series)
    when 'risk_signoff' then jsonb_build_object('approved', case when series -> 'approved' = 'true'::jsonb then 1 else 0 end) end
$$;

-- The conditions of each gate: name, metric, rule, limit. Limits that are a metric themselves are named by it.
create function gate_rules(kind text, metrics jsonb) returns table (place int, name text, metric text, rule text, gate_limit float8)
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

-- The present version of the rules by kind of evidence.
create function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 6 when 'paper' then 5 when 'shadow' then 3 when 'stress_test' then 3 when 'manifest' then 2 else 1 end
$$;

-- What is equal up to the last digits of double arithmetic decides no gate.
create function gate_rule_holds(observed float8, rule text, gate_limit float8) returns boolean language sql immutable as $$
  select coalesce(case rule
    when 'above' then observed > gate_limit + 1e-9 * greatest(1, abs(gate_limit))
    when 'below' then observed < gate_limit - 1e-9 * greatest(1, abs(gate_limit))
    when 'at_least' then observed >= gate_limit - 1e-9 * greatest(1, abs(gate_limit))
    when 'at_most' then observed <= gate_limit + 1e-9 * greatest(1, abs(gate_limit)) end, false)
$$;

-- The conditions of a gate with what was observed.
create function evidence_checks(kind text, series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select coalesce(jsonb_agg(jsonb_build_object('name', r.name, 'observed', m.metrics -> r.metric, 'rule', r.rule, 'limit', r.gate_limit,
    'passed', gate_rule_holds((m.metrics ->> r.metric)::float8, r.rule, r.gate_limit)) order by r.place), '[]')
  from (select evidence_metrics(kind, series) as metrics) m cross join lateral gate_rules(kind, m.metrics) r
$$;

-- Whether all of them hold.
create function evidence_passes(kind text, series jsonb) returns boolean language sql immutable set search_path = public, pg_temp as $$
  select coalesce(bool_and(gate_rule_holds((m.metrics ->> r.metric)::float8, r.rule, r.gate_limit)), false)
  from (select evidence_metrics(kind, series) as metrics) m cross join lateral gate_rules(kind, m.metrics) r
$$;

-- Whether claimed metrics are those that follow from the series: the same names, and values within a millionth.
create function metrics_follow(claimed jsonb, kind text, series jsonb) returns boolean language sql immutable set search_path = public, pg_temp as $$
  select coalesce(bool_and(c.key is not null and f.key is not null and case
    when kind = 'manifest' and f.key = 'entryConditions' and series -> 'strategy' ->> 'kind' = 'external' and c.value = '0' then true
    when jsonb_typeof(f.value) = 'null' or jsonb_typeof(c.value) = 'null' then f.value = c.value
    when jsonb_typeof(c.value) <> 'number' then false
    else abs((c.value #>> '{}')::float8 - (f.value #>> '{}')::float8) <= 1e-6 * greatest(1, abs((f.value #>> '{}')::float8)) end), false)
  from jsonb_each(claimed) c full join jsonb_each(evidence_metrics(kind, series)) f on f.key = c.key
$$;

-- What is wrong with a series in itself, or null: a day that is left out, an equity of nothing, a time out of order.
create function series_problem(kind text, series jsonb) returns text language plpgsql immutable set search_path = public, pg_temp as $$
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

-- What an evaluation found. `checks` and `passed` follow from the series and cannot be written; neither can number, time and chain.
create table evidence (
  id uuid primary key,
  agent_id uuid not null references agents,
  seq int not null,
  kind text not null check (kind in ('manifest', 'backtest', 'stress_test', 'paper', 'shadow', 'risk_signoff')),
  manifest_version int not null,
  manifest_hash text not null,
  at bigint not null,
  -- The evaluation run that it comes from; null where it was computed from the rows of the store.
  run_id text,
  result_hash text not null,
  -- Canonical JSON as it was handed over, byte by byte: the chain hashes these texts.
  metrics text not null,
  series text not null,
  checks jsonb not null generated always as (evidence_checks(kind, series::jsonb)) stored,
  passed boolean not null generated always as (evidence_passes(kind, series::jsonb)) stored,
  previous_hash text not null,
  hash text not null,
  -- By source what it was while the evidence was made. Null: unknown.
  origins jsonb,
  unique (agent_id, seq),
  foreign key (agent_id, manifest_version) references manifests (agent_id, version),
  constraint evidence_series_is_sound check (series_problem(kind, series::jsonb) is null),
  constraint evidence_metrics_follow check (metrics_follow(metrics::jsonb, kind, series::jsonb)),
  constraint evidence_is_one_line check (position(chr(10) in metrics || series || coalesce(run_id, '') || result_hash) = 0)
);
create unique index evidence_once_per_run on evidence (agent_id, kind, run_id) where run_id is not null;
select make_append_only('evidence');
revoke insert on evidence from sevengate_app;
grant select on evidence to sevengate_evaluator;
grant insert (id, agent_id, kind, manifest_version, manifest_hash, run_id, result_hash, metrics, series) on evidence to sevengate_evaluator;

alter table agents add constraint agents_stage_evidence_fkey foreign key (stage_evidence) references evidence;

-- The next place in an agent's chain, held until the transaction ends.
create function next_gate_record(agent uuid) returns gate_heads language plpgsql security definer set search_path = public, pg_temp as $$
declare
  head gate_heads;
begin
  insert into gate_heads (agent_id, seq, hash) values (agent, 0, repeat('0', 64)) on conflict do nothing;
  select * into head from gate_heads where agent_id = agent for update;
  return head;
end $$;
revoke execute on function next_gate_record(uuid) from public;

-- When the agent came to the stage that it stands at.
create function stage_entry(agent uuid) returns stage_changes language sql stable set search_path = public, pg_temp as $$
  select * from stage_changes where agent_id = agent order by seq desc limit 1
$$;

-- The last step back, change of manifest or beginning.
create function gate_reset_seq(agent uuid) returns int language sql stable set search_path = public, pg_temp as $$
  select max(seq) from stage_changes where agent_id = agent and evidence_id is null
$$;

-- Series of the stages, from rows.

-- The last live bid of an instrument in [since, until): what a long position was worth.
create function last_live_bid(of_instrument text, since bigint, until bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select (body::jsonb #>> '{quote,bid}')::numeric from judged_observations
  where slot >= since and slot < until and instrument = of_instrument
    and body::jsonb #>> '{quote,quality}' = 'live' and body::jsonb #>> '{quote,bid}' is not null
  order by slot desc limit 1
$$;

-- The last live bid of a span in the units of its end: what was bid before a change is no price of what is held after it.
create function last_bid_in_units(of_instrument text, since bigint, until bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select last_live_bid(of_instrument, greatest(since, (select max(c.at) from multiplier_changes(of_instrument, until - 1) c)), until)
$$;

-- What the live market asked (of a buy) or bid (of a sell) at the first cut after an instant, at most a minute later; null where it was not live.
create function next_live_price(of_instrument text, side text, since bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select case when body::jsonb #>> '{quote,quality}' = 'live' then (body::jsonb #>> array['quote', case side when 'buy' then 'ask' else 'bid' end])::numeric end
  from judged_observations where slot > since and slot <= since + 60000 and instrument = of_instrument order by slot limit 1
$$;

-- Cash and positions at the last live bids of a span; null where a position has none.
create function paper_equity(cash numeric, held jsonb, since bigint, until bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select case when coalesce(bool_or(m.bid is null), false) then null else cash + coalesce(sum((h.value ->> 'quantity')::numeric * m.bid), 0) end
  from jsonb_each(held) h cross join lateral (select last_bid_in_units(h.key, since, until) as bid) m
$$;

-- The paper series of `paper-evaluation.ts` of the domain once more, from the fills and the cuts as they lie. A new
-- multiplier changes what is held.
create function paper_series_of_book(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language plpgsql stable set search_path = public, pg_temp as $$
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

-- How long an agent was off duty within [since, until), by the steps of its life.
create function paused_ms(agent uuid, since bigint, until bigint) returns bigint language sql stable set search_path = public, pg_temp as $$
  select coalesce(sum(greatest(0, least(coalesce(s.next_at, until), until) - greatest(s.at, since))), 0)::bigint from (
    select at, to_value ->> 'duty' as duty, lead(at) over (order by version) as next_at from steps where actor_id = agent
  ) s where s.duty = 'paused'
$$;

-- The mean cost of a fill that the backtest of a manifest promised, in basis points: that of the newest one that finished and passed.
create function promised_cost_bps(agent uuid, of_version int) returns float8 language sql stable set search_path = public, pg_temp as $$
  select (metrics::jsonb ->> 'slippageBps')::float8 from evidence e
  where agent_id = agent and kind = 'backtest' and manifest_version = of_version and passed and not exists (
    select 1 from evaluation_runs r where r.agent_id = e.agent_id and r.id::text = e.run_id and r.evaluation = e.kind and r.state <> 'finished')
  order by seq desc limit 1
$$;

-- The same with how long the agent was paused: the days that have passed do not count it.
create function paper_series(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select paper_series_of_book(book, capital, entered, evaluated) || jsonb_build_object('rules', 5,
    'pausedMs', paused_ms(split_part(book, ':', 2)::uuid, entered, evaluated),
    'promisedBps', promised_cost_bps(split_part(book, ':', 2)::uuid, split_part(book, ':', 4)::int),
    'costs', coalesce((select jsonb_agg(jsonb_build_array(f.notional_usd::text, f.slippage_bps) order by f.number)
      from fills f where f.book_id = book and f.at between entered and evaluated), '[]'))
$$;

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
-- What the feed is to measure: orders without a window.
create index shadow_orders_newest on shadow_orders (sent_at);
select make_append_only('shadow_orders');
grant select on shadow_orders to sevengate_evaluator;

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
grant select on shadow_windows to sevengate_evaluator;

-- The series of `shadow-evaluation.ts` of the domain once more: each fill of the stage beside what the flow would have given. A fill
-- that nobody has measured within five minutes is unknown.
create function shadow_series(book text, max_slippage_bps jsonb, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select jsonb_build_object('rules', 3, 'enteredAt', entered, 'evaluatedAt', evaluated, 'maxSlippageBps', max_slippage_bps, 'orders', coalesce(jsonb_agg(
    jsonb_build_array(f.at, f.side, f.decision_price::text, f.fill_price::text, f.quantity::text, coalesce(w.outcome, 'unknown'), w.quantity::text, w.price::text)
    order by f.number), '[]'))
  from fills f left join shadow_windows w on w.fill_id = f.id and w.measured_at <= evaluated
  where f.book_id = book and f.at between entered and evaluated and (w.fill_id is not null or f.at < evaluated - 300000)
$$;

-- Whether two JSON values are the same up to a millionth in their numbers, be they written as numbers or as decimal texts.
create function alike(a jsonb, b jsonb) returns boolean language plpgsql immutable set search_path = public, pg_temp as $$
begin
  if a is null or b is null or jsonb_typeof(a) <> jsonb_typeof(b) then
    return false;
  end if;
  if jsonb_typeof(a) = 'array' then
    return jsonb_array_length(a) = jsonb_array_length(b) and coalesce((select bool_and(alike(x.value, y.value))
      from jsonb_array_elements(a) with ordinality as x(value, n) join jsonb_array_elements(b) with ordinality as y(value, n) using (n)), true);
  elsif jsonb_typeof(a) = 'object' then
    return coalesce((select bool_and(x.key is not null and y.key is not null and alike(x.value, y.value))
      from jsonb_each(a) x full join jsonb_each(b) y on y.key = x.key), true);
  elsif a #>> '{}' ~ '^-?\d+(\.\d+)?$' and b #>> '{}' ~ '^-?\d+(\.\d+)?$' then
    return abs((a #>> '{}')::numeric - (b #>> '{}')::numeric) <= 1e-6 * greatest(1, abs((b #>> '{}')::numeric));
  end if;
  return a = b;
end $$;

-- The evidence that decides a gate now: the newest of its kind for this manifest that is newer than the last step back or
-- change of manifest, and than the entry to the stage where the stage itself is what was judged. Evidence of a stage that was found
-- before a cut of its span was corrected counts no more: it is to be found anew. Evidence of an evaluation that is not finished, or ended
-- otherwise, decides nothing: its trials are charged as it finishes.
create function gate_evidence(agent uuid, of_kind text, of_version int, of_hash text) returns setof evidence language sql stable set search_path = public, pg_temp as $$
  select * from (
    select * from evidence e
    where e.agent_id = agent and e.kind = of_kind and e.manifest_version = of_version and e.manifest_hash = of_hash
      and e.seq > case when of_kind in ('paper', 'shadow', 'risk_signoff') then (stage_entry(agent)).seq else gate_reset_seq(agent) end
      and not exists (
        select 1 from evaluation_runs r where r.agent_id = e.agent_id and r.id::text = e.run_id and r.evaluation = e.kind and r.state <> 'finished')
    order by e.seq desc limit 1
  ) newest
  where newest.kind not in ('paper', 'shadow') or not exists (
    select 1 from cut_corrections c where c.corrected_at > newest.at
      and c.slot between (newest.series::jsonb ->> 'enteredAt')::bigint - 86400000 and (newest.series::jsonb ->> 'evaluatedAt')::bigint + 60000
  )
$$;

-- Who may sign what.

-- An independent risk manager: holds risk:manage in the agent's organization and did not create it (decisions "Independent risk manager").
create function may_sign_off(org uuid, signer text, creator text) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select signer is distinct from creator and exists (
    select 1 from members m where m.subject = signer and m.org_id = org and 'risk:manage' = any(m.permissions))
$$;
revoke execute on function may_sign_off(uuid, text, text) from public;

-- Admits a row of evidence: of a manifest on record, with the manifest's own limits, about rows that are there, from whom it may be.
create function admit_evidence() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  agent agents;
  manifest jsonb;
  entry stage_changes;
  head gate_heads;
  paper_book text;
  data jsonb := new.series::jsonb;
begin
  select * into agent from agents where id = new.agent_id for share;
  if agent.id is null then
    raise exception 'there is no agent %', new.agent_id using errcode = 'foreign_key_violation';
  end if;
  select m.canonical::jsonb into manifest from manifests m
    where m.agent_id = new.agent_id and m.version = new.manifest_version and m.hash = new.manifest_hash;
  if manifest is null then
    raise exception 'manifest version % with that hash is not on record', new.manifest_version using errcode = 'check_violation';
  end if;
  if new.kind = 'manifest' and data is distinct from manifest
    or new.kind = 'stress_test' and data -> 'maxDailyDrawdownPct' is distinct from manifest -> 'maxDailyDrawdownPct'
    or new.kind = 'shadow' and data -> 'maxSlippageBps' is distinct from manifest -> 'maxSlippageBps' then
    raise exception 'the limits of the evidence are not those of manifest version %', new.manifest_version using errcode = 'check_violation';
  end if;
  if new.kind in ('paper', 'shadow', 'risk_signoff') then
    if agent.stage <> (case new.kind when 'risk_signoff' then 'limited_live' else new.kind end) or agent.manifest_hash <> new.manifest_hash then
      raise exception 'the agent does not stand at this gate with this manifest' using errcode = 'check_violation';
    end if;
  end if;
  if new.kind in ('paper', 'shadow') then
    entry := stage_entry(new.agent_id);
    if (data ->> 'enteredAt')::bigint is distinct from entry.at then
      raise exception 'the agent came to % at %, not at %', agent.stage, entry.at, data ->> 'enteredAt' using errcode = 'check_violation';
    end if;
    if (data ->> 'evaluatedAt')::bigint <= gate_now() is not true then
      raise exception 'evidence of the future' using errcode = 'check_violation';
    end if;
    paper_book := 'agent:' || new.agent_id || ':paper:' || new.manifest_version;
    if not alike(data, case new.kind
      when 'paper' then paper_series(paper_book, (manifest ->> 'maxCapitalUsd')::numeric, entry.at, (data ->> 'evaluatedAt')::bigint)
      else shadow_series(paper_book, manifest -> 'maxSlippageBps', entry.at, (data ->> 'evaluatedAt')::bigint) end) then
      raise exception 'the series is not that of the fills and cuts on record' using errcode = 'check_violation', constraint = 'evidence_of_rows';
    end if;
  end if;
  if new.kind = 'risk_signoff' and not may_sign_off(agent.org_id, data ->> 'subject', agent.created_by) then
    raise exception 'a sign-off is given by a member with risk:manage who is not the creator' using errcode = 'insufficient_privilege';
  end if;
  head := next_gate_record(new.agent_id);
  -- The same run again, after a crash for example: it is on record already.
  if new.run_id is not null and exists (select 1 from evidence e where e.agent_id = new.agent_id and e.kind = new.kind and e.run_id = new.run_id) then
    return null;
  end if;
  new.seq := head.seq + 1;
  new.at := gate_now();
  new.previous_hash := head.hash;
  new.hash := encode(sha256(convert_to(concat_ws(chr(10), 'sevengate-evidence-1', new.agent_id, new.seq, new.id, new.kind, new.manifest_version,
    new.manifest_hash, new.at, coalesce(new.run_id, ''), new.result_hash, new.metrics, new.series, new.previous_hash), 'UTF8')), 'hex');
  update gate_heads set seq = new.seq, hash = new.hash where agent_id = new.agent_id;
  return new;
end $$;
create trigger evidence_admitted before insert on evidence for each row execute function admit_evidence();
alter table evidence enable always trigger evidence_admitted;

-- No evidence of a run that ended without a result. The lock lets a cancellation wait for the evidence, or the evidence for it.
create function admit_evidence_of_open_run() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ended text;
begin
  select r.state into ended from evaluation_runs r
    where r.agent_id = new.agent_id and r.id::text = new.run_id and r.evaluation = new.kind for share;
  if ended in ('refused', 'cancelled', 'failed') then
    raise exception 'run % has ended as %: it is no evidence', new.run_id, ended using errcode = 'check_violation', constraint = 'evidence_of_open_run';
  end if;
  return new;
end $$;
-- After `evidence_admitted`, which skips the evidence of a run that has left it already.
create trigger evidence_of_open_run before insert on evidence for each row execute function admit_evidence_of_open_run();
alter table evidence enable always trigger evidence_of_open_run;

-- Evidence of a stage is written before a correction of its cuts or after it: beside one that is not committed, it would be dated after it.
create function await_corrections() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  lock table cut_corrections in share mode;
  return new;
end $$;
revoke execute on function await_corrections() from public;
-- Before `evidence_admitted`, which compares the series with the rows.
create trigger corrections_awaited before insert on evidence for each row when (new.kind in ('paper', 'shadow')) execute function await_corrections();
alter table evidence enable always trigger corrections_awaited;

-- True for a run that is no evidence; the same as `isLook` of the domain.
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

-- The sources that a manifest's decisions and fills rest on.
create function manifest_sources(manifest jsonb) returns text[] language sql immutable set search_path = public, pg_temp as $$
  with universe as (
    select split_part(u ->> 'key', ':', 1) as venue, u ->> 'kind' as kind from readable_elements(manifest -> 'universe') u
  ), rules as (
    select c ->> 'type' as type from readable_elements(manifest -> 'entry') c union select c ->> 'type' from readable_elements(manifest -> 'exit') c
  )
  select array(select distinct s.source from (
    select venue as source from universe
    union all select 'reference' from universe where kind = 'tokenized_equity'
    union all select 'issuer' from universe where kind = 'pre_ipo'
    union all select 'reference' from rules where type like 'premium%' or type = 'reference_lost'
    union all select 'evmvenue' from rules where type like 'funding%' or type like 'basis%'
    union all select 'spotexchange' from rules where type like 'basis%'
    union all select unnest(array['wire', 'filings']) from rules where type in ('negative_event', 'no_negative_event')
  ) s where s.source <> '' order by s.source)
$$;

-- The worst that each source was within a stretch of time.
create function origins_between(sources text[], since bigint, until bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select coalesce(jsonb_object_agg(s.source, w.origin), '{}') from unnest(sources) s(source) cross join lateral (
    select case when bool_and(o.origin = 'real') then 'real' when bool_or(o.origin = 'sandbox') then 'sandbox'
      when bool_or(o.origin = 'mixed') then 'mixed' else 'unknown' end as origin
    from (
      select origin_at(s.source, since) as origin
      union all select r.origin from source_origins r where r.source = s.source and r.at > since and r.at <= until
    ) o
  ) w
$$;

-- From when on what a piece of evidence rests on was received.
create function evidence_since(kind text, series jsonb, of_run text, at bigint) returns bigint language sql stable set search_path = public, pg_temp as $$
  select case when kind in ('paper', 'shadow') then (series ->> 'enteredAt')::bigint
    else coalesce((select r.created_at from evaluation_runs r where r.id::text = of_run), at) end
$$;

create function state_evidence_origins() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.origins := case when new.kind = 'manifest' then '{}' else (
    select origins_between(manifest_sources(m.canonical::jsonb), evidence_since(new.kind, new.series::jsonb, new.run_id, new.at), new.at)
    from manifests m where m.agent_id = new.agent_id and m.version = new.manifest_version) end;
  return new;
end $$;
-- After `evidence_admitted`, which gives it its time.
create trigger evidence_states_origins before insert on evidence for each row execute function state_evidence_origins();
alter table evidence enable always trigger evidence_states_origins;

-- By source what it was while a piece of evidence was made.
create function evidence_origins(of_evidence evidence) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select case when of_evidence.kind = 'manifest' then '{}' else coalesce(of_evidence.origins, (
    select coalesce(jsonb_object_agg(s.source, 'unknown'), '{}') from manifests m cross join unnest(manifest_sources(m.canonical::jsonb)) s(source)
    where m.agent_id = of_evidence.agent_id and m.version = of_evidence.manifest_version)) end
$$;

-- True unless every source of a piece of evidence was real, and time was not moved on.
create function evidence_is_simulated(of_evidence evidence) returns boolean language sql stable set search_path = public, pg_temp as $$
  select is_simulated(of_evidence.at) or exists (select 1 from jsonb_each_text(evidence_origins(of_evidence)) o where o.value <> 'real')
$$;

-- The sources that keep a piece of evidence from counting, in words; null if it counts. Where the agent trades on a real venue every
-- source has to be real, and a source that is real now has to have been.
create function set_aside_sources(of_evidence evidence) returns text language sql stable set search_path = public, pg_temp as $$
  select string_agg(format('%s (%s)', o.key, o.value), ', ' order by o.key)
  from manifests m cross join lateral (
    select exists (select 1 from readable_elements(m.canonical::jsonb -> 'universe') u where reads_real(split_part(u ->> 'key', ':', 1))) as for_real
  ) t cross join lateral jsonb_each_text(evidence_origins(of_evidence)) o
  where m.agent_id = of_evidence.agent_id and m.version = of_evidence.manifest_version and o.value <> 'real' and (t.for_real or reads_real(o.key))
$$;

-- Independent of what it signs off: whoever wrote the manifest version is not, even where somebody else created the agent.
create function refuse_own_signoff() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.kind = 'risk_signoff' and exists (select 1 from manifests m where m.agent_id = new.agent_id and m.version = new.manifest_version
    and m.created_by = new.series::jsonb ->> 'subject') then
    raise exception 'a sign-off is given by a member who did not write manifest version %', new.manifest_version using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger evidence_independent before insert on evidence for each row execute function refuse_own_signoff();
alter table evidence enable always trigger evidence_independent;

-- The luck of choosing: every evaluation of a family of manifests is a trial, another stretch of the same manifest too, and the gate
-- out of backtest asks whether the result lies above what the best of so many worthless trials would show.

-- What makes two runs of a manifest two trials: everything that was asked for, but whether it was a look, and what was varied.
create function trial_stretch(request jsonb) returns text language sql immutable set search_path = public, pg_temp as $$
  select (request - 'look' - 'parameters' - 'walkForward')::text
$$;

-- Returns by UTC day of an equity that began with `start`, from its closes at these midnights.
create function daily_returns(start float8, days bigint[], closes float8[]) returns table (first_day int, returns real[])
  language sql immutable set search_path = public, pg_temp as $$
  with marked as (
    select (c.day / 86400000)::int as day, (c.close / nullif(lag(c.close, 1, start) over (order by c.n), 0) - 1)::real as return
    from unnest(days, closes) with ordinality as c(day, close, n)
  ), span as (
    select min(day) as first_day, max(day) as last_day from marked
  )
  select s.first_day, array(select m.return from generate_series(s.first_day, s.last_day) g(day) left join marked m on m.day = g.day order by g.day)
  from span s where s.first_day is not null
$$;

-- How returns by day correlate over their common stretch; null where there is none, or where one of them does not vary.
create function returns_correlation(a_first int, a real[], b_first int, b real[]) returns float8 language sql immutable set search_path = public, pg_temp as $$
  select corr(p.x, p.y) from unnest(a[greatest(b_first - a_first, 0) + 1:], b[greatest(a_first - b_first, 0) + 1:]) as p(x, y)
$$;

-- The trials before an instant of the family of these returns, besides those of these manifests over this stretch: a row each, with the
-- Sharpe ratio of the newest run of its manifest once. Another stretch, like a preview, raises the number of trials and not their spread.
-- Of a family is what moves together: trials of the organization whose daily returns correlate by 0.5 or more. Where no correlation can
-- be told, a trial of the same agent or of the same manifest is. Every session of a backtest is a trial by its row, whatever became of
-- it. One of a stress test is none: its scenarios have no return that could be found by trying. A preview counts if any of its stretches is of
-- the family.
create function other_trials(agent uuid, before bigint, own_hashes text[], own_stretch text, own_first_day int, own_returns real[])
  returns table (sharpe float8) language sql stable set search_path = public, pg_temp as $$
  with org as materialized (
    select org_id as id from agents where id = agent
  ), tried as (
    select r.agent_id, t.manifest_hash, trial_stretch(r.request) as stretch, t.sharpe, r.created_at as at, r.id::text as run, t.first_day, t.returns
    from trials t join evaluation_runs r on r.id = t.run_id where t.org_id = (select id from org) and r.created_at < before
    union all
    select r.agent_id, r.manifest_hash, trial_stretch(r.request), null, r.created_at, r.id::text, null, null
    from evaluation_runs r where r.org_id = (select id from org) and r.evaluation = 'backtest' and r.request ? 'session'
      and not r.request ? 'check' and r.created_at < before and not exists (select 1 from trials t where t.run_id = r.id)
    union all
    select p.agent_id, p.manifest_hash, null, null, p.at, null, t.first_day, t.returns
    from previewed_manifests p left join trials t on t.org_id = p.org_id and t.run_id is null and t.manifest_hash = p.manifest_hash
    where p.org_id = (select id from org) and p.at < before
  ), newest as (
    select distinct on (t.manifest_hash, t.stretch, t.days) t.*,
      coalesce(bool_or(t.agent_id = agent) over (partition by t.manifest_hash, t.stretch), false) or t.manifest_hash = any(own_hashes) as is_own
    from (select *, case when stretch is null then concat_ws(' ', first_day, cardinality(returns)) end as days from tried) t
    order by t.manifest_hash, t.stretch, t.days, t.at desc, t.run desc
  ), family as (
    select n.manifest_hash, n.stretch, n.sharpe,
      row_number() over (partition by n.manifest_hash order by (n.stretch is null), n.at desc, n.run desc) as place
    from newest n where coalesce(returns_correlation(own_first_day, own_returns, n.first_day, n.returns) >= 0.5, n.is_own)
  )
  select case when f.place = 1 and f.manifest_hash <> all(own_hashes) then f.sharpe end from family f
  -- A preview counts where its manifest never ran.
  where (f.stretch is not null or (f.place = 1 and f.manifest_hash <> all(own_hashes)))
    and not (f.manifest_hash = any(own_hashes) and f.stretch is not distinct from own_stretch)
$$;

-- The inverse of the standard normal distribution for 0 < p < 1, by Acklam's rational approximation: relative error below 1.2e-9.
create function normal_quantile(p float8) returns float8 language plpgsql immutable set search_path = public, pg_temp as $$
declare
  q float8;
  r float8;
begin
  if p < 0.02425 then
    q := sqrt(-2 * ln(p));
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q - 2.549732539343734) * q + 4.374664141464968) * q + 2.938163982698783)
      / ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1);
  elsif p > 1 - 0.02425 then
    return -normal_quantile(1 - p);
  end if;
  q := p - 0.5;
  r := q * q;
  return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r + 1.383577518672690e+02) * r - 3.066479806614716e+01) * r + 2.506628277459239) * q
    / (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r + 6.680131188771972e+01) * r - 1.328068155288572e+01) * r + 1);
end $$;

-- How a backtest stands against luck, from the days of its own series: how many trials there were, the annualised Sharpe ratio that
-- the best worthless one of them is expected to show, and by how many standard errors this one lies above it (null where that cannot
-- be told). Bailey and Lopez de Prado, 2014; the same as `luckOf` of src/simulation/backtest/run.ts. The text of a series is parsed
-- once: five years of days are 130 kB.
create function backtest_luck(of_evidence uuid) returns table (trials int, expected_best float8, errors_above float8)
  language sql stable set search_path = public, pg_temp as $$
  with evidence_read as materialized (
    select e.agent_id, e.manifest_version, e.manifest_hash, e.run_id, e.series::jsonb as series from evidence e where e.id = of_evidence and e.kind = 'backtest'
  ), base as materialized (
    select e.agent_id, e.manifest_version, e.manifest_hash, trial_stretch(r.request) as stretch,
      (e.series ->> 'startEquityUsd')::float8 as start, (e.series ->> 'annualisation')::float8 as annualisation
    from evidence_read e left join evaluation_runs r on r.id::text = e.run_id
  ), closes as materialized (
    -- The days apart from the rest: a sort of them must not carry the whole series with each.
    select d.n, (d.day ->> 0)::bigint as day, (d.day ->> 1)::float8 as close from evidence_read e, jsonb_array_elements(e.series -> 'days') with ordinality as d(day, n)
  ), marked as (
    select c.close / nullif(lag(c.close, 1, base.start) over (order by c.n), 0) - 1 as return from closes c, base
  ), mean as (
    select count(*)::float8 as n, avg(return) as value from marked
  ), moments as (
    select mean.n, mean.value, sum((m.return - mean.value) ^ 2) as second, sum((m.return - mean.value) ^ 3) as third, sum((m.return - mean.value) ^ 4) as fourth
    from marked m, mean group by mean.n, mean.value
  ), shape as (
    select n, value / sqrt(second / (n - 1)) as sharpe, third / n / (second / n) ^ 1.5 as skewness, fourth / n / (second / n) ^ 2 as kurtosis
    from moments where n >= 2 and second / (n - 1) >= 1e-24
  ), own as materialized (
    select base.agent_id, base.manifest_hash, base.stretch, base.annualisation, r.first_day, r.returns
    from base, daily_returns(base.start, (select array_agg(c.day order by c.n) from closes c), (select array_agg(c.close order by c.n) from closes c)) r
  ), others as (
    select o.sharpe / sqrt(own.annualisation) as sharpe
    from own, other_trials(own.agent_id, 9223372036854775807, array[own.manifest_hash], own.stretch, own.first_day, own.returns) o
  ), counted as (
    select (select count(*) from others)::int + 1 as trials,
      case when (select count(*) from others o where o.sharpe is not null) >= 2
        then (select var_samp(a.sharpe) from (select sharpe from shape union all select sharpe from others where sharpe is not null) a)
        else 1 / greatest(1, (select n from mean) - 1) end as variance
  ), benchmark as (
    select trials, case when trials < 2 then 0 else sqrt(variance)
      * ((1 - 0.5772156649015329) * normal_quantile(1 - 1.0::float8 / trials) + 0.5772156649015329 * normal_quantile(1 - 1 / (trials * exp(1.0::float8)))) end as sharpe
    from counted
  )
  select b.trials, b.sharpe * sqrt(base.annualisation),
    (select (s.sharpe - b.sharpe) * sqrt(s.n - 1) / sqrt(1 - s.skewness * s.sharpe + (s.kurtosis - 1) / 4 * s.sharpe ^ 2) from shape s
      where 1 - s.skewness * s.sharpe + (s.kurtosis - 1) / 4 * s.sharpe ^ 2 > 0)
  from base, benchmark b
$$;

-- Evidence that was made under earlier rules; what is not listed was made under the present ones. An agent that passed a gate on such
-- evidence stays where it is: no further gate opens and nothing is paid into its vault until that evidence is renewed. A migration that
-- changes the rules of a kind raises its version in `gate_rules_version` and lists the evidence that is on record.
create table superseded_evidence (
  evidence_id uuid primary key references evidence,
  rules_version int not null check (rules_version > 0),
  -- What the rules ask since, as a clause.
  rule_change text not null check (rule_change <> '')
);
select make_append_only('superseded_evidence');
-- Nobody but the owner of the tables writes one.
revoke insert on superseded_evidence from sevengate_app;
grant select on superseded_evidence to sevengate_evaluator;

-- Why a piece of evidence counts no more, if it does not: it was made under earlier rules, or it stands on what is not real.
create function superseding(of_evidence evidence) returns table (rules_version int, rule_change text) language sql stable set search_path = public, pg_temp as $$
  select s.rules_version, s.rule_change from superseded_evidence s where s.evidence_id = of_evidence.id
  union all
  select gate_rules_version(of_evidence.kind), 'only real sources count beside a real venue, and it stands on ' || a.sources
  from (select set_aside_sources(of_evidence) as sources) a where a.sources is not null
  limit 1
$$;

-- The evidence of earlier rules on which an agent passed a gate with its active manifest, and which is not renewed: the newest evidence
-- of its kind, of a run that finished, is not one that passes under the present rules.
create function outdated_evidence(agent uuid) returns table (kind text, evidence_id uuid, rules_version int, rule_change text)
language sql stable set search_path = public, pg_temp as $$
  with stages(names) as (values (array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'])),
  passed as (
    select distinct on (c.from_stage) c.evidence_id, a.manifest_version, a.manifest_hash
    from agents a cross join stages s join stage_changes c on c.agent_id = a.id and c.manifest_version = a.manifest_version
      and c.manifest_hash = a.manifest_hash and c.evidence_id is not null
    where a.id = agent and array_position(s.names, c.from_stage) < array_position(s.names, a.stage)
    order by c.from_stage, c.seq desc
  )
  select e.kind, e.id, o.rules_version, o.rule_change
  from passed p join evidence e on e.id = p.evidence_id cross join lateral superseding(e) o
  where not exists (
    select 1 from (
      select r as row, r.id, r.seq, r.at, r.kind, r.series::jsonb as series from evidence r
      where r.agent_id = agent and r.kind = e.kind and r.manifest_version = p.manifest_version and r.manifest_hash = p.manifest_hash
        and not exists (
          select 1 from evaluation_runs u where u.agent_id = r.agent_id and u.id::text = r.run_id and u.evaluation = r.kind and u.state <> 'finished')
      order by r.seq desc limit 1) newest
    where newest.seq > e.seq and not exists (select 1 from superseding(newest.row))
      and evidence_passes(newest.kind, newest.series)
      -- A backtest passes its gate only if it is recent and no luck.
      and (newest.kind <> 'backtest' or (newest.at - (newest.series ->> 'lastCandleAt')::bigint <= 31 * 86400000::bigint
        and exists (select 1 from backtest_luck(newest.id) l where l.errors_above >= 1.6448536269514722))))
  order by e.seq
$$;

-- The gate itself. Its triggers run in the order of their names: `agent_stage_gate` finds the evidence, the others judge it.

-- The stage gate of the database (spec 3.1): an agent begins at draft, a new manifest puts it back to draft in the same statement, and
-- it moves forward one step at a time, by the evidence that decides the gate, which has to have passed.
create function guard_agent_stage() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  stages constant text[] := array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'];
  kinds constant text[] := array['manifest', 'backtest', 'stress_test', 'paper', 'shadow', 'risk_signoff'];
  place int;
  proof evidence;
begin
  if tg_op = 'INSERT' then
    if new.stage <> 'draft' then
      raise exception 'an agent begins at draft, not at %', new.stage using errcode = 'check_violation';
    end if;
    new.stage_evidence := null;
    return new;
  end if;
  if new.id <> old.id or new.org_id <> old.org_id or new.created_by <> old.created_by then
    raise exception 'the identity of an agent does not change' using errcode = 'check_violation';
  end if;
  if new.manifest_hash <> old.manifest_hash and new.stage <> 'draft' then
    raise exception 'a changed manifest restarts the promotion at draft' using errcode = 'check_violation';
  end if;
  if not exists (select 1 from manifests m where m.agent_id = new.id and m.version = new.manifest_version and m.hash = new.manifest_hash) then
    raise exception 'manifest version % with that hash is not on record', new.manifest_version using errcode = 'check_violation';
  end if;
  place := array_position(stages, old.stage);
  if array_position(stages, new.stage) <= place then
    -- Standing still keeps what let it in; a step back has no evidence.
    new.stage_evidence := case when new.stage = old.stage then old.stage_evidence end;
    new.stage_asked_by := case when new.stage = old.stage then old.stage_asked_by else new.stage_asked_by end;
    return new;
  end if;
  if array_position(stages, new.stage) > place + 1 then
    raise exception 'from % only the gate to % can open, not %', old.stage, stages[place + 1], new.stage using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  select * into proof from gate_evidence(new.id, kinds[place], new.manifest_version, new.manifest_hash);
  if proof.id is null then
    raise exception 'the gate from % to % needs evidence tied to the manifest', old.stage, new.stage using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  if not evidence_passes(proof.kind, proof.series::jsonb) then
    raise exception 'the gate from % to % stays shut: the evidence has not passed', old.stage, new.stage using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  if new.stage_evidence is distinct from proof.id then
    raise exception 'the gate from % to % is opened by evidence %, which was not named', old.stage, new.stage, proof.id using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  if new.stage = 'live' and (new.stage_asked_by is null or new.stage_asked_by = proof.series::jsonb ->> 'subject'
    or not may_sign_off(new.org_id, proof.series::jsonb ->> 'subject', new.created_by)) then
    raise exception 'live needs the sign-off of a member with risk:manage who is neither the creator nor who asked for it' using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  return new;
end $$;
create trigger agent_stage_gate before insert or update on agents for each row execute function guard_agent_stage();
alter table agents enable always trigger agent_stage_gate;

-- The gate out of backtest: the result lies above what the best of all trials would show by luck.
create function guard_backtest_luck() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  luck record;
begin
  if old.stage <> 'backtest' or new.stage <> 'stress_test' then
    return new;
  end if;
  -- Other evidence opens nothing: that is for `agent_stage_gate` to say. 1.645 standard errors: a probability of 95 %.
  select * into luck from backtest_luck(new.stage_evidence);
  if found and (luck.errors_above >= 1.6448536269514722) is not true then
    raise exception 'the gate from backtest to stress_test stays shut: the best of % worthless trials could show this result by luck', luck.trials
      using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  return new;
end $$;
-- After `agent_stage_gate`, which has found the evidence.
create trigger agent_stage_luck before update on agents for each row execute function guard_backtest_luck();
alter table agents enable always trigger agent_stage_luck;

-- No further gate opens on evidence of earlier rules.
create function guard_gate_rules() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  stages constant text[] := array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'];
  outdated record;
begin
  if array_position(stages, new.stage) <= array_position(stages, old.stage) then
    return new;
  end if;
  select o.kind, o.rules_version, o.rule_change into outdated from outdated_evidence(new.id) o
    union all select e.kind, s.rules_version, s.rule_change from evidence e cross join lateral superseding(e) s
    where e.id = new.stage_evidence limit 1;
  if outdated.kind is not null then
    raise exception 'the gate from % to % stays shut: the evidence of % was made under version % of its rules, and since then %',
      old.stage, new.stage, outdated.kind, outdated.rules_version, outdated.rule_change using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  return new;
end $$;
-- After `agent_stage_gate`, which has found the evidence.
create trigger agent_stage_rules before update on agents for each row execute function guard_gate_rules();
alter table agents enable always trigger agent_stage_rules;

-- The gate out of backtest: the stretch ends within the last month, so that nobody chooses a stretch by how well it went.
create function guard_backtest_window() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  last bigint;
begin
  if old.stage <> 'backtest' or new.stage <> 'stress_test' then
    return new;
  end if;
  -- Other evidence opens nothing: that is for `agent_stage_gate` to say.
  select (series::jsonb ->> 'lastCandleAt')::bigint into last from evidence where id = new.stage_evidence and kind = 'backtest';
  if found and (gate_now() - last <= 31 * 86400000::bigint) is not true then
    raise exception 'the gate from backtest to stress_test stays shut: the last candle of the backtest lies more than 31 days back'
      using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  return new;
end $$;
-- After `agent_stage_gate`, which has found the evidence.
create trigger agent_stage_window before update on agents for each row execute function guard_backtest_window();
alter table agents enable always trigger agent_stage_window;

-- Notes every change of stage or manifest in the agent's chain, whoever makes it.
create function note_stage_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  head gate_heads;
  note stage_changes;
begin
  if tg_op = 'UPDATE' and new.stage = old.stage and new.manifest_version = old.manifest_version and new.manifest_hash = old.manifest_hash then
    return null;
  end if;
  head := next_gate_record(new.id);
  note := row(new.id, head.seq + 1, gate_now(), case when tg_op = 'UPDATE' then old.stage end, new.stage, new.manifest_version, new.manifest_hash,
    case when tg_op = 'UPDATE' and new.stage <> old.stage then new.stage_evidence end,
    case when tg_op = 'INSERT' then new.created_by when new.stage <> old.stage then new.stage_asked_by end, head.hash, '');
  note.hash := encode(sha256(convert_to(concat_ws(chr(10), 'sevengate-stage-1', note.agent_id, note.seq, note.at, coalesce(note.from_stage, ''), note.to_stage,
    note.manifest_version, note.manifest_hash, coalesce(note.evidence_id::text, ''), coalesce(note.asked_by, ''), note.previous_hash), 'UTF8')), 'hex');
  insert into stage_changes select note.*;
  update gate_heads set seq = note.seq, hash = note.hash where agent_id = new.id;
  return null;
end $$;
create trigger agent_stage_noted after insert or update on agents for each row execute function note_stage_change();
alter table agents enable always trigger agent_stage_noted;

select protect_organizations();
-- Evaluations and ticks write these, and no request does.
revoke insert on evaluation_reports, shadow_orders, shadow_windows from sevengate_api;
