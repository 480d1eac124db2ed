-- Rows that a database password cannot forge. Every table takes changes only from sessions that have shown a secret of the
-- service's key files. Tables that evidence, authority or money rest on are logged: each changed row leaves its digest in the
-- transaction's batch, and a transaction whose batch nobody signed is refused at its commit. Signatures are Ed25519 and are
-- checked outside of the database, from public keys alone. Nothing of this holds before the first writer is registered.

-- The writers' public keys, and the SHA-256 of what their sessions show. Only the owner of the tables registers one.
create table trail_writers (
  key_id text primary key check (key_id ~ '^[0-9a-f]{8}$'),
  writer text not null check (writer in ('feed', 'worker', 'evaluator', 'api', 'log')),
  public_key bytea not null check (length(public_key) = 32),
  session_digest bytea not null unique check (length(session_digest) = 32),
  registered_at timestamptz not null default clock_timestamp()
);

-- How each table is protected. A table that is not listed is logged: leaving one out takes a reason.
create table trail_tables (
  name text primary key,
  mode text not null check (mode in ('logged', 'guarded')),
  reason text not null check (reason <> ''),
  -- The columns when its rows were logged last: other columns give the same row another digest.
  shape text
);

-- One row per transaction that changed a logged table, empty until its writer has signed.
create table trail_batches (
  xid xid8 primary key,
  key_id text references trail_writers,
  at bigint,
  changes int,
  -- Base64 of the Merkle root over the changes, and of the signature.
  root text,
  signature text,
  check (num_nulls(key_id, at, changes, root, signature) in (0, 5))
);

-- The digest of every row that was written, in the order of writing within its transaction.
create table trail_changes (
  xid xid8 not null,
  seq bigint generated always as identity,
  name text not null,
  op text not null check (op in ('insert', 'update', 'delete', 'genesis')),
  key text not null,
  digest bytea not null,
  primary key (xid, seq)
);
create index trail_changes_by_key on trail_changes (name, key, seq);

-- The order of the batches: the log that checkpoints are about.
create table trail_log (
  index bigint primary key check (index >= 0),
  xid xid8 not null unique references trail_batches
);

-- States of the log, signed in the form of C2SP tlog-checkpoint. `frontier` are the roots of its complete subtrees.
create table trail_checkpoints (
  size bigint primary key check (size > 0),
  note text not null,
  frontier bytea[] not null,
  at bigint not null
);

-- Nobody but the triggers and functions below writes any of them.
do $$
declare
  target text;
begin
  foreach target in array array['trail_writers', 'trail_changes', 'trail_log', 'trail_checkpoints'] loop
    execute format('create trigger append_only_rows before update or delete on %I for each row execute function refuse_change()', target);
  end loop;
  foreach target in array array['trail_writers', 'trail_tables', 'trail_batches', 'trail_changes', 'trail_log', 'trail_checkpoints'] loop
    execute format('create trigger append_only_table before truncate on %I for each statement execute function refuse_change()', target);
    execute format('alter table %I enable always trigger append_only_table', target);
    execute format('grant select on %I to sevengate_app, sevengate_evaluator', target);
  end loop;
end $$;

-- A batch is signed once and stays.
create function guard_batch() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' or old.signature is not null or new.xid <> old.xid then
    raise exception 'a signed batch stays as it is' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger batch_rows before update or delete on trail_batches for each row execute function guard_batch();
alter table trail_batches enable always trigger batch_rows;

-- Whether the login of this session may do as the owner of the tables does: migrations and repairs. What it writes is not refused; nobody signed it.
create function session_is_owner() returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select pg_has_role(session_user, current_user, 'member')
$$;
revoke execute on function session_is_owner() from public;

-- The key whose secret this session has shown at its opening, or null.
create function proven_key() returns text language sql stable security definer set search_path = public, pg_temp as $$
  select key_id from trail_writers where session_digest = sha256(convert_to(current_setting('sevengate.proof', true), 'UTF8'))
$$;
revoke execute on function proven_key() from public;

-- Whether this session may read and change anything. Before the first writer is registered every session may.
create function session_is_proven() returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select proven_key() is not null or not exists (select 1 from trail_writers) or session_is_owner()
$$;
revoke execute on function session_is_proven() from public;

create function guard_writer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from trail_writers where session_digest = sha256(convert_to(current_setting('sevengate.proof', true), 'UTF8'));
  if not found and not session_is_proven() then
    raise exception 'changes of % are taken only from sessions that show the secret of a registered writer', tg_table_name
      using errcode = 'insufficient_privilege', constraint = 'proven_session';
  end if;
  return null;
end $$;

-- At the commit every transaction that changed a logged table is signed, over all that it changed.
create function check_batch() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  batch trail_batches;
  written bigint;
begin
  select * into batch from trail_batches where xid = new.xid;
  if batch.signature is null then
    if session_is_owner() then
      return null;
    end if;
    raise exception 'this transaction changed rows of the trail, and no writer has signed it' using errcode = 'insufficient_privilege', constraint = 'signed_batch';
  end if;
  select count(*) into written from trail_changes where xid = new.xid;
  if written <> batch.changes then
    raise exception 'this transaction changed % rows of the trail, % were signed', written, batch.changes using errcode = 'insufficient_privilege', constraint = 'signed_batch';
  end if;
  return null;
end $$;
create constraint trigger batch_signed after insert on trail_batches deferrable initially deferred for each row execute function check_batch();
alter table trail_batches enable always trigger batch_signed;

-- What the present transaction has changed so far, for its writer to sign.
create function trail_open_changes() returns table (xid text, at bigint, name text, op text, key text, digest text)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.xid::text, floor(extract(epoch from clock_timestamp()) * 1000)::bigint, c.name, c.op, c.key, encode(c.digest, 'hex')
  from trail_changes c where c.xid = pg_current_xact_id_if_assigned() order by c.seq
$$;

-- Puts the writer's signature under the present transaction.
create function trail_seal(of_key text, signed_at bigint, signed_changes int, signed_root text, signed text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if proven_key() is distinct from of_key then
    raise exception 'this session has not shown the secret of key %', of_key using errcode = 'insufficient_privilege';
  end if;
  if abs(signed_at - floor(extract(epoch from clock_timestamp()) * 1000)) > 60000 then
    raise exception 'a batch is signed when it is written' using errcode = 'check_violation';
  end if;
  update trail_batches set key_id = of_key, at = signed_at, changes = signed_changes, root = signed_root, signature = signed
    where xid = pg_current_xact_id() and signature is null;
  if not found then
    raise exception 'this transaction has nothing to sign, or was signed before' using errcode = 'check_violation';
  end if;
end $$;
revoke execute on function trail_open_changes(), trail_seal(text, bigint, int, text, text) from public;
grant execute on function trail_open_changes(), trail_seal(text, bigint, int, text, text) to sevengate_app, sevengate_api, sevengate_evaluator;

-- Appends to the log every signed batch whose transaction came before all that still run; the owner's unsigned ones have no place in it.
create function trail_sequence(most int) returns table (index bigint, xid text, writer text, key_id text, at bigint, changes int, root text, signature text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from trail_writers w where w.key_id = proven_key() and w.writer = 'worker') then
    raise exception 'the log is kept by the worker' using errcode = 'insufficient_privilege';
  end if;
  lock table trail_log in share row exclusive mode;
  return query with last as (
    select coalesce(max(l.index) + 1, 0) as next, coalesce(max(l.xid), '0'::xid8) as xid from trail_log l
  ), fresh as (
    select b.xid, (row_number() over (order by b.xid) - 1 + last.next) as index from trail_batches b cross join last
    where b.xid > last.xid and b.xid < pg_snapshot_xmin(pg_current_snapshot()) and b.signature is not null order by b.xid limit most
  ), added as (
    insert into trail_log (index, xid) select fresh.index, fresh.xid from fresh returning trail_log.index, trail_log.xid
  )
  select a.index, a.xid::text, w.writer, b.key_id, b.at, b.changes, b.root, b.signature
  from added a join trail_batches b on b.xid = a.xid join trail_writers w on w.key_id = b.key_id order by a.index;
end $$;

-- Keeps a signed state of the log.
create function trail_checkpoint(of_size bigint, signed_note text, of_frontier bytea[], signed_at bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from trail_writers w where w.key_id = proven_key() and w.writer = 'worker') then
    raise exception 'the log is kept by the worker' using errcode = 'insufficient_privilege';
  end if;
  insert into trail_checkpoints (size, note, frontier, at) values (of_size, signed_note, of_frontier, signed_at) on conflict do nothing;
end $$;
revoke execute on function trail_sequence(int), trail_checkpoint(bigint, text, bytea[], bigint) from public;
grant execute on function trail_sequence(int), trail_checkpoint(bigint, text, bytea[], bigint) to sevengate_app;

-- How a row's key and digest are computed: SQL over a row named r, or null where the table has no primary key.
create function trail_key_of(target regclass) returns text language sql stable set search_path = public, pg_temp as $$
  select string_agg(format('r.%I::text', a.attname), ' || '' '' || ' order by k.n)
  from pg_index i cross join unnest(i.indkey) with ordinality as k(attnum, n) join pg_attribute a on a.attrelid = target and a.attnum = k.attnum
  where i.indrelid = target and i.indisprimary
$$;
revoke execute on function trail_key_of(regclass) from public;

create function trail_shape_of(target regclass) returns text language sql stable set search_path = public, pg_temp as $$
  select string_agg(format('%s %s', attname, format_type(atttypid, null)), ', ' order by attnum)
  from pg_attribute where attrelid = target and attnum > 0 and not attisdropped
$$;
revoke execute on function trail_shape_of(regclass) from public;

-- Logs every row of a table as it is now: where nothing of it was logged, or its columns have changed.
create function trail_genesis(target regclass) returns bigint language plpgsql set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  found bigint;
begin
  execute format('insert into trail_changes (xid, name, op, key, digest)
    select pg_current_xact_id(), %L, ''genesis'', %s, sha256(convert_to(to_jsonb(r)::text, ''UTF8'')) from %s r', target::text, trail_key_of(target), target);
  get diagnostics found = row_count;
  if found > 0 then
    insert into trail_batches (xid) values (pg_current_xact_id()) on conflict do nothing;
  end if;
  update trail_tables set shape = trail_shape_of(target) where name = target::text;
  return found;
end $$;
revoke execute on function trail_genesis(regclass) from public;

-- Makes a table's changes leave their digests.
create function trail_log_table(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  key text := trail_key_of(target);
  name text := target::text;
begin
  if key is null then
    raise exception '% has no primary key, which a logged table needs', target;
  end if;
  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $b$
    begin
      if not exists (select 1 from trail_writers) then
        return null;
      end if;
      if tg_op = 'DELETE' then
        insert into trail_changes (xid, name, op, key, digest) select pg_current_xact_id(), %2$L, 'delete', %3$s, sha256(''::bytea) from removed r;
      else
        insert into trail_changes (xid, name, op, key, digest)
        select pg_current_xact_id(), %2$L, lower(tg_op), %3$s, sha256(convert_to(to_jsonb(r)::text, 'UTF8')) from added r;
      end if;
      if found then
        insert into trail_batches (xid) values (pg_current_xact_id()) on conflict do nothing;
      end if;
      return null;
    end $b$ $f$, 'trail_of_' || name, name, key);
  execute format('revoke execute on function %I() from public', 'trail_of_' || name);
  execute format('create trigger trail_insert after insert on %s referencing new table as added for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('create trigger trail_update after update on %s referencing new table as added for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('create trigger trail_delete after delete on %s referencing old table as removed for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('alter table %s enable always trigger trail_insert', target);
  execute format('alter table %s enable always trigger trail_update', target);
  execute format('alter table %s enable always trigger trail_delete', target);
end $$;
revoke execute on function trail_log_table(regclass) from public;

-- Protects every table that is not protected yet, and logs anew what a migration gave other columns. `sevengate migrate` asks
-- for it after each migration.
create function protect_writes() returns void language plpgsql set search_path = public, pg_temp as $$
declare
  target regclass;
  known trail_tables;
begin
  for target in select c.oid from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and c.relname <> 'migrations' and not starts_with(c.relname, 'trail_') order by c.relname
  loop
    if not exists (select 1 from pg_trigger where tgrelid = target and tgname = 'proven_writer') then
      execute format('create trigger proven_writer before insert or update or delete or truncate on %s for each statement execute function guard_writer()', target);
      execute format('alter table %s enable always trigger proven_writer', target);
    end if;
    insert into trail_tables (name, mode, reason) values (target::text, 'logged', 'evidence, authority or money may rest on it') on conflict do nothing;
    select * into known from trail_tables where name = target::text;
    if known.mode = 'logged' then
      if not exists (select 1 from pg_trigger where tgrelid = target and tgname = 'trail_insert') then
        perform trail_log_table(target);
      end if;
      if exists (select 1 from trail_writers) and known.shape is distinct from trail_shape_of(target) then
        perform trail_genesis(target);
      end if;
    end if;
    -- What serves callers reads nothing either before it has shown its secret.
    if exists (select 1 from pg_policy where polrelid = target and polname = 'organization_rows')
      and not exists (select 1 from pg_policy where polrelid = target and polname = 'proven_rows') then
      execute format('create policy proven_rows on %s as restrictive to sevengate_api using ((select session_is_proven()))', target);
    end if;
  end loop;
end $$;
revoke execute on function protect_writes() from public;
grant execute on function session_is_proven() to sevengate_api;

insert into trail_tables (name, mode, reason) values
  ('leases', 'guarded', 'who is on duty, renewed every few seconds; nothing is proved by it'),
  ('execution_leases', 'guarded', 'orders on their way, for seconds; the orders themselves are logged'),
  ('timers', 'guarded', 'what is still to happen; what happened is a step, which is logged'),
  ('errands', 'guarded', 'what is still to be done; its outcome is a step, which is logged'),
  ('announcements', 'guarded', 'copies of logged rows for whoever follows the feeds'),
  ('idempotency_keys', 'guarded', 'answers that are repeated for two days; what they tell of is logged'),
  ('tick_shards', 'guarded', 'how far ticks are; the decisions of each tick are signed in tick_batches'),
  ('tick_crashes', 'guarded', 'a count of crashes in a row'),
  ('decisions', 'guarded', 'signed by tick in tick_batches'),
  ('decision_rows', 'guarded', 'signed by tick in tick_batches'),
  ('cuts', 'guarded', 'signed by slot in cut_batches'),
  ('observations', 'guarded', 'signed by slot in cut_batches'),
  ('candles', 'guarded', 'signed by stretch in candle_stretches'),
  ('candle_windows', 'guarded', 'which stretches were asked for'),
  ('pool_liquidity', 'guarded', 'the market, as it was heard last; cuts hold what is decided on'),
  ('prediction_events', 'guarded', 'the market, as it was heard last'),
  ('prediction_markets', 'guarded', 'the market, as it was heard last'),
  ('prediction_status_changes', 'guarded', 'the market; settlements are logged'),
  ('prediction_trades', 'guarded', 'the market, kept for a while'),
  ('intelligence_events', 'guarded', 'news; cuts hold what is decided on'),
  ('intelligence_reports', 'guarded', 'news; cuts hold what is decided on'),
  ('macro_observations', 'guarded', 'news; nothing is decided on it'),
  ('macro_releases', 'guarded', 'news; nothing is decided on it'),
  ('chain_tvl', 'guarded', 'news; nothing is decided on it'),
  ('chain_tvl_days', 'guarded', 'news; nothing is decided on it'),
  ('social_posts', 'guarded', 'news; nothing is decided on it'),
  ('evaluation_runs', 'guarded', 'how far runs are, renewed while they work; what they found is in evaluation_reports and evidence'),
  ('gate_heads', 'guarded', 'kept by triggers; the chain that it ends is logged');

-- What each commit of a shard's tick decided: SHA-256 over the lines `agent slot hash` of its decisions, by slot and agent.
create table tick_batches (
  period_ms int not null,
  shard int not null,
  from_slot bigint not null,
  slot bigint not null check (slot > from_slot),
  decisions int not null check (decisions > 0),
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  primary key (period_ms, shard, slot)
);
select make_append_only('tick_batches');

-- Closed bars as they were kept: for each bar the first 16 bytes of the SHA-256 of its values, by open time.
create table candle_stretches (
  id bigint generated always as identity primary key,
  venue text not null,
  instrument text not null,
  timeframe text not null,
  source text not null,
  received_at bigint not null,
  first_open bigint not null,
  last_open bigint not null check (last_open >= first_open),
  bars int not null check (bars > 0),
  -- Per bar 8 bytes of its open time and 16 of its digest.
  digests bytea not null check (length(digests) = bars * 24)
);
create index candle_stretches_by_series on candle_stretches (venue, instrument, timeframe, last_open);
select make_append_only('candle_stretches');
revoke insert on candle_stretches from sevengate_app;

-- The digest of a bar: 8 bytes of its open time and the first 16 of the SHA-256 of its values.
create function candle_digest(open_time bigint, open numeric, high numeric, low numeric, close numeric, volume numeric) returns bytea
language sql immutable set search_path = public, pg_temp as $$
  select int8send(open_time) || substring(sha256(convert_to(concat_ws(' ', trim_scale(open), trim_scale(high), trim_scale(low), trim_scale(close),
    trim_scale(volume)), 'UTF8')) from 1 for 16)
$$;

-- Every write of bars is a stretch of its own, which the writer signs with the rest of its transaction.
create function note_candle_stretch() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select 1 from trail_writers) then
    insert into candle_stretches (venue, instrument, timeframe, source, received_at, first_open, last_open, bars, digests)
    select venue, instrument, timeframe, min(source), max(received_at), min(open_time), max(open_time), count(*),
      string_agg(candle_digest(open_time, open, high, low, close, volume), ''::bytea order by open_time)
    from added group by venue, instrument, timeframe;
  end if;
  return null;
end $$;
create trigger stretch_of_new after insert on candles referencing new table as added for each statement execute function note_candle_stretch();
create trigger stretch_of_corrected after update on candles referencing new table as added for each statement execute function note_candle_stretch();
alter table candles enable always trigger stretch_of_new;
alter table candles enable always trigger stretch_of_corrected;

-- What each cut held: SHA-256 over the lines `instrument hash` of its observations, by instrument.
create table cut_batches (
  slot bigint primary key,
  source text not null,
  instruments int not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$')
);
select make_append_only('cut_batches');
-- The evaluator checks what it judges by.
grant select on tick_batches, cut_batches, candle_stretches, cuts, observations, candles, fills, steps, members, books, vaults, vault_marks to sevengate_evaluator;

-- Where the trail was kept without signatures before: sums of the decisions, cuts and bars that are there, for the genesis.
create function trail_sum_up() returns void language plpgsql set search_path = public, pg_temp as $$
begin
  insert into cut_batches (slot, source, instruments, digest)
  select c.slot, c.source, c.instruments, encode(sha256(convert_to(coalesce(o.lines, ''), 'UTF8')), 'hex')
  from cuts c left join lateral (
    select string_agg(instrument || ' ' || hash || chr(10), '' order by instrument collate "C") as lines from observations where slot = c.slot
  ) o on true on conflict do nothing;
  insert into tick_batches (period_ms, shard, from_slot, slot, decisions, digest)
  select a.tick_period_ms, a.shard, d.slot / 86400000 * 86400000 - 1, max(d.slot), count(*),
    encode(sha256(convert_to(string_agg(d.agent_id || ' ' || d.slot || ' ' || encode(d.hash, 'hex') || chr(10), '' order by d.slot, d.agent_id), 'UTF8')), 'hex')
  from decisions d join actors a on a.id = d.agent_id where a.tick_period_ms is not null
  group by a.tick_period_ms, a.shard, d.slot / 86400000 on conflict do nothing;
  insert into candle_stretches (venue, instrument, timeframe, source, received_at, first_open, last_open, bars, digests)
  select venue, instrument, timeframe, 'genesis', max(received_at), min(open_time), max(open_time), count(*),
    string_agg(candle_digest(open_time, open, high, low, close, volume), ''::bytea order by open_time)
  from (select *, (row_number() over (partition by venue, instrument, timeframe order by open_time) - 1) / 10000 as part from candles) c
  group by venue, instrument, timeframe, part;
end $$;
revoke execute on function trail_sum_up() from public;

-- A cut is taken only of a slot that has come. (A second of grace: clocks of the same machine differ by less.)
create function check_cut_time() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.slot > gate_now() + 1000 and exists (select 1 from trail_writers) then
    raise exception 'slot % has not come yet', to_timestamp(new.slot / 1000.0) using errcode = 'check_violation', constraint = 'cut_of_the_past';
  end if;
  return new;
end $$;
create trigger cut_of_the_past before insert on cuts for each row execute function check_cut_time();
alter table cuts enable always trigger cut_of_the_past;

-- What lies in an agent's live book by its ledger: cash, and positions at the middle of the newest cut's live quotes; null
-- where a position has none in a cut of the last three minutes.
create function vault_worth(agent uuid) returns table (equity_usd numeric, positions bigint) language sql stable set search_path = public, pg_temp as $$
  with held as (
    select a.kind, a.asset, sum(l.amount) as amount from ledger_accounts a join ledger_legs l on l.account_id = a.id
    where a.book_id = 'agent:' || agent || ':live' and a.kind in ('cash', 'position') group by 1, 2 having sum(l.amount) <> 0
  ), cut as (
    select slot from cuts where slot >= gate_now() - 180000 order by slot desc limit 1
  ), priced as (
    select h.kind, h.amount * case h.kind when 'cash' then 1 else (
      select case when o.body::jsonb #>> '{quote,quality}' = 'live' then (o.body::jsonb #>> '{quote,mid}')::numeric end
      from observations o where o.slot = (select slot from cut) and o.instrument = h.asset) end as usd
    from held h
  )
  select case when bool_or(usd is null) then null else coalesce(sum(usd), 0) end, count(*) filter (where kind = 'position') from priced
$$;
revoke execute on function vault_worth(uuid) from public;

create or replace function admit_vault_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  vault vaults;
  agent_stage text;
  owned numeric;
  worth record;
  whole numeric;
begin
  select stage into agent_stage from agents where id = new.agent_id for share;
  insert into vaults (agent_id) values (new.agent_id) on conflict do nothing;
  select * into vault from vaults where agent_id = new.agent_id for update;
  if new.change <> vault.changes + 1 then
    raise exception 'the next change of this vault is number %, not %', vault.changes + 1, new.change
      using errcode = 'unique_violation', constraint = 'vault_changes_pkey';
  end if;
  if new.stage <> agent_stage then
    raise exception 'the agent stands at %, not at %', agent_stage, new.stage using errcode = 'unique_violation', constraint = 'vault_changes_pkey';
  end if;
  if new.rounding_usd < vault.rounding_usd then
    raise exception 'the rounding account only grows' using errcode = 'check_violation';
  end if;
  -- A share costs what the ledger and the newest cut make of it.
  select * into worth from vault_worth(new.agent_id);
  whole := worth.equity_usd - vault.rounding_usd;
  if vault.total_shares = 0 then
    if new.share_price_usd <> 1 then
      raise exception 'the first share of a vault costs 1 dollar, not %', new.share_price_usd using errcode = 'check_violation', constraint = 'vault_price';
    end if;
  elsif worth.positions = 0 then
    if new.share_price_usd * vault.total_shares > greatest(whole, 0) or (new.share_price_usd + 0.000000001) * vault.total_shares <= whole then
      raise exception '% shares of % dollars do not cost % each', vault.total_shares, whole, new.share_price_usd using errcode = 'check_violation', constraint = 'vault_price';
    end if;
  elsif exists (select 1 from trail_writers) then
    if worth.equity_usd is null then
      raise exception 'no cut of the last three minutes has a live quote of every position of this vault' using errcode = 'check_violation', constraint = 'vault_price';
    end if;
    if abs(new.share_price_usd * vault.total_shares - whole) > abs(whole) * 0.05 then
      raise exception '% shares cost % dollars at the newest cut, not % each', vault.total_shares, whole, new.share_price_usd using errcode = 'check_violation', constraint = 'vault_price';
    end if;
  end if;
  if new.kind = 'deposit' then
    if new.shares * new.share_price_usd > new.amount_usd or (new.shares + 0.000000001) * new.share_price_usd <= new.amount_usd then
      raise exception '% dollars buy no % shares at %', new.amount_usd, new.shares, new.share_price_usd using errcode = 'check_violation';
    end if;
    if vault.allocated_usd + new.amount_usd > vault_ceiling_usd(new.agent_id) then
      raise exception 'at % this vault may hold % dollars; it holds % and % more were paid in', agent_stage, vault_ceiling_usd(new.agent_id), vault.allocated_usd, new.amount_usd
        using errcode = 'check_violation', constraint = 'vault_ceiling';
    end if;
    update vaults set total_shares = total_shares + new.shares, allocated_usd = allocated_usd + new.amount_usd,
      rounding_usd = new.rounding_usd, changes = new.change,
      -- The first share after none sets a new mark.
      high_water_usd = case when vault.total_shares = 0 then new.share_price_usd else greatest(high_water_usd, new.share_price_usd) end,
      high_water_at = case when vault.total_shares = 0 or new.share_price_usd > high_water_usd then new.at else high_water_at end
      where agent_id = new.agent_id;
  else
    select coalesce(sum(case kind when 'deposit' then shares else -shares end), 0) into owned
      from vault_changes where agent_id = new.agent_id and depositor = new.depositor;
    if new.shares > owned then
      raise exception '% owns % shares of this vault, not %', new.depositor, owned, new.shares using errcode = 'check_violation', constraint = 'vault_shares';
    end if;
    if new.amount_usd > new.shares * new.share_price_usd then
      raise exception '% shares at % are not worth % dollars', new.shares, new.share_price_usd, new.amount_usd using errcode = 'check_violation';
    end if;
    update vaults set total_shares = total_shares - new.shares, rounding_usd = new.rounding_usd, changes = new.change,
      allocated_usd = case when vault.total_shares = new.shares then 0 else round(allocated_usd * (1 - new.shares / vault.total_shares), 6) end
      where agent_id = new.agent_id;
  end if;
  return new;
end $$;

-- At the commit no payment out of a live book has left less than nothing in it.
create function check_cash() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  cash numeric;
  moved numeric;
begin
  select coalesce(sum(l.amount), 0), coalesce(sum(l.amount) filter (where l.transaction_id = new.id), 0) into cash, moved
    from ledger_accounts a join ledger_legs l on l.account_id = a.id where a.book_id = new.book_id and a.kind = 'cash';
  if cash < 0 and moved < 0 and exists (select 1 from books where id = new.book_id and mode = 'live') then
    raise exception 'transfer % leaves % dollars in book %', new.id, cash, new.book_id using errcode = 'check_violation', constraint = 'transfer_covered';
  end if;
  return null;
end $$;
create constraint trigger transfer_covered after insert on ledger_transactions deferrable initially deferred for each row
  when (new.kind = 'transfer') execute function check_cash();
alter table ledger_transactions enable always trigger transfer_covered;

-- Who belongs where and may do what is written by the owner of the tables alone.
revoke insert, update on members from sevengate_app;
revoke update (permissions, name) on members from sevengate_app;

-- Locks by name are taken by sessions that may write, and only in the name of what is there: whoever holds other locks could
-- stop the work. (Functions of the server itself can only be taken from everybody by a superuser; elsewhere an administrator does it.)
create function lock_delegation(id uuid, shared boolean) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if session_is_proven() and exists (select 1 from delegations d where d.id = lock_delegation.id) then
    if shared then
      perform pg_advisory_xact_lock_shared(hashtextextended('delegation ' || id, 0));
    else
      perform pg_advisory_xact_lock(hashtextextended('delegation ' || id, 0));
    end if;
  end if;
end $$;
create function lock_prepared_transactions(org uuid) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if session_is_proven() and exists (select 1 from organizations o where o.id = org) then
    perform pg_advisory_xact_lock(hashtextextended('prepared transactions ' || org, 0));
  end if;
end $$;
revoke execute on function lock_delegation(uuid, boolean), lock_prepared_transactions(uuid) from public;
grant execute on function lock_delegation(uuid, boolean), lock_prepared_transactions(uuid) to sevengate_app, sevengate_api;

do $$
declare
  taken regprocedure;
begin
  for taken in select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace
    and (proname ~ '^pg_(try_)?advisory_' or proname in ('pg_terminate_backend', 'pg_cancel_backend'))
  loop
    execute format('revoke execute on function %s from public', taken);
  end loop;
exception when insufficient_privilege then
  raise warning 'advisory locks and pg_terminate_backend stay open to every login of this database: only a superuser can take them away';
end $$;

select protect_organizations();
select protect_writes();
