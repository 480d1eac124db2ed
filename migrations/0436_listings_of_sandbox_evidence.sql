-- A listing says which of its evidence stands on simulated sources. Before, evidence of sandbox data, which opens no gate to a real venue,
-- looked the same to buyers as evidence of real data. Evidence of a run that did not finish is not shown: it decides nothing.

-- That of 0016, with both. Older listings stay as they were published.
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
    'luck', (select r.result::jsonb -> 'luck' from newest e join evaluation_reports r on r.run_id::text = e.run_id where e.kind = 'backtest'),
    'versions', (select count(*) from manifests where agent_id = of_agent),
    'versionsTried', (select count(distinct manifest_version) from evidence where agent_id = of_agent and kind = 'backtest'),
    'stage', (select to_stage from stay where manifest_version = of_version
      order by array_position(array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'], to_stage) desc limit 1),
    'paperDays', coalesce((select round(sum(coalesce(until, gate_now()) - at) / 86400000.0, 2) from stay
      where manifest_version = of_version and to_stage = 'paper'), 0))
$$;
