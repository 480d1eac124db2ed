-- A family is what moves together: every trial of an organization whose daily returns correlate by 0.5 or more with those that are
-- assessed. Until here it was a list of types of conditions, which one trivial condition more began anew.

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
  unique nulls not distinct (org_id, run_id, manifest_hash),
  check ((first_day is null) = (returns is null))
);
select make_append_only('trials');
select protect_organizations();

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

insert into trials (org_id, run_id, manifest_hash, sharpe, first_day, returns)
select r.org_id, r.id, r.manifest_hash, (r.summary ->> 'sharpe')::float8, d.first_day, d.returns
from evaluation_runs r left join evaluation_reports p on p.run_id = r.id left join lateral (
  select (p.result::jsonb ->> 'capitalUsd')::float8 as start, array_agg(extract(epoch from (e ->> 'date')::date)::bigint * 1000) as days,
    array_agg((e ->> 'equityUsd')::float8) as closes
  from jsonb_array_elements(p.result::jsonb -> 'daily') e) c on true left join lateral daily_returns(c.start, c.days, c.closes) d on true
where r.evaluation = 'backtest' and r.state = 'finished';

-- Of a sweep only the days of its best variant were kept: they stand for all of its variants.
insert into trials (org_id, run_id, manifest_hash, sharpe, first_day, returns)
select r.org_id, r.id, t ->> 'manifestHash', (t ->> 'sharpe')::float8, d.first_day, d.returns
from evaluation_runs r join evaluation_reports p on p.run_id = r.id left join lateral (
  select (p.result::jsonb ->> 'capitalUsd')::float8 as start, array_agg(extract(epoch from (e ->> 'date')::date)::bigint * 1000) as days,
    array_agg((e ->> 'equityUsd')::float8) as closes
  from jsonb_array_elements(p.result::jsonb -> 'bestDaily') e) c on true left join lateral daily_returns(c.start, c.days, c.closes) d on true
cross join lateral jsonb_array_elements(p.result::jsonb -> 'trials') t
where r.evaluation = 'sweep' and r.state = 'finished';

-- The types of a preview's rules are asked for no more.
alter table previewed_manifests alter column entry_types drop not null, alter column exit_types drop not null;

-- How returns by day correlate over their common stretch; null where there is none, or where one of them does not vary.
create function returns_correlation(a_first int, a real[], b_first int, b real[]) returns float8 language sql immutable set search_path = public, pg_temp as $$
  select corr(p.x, p.y) from unnest(a[greatest(b_first - a_first, 0) + 1:], b[greatest(a_first - b_first, 0) + 1:]) as p(x, y)
$$;

drop function other_trials(uuid, int, bigint, text[], text);
drop function family_trials(uuid, int, bigint);

-- The trials before an instant of the family of these returns, besides those of these manifests over this stretch: a row each, with the
-- Sharpe ratio of the newest run of its manifest once. Another stretch, like a preview, raises the number of trials and not their spread.
-- Where no correlation can be told, a trial of the same agent or of the same manifest is of the family.
create function other_trials(agent uuid, before bigint, own_hashes text[], own_stretch text, own_first_day int, own_returns real[])
  returns table (sharpe float8) language sql stable set search_path = public, pg_temp as $$
  with org as materialized (
    select org_id as id from agents where id = agent
  ), tried as (
    select r.agent_id, t.manifest_hash, trial_stretch(r.request) as stretch, t.sharpe, r.created_at as at, r.id::text as run, t.first_day, t.returns
    from trials t join evaluation_runs r on r.id = t.run_id where t.org_id = (select id from org) and r.created_at < before
    union all
    select p.agent_id, p.manifest_hash, null, null, p.at, null, t.first_day, t.returns
    from previewed_manifests p left join trials t on t.org_id = p.org_id and t.run_id is null and t.manifest_hash = p.manifest_hash
    where p.org_id = (select id from org) and p.at < before
  ), newest as (
    select distinct on (t.manifest_hash, t.stretch) t.*,
      coalesce(bool_or(t.agent_id = agent) over (partition by t.manifest_hash, t.stretch), false) or t.manifest_hash = any(own_hashes) as is_own
    from tried t order by t.manifest_hash, t.stretch, t.at desc, t.run desc
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

-- How a backtest stands against luck, from the days of its own series: how many trials there were, the annualised Sharpe ratio that
-- the best worthless one of them is expected to show, and by how many standard errors this one lies above it (null where that cannot
-- be told). Bailey and Lopez de Prado, 2014; the same as `luckOf` of src/simulation/backtest/run.ts.
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

create or replace function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 4 when 'paper' then 3 when 'shadow' then 3 when 'stress_test' then 2 else 1 end
$$;
insert into superseded_evidence
select e.id, case when e.at < extract(epoch from m.applied_at) * 1000 then 2 else 3 end,
  'its family is every trial of the organization whose daily returns correlate with its own'
from evidence e join migrations m on m.name = '0297_evidence_is_of_the_manifest.sql' where e.kind = 'backtest'
on conflict do nothing;

select protect_writes();
update trail_tables set writers = '{worker,api}' where name = 'trials';
