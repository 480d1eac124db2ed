-- Deposits that name no comparison are paid from the simulated dollars of a sandbox, which all vaults of an organization share.

-- Simulated dollars of each organization in a sandbox.
create function sandbox_dollars() returns numeric language sql immutable as $$ select 100000::numeric $$;

-- Simulated dollars that were paid into vaults of the organization and not paid out again.
create function sandbox_claims(org uuid) returns numeric language sql stable set search_path = public, pg_temp as $$
  select coalesce(sum(case c.kind when 'deposit' then c.amount_usd else -c.amount_usd end), 0)
  from vault_changes c join agents a on a.id = c.agent_id where a.org_id = org
$$;

create or replace function back_vault_deposit() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  org uuid;
  newest reserve_checks;
  present record;
  held numeric;
  claimed numeric;
  free numeric;
  venue text := vault_dollar_venue(new.agent_id);
begin
  select org_id into org from agents where id = new.agent_id;
  perform 1 from organizations where id = org for no key update;
  select * into newest from reserve_checks where org_id = org order by number desc limit 1;
  if new.reserve_check is null then
    -- Where somebody compares, something real is at stake.
    if newest.at > new.at - 360000 then
      raise exception 'a deposit names the comparison that backs it' using errcode = 'check_violation', constraint = 'vault_backing';
    end if;
    free := sandbox_dollars() - sandbox_claims(org);
    if free < new.amount_usd then
      raise exception '% simulated dollars are free, not %', free, new.amount_usd using errcode = 'check_violation', constraint = 'vault_backing';
    end if;
    return new;
  end if;
  if newest.number is distinct from new.reserve_check then
    raise exception 'comparison % is not the newest of the organization', new.reserve_check using errcode = 'check_violation', constraint = 'vault_backing';
  end if;
  if newest.verdict <> 'backed' or newest.deposited_usd is null or abs(new.at - newest.at) > 360000 then
    raise exception 'comparison % backs nothing', new.reserve_check using errcode = 'check_violation', constraint = 'vault_backing';
  end if;
  select (line ->> 'held')::numeric, (line ->> 'claimed')::numeric into held, claimed
    from jsonb_array_elements(newest.lines) line where line ->> 'asset' = 'USD';
  select * into present from vault_claims(org);
  free := held - greatest(present.claimed_usd, claimed + present.deposited_usd - newest.deposited_usd);
  if free is null or free < new.amount_usd then
    raise exception '% dollars are free of what comparison % found, not %', free, new.reserve_check, new.amount_usd
      using errcode = 'check_violation', constraint = 'vault_backing';
  end if;
  if venue is not null then
    select coalesce(sum((place ->> 'usd')::numeric), 0) into held from jsonb_array_elements(newest.dollars -> 'places') place where place ->> 'venue' = venue;
    select coalesce(sum((line ->> 'claimed')::numeric), 0) into claimed from jsonb_array_elements(newest.lines) line where line ->> 'asset' = 'USD:' || venue;
    free := held - claimed - (present.deposited_usd - newest.deposited_usd);
    if free is null or free < new.amount_usd then
      raise exception '% dollars are free at % of what comparison % found, not %', free, venue, new.reserve_check, new.amount_usd
        using errcode = 'check_violation', constraint = 'vault_backing';
    end if;
  end if;
  return new;
end $$;

select protect_writes();
