-- Backtests and stress runs margin perpetuals as paper does, and end what comes down to its maintenance margin. Only a manifest that may
-- trade perpetuals with leverage has other results by that.

create or replace function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 6 when 'paper' then 4 when 'shadow' then 3 when 'stress_test' then 3 when 'manifest' then 2 else 1 end
$$;

insert into superseded_evidence
select e.id, case e.kind when 'backtest' then 5 else 2 end, 'a perpetual binds margin by the leverage of its mandate, and is liquidated at its maintenance margin'
from evidence e join manifests m on m.agent_id = e.agent_id and m.version = e.manifest_version
where e.kind in ('backtest', 'stress_test') and (readable_json(m.canonical) ->> 'maxLeverage')::numeric > 1
  and exists (select 1 from jsonb_array_elements(readable_json(m.canonical) -> 'universe') u where starts_with(u ->> 'key', 'evmvenue:'))
on conflict do nothing;
