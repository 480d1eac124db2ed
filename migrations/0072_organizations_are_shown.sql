-- A session that serves callers names an organization together with a proof of it, which only the process with the writer's key
-- can make: SHA-256 over a secret of that key and the organization's id. Whoever holds the session and no key sees the
-- organizations whose proofs it has been shown, and cannot turn to another one by `set_config`.
create table trail_organization_secrets (
  key_id text primary key references trail_writers,
  prover bytea not null check (length(prover) = 32)
);
create trigger append_only_rows before update or delete on trail_organization_secrets for each row execute function refuse_change();
alter table trail_organization_secrets enable always trigger append_only_rows;
create trigger append_only_table before truncate on trail_organization_secrets for each statement execute function refuse_change();
alter table trail_organization_secrets enable always trigger append_only_table;

-- Whether the organization that this session names, if any, is one that its key has vouched for. A key without a secret is of a
-- process from before, which shows none.
create function organization_is_shown() returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(current_setting('sevengate.organization', true), '') = '' or not exists (
    select 1 from trail_organization_secrets s where s.key_id = proven_key()
      and encode(sha256(s.prover || convert_to(current_setting('sevengate.organization', true), 'UTF8')), 'hex')
        is distinct from current_setting('sevengate.organization_proof', true))
$$;
revoke execute on function organization_is_shown() from public;

create or replace function session_is_proven() returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select (proven_key() is not null and organization_is_shown()) or not exists (select 1 from trail_writers) or session_is_owner()
$$;
