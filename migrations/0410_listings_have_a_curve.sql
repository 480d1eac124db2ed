-- Listings show the course of their backtest: the return since its beginning in percent at no more than 48 instants, evenly apart. So
-- few points and no dollars: whoever has not paid sees how it went, and no single trade.
create function listing_curve(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  with days as (
    select jsonb_array_length(series -> 'days') as count, (series ->> 'startEquityUsd')::numeric as start
  ), points as (
    select n, series -> 'days' -> (ceil(n * d.count / least(d.count, 48)::numeric)::int - 1) as day, d.start
    from days d, generate_series(1, least(d.count, 48)) as n
  )
  select jsonb_agg(jsonb_build_array((day ->> 0)::bigint, round(((day ->> 1)::numeric / start - 1) * 100, 2)::float8) order by n) from points
$$;

create or replace function listing_evidence(of_agent uuid, of_version int) returns jsonb language sql stable set search_path = public, pg_temp as $$
  with newest as (
    select distinct on (kind) * from evidence where agent_id = of_agent and manifest_version = of_version order by kind, seq desc
  ), stay as (
    select to_stage, manifest_version, at, lead(at) over (order by seq) as until from stage_changes where agent_id = of_agent
  )
  select jsonb_build_object(
    'at', gate_now(),
    'gates', coalesce((select jsonb_agg(jsonb_build_object('kind', kind, 'passed', passed, 'at', at, 'evidenceId', id, 'hash', hash,
      'runId', run_id, 'metrics', metrics::jsonb, 'checks', checks) order by seq) from newest), '[]'),
    'curve', coalesce((select listing_curve(series::jsonb) from newest where kind = 'backtest'), '[]'),
    'luck', (select r.result::jsonb -> 'luck' from newest e join evaluation_reports r on r.run_id::text = e.run_id where e.kind = 'backtest'),
    'versions', (select count(*) from manifests where agent_id = of_agent),
    'versionsTried', (select count(distinct manifest_version) from evidence where agent_id = of_agent and kind = 'backtest'),
    'stage', (select to_stage from stay where manifest_version = of_version
      order by array_position(array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'], to_stage) desc limit 1),
    'paperDays', coalesce((select round(sum(coalesce(until, gate_now()) - at) / 86400000.0, 2) from stay
      where manifest_version = of_version and to_stage = 'paper'), 0))
$$;
