-- Which instruments have live capital or open live orders is told to callers of their own organization alone. Of all others together
-- they are told how many there are.

-- The live instruments of the organizations that the asking role sees.
create function visible_live_instruments() returns table (key text) language sql stable set search_path = public, pg_temp as $$
  select u ->> 'key' from traders g join manifests m on m.agent_id = g.id and m.version = g.manifest_version
    cross join lateral jsonb_array_elements(m.canonical::jsonb -> 'universe') u
    left join takes t on t.id = g.id where g.stage in ('limited_live', 'live') and (t.id is null or t.on_duty)
  union select h ->> 'instrument' from books b cross join lateral jsonb_array_elements(b.holdings) h where b.mode = 'live'
  union select instrument from proposals where mode = 'live' and state in ('pending_approval', 'approved', 'executing', 'unknown')
  union select instrument from market_orders where mode = 'live' and state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown')
  union select instrument from prepared_transactions where instrument is not null
    and state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown')
$$;
revoke execute on function visible_live_instruments() from public;
grant execute on function visible_live_instruments() to sevengate_app, sevengate_api;

-- Those of all organizations, without whose they are: the feed asks for their quotes first.
create or replace function live_instruments() returns table (key text) language sql stable security definer set search_path = public, pg_temp as $$
  select key from visible_live_instruments()
$$;
revoke execute on function live_instruments() from sevengate_api;

-- The number of live instruments of a venue, over all organizations.
create function live_instrument_count(of_venue text) returns int language sql stable security definer set search_path = public, pg_temp as $$
  select count(*)::int from visible_live_instruments() where starts_with(key, of_venue || ':')
$$;
revoke execute on function live_instrument_count(text) from public;
grant execute on function live_instrument_count(text) to sevengate_app, sevengate_api;
