-- The seven gates (spec section 3.1): evidence that nobody can forge, and a chain of everything that moved an agent.
-- The rules of src/domain/evidence.ts stand here a second time: metrics follow from the raw series, checks and verdict
-- from the metrics, and no role writes any of the three.

-- Every function here names its search path with pg_temp last: a temporary table of the caller must not pass for one of ours.

-- Evidence is written by the evaluator alone; the reader sees everything and changes nothing.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['sevengate_evaluator', 'sevengate_reader'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role(current_user, role_name, 'member') then
      execute format('grant %I to %I', role_name, current_user);
    end if;
  end loop;
end $$;
grant select on all tables in schema public to sevengate_reader;
alter default privileges in schema public grant select on tables to sevengate_reader;

-- A login of this database that may be one role and nothing else. Roles belong to the whole server: each database has its
-- own. Two processes that start at once may do it at the same moment; the loser tries again.
create function ensure_login(name text, of_role text, secret text) returns text language plpgsql set search_path = public, pg_temp as $$
declare
  login text := (select name || '_' || oid from pg_database where datname = current_database());
begin
  if exists (select 1 from pg_roles where rolname = login) then
    execute format('alter role %I login noinherit password %L', login, secret);
  else
    execute format('create role %I login noinherit password %L in role %I', login, secret, of_role);
  end if;
  return login;
exception when internal_error or duplicate_object or unique_violation then
  raise exception 'the login % is being made by somebody else', login using errcode = 'serialization_failure';
end $$;
revoke execute on function ensure_login(text, text, text) from public;

-- The clock of the gates in milliseconds: when evidence was written and how long a stage has lasted. Only the owner could replace it.
create function gate_now() returns bigint language sql volatile set search_path = public, pg_temp as $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;

-- The end of each agent's chain of gate records. Evidence and changes of stage are numbered together, without a hole.
create table gate_heads (
  agent_id uuid primary key references agents,
  seq int not null,
  hash text not null
);

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
  select jsonb_build_object('lossLimitPct', (series ->> 'maxDailyDrawdownPct')::float8 * 2)
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
  )
  select jsonb_build_object(
    'elapsedDays', ((series ->> 'evaluatedAt')::float8 - (series ->> 'enteredAt')::float8) / 86400000,
    'markedDays', mean.periods,
    'meanDailyReturnPct', mean.value * 100,
    'sharpe', case when spread.deviation >= 1e-12 then mean.value / spread.deviation * sqrt(365::float8) end,
    'tStatistic', case when spread.deviation >= 1e-12 then mean.value / spread.deviation * sqrt(mean.periods) end,
    'closedTrades', trade.closed,
    'expectancyUsd', trade.expectancy)
  from mean, spread, trade
$$;

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
  )
  select jsonb_build_object(
    'elapsedDays', ((series ->> 'evaluatedAt')::float8 - (series ->> 'enteredAt')::float8) / 86400000,
    'fills', fills,
    'shortfallBps', paid / weight,
    'marketShortfallBps', asked / weight,
    'slippageErrorBps', error / weight,
    'maxSlippageBps', (series ->> 'maxSlippageBps')::float8,
    'errorLimitBps', greatest(5, (series ->> 'maxSlippageBps')::float8 / 2))
  from total
$$;

create function manifest_metrics(manifest jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select jsonb_build_object(
    'universe', jsonb_array_length(manifest -> 'universe'),
    'entryConditions', jsonb_array_length(manifest -> 'entry'),
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
    ('shadow', 1, 'elapsed_days', 'elapsedDays', 'at_least', 1),
    ('shadow', 2, 'fills', 'fills', 'at_least', 10),
    ('shadow', 3, 'shortfall_bps', 'shortfallBps', 'at_most', (metrics ->> 'maxSlippageBps')::float8),
    ('shadow', 4, 'slippage_error_bps', 'slippageErrorBps', 'at_most', (metrics ->> 'errorLimitBps')::float8),
    ('risk_signoff', 1, 'approved', 'approved', 'at_least', 1)
  ) as r(of_kind, place, name, metric, rule, gate_limit) where r.of_kind = kind
  union all
  select (s.n * 4 + t.n)::int, s.scenario || t.suffix, s.scenario || t.suffix, t.rule,
    case t.suffix when '_runs' then 1 when '_loss_pct' then (metrics ->> 'lossLimitPct')::float8 else 0 end
  from unnest(array['flash_crash', 'weekend_gap', 'liquidity_freeze', 'reference_depeg']) with ordinality as s(scenario, n)
  cross join (values (1, '_runs', 'at_least'), (2, '_loss_pct', 'at_most'), (3, '_breaches', 'at_most'), (4, '_unsafe_fills', 'at_most')) as t(n, suffix, rule)
  where kind = 'stress_test'
$$;

-- What is equal up to the last digits of double arithmetic decides no gate.
create function gate_rule_holds(observed float8, rule text, gate_limit float8) returns boolean language sql immutable as $$
  select coalesce(case rule
    when 'above' then observed > gate_limit + 1e-9 * greatest(1, abs(gate_limit))
    when 'below' then observed < gate_limit - 1e-9 * greatest(1, abs(gate_limit))
    when 'at_least' then observed >= gate_limit - 1e-9 * greatest(1, abs(gate_limit))
    when 'at_most' then observed <= gate_limit + 1e-9 * greatest(1, abs(gate_limit)) end, false)
$$;

create function evidence_checks(kind text, series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select coalesce(jsonb_agg(jsonb_build_object('name', r.name, 'observed', m.metrics -> r.metric, 'rule', r.rule, 'limit', r.gate_limit,
    'passed', gate_rule_holds((m.metrics ->> r.metric)::float8, r.rule, r.gate_limit)) order by r.place), '[]')
  from (select evidence_metrics(kind, series) as metrics) m cross join lateral gate_rules(kind, m.metrics) r
$$;

create function evidence_passes(kind text, series jsonb) returns boolean language sql immutable set search_path = public, pg_temp as $$
  select coalesce(bool_and(gate_rule_holds((m.metrics ->> r.metric)::float8, r.rule, r.gate_limit)), false)
  from (select evidence_metrics(kind, series) as metrics) m cross join lateral gate_rules(kind, m.metrics) r
$$;

-- Whether claimed metrics are those that follow from the series: the same names, and values within a millionth.
create function metrics_follow(claimed jsonb, kind text, series jsonb) returns boolean language sql immutable set search_path = public, pg_temp as $$
  select coalesce(bool_and(c.key is not null and f.key is not null and case
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
  unique (agent_id, seq),
  foreign key (agent_id, manifest_version) references manifests (agent_id, version),
  constraint evidence_series_is_sound check (series_problem(kind, series::jsonb) is null),
  constraint evidence_metrics_follow check (metrics_follow(metrics::jsonb, kind, series::jsonb)),
  constraint evidence_is_one_line check (position(chr(10) in metrics || series || coalesce(run_id, '') || result_hash) = 0)
);
create unique index evidence_once_per_run on evidence (agent_id, kind, run_id) where run_id is not null;
select make_append_only('evidence');
revoke insert on evidence from sevengate_app;
grant select on evidence, stage_changes, agents, manifests to sevengate_evaluator;
grant insert (id, agent_id, kind, manifest_version, manifest_hash, run_id, result_hash, metrics, series) on evidence to sevengate_evaluator;

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
-- The trail's verifier reads where each chain ends.
grant select on gate_heads to sevengate_app;

-- When the agent came to the stage that it stands at, and the last step back, change of manifest or beginning.
create function stage_entry(agent uuid) returns stage_changes language sql stable security definer set search_path = public, pg_temp as $$
  select * from stage_changes where agent_id = agent order by seq desc limit 1
$$;
create function gate_reset_seq(agent uuid) returns int language sql stable security definer set search_path = public, pg_temp as $$
  select max(seq) from stage_changes where agent_id = agent and evidence_id is null
$$;

-- The last live bid of an instrument in [since, until): what a long position was worth.
create function last_live_bid(of_instrument text, since bigint, until bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select (body::jsonb #>> '{quote,bid}')::numeric from observations
  where slot >= since and slot < until and instrument = of_instrument
    and body::jsonb #>> '{quote,quality}' = 'live' and body::jsonb #>> '{quote,bid}' is not null
  order by slot desc limit 1
$$;

-- What the live market asked (of a buy) or bid (of a sell) at the first cut after an instant, at most a minute later; null where it was not live.
create function next_live_price(of_instrument text, side text, since bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select case when body::jsonb #>> '{quote,quality}' = 'live' then (body::jsonb #>> array['quote', case side when 'buy' then 'ask' else 'bid' end])::numeric end
  from observations where slot > since and slot <= since + 60000 and instrument = of_instrument order by slot limit 1
$$;

-- Cash and positions at the last live bids of a span; null where a position has none.
create function paper_equity(cash numeric, held jsonb, since bigint, until bigint) returns numeric language sql stable set search_path = public, pg_temp as $$
  select case when coalesce(bool_or(m.bid is null), false) then null else cash + coalesce(sum((h.value ->> 'quantity')::numeric * m.bid), 0) end
  from jsonb_each(held) h cross join lateral (select last_live_bid(h.key, since, until) as bid) m
$$;

-- The paper series of src/domain/paper-evaluation.ts once more, from the fills and the cuts as they lie.
create function paper_series(book text, capital numeric, entered bigint, evaluated bigint) returns jsonb language plpgsql stable set search_path = public, pg_temp as $$
declare
  day_ms constant bigint := 86400000;
  cash numeric := capital;
  held jsonb := '{}';
  position jsonb;
  share numeric;
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
    position := coalesce(held -> fill.instrument, '{"quantity": 0, "cost": 0, "fees": 0}');
    if fill.side = 'buy' then
      cash := cash - fill.notional_usd - fill.fee_usd;
      held := held || jsonb_build_object(fill.instrument, jsonb_build_object('quantity', (position ->> 'quantity')::numeric + fill.quantity,
        'cost', (position ->> 'cost')::numeric + fill.notional_usd, 'fees', (position ->> 'fees')::numeric + fill.fee_usd));
    else
      cash := cash + fill.notional_usd - fill.fee_usd;
      share := fill.quantity / (position ->> 'quantity')::numeric;
      if fill.at >= entered then
        trades := trades || jsonb_build_array(jsonb_build_array(fill.at,
          (fill.notional_usd - fill.fee_usd - share * ((position ->> 'cost')::numeric + (position ->> 'fees')::numeric))::text));
      end if;
      held := case when (position ->> 'quantity')::numeric = fill.quantity then held - fill.instrument
        else held || jsonb_build_object(fill.instrument, jsonb_build_object('quantity', (position ->> 'quantity')::numeric - fill.quantity,
          'cost', (position ->> 'cost')::numeric * (1 - share), 'fees', (position ->> 'fees')::numeric * (1 - share))) end;
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

-- The shadow series of src/domain/shadow-evaluation.ts once more.
create function shadow_series(book text, max_slippage_bps jsonb, entered bigint, evaluated bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select jsonb_build_object('enteredAt', entered, 'evaluatedAt', evaluated, 'maxSlippageBps', max_slippage_bps, 'fills', coalesce(jsonb_agg(
    jsonb_build_array(f.at, f.side, f.decision_price::text, f.fill_price::text, p.price::text, f.notional_usd::text) order by f.number), '[]'))
  from fills f cross join lateral (select next_live_price(f.instrument, f.side, f.at) as price) p
  where f.book_id = book and f.at between entered and evaluated and p.price is not null
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
-- change of manifest, and than the entry to the stage where the stage itself is what was judged.
create function gate_evidence(agent uuid, of_kind text, of_version int, of_hash text) returns setof evidence language sql stable set search_path = public, pg_temp as $$
  select * from evidence e
  where e.agent_id = agent and e.kind = of_kind and e.manifest_version = of_version and e.manifest_hash = of_hash
    and e.seq > case when of_kind in ('paper', 'shadow', 'risk_signoff') then (stage_entry(agent)).seq else gate_reset_seq(agent) end
  order by e.seq desc limit 1
$$;

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

-- An independent risk manager: holds risk:manage in the agent's organization and did not create it (decisions "Independent risk manager").
create function may_sign_off(org uuid, signer text, creator text) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select signer is distinct from creator and exists (
    select 1 from members m where m.subject = signer and m.org_id = org and 'risk:manage' = any(m.permissions))
$$;

-- What let the agent into its present stage, and who asked for it.
alter table agents add column stage_evidence uuid references evidence, add column stage_asked_by text;

-- The gate itself: one step forward at a time, by the evidence that decides the gate, which has to have passed.
create or replace function guard_agent_stage() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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

-- Agents that were there before: their chain begins where they stand.
do $$
declare
  agent agents;
  head gate_heads;
  note stage_changes;
begin
  for agent in select * from agents order by id loop
    head := next_gate_record(agent.id);
    note := row(agent.id, head.seq + 1, gate_now(), null, agent.stage, agent.manifest_version, agent.manifest_hash, null, agent.created_by, head.hash, '');
    note.hash := encode(sha256(convert_to(concat_ws(chr(10), 'sevengate-stage-1', note.agent_id, note.seq, note.at, '', note.to_stage,
      note.manifest_version, note.manifest_hash, '', coalesce(note.asked_by, ''), note.previous_hash), 'UTF8')), 'hex');
    insert into stage_changes select note.*;
    update gate_heads set seq = note.seq, hash = note.hash where agent_id = agent.id;
  end loop;
end $$;
