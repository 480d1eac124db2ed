-- A manifest that is previewed again over other days leaves their returns too. Before, the first preview alone did: one over a few quiet
-- days made every later one of the same manifest free of charge, because those returns correlate with nothing.
alter table trials drop constraint trials_org_id_run_id_manifest_hash_key;
create unique index one_trial_of_days on trials (org_id, run_id, manifest_hash, (case when run_id is null then first_day end),
  (case when run_id is null then cardinality(returns) end)) nulls not distinct;

-- That of 0009, where a preview counts if any of its stretches is of the family.
create or replace function other_trials(agent uuid, before bigint, own_hashes text[], own_stretch text, own_first_day int, own_returns real[])
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
