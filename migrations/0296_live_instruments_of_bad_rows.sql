-- A manifest or a book that cannot be read has no live instruments, and fails the question for nobody else.
create or replace function visible_live_instruments() returns table (key text) language sql stable set search_path = public, pg_temp as $$
  select u ->> 'key' from traders g join manifests m on m.agent_id = g.id and m.version = g.manifest_version
    cross join lateral readable_elements(readable_json(m.canonical) -> 'universe') u
    left join takes t on t.id = g.id where g.stage in ('limited_live', 'live') and (t.id is null or t.on_duty) and u ->> 'key' is not null
  union select h ->> 'instrument' from books b cross join lateral readable_elements(b.holdings) h
    where b.mode = 'live' and h ->> 'instrument' is not null
  union select instrument from proposals where mode = 'live' and state in ('pending_approval', 'approved', 'executing', 'unknown')
  union select instrument from market_orders where mode = 'live' and state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown')
  union select instrument from prepared_transactions where instrument is not null
    and state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown')
$$;
