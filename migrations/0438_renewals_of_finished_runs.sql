-- Evidence of a run that did not finish renews nothing and promises nothing, as it opens no gate (0435_evidence_of_finished_runs.sql). Before,
-- whoever cancelled a backtest as it wrote its evidence renewed outdated evidence by it, and no trial was charged.

-- That of 0009.
create or replace function outdated_evidence(agent uuid) returns table (kind text, evidence_id uuid, rules_version int, rule_change text)
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

-- That of 0009.
create or replace function promised_cost_bps(agent uuid, of_version int) returns float8 language sql stable set search_path = public, pg_temp as $$
  select (metrics::jsonb ->> 'slippageBps')::float8 from evidence e
  where agent_id = agent and kind = 'backtest' and manifest_version = of_version and passed and not exists (
    select 1 from evaluation_runs r where r.agent_id = e.agent_id and r.id::text = e.run_id and r.evaluation = e.kind and r.state <> 'finished')
  order by seq desc limit 1
$$;
