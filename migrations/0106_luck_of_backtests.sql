-- The luck of choosing: every evaluation of a family of manifests is a trial, another stretch of the same manifest too, and the gate
-- out of backtest asks whether the result lies above what the best of so many worthless trials would show.

-- What makes two runs of a manifest two trials: everything that was asked for, but whether it was a look, and what was varied.
create function trial_stretch(request jsonb) returns text language sql immutable set search_path = public, pg_temp as $$
  select (request - 'look' - 'parameters' - 'walkForward')::text
$$;

-- What was tried of the manifests whose rules are of the types of this one, and of its own agent, before an instant. A trial is a
-- manifest over a stretch; `stretch` is null of what was only previewed, and `sharpe` is annualised.
create function family_trials(agent uuid, of_version int, before bigint)
  returns table (manifest_hash text, stretch text, sharpe float8, at bigint, run text) language sql stable set search_path = public, pg_temp as $$
  with org as (select org_id as id from agents where id = agent), families as (
    select m.agent_id, m.version, array(select distinct e ->> 'type' from jsonb_array_elements(m.canonical::jsonb -> 'entry') e order by 1) as entry,
      array(select distinct e ->> 'type' from jsonb_array_elements(m.canonical::jsonb -> 'exit') e order by 1) as exit
    from manifests m join agents a on a.id = m.agent_id where a.org_id = (select id from org)
  ), own as (
    select entry, exit from families where agent_id = agent and version = of_version
  ), runs as (
    select r.* from evaluation_runs r join families f on f.agent_id = r.agent_id and f.version = r.manifest_version cross join own
    where r.org_id = (select id from org) and r.state = 'finished' and r.created_at < before and r.evaluation in ('backtest', 'sweep')
      and (r.agent_id = agent or (f.entry, f.exit) = (own.entry, own.exit))
  )
  select r.manifest_hash, trial_stretch(r.request), (r.summary ->> 'sharpe')::float8, r.created_at, r.id::text from runs r where r.evaluation = 'backtest'
  union all
  select t ->> 'manifestHash', trial_stretch(r.request), (t ->> 'sharpe')::float8, r.created_at, r.id::text
  from runs r join evaluation_reports p on p.run_id = r.id, jsonb_array_elements(p.result::jsonb -> 'trials') t where r.evaluation = 'sweep'
  union all
  select p.manifest_hash, null, null, p.at, null from previewed_manifests p cross join own
  where p.org_id = (select id from org) and p.at < before and (p.agent_id = agent or (p.entry_types, p.exit_types) = (own.entry, own.exit))
$$;

-- The trials besides those of these manifests over this stretch: a row each, with the Sharpe ratio of the newest run of its manifest
-- once. Another stretch, like a preview, raises the number of trials and not their spread.
create function other_trials(agent uuid, of_version int, before bigint, own_hashes text[], own_stretch text)
  returns table (sharpe float8) language sql stable set search_path = public, pg_temp as $$
  with trials as (
    select distinct on (t.manifest_hash, t.stretch) t.* from family_trials(agent, of_version, before) t
    order by t.manifest_hash, t.stretch, t.at desc, t.run desc
  ), ranked as (
    select t.*, row_number() over (partition by t.manifest_hash order by (t.stretch is null), t.at desc, t.run desc) as place from trials t
  )
  select case when r.place = 1 and r.manifest_hash <> all(own_hashes) then r.sharpe end from ranked r
  -- A preview counts where its manifest never ran.
  where (r.stretch is not null or (r.place = 1 and r.manifest_hash <> all(own_hashes)))
    and not (r.manifest_hash = any(own_hashes) and r.stretch is not distinct from own_stretch)
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
-- be told). Bailey and Lopez de Prado, 2014; the same as `luckOf` of src/simulation/backtest/run.ts.
create function backtest_luck(of_evidence uuid) returns table (trials int, expected_best float8, errors_above float8)
  language sql stable set search_path = public, pg_temp as $$
  -- The days apart from the rest: a sort of them must not carry the whole series with each.
  with base as materialized (
    select e.agent_id, e.manifest_version, e.manifest_hash, trial_stretch(r.request) as stretch,
      (e.series::jsonb ->> 'startEquityUsd')::float8 as start, (e.series::jsonb ->> 'annualisation')::float8 as annualisation
    from evidence e left join evaluation_runs r on r.id::text = e.run_id where e.id = of_evidence and e.kind = 'backtest'
  ), closes as materialized (
    select d.n, (d.day ->> 1)::float8 as close
    from evidence e, jsonb_array_elements(e.series::jsonb -> 'days') with ordinality as d(day, n) where e.id = of_evidence and e.kind = 'backtest'
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
  ), others as (
    select o.sharpe / sqrt(base.annualisation) as sharpe
    from base, other_trials(base.agent_id, base.manifest_version, 9223372036854775807, array[base.manifest_hash], base.stretch) o
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
