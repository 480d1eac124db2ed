-- Roles and logins, rows that stay, and clocks: what every other file builds on. Migrations run as the owner of the tables; the service
-- works as sevengate_app, what serves callers as sevengate_api, the evaluator writes evidence alone, and the reader sees everything and
-- changes nothing. Every function names its search path with pg_temp last: a temporary table of the caller must not pass for one of ours.

do $$
declare
  role_name text;
begin
  foreach role_name in array array['sevengate_app', 'sevengate_api', 'sevengate_evaluator', 'sevengate_reader'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role(current_user, role_name, 'member') then
      execute format('grant %I to %I', role_name, current_user);
    end if;
  end loop;
end $$;
grant select on all tables in schema public to sevengate_reader;
alter default privileges in schema public grant select on tables to sevengate_reader;

-- A login of this database that may be one role and nothing else. Roles belong to the whole server: each database has its own. Two
-- processes that start at once may do it at the same moment; the loser tries again. The settings of a login count at its next
-- connection, and a login may change its own (read-only transactions, for example): the start gives it back what the service works with.
create function ensure_login(name text, of_role text, secret text) returns text language plpgsql set search_path = public, pg_temp as $$
declare
  login text := (select name || '_' || oid from pg_database where datname = current_database());
begin
  if exists (select 1 from pg_roles where rolname = login) then
    execute format('alter role %I login noinherit password %L', login, secret);
    execute format('alter role %I reset all', login);
    execute format('alter role %I in database %I reset all', login, current_database());
  else
    execute format('create role %I login noinherit password %L in role %I', login, secret, of_role);
  end if;
  return login;
exception when internal_error or duplicate_object or unique_violation then
  raise exception 'the login % is being made by somebody else', login using errcode = 'serialization_failure';
end $$;
revoke execute on function ensure_login(text, text, text) from public;

-- What an append-only table answers to UPDATE, DELETE and TRUNCATE, whoever asks.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;

-- Makes a table append-only; the application reads it and adds to it.
create function make_append_only(target regclass) returns void language plpgsql as $$
begin
  execute format('create trigger append_only_rows before update or delete on %s for each row execute function refuse_change()', target);
  execute format('create trigger append_only_table before truncate on %s for each statement execute function refuse_change()', target);
  execute format('alter table %s enable always trigger append_only_rows', target);
  execute format('alter table %s enable always trigger append_only_table', target);
  execute format('grant select, insert on %s to sevengate_app', target);
end $$;

-- Tables of which old rows go some day have one of these in place of `refuse_change`.

-- What the feeds hand to whoever resumes is kept for some days: announcements are copies of rows that are logged elsewhere.
create function refuse_change_of_recent() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < extract(epoch from clock_timestamp() - interval '1 day') * 1000 then
    return old;
  end if;
  raise exception 'rows of % of the last day are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;

-- Nobody takes a row away, but of a stretch of history that was moved to archive files (0018_history.sql).
create function refuse_change_of_kept() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' and old.slot < (select max(until_slot) from moved_history) then
    return old;
  end if;
  raise exception 'rows of % are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;

-- Nobody takes a row away, but one that was moved. That leaves nothing to sign: the row is in the file as it was signed.
create function refuse_change_of_unmoved() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'steps' then
    if exists (select 1 from moved_actors where actor_id = old.actor_id) then
      return old;
    end if;
  elsif tg_op = 'DELETE' and tg_table_name = 'tick_inputs' then
    if old.slot < inputs_moved_until() then
      return old;
    end if;
  elsif tg_op = 'DELETE' then
    if old.seq < (select max(audit_until) from moved_history) then
      return old;
    end if;
  end if;
  raise exception 'rows of % are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;

-- Reads stored text as JSON, or null where it is not JSON. A query over rows of several organizations uses it, so that one
-- unreadable row does not fail the query for all of them.
create function readable_json(stored text) returns jsonb language plpgsql immutable parallel safe set search_path = pg_catalog as $$
begin
  return stored::jsonb;
exception when others then
  return null;
end $$;

-- Elements of a JSON array, or no rows where the value is not an array.
create function readable_elements(stored jsonb) returns setof jsonb language sql immutable parallel safe set search_path = pg_catalog as $$
  select jsonb_array_elements(case when jsonb_typeof(stored) = 'array' then stored else '[]' end)
$$;

-- The time of a sandbox may be moved on. A database whose time was ever moved says so for ever: what is written from then on
-- is simulated, and no real venue, chain or exchange is reached beside it.
create table simulated_time (
  only_one boolean primary key default true check (only_one),
  -- How far the service's time is ahead of this server's, in milliseconds.
  ahead_ms bigint not null check (ahead_ms > 0),
  -- The service's time when it was moved first, in milliseconds since 1970.
  since bigint not null
);

-- Time only moves forward.
create function keep_simulated_time() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'a database whose time was moved stays simulated' using errcode = 'check_violation';
  end if;
  if new.ahead_ms < old.ahead_ms or new.since <> old.since then
    raise exception 'the time of a sandbox only moves forward' using errcode = 'check_violation';
  end if;
  return new;
end
$$;
create trigger simulated_time_stays before update or delete on simulated_time for each row execute function keep_simulated_time();
alter table simulated_time enable always trigger simulated_time_stays;
create trigger simulated_time_is_not_emptied before truncate on simulated_time for each statement execute function keep_simulated_time();
alter table simulated_time enable always trigger simulated_time_is_not_emptied;

-- How far the time was moved, and since when; no row where it never was.
create function simulated() returns table (ahead_ms bigint, since bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select ahead_ms, since from simulated_time
$$;

-- Whether what was written at a time is simulated.
create function is_simulated(at bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select 1 from simulated_time where since <= at)
$$;

-- The time of record in milliseconds since 1970: this server's clock, ahead by what the sandbox was moved on.
create function record_clock_ms() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint + coalesce((select ahead_ms from simulated_time), 0)
$$;

-- How far the service's time is ahead of this server's, in milliseconds. No row in a real deployment: only whoever owns
-- the schema may set one, for simulations and tests that live at another time.
create table clock_shift (
  only_one boolean primary key default true check (only_one),
  ms bigint not null
);

-- The service's time in milliseconds since 1970.
create function service_clock_ms() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  select record_clock_ms() + coalesce((select ms from clock_shift), 0)
$$;

-- The clock of the gates in milliseconds: when evidence was written and how long a stage has lasted. Only the owner could replace it.
create function gate_now() returns bigint
language sql volatile set search_path = public, pg_temp as $$ select record_clock_ms() $$;

-- Whoever could take locks by name or end sessions could stop the work. Functions of the server itself can only be taken from everybody
-- by a superuser; elsewhere an administrator does it.
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
