-- Backtests from before the feed kept when it had received events (`event_receptions`) took every day since the first stored report for
-- known. Where their manifest has a rule on events, that evidence counts no more: "no event" may have been an outage.
create or replace function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case of_kind when 'backtest' then 7 when 'paper' then 5 when 'shadow' then 3 when 'stress_test' then 3 when 'manifest' then 2 else 1 end
$$;

insert into superseded_evidence
select e.id, 6, 'a backtest knows events only while their sources were received, or from an archive'
from evidence e join manifests m on m.agent_id = e.agent_id and m.version = e.manifest_version
where e.kind = 'backtest' and e.at < coalesce((select min(r.from_at) from event_receptions r), 9223372036854775807)
  and exists (
    select 1 from unnest(array['entry', 'exit']) part cross join readable_elements(readable_json(m.canonical) -> part) c
    where c ->> 'type' in ('negative_event', 'no_negative_event'))
on conflict do nothing;
