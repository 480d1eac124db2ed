-- The instruments with live capital or open live orders, of all organizations together: a polled venue asks for their quotes first,
-- and gives capital to no more of them than it can ask for in time. Nothing says whose they are.
create function live_instruments() returns table (key text) language sql stable security definer set search_path = public, pg_temp as $$
  select u ->> 'key' from traders g join manifests m on m.agent_id = g.id and m.version = g.manifest_version
    cross join lateral jsonb_array_elements(m.canonical::jsonb -> 'universe') u
    left join takes t on t.id = g.id where g.stage in ('limited_live', 'live') and (t.id is null or t.on_duty)
  union select h ->> 'instrument' from books b cross join lateral jsonb_array_elements(b.holdings) h where b.mode = 'live'
  union select instrument from proposals where mode = 'live' and state in ('pending_approval', 'approved', 'executing', 'unknown')
  union select instrument from market_orders where mode = 'live' and state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown')
  union select instrument from prepared_transactions where instrument is not null
    and state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown')
$$;
revoke execute on function live_instruments() from public;
grant execute on function live_instruments() to sevengate_app, sevengate_api;
