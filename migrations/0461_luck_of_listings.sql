-- A listing states how much of its backtest luck explains by the trials up to its publication. Before, it stated them as of the backtest:
-- of fifty manifests, the one that looked best could be published as the only one that was tried if its backtest was the first.

-- The standard normal distribution function, as `normalCdf` of the domain: a series near the middle, a continued fraction in the tails.
create function normal_cdf(x float8) returns float8 language plpgsql immutable set search_path = public, pg_temp as $$
declare
  z float8 := abs(x);
  term float8 := z;
  total float8 := z;
  k int := 1;
begin
  if z > 37 then
    return case when x > 0 then 1 else 0 end;
  elsif z < 4 then
    while term > 1e-17 loop
      term := term * z * z / (2 * k + 1);
      total := total + term;
      k := k + 1;
    end loop;
    return 0.5 + sign(x) * exp(-z * z / 2) / sqrt(2 * pi()) * total;
  end if;
  total := z;
  for n in reverse 60..1 loop
    total := z + n / total;
  end loop;
  term := exp(-z * z / 2) / sqrt(2 * pi()) / total;
  return case when x > 0 then 1 - term else term end;
end $$;

-- That of 0016, with the luck of now.
create or replace function listing_evidence(of_agent uuid, of_version int) returns jsonb language sql stable set search_path = public, pg_temp as $$
  with newest as (
    select distinct on (e.kind) e.* from evidence e
    where e.agent_id = of_agent and e.manifest_version = of_version and not exists (
      select 1 from evaluation_runs r where r.agent_id = e.agent_id and r.id::text = e.run_id and r.evaluation = e.kind and r.state <> 'finished')
    order by e.kind, e.seq desc
  ), stay as (
    select to_stage, manifest_version, at, lead(at) over (order by seq) as until from stage_changes where agent_id = of_agent
  )
  select jsonb_build_object(
    'at', gate_now(),
    'gates', coalesce((select jsonb_agg(jsonb_build_object('kind', kind, 'passed', passed, 'at', at, 'evidenceId', id, 'hash', hash,
      'runId', run_id, 'metrics', metrics::jsonb, 'checks', checks,
      'simulated', (select evidence_is_simulated(e) from evidence e where e.id = newest.id)) order by seq) from newest), '[]'),
    'curve', coalesce((select listing_curve(series::jsonb) from newest where kind = 'backtest'), '[]'),
    'luck', (select r.result::jsonb -> 'luck' || jsonb_build_object('versionsTried', l.trials, 'expectedBestSharpe', l.expected_best,
        'deflatedSharpe', normal_cdf(l.errors_above))
      from newest e join evaluation_reports r on r.run_id::text = e.run_id cross join lateral backtest_luck(e.id) l
      where e.kind = 'backtest' and jsonb_typeof(r.result::jsonb -> 'luck') = 'object'),
    'versions', (select count(*) from manifests where agent_id = of_agent),
    'versionsTried', (select count(distinct manifest_version) from evidence where agent_id = of_agent and kind = 'backtest'),
    'stage', (select to_stage from stay where manifest_version = of_version
      order by array_position(array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'], to_stage) desc limit 1),
    'paperDays', coalesce((select round(sum(coalesce(until, gate_now()) - at) / 86400000.0, 2) from stay
      where manifest_version = of_version and to_stage = 'paper'), 0))
$$;
