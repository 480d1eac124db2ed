-- Rows that a database password cannot forge. Every table takes changes only from sessions that have shown a secret of the
-- service's key files. Tables that evidence, authority or money rest on are logged: each changed row leaves its digest in the
-- transaction's batch, and a transaction whose batch nobody signed is refused at its commit. Signatures are Ed25519 and are
-- checked outside of the database, from public keys alone. Nothing of this holds before the first writer is registered.

-- The writers' public keys, and the SHA-256 of what their sessions show. Only the owner of the tables registers one.
create table trail_writers (
  key_id text primary key check (key_id ~ '^[0-9a-f]{8}$'),
  writer text not null check (writer in ('feed', 'worker', 'evaluator', 'api', 'log', 'owner')),
  public_key bytea not null check (length(public_key) = 32),
  session_digest bytea not null unique check (length(session_digest) = 32),
  registered_at timestamptz not null default clock_timestamp()
);
grant select on trail_writers to sevengate_app, sevengate_evaluator;

-- A writer's key that somebody may know is retired: its sessions change nothing any more, and what it signs later counts for nothing.
-- What it signed before stays as it is.
create table trail_retirements (
  key_id text primary key references trail_writers,
  retired_at timestamptz not null default clock_timestamp(),
  reason text not null check (length(btrim(reason)) between 3 and 500 and position(chr(10) in reason) = 0)
);
grant select on trail_retirements to sevengate_app, sevengate_evaluator;

-- A session that serves callers names an organization together with a proof of it, which only the process with the writer's key
-- can make: SHA-256 over a secret of that key and the organization's id. Whoever holds the session and no key sees the
-- organizations whose proofs it has been shown, and cannot turn to another one by `set_config`.
create table trail_organization_secrets (
  key_id text primary key references trail_writers,
  prover bytea not null check (length(prover) = 32)
);

-- How each table is protected. A table that is not listed is logged: leaving one out takes a reason.
create table trail_tables (
  name text primary key,
  -- logged: each changed row leaves its digest in the transaction's batch. summed: a statement leaves one digest over its rows where it
  -- changes them alone, and the transaction is refused at its commit unless its writer signs it; beside a step, a command or a tick it
  -- costs nothing, for that transaction is signed already. guarded: only the session has to show whose it is.
  mode text not null check (mode in ('logged', 'summed', 'guarded')),
  reason text not null check (reason <> ''),
  -- The columns when its rows were logged last: other columns give the same row another digest.
  shape text,
  -- Columns of a summed table whose change alone nobody signs: claims of work, and how long a lease lasts.
  unsigned_columns text[] not null default '{}',
  -- SQL over a row named r of a summed table: nobody signs that such a row is removed.
  unsigned_removal text not null default 'false',
  -- Whether somebody assesses by its rows: then the newest leaf of each row stays when leaves move to archive files.
  assessed boolean not null default true,
  -- The writers that may change it. A session shows by its secret whose it is, and a batch by its key who signed it: the key of one
  -- process is no help against the tables of another.
  writers text[] not null default '{worker,api}'
);
grant select on trail_tables to sevengate_app, sevengate_evaluator;

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
grant select on trail_batches to sevengate_app, sevengate_evaluator;

-- The digest of every row that was written, in the order of writing within its transaction.
create table trail_changes (
  xid xid8 not null,
  seq bigint generated always as identity,
  name text not null,
  op text not null check (op in ('insert', 'update', 'delete', 'genesis', 'sum')),
  key text not null,
  digest bytea not null,
  primary key (xid, seq)
);
-- By the hash of the row's key, which takes less than the key.
create index trail_changes_by_row on trail_changes (name, hashtext(key), seq);
grant select on trail_changes to sevengate_app, sevengate_evaluator;

-- The order of the batches: the log that checkpoints are about.
create table trail_log (
  index bigint primary key check (index >= 0),
  xid xid8 not null unique references trail_batches
);
grant select on trail_log to sevengate_app, sevengate_evaluator;

-- States of the log, signed in the form of C2SP tlog-checkpoint. `frontier` are the roots of its complete subtrees.
create table trail_checkpoints (
  size bigint primary key check (size > 0),
  note text not null,
  frontier bytea[] not null,
  at bigint not null
);
grant select on trail_checkpoints to sevengate_app, sevengate_evaluator;

-- Batches of which some leaves stay and the others have moved: `places` of those that stay among all leaves of the batch (from
-- 0, in the order of writing), and the SHA-256 roots of the subtrees that moved whole, from left to right. Together they make the root.
create table trail_thinned_batches (
  xid xid8 primary key references trail_batches,
  places int[] not null check (cardinality(places) > 0),
  hashes bytea not null check (length(hashes) > 0 and length(hashes) % 32 = 0)
);
grant select on trail_thinned_batches to sevengate_app, sevengate_evaluator;

-- Nobody but the triggers and functions below writes any of them.
do $$
declare
  target text;
begin
  foreach target in array array['trail_writers', 'trail_retirements', 'trail_organization_secrets', 'trail_log', 'trail_checkpoints', 'trail_thinned_batches'] loop
    execute format('create trigger append_only_rows before update or delete on %I for each row execute function refuse_change()', target);
  end loop;
  -- Leaves may go once they have moved (0018_history.sql).
  create trigger append_only_rows before update on trail_changes for each row execute function refuse_change();
  foreach target in array array['trail_retirements', 'trail_organization_secrets', 'trail_changes', 'trail_thinned_batches'] loop
    execute format('alter table %I enable always trigger append_only_rows', target);
  end loop;
  foreach target in array array['trail_writers', 'trail_retirements', 'trail_organization_secrets', 'trail_tables', 'trail_batches', 'trail_changes', 'trail_log',
    'trail_checkpoints', 'trail_thinned_batches'] loop
    execute format('create trigger append_only_table before truncate on %I for each statement execute function refuse_change()', target);
    execute format('alter table %I enable always trigger append_only_table', target);
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

-- Sessions: whose they are, and what they may change.

-- Whether the login of this session may do as the owner of the tables does: migrations and repairs. What it writes is not refused; nobody signed it.
create function session_is_owner() returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select pg_has_role(session_user, current_user, 'member')
$$;
revoke execute on function session_is_owner() from public;

-- The key whose secret this session has shown at its opening, or null.
create function proven_key() returns text language sql stable security definer set search_path = public, pg_temp as $$
  select key_id from trail_writers w where session_digest = sha256(convert_to(current_setting('sevengate.proof', true), 'UTF8'))
    and not exists (select 1 from trail_retirements r where r.key_id = w.key_id)
$$;
revoke execute on function proven_key() from public;

-- Whether the organization that this session names, if any, is one that its key has vouched for. A key without a secret is of a
-- process from before, which shows none.
create function organization_is_shown() returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(current_setting('sevengate.organization', true), '') = '' or not exists (
    select 1 from trail_organization_secrets s where s.key_id = proven_key()
      and encode(sha256(s.prover || convert_to(current_setting('sevengate.organization', true), 'UTF8')), 'hex')
        is distinct from current_setting('sevengate.organization_proof', true))
$$;
revoke execute on function organization_is_shown() from public;

-- Whether this session may read and change anything. Before the first writer is registered every session may.
create function session_is_proven() returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select (proven_key() is not null and organization_is_shown()) or not exists (select 1 from trail_writers) or session_is_owner()
$$;
revoke execute on function session_is_proven() from public;
grant execute on function session_is_proven() to sevengate_api;

-- Statements: the session's writer is one of the table's, and its key is not retired.
create function guard_writer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from trail_writers w join trail_tables t on t.name = tg_table_name and w.writer = any(t.writers)
  where w.session_digest = sha256(convert_to(current_setting('sevengate.proof', true), 'UTF8'))
    and not exists (select 1 from trail_retirements r where r.key_id = w.key_id);
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

-- Batches: signed at the commit.

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

-- What the present transaction has changed so far, for its writer to sign by the time of record.
create function trail_open_changes() returns table (xid text, at bigint, name text, op text, key text, digest text)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.xid::text, (select record_clock_ms()), c.name, c.op, c.key, encode(c.digest, 'hex')
  from trail_changes c where c.xid = pg_current_xact_id_if_assigned() order by c.seq
$$;
revoke execute on function trail_open_changes() from public;
grant execute on function trail_open_changes() to sevengate_app, sevengate_api, sevengate_evaluator;

-- What the feed tells actors: it has an actor take these events, and no other one.
create function feed_events() returns text[] language sql immutable set search_path = public, pg_temp as $$
  select array['feed.degraded', 'feed.restored']
$$;
revoke execute on function feed_events() from public;

-- The feed moves actors by what it tells them, and takes one off duty that cannot be told: nothing else of an actor or an agent is the
-- feed's. Rows that were there before the first key have no writer: whichever process signs first puts them on record, the feed as well.
create function check_feed_steps() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from trail_changes c join steps s on s.actor_id = split_part(c.key, ' ', 1)::uuid and s.version = split_part(c.key, ' ', 2)::bigint
    where c.xid = pg_current_xact_id() and c.name = 'steps' and c.op <> 'genesis' and not (s.event ->> 'type' = any(feed_events()) and s.cause = 'feed');
  if found then
    raise exception 'the feed has actors take its own events alone' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
  perform 1 from trail_changes c join actors a on a.id = c.key::uuid
    where c.xid = pg_current_xact_id() and c.name = 'actors' and c.op <> 'genesis' and a.status <> 'quarantined' and not exists (
      select 1 from trail_changes s where s.xid = c.xid and s.name = 'steps' and s.key = a.id || ' ' || a.version);
  if found then
    raise exception 'the feed moves an actor by a step alone' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
  perform 1 from trail_changes c join agents g on g.id = c.key::uuid join actors a on a.id = g.id
    where c.xid = pg_current_xact_id() and c.name = 'agents' and c.op <> 'genesis' and not (c.op = 'update' and a.status = 'quarantined' and g.pause_cause = 'quarantine');
  if found then
    raise exception 'the feed changes an agent only to take it off duty' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
end $$;
revoke execute on function check_feed_steps() from public;

-- Puts the writer's signature under the present transaction. The key that signs belongs to a writer of every table that the transaction
-- has changed.
create function trail_seal(of_key text, signed_at bigint, signed_changes int, signed_root text, signed text) returns void
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
revoke execute on function trail_seal(text, bigint, int, text, text) from public;
grant execute on function trail_seal(text, bigint, int, text, text) to sevengate_app, sevengate_api, sevengate_evaluator;

-- The log: its order and its signed states.

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
revoke execute on function trail_sequence(int) from public;
grant execute on function trail_sequence(int) to sevengate_app;

-- Keeps a signed state of the log as it is: one of entries to come would be the last for ever.
create function trail_checkpoint(of_size bigint, signed_note text, of_frontier bytea[], signed_at bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  entries bigint := (select coalesce(max(index) + 1, 0) from trail_log);
begin
  if not exists (select 1 from trail_writers w where w.key_id = proven_key() and w.writer = 'worker') then
    raise exception 'the log is kept by the worker' using errcode = 'insufficient_privilege';
  end if;
  if of_size <> entries then
    raise exception 'the log has % entries, not %', entries, of_size using errcode = 'check_violation', constraint = 'checkpoint_of_the_log';
  end if;
  insert into trail_checkpoints (size, note, frontier, at) values (of_size, signed_note, of_frontier, signed_at) on conflict do nothing;
end $$;
revoke execute on function trail_checkpoint(bigint, text, bytea[], bigint) from public;
grant execute on function trail_checkpoint(bigint, text, bytea[], bigint) to sevengate_app;

-- Tables: how each is made to leave its digests.

-- How a row's key and digest are computed: SQL over a row named r, or null where the table has no primary key.
create function trail_key_of(target regclass) returns text language sql stable set search_path = public, pg_temp as $$
  select string_agg(format('r.%I::text', a.attname), ' || '' '' || ' order by k.n)
  from pg_index i cross join unnest(i.indkey) with ordinality as k(attnum, n) join pg_attribute a on a.attrelid = target and a.attnum = k.attnum
  where i.indrelid = target and i.indisprimary
$$;
revoke execute on function trail_key_of(regclass) from public;

-- The columns of a table.
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

-- The digests that a logged table leaves. Digests of times are taken in UTC.
create function trail_log_function(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  key text := trail_key_of(target);
  name text := target::text;
  has_times boolean := exists (select 1 from pg_attribute where attrelid = target and attnum > 0 and not attisdropped
    and atttypid in ('timestamptz'::regtype, 'timestamptz[]'::regtype));
begin
  if key is null then
    raise exception '% has no primary key, which a logged table needs', target;
  end if;
  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan %4$s as $b$
    begin
      if not exists (select 1 from trail_writers) then
        return null;
      end if;
      if tg_op = 'INSERT' then
        insert into trail_changes (xid, name, op, key, digest)
        select pg_current_xact_id(), %2$L, 'insert', %3$s, sha256(convert_to(to_jsonb(r)::text, 'UTF8')) from added r;
      elsif tg_op = 'UPDATE' then
        insert into trail_changes (xid, name, op, key, digest)
        select pg_current_xact_id(), %2$L, 'update', %3$s, sha256(convert_to(to_jsonb(r)::text, 'UTF8')) from added r;
      else
        insert into trail_changes (xid, name, op, key, digest) select pg_current_xact_id(), %2$L, 'delete', %3$s, sha256(''::bytea) from removed r;
      end if;
      if found and not exists (select 1 from trail_batches where xid = pg_current_xact_id()) then
        insert into trail_batches (xid) values (pg_current_xact_id()) on conflict do nothing;
      end if;
      return null;
    end $b$ $f$, 'trail_of_' || name, name, key, case when has_times then 'set timezone = ''UTC''' else '' end);
  execute format('revoke execute on function %I() from public', 'trail_of_' || name);
end $$;
revoke execute on function trail_log_function(regclass) from public;

-- Makes a table's changes leave their digests.
create function trail_log_table(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  name text := target::text;
begin
  perform trail_log_function(target);
  execute format('create trigger trail_insert after insert on %s referencing new table as added for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('create trigger trail_update after update on %s referencing new table as added for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('create trigger trail_delete after delete on %s referencing old table as removed for each statement execute function %I()', target, 'trail_of_' || name);
  execute format('alter table %s enable always trigger trail_insert', target);
  execute format('alter table %s enable always trigger trail_update', target);
  execute format('alter table %s enable always trigger trail_delete', target);
end $$;
revoke execute on function trail_log_table(regclass) from public;

-- Makes a table's changes leave a sum where nothing else of their transaction is signed.
create function trail_sum_table(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  known trail_tables;
  summed text;
begin
  select * into known from trail_tables where name = target::text;
  summed := format('select pg_current_xact_id(), %L, ''sum'', lower(tg_op) || '' '' || count(*),
        sha256(convert_to(string_agg(to_jsonb(r)::text, chr(10) order by to_jsonb(r)::text), ''UTF8''))', known.name);
  execute format($f$
    create or replace function %1$I() returns trigger language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $b$
    begin
      -- Beside what is signed already, and before anybody signs, nothing is summed.
      if exists (select 1 from trail_batches where xid = pg_current_xact_id_if_assigned()) or not exists (select 1 from trail_writers) then
        return null;
      end if;
      if tg_op = 'INSERT' then
        insert into trail_changes (xid, name, op, key, digest) %2$s from added r having count(*) > 0;
      elsif tg_op = 'DELETE' then
        insert into trail_changes (xid, name, op, key, digest) %2$s from removed r where not (%3$s) having count(*) > 0;
      else
        insert into trail_changes (xid, name, op, key, digest) %2$s from added r
        where not exists (select 1 from removed o where to_jsonb(o) - %4$L::text[] = to_jsonb(r) - %4$L::text[]) having count(*) > 0;
      end if;
      if found then
        insert into trail_batches (xid) values (pg_current_xact_id()) on conflict do nothing;
      end if;
      return null;
    end $b$ $f$, 'trail_of_' || known.name, summed, known.unsigned_removal, known.unsigned_columns);
  execute format('revoke execute on function %I() from public', 'trail_of_' || known.name);
  execute format('create trigger trail_insert after insert on %s referencing new table as added for each statement execute function %I()', target, 'trail_of_' || known.name);
  execute format('create trigger trail_update after update on %s referencing old table as removed new table as added for each statement execute function %I()', target, 'trail_of_' || known.name);
  execute format('create trigger trail_delete after delete on %s referencing old table as removed for each statement execute function %I()', target, 'trail_of_' || known.name);
  execute format('alter table %s enable always trigger trail_insert', target);
  execute format('alter table %s enable always trigger trail_update', target);
  execute format('alter table %s enable always trigger trail_delete', target);
end $$;
revoke execute on function trail_sum_table(regclass) from public;

-- What no role of the service may write, because triggers keep it, is guarded where they are: their own statements are not asked again.
create function guarded_statements(target regclass) returns text language sql stable set search_path = public, pg_temp as $$
  select case when exists (select 1 from unnest(array['sevengate_app', 'sevengate_api', 'sevengate_evaluator']) as r(role)
      where has_any_column_privilege(role, target, 'insert') or has_any_column_privilege(role, target, 'update'))
    then 'insert or update or delete or truncate' else 'delete or truncate' end
$$;
revoke execute on function guarded_statements(regclass) from public;

-- Protects every table that is not protected yet, and logs anew what a migration gave other columns. `sevengate migrate` asks
-- for it after each migration.
create function protect_writes() returns void language plpgsql set search_path = public, pg_temp as $$
declare
  target regclass;
  known trail_tables;
  guarded text;
begin
  for target in select c.oid from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and c.relname <> 'migrations' and not starts_with(c.relname, 'trail_') order by c.relname
  loop
    insert into trail_tables (name, mode, reason) values (target::text, 'logged', 'evidence, authority or money may rest on it') on conflict do nothing;
    select * into known from trail_tables where name = target::text;
    guarded := guarded_statements(target);
    -- What a role may write since is guarded from now on.
    if not exists (select 1 from pg_trigger where tgrelid = target and tgname = 'proven_writer'
      and pg_get_triggerdef(oid) ilike '% before ' || case when guarded like 'insert%' then 'insert' else 'delete' end || '%') then
      execute format('drop trigger if exists proven_writer on %s', target);
      execute format('create trigger proven_writer before %s on %s for each statement execute function guard_writer()', guarded, target);
      execute format('alter table %s enable always trigger proven_writer', target);
    end if;
    if known.mode <> 'guarded' and not exists (select 1 from pg_trigger where tgrelid = target and tgname = 'trail_insert') then
      if known.mode = 'logged' then
        perform trail_log_table(target);
      else
        perform trail_sum_table(target);
      end if;
    end if;
    if known.mode = 'logged' and exists (select 1 from trail_writers) and known.shape is distinct from trail_shape_of(target) then
      perform trail_log_function(target);
      perform trail_genesis(target);
    end if;
    -- What serves callers reads nothing either before it has shown its secret.
    if exists (select 1 from pg_policy where polrelid = target and polname = 'organization_rows')
      and not exists (select 1 from pg_policy where polrelid = target and polname = 'proven_rows') then
      execute format('create policy proven_rows on %s as restrictive to sevengate_api using ((select session_is_proven()))', target);
    end if;
  end loop;
end $$;
revoke execute on function protect_writes() from public;

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
  insert into candle_stretches (venue, instrument, timeframe, is_real, source, received_at, first_open, last_open, bars, digests)
  select venue, instrument, timeframe, is_real, 'genesis', max(received_at), min(open_time), max(open_time), count(*),
    string_agg(candle_digest(open_time, open, high, low, close, volume), ''::bytea order by open_time)
  from (select *, (row_number() over (partition by venue, instrument, timeframe, is_real order by open_time) - 1) / 10000 as part from candles) c
  group by venue, instrument, timeframe, is_real, part;
end $$;
revoke execute on function trail_sum_up() from public;

-- The writers stand once more in src/adapters/store/trail/table-writers.ts, which the verifier uses; a test compares them.
insert into trail_tables (name, mode, reason, writers) values
  ('prediction_status_changes', 'logged', 'what positions are settled by', '{feed}'),
  ('activities', 'summed', 'what is still to be done and when it is tried again; asked for and answered by signed steps', '{worker,api}'),
  ('actor_checkpoints', 'summed', 'follows from the steps, which are logged; what is rebuilt is held against them', '{feed,worker,api}'),
  ('announcements', 'summed', 'copies of logged rows for whoever follows the feeds; what is announced alone is signed', '{feed,worker,api}'),
  ('candle_windows', 'summed', 'which stretches were asked for; their bars are signed by stretch', '{feed,worker,api}'),
  ('chain_tvl', 'summed', 'news; nothing is decided on it', '{feed}'),
  ('chain_tvl_days', 'summed', 'news; nothing is decided on it', '{feed}'),
  ('event_receptions', 'summed', 'when news was received; cuts hold what is decided on', '{feed}'),
  ('idempotency_keys', 'summed', 'answers that are repeated for two days, written with the signed command that they answer', '{worker,api}'),
  ('intelligence_events', 'summed', 'news; cuts hold what is decided on', '{feed}'),
  ('intelligence_reports', 'summed', 'news; cuts hold what is decided on', '{feed}'),
  ('leaderboard_events', 'summed', 'public histories', '{worker}'),
  ('leaderboard_progress', 'summed', 'how far the refresh is', '{worker}'),
  ('leaderboard_sales', 'summed', 'follows from public histories', '{worker}'),
  ('leaderboard_standings', 'summed', 'follows from public histories', '{worker,api}'),
  ('leaderboard_wallets', 'summed', 'what was read of public histories', '{worker,api}'),
  ('leases', 'summed', 'who is on duty and until when', '{feed,worker,api}'),
  ('macro_observations', 'summed', 'news; nothing is decided on it', '{feed}'),
  ('macro_releases', 'summed', 'news; nothing is decided on it', '{feed}'),
  ('moved_actors', 'summed', 'whose steps lie in which archive file; each step is logged, and verify-trail finds it in the file', '{worker}'),
  ('outside_inputs', 'summed', 'what outside code says it decided on, for 90 days; its hash is in the logged proposal', '{worker,api}'),
  ('pool_liquidity', 'summed', 'the market, as it was heard last; cuts hold what is decided on', '{feed}'),
  ('prediction_events', 'summed', 'the market, as it was heard last', '{feed}'),
  ('prediction_markets', 'summed', 'the market, as it was heard last; what it resolved to is logged', '{feed}'),
  ('prediction_trades', 'summed', 'the market, kept for a while', '{feed}'),
  ('recurring_work', 'summed', 'which slot of what recurs is done, and who is at the next', '{worker}'),
  ('social_posts', 'summed', 'news; nothing is decided on it', '{feed}'),
  ('tick_crashes', 'summed', 'how often a tick threw in a row; an actor goes into quarantine by it', '{worker}'),
  ('timers', 'summed', 'what is still to happen; set, fired and cancelled by signed steps, dropped alone under a signature', '{feed,worker,api}'),
  ('activity_workers', 'guarded', 'which workers divide the due work, for seconds; each activity is claimed under a signature', '{worker}'),
  ('book_exposures', 'guarded', 'kept by triggers; follows from books and proposals, which are logged, and is held against them', '{worker,api}'),
  ('candles', 'guarded', 'signed by stretch in candle_stretches', '{feed,worker,api}'),
  ('cuts', 'guarded', 'signed by slot in cut_batches', '{feed,worker}'),
  ('decision_rows', 'guarded', 'signed by tick in tick_batches', '{worker}'),
  ('decisions', 'guarded', 'signed by tick in tick_batches', '{worker}'),
  ('evaluation_runs', 'guarded', 'how far runs are, renewed while they work; what they found is in evaluation_reports and evidence', '{worker,api}'),
  ('execution_leases', 'guarded', 'orders on their way, for seconds; the orders themselves are logged', '{worker,api}'),
  ('exposures', 'guarded', 'kept by triggers; follows from books and proposals, which are logged, and is held against them', '{worker,api}'),
  ('gate_heads', 'guarded', 'kept by triggers; the chain that it ends is logged', '{worker,api,evaluator}'),
  ('long_work', 'guarded', 'how far long work is; nothing is proved by it', '{feed,worker,api}'),
  ('member_settings', 'guarded', 'how a member''s terminal is arranged; nothing acts on it', '{worker,api}'),
  ('observations', 'guarded', 'signed by slot in cut_batches', '{feed,worker}'),
  ('quarantined_rows', 'guarded', 'which rows a background loop could not handle; nothing acts on it', '{feed,worker,api}'),
  ('tick_shards', 'guarded', 'how far ticks are; the decisions of each tick are signed in tick_batches, and the verifier misses those of a slot that was passed over', '{worker}'),
  ('worked_organizations', 'guarded', 'which worker prefers whose work; each activity is claimed under a signature', '{worker}');
update trail_tables set unsigned_removal = 'r.state <> ''pending'' and r.ended_at < clock_timestamp() - interval ''1 day''' where name = 'activities';
update trail_tables set unsigned_removal = 'r.at < extract(epoch from clock_timestamp() - interval ''1 day'') * 1000' where name = 'announcements';

-- Logged like any table that is not listed here, with other writers than the worker and the API.
insert into trail_tables (name, mode, reason, writers)
select unnest(w.names), 'logged', 'evidence, authority or money may rest on it', w.writers from (values
  ('{evaluator}'::text[], array['evidence']),
  ('{feed,worker,api}', array['actors', 'agents', 'archived_reports', 'candle_imports', 'candle_stretches', 'event_archives', 'incidents',
    'market_history', 'source_origins', 'steps']),
  ('{feed,worker}', array['cut_batches']),
  ('{feed}', array['issuer_marks', 'shadow_windows', 'token_multipliers']),
  ('{owner}', array['cut_corrections', 'superseded_evidence']),
  ('{worker,api,owner}', array['vaults']),
  ('{worker,api}', array['audit', 'ledger_accounts', 'ledger_legs', 'ledger_transactions', 'proposals', 'trials']),
  ('{worker}', array['moved_history', 'prediction_settlements', 'tick_batches', 'tick_inputs', 'vault_marks'])
) as w(writers, names);

-- Nobody assesses by their rows.
update trail_tables set assessed = false
where name in ('actors', 'audit', 'ledger_accounts', 'ledger_legs', 'ledger_transactions', 'proposals', 'tick_batches', 'tick_inputs');
