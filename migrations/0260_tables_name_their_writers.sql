-- Every table names the writers that may change it. A session shows by its secret whose it is, and a batch by its key who signed
-- it: the key of one process is no help against the tables of another. What a worker acts on is signed now where nobody signed it.
alter table trail_tables add column writers text[] not null default '{worker,api}';

-- The same list as src/adapters/store/trail/table-writers.ts, which the verifier uses; a test compares them.
update trail_tables t set writers = w.writers from (values
  ('{feed}'::text[], array['chain_tvl', 'chain_tvl_days', 'intelligence_events', 'intelligence_reports', 'issuer_marks', 'macro_observations',
    'macro_releases', 'pool_liquidity', 'prediction_events', 'prediction_markets', 'prediction_status_changes', 'prediction_trades',
    'shadow_windows', 'social_posts']),
  ('{feed,worker}', array['cut_batches', 'cuts', 'observations']),
  ('{feed,worker,api}', array['actor_checkpoints', 'actors', 'agents', 'announcements', 'archived_reports', 'candle_imports', 'candle_stretches',
    'candle_windows', 'candles', 'event_archives', 'incidents', 'leases', 'long_work', 'market_history', 'steps', 'timers']),
  ('{worker}', array['decision_rows', 'decisions', 'leaderboard_events', 'leaderboard_progress', 'leaderboard_sales',
    'moved_actors', 'moved_history', 'prediction_settlements', 'recurring_work', 'tick_batches', 'tick_crashes',
    'tick_inputs', 'tick_shards', 'vault_marks']),
  ('{evaluator}', array['evidence']),
  ('{worker,api,evaluator}', array['gate_heads']),
  ('{owner}', array['cut_corrections']),
  -- A correction takes back the high-water marks that a wrong cut made.
  ('{worker,api,owner}', array['vaults'])
) as w(writers, names) where t.name = any(w.names);

-- Statements: the session's writer is one of the table's.
create or replace function guard_writer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from trail_writers w join trail_tables t on t.name = tg_table_name and w.writer = any(t.writers)
  where w.session_digest = sha256(convert_to(current_setting('sevengate.proof', true), 'UTF8'));
  if found or session_is_owner() or not exists (select 1 from trail_writers) then
    return null;
  end if;
  if proven_key() is not null then
    raise exception 'the % does not write %', (select writer from trail_writers where key_id = proven_key()), tg_table_name
      using errcode = 'insufficient_privilege', constraint = 'writer_of_table';
  end if;
  raise exception 'changes of % are taken only from sessions that show the secret of a registered writer', tg_table_name
    using errcode = 'insufficient_privilege', constraint = 'proven_session';
end $$;

-- What the feed tells actors: it has an actor take these events, and no other one.
create function feed_events() returns text[] language sql immutable set search_path = public, pg_temp as $$
  select array['feed.degraded', 'feed.restored']
$$;

-- Batches: the key that signs belongs to a writer of every table that the transaction has changed.
create or replace function trail_seal(of_key text, signed_at bigint, signed_changes int, signed_root text, signed text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  signer text := (select writer from trail_writers where key_id = of_key);
  foreign_table text;
begin
  if proven_key() is distinct from of_key then
    raise exception 'this session has not shown the secret of key %', of_key using errcode = 'insufficient_privilege';
  end if;
  if abs(signed_at - record_clock_ms()) > 60000 then
    raise exception 'a batch is signed when it is written' using errcode = 'check_violation';
  end if;
  -- What a migration gave other columns is signed as it was found, by whoever migrates.
  select t.name into foreign_table from trail_tables t where not signer = any(t.writers)
    and t.name in (select c.name from trail_changes c where c.xid = pg_current_xact_id() and c.op <> 'genesis') limit 1;
  if found then
    raise exception 'the % does not write %', signer, foreign_table using errcode = 'insufficient_privilege', constraint = 'writer_of_table';
  end if;
  if signer = 'feed' then
    perform check_feed_steps();
  end if;
  update trail_batches set key_id = of_key, at = signed_at, changes = signed_changes, root = signed_root, signature = signed
    where xid = pg_current_xact_id() and signature is null;
  if not found then
    raise exception 'this transaction has nothing to sign, or was signed before' using errcode = 'check_violation';
  end if;
end $$;

-- The feed moves actors by what it tells them, and takes one off duty that cannot be told: nothing else of an actor or an agent is the feed's.
create function check_feed_steps() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from trail_changes c join steps s on s.actor_id = split_part(c.key, ' ', 1)::uuid and s.version = split_part(c.key, ' ', 2)::bigint
    where c.xid = pg_current_xact_id() and c.name = 'steps' and not (s.event ->> 'type' = any(feed_events()) and s.cause = 'feed');
  if found then
    raise exception 'the feed has actors take its own events alone' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
  perform 1 from trail_changes c join actors a on a.id = c.key::uuid
    where c.xid = pg_current_xact_id() and c.name = 'actors' and a.status <> 'quarantined' and not exists (
      select 1 from trail_changes s where s.xid = c.xid and s.name = 'steps' and s.key = a.id || ' ' || a.version);
  if found then
    raise exception 'the feed moves an actor by a step alone' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
  perform 1 from trail_changes c join agents g on g.id = c.key::uuid join actors a on a.id = g.id
    where c.xid = pg_current_xact_id() and c.name = 'agents' and not (c.op = 'update' and a.status = 'quarantined' and g.pause_cause = 'quarantine');
  if found then
    raise exception 'the feed changes an agent only to take it off duty' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
end $$;
revoke execute on function feed_events(), check_feed_steps() from public;

-- Of an actor that the feed moves, what it knows of feeds changes and nothing else. Of an agent that it takes off duty, the cause of its pause.
create function check_feed_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from trail_writers where key_id = proven_key() and writer = 'feed') or session_is_owner() then
    return new;
  end if;
  if tg_table_name = 'timers' then
    if starts_with(new.event ->> 'type', 'xstate.after.degradedFor.') then
      return new;
    end if;
  elsif tg_table_name = 'agents' then
    if to_jsonb(old) - 'pause_cause' = to_jsonb(new) - 'pause_cause' then
      return new;
    end if;
  elsif old.snapshot #- '{context,degradedVenues}' #- '{value,feed}' = new.snapshot #- '{context,degradedVenues}' #- '{value,feed}' then
    return new;
  end if;
  raise exception 'the feed changes of % only what it knows of feeds', tg_table_name
    using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
end $$;
create trigger feed_tells_of_feeds before update on actors for each row
  when (old.snapshot #- '{context,degradedVenues}' is distinct from new.snapshot #- '{context,degradedVenues}') execute function check_feed_change();
create trigger feed_tells_of_feeds before update on agents for each row execute function check_feed_change();
-- A delay is what an actor is told later: the feed sets that of lost data alone.
create trigger feed_tells_of_feeds before insert or update on timers for each row
  when (not starts_with(new.event ->> 'type', 'xstate.after.degradedFor.')) execute function check_feed_change();
alter table actors enable always trigger feed_tells_of_feeds;
alter table timers enable always trigger feed_tells_of_feeds;
alter table agents enable always trigger feed_tells_of_feeds;

-- What a market resolved to is signed with its status: positions are settled by it.
alter table prediction_status_changes add column payouts jsonb;
create or replace function prediction_payouts(body jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select jsonb_object_agg(o ->> 'side', o -> 'payout') from jsonb_array_elements(body -> 'outcomes') o where o ->> 'payout' is not null
$$;
alter table prediction_status_changes disable trigger append_only_rows;
update prediction_status_changes c set payouts = prediction_payouts(m.body) from prediction_markets m
  where m.id = c.market_id and c.status = 'resolved' and m.status = 'resolved';
alter table prediction_status_changes enable always trigger append_only_rows;
create or replace function note_prediction_status() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.status <> old.status or prediction_payouts(new.body) is distinct from prediction_payouts(old.body) then
    insert into prediction_status_changes (market_id, status, provider_status, source, observed_at, received_at, payouts)
    values (new.id, new.status, new.provider_status, new.source, new.observed_at, new.received_at, prediction_payouts(new.body))
    on conflict do nothing;
  end if;
  return new;
end $$;

update trail_tables set mode = m.mode, reason = m.reason from (values
  ('prediction_status_changes', 'logged', 'what positions are settled by'),
  ('prediction_events', 'summed', 'the market, as it was heard last'),
  ('prediction_markets', 'summed', 'the market, as it was heard last; what it resolved to is logged'),
  ('prediction_trades', 'summed', 'the market, kept for a while'),
  ('pool_liquidity', 'summed', 'the market, as it was heard last; cuts hold what is decided on'),
  ('candle_windows', 'summed', 'which stretches were asked for; their bars are signed by stretch'),
  ('actor_checkpoints', 'summed', 'follows from the steps, which are logged; what is rebuilt is held against them'),
  ('tick_crashes', 'summed', 'how often a tick threw in a row; an actor goes into quarantine by it'),
  ('recurring_work', 'summed', 'which slot of what recurs is done, and who is at the next'),
  ('leaderboard_wallets', 'summed', 'what was read of public histories'),
  ('leaderboard_events', 'summed', 'public histories'),
  ('leaderboard_sales', 'summed', 'follows from public histories'),
  ('leaderboard_standings', 'summed', 'follows from public histories'),
  ('leaderboard_progress', 'summed', 'how far the refresh is'),
  ('tick_shards', 'guarded', 'how far ticks are; the decisions of each tick are signed in tick_batches, and the verifier misses those of a slot that was passed over'),
  ('leases', 'summed', 'who is on duty and until when'),
  ('activities', 'summed', 'what is still to be done and when it is tried again; asked for and answered by signed steps')
) as m(name, mode, reason) where trail_tables.name = m.name;
update trail_tables set unsigned_columns = '{}' where name in ('leases', 'activities');
-- Both keep their triggers, and what these leave unsigned has changed.
do $$
declare
  target text;
begin
  foreach target in array array['leases', 'activities'] loop
    execute format('drop trigger trail_insert on %I', target);
    execute format('drop trigger trail_update on %I', target);
    execute format('drop trigger trail_delete on %I', target);
  end loop;
end $$;
-- Who reads what was settled checks what was signed of it.
grant select on prediction_status_changes to sevengate_app;
select protect_writes();
