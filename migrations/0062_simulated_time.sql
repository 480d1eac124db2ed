-- The time of a sandbox may be moved on. A database whose time was ever moved says so for ever: what is written from then on
-- is simulated, and no real venue, chain or exchange is reached beside it.
create table simulated_time (
  only_one boolean primary key default true check (only_one),
  -- How far the service's time is ahead of this server's, in milliseconds.
  ahead_ms bigint not null check (ahead_ms > 0),
  -- The service's time when it was moved first, in milliseconds since 1970.
  since bigint not null
);

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
revoke all on simulated_time from public;

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

create or replace function service_clock_ms() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  select record_clock_ms() + coalesce((select ms from clock_shift), 0)
$$;

create or replace function gate_now() returns bigint
language sql volatile set search_path = public, pg_temp as $$ select record_clock_ms() $$;

-- Batches are signed by the time of record.
-- What the present transaction has changed so far, for its writer to sign.
create or replace function trail_open_changes() returns table (xid text, at bigint, name text, op text, key text, digest text)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.xid::text, (select record_clock_ms()), c.name, c.op, c.key, encode(c.digest, 'hex')
  from trail_changes c where c.xid = pg_current_xact_id_if_assigned() order by c.seq
$$;

-- Puts the writer's signature under the present transaction.
create or replace function trail_seal(of_key text, signed_at bigint, signed_changes int, signed_root text, signed text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if proven_key() is distinct from of_key then
    raise exception 'this session has not shown the secret of key %', of_key using errcode = 'insufficient_privilege';
  end if;
  if abs(signed_at - record_clock_ms()) > 60000 then
    raise exception 'a batch is signed when it is written' using errcode = 'check_violation';
  end if;
  update trail_batches set key_id = of_key, at = signed_at, changes = signed_changes, root = signed_root, signature = signed
    where xid = pg_current_xact_id() and signature is null;
  if not found then
    raise exception 'this transaction has nothing to sign, or was signed before' using errcode = 'check_violation';
  end if;
end $$;
