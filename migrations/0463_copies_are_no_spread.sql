-- The spread of the trials' Sharpe ratios is that of different ones. Before, thousands of copies of one manifest (another name makes another
-- trial) narrowed the spread faster than their number raised the bar: whoever had found the best of fifty by luck opened the gate by copies.

-- That of 0009, where ratios that differ by less than a hundredth a year count once in the spread, as in `computeLuck`.
create or replace function backtest_luck(of_evidence uuid) returns table (trials int, expected_best float8, errors_above float8)
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
  ), measured as (
    select min(a.sharpe) as sharpe from (select sharpe from shape union all select sharpe from others where sharpe is not null) a cross join own
    group by round(a.sharpe * sqrt(own.annualisation) * 100)
  ), counted as (
    select (select count(*) from others)::int + 1 as trials,
      case when (select count(*) from measured) >= 3 then (select var_samp(m.sharpe) from measured m)
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
