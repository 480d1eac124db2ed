-- Deposits of one organization into any of its vaults are paid from the same reserve: each is admitted alone, and what was paid in
-- since the comparison that backs it counts against that comparison.

-- All that was ever paid into vaults of the organization when its claims were read, in US dollars. Null of comparisons from before: they back nothing.
alter table reserve_checks add column deposited_usd numeric check (deposited_usd >= 0);
-- The comparison that backs a deposit; null where nothing real is at stake, and of withdrawals.
alter table vault_changes add column reserve_check bigint references reserve_checks;

-- What vaults of an organization claim at this moment, and all that was ever paid into them. US dollars.
create function vault_claims(org uuid) returns table (claimed_usd numeric, deposited_usd numeric)
language sql stable set search_path = public, pg_temp as $$
  select
    (select coalesce(sum(b.cash_usd), 0) from books b join vaults v on v.agent_id = b.agent_id where b.org_id = org and b.mode = 'live'),
    (select coalesce(sum(c.amount_usd), 0) from vault_changes c join agents a on a.id = c.agent_id where a.org_id = org and c.kind = 'deposit')
$$;

-- Admits a deposit that the newest comparison backs, beside every deposit before it. The organization's row is locked until the
-- commit, before anything of the vault is, so that each deposit sees the one before. (Its name lets it run before the other triggers.)
create function back_vault_deposit() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  org uuid;
  newest reserve_checks;
  present record;
  held numeric;
  claimed numeric;
  free numeric;
begin
  select org_id into org from agents where id = new.agent_id;
  perform 1 from organizations where id = org for no key update;
  select * into newest from reserve_checks where org_id = org order by number desc limit 1;
  if new.reserve_check is null then
    -- Where somebody compares, something real is at stake.
    if newest.at > new.at - 360000 then
      raise exception 'a deposit names the comparison that backs it' using errcode = 'check_violation', constraint = 'vault_backing';
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
  return new;
end $$;
create trigger vault_backed before insert on vault_changes for each row when (new.kind = 'deposit') execute function back_vault_deposit();
alter table vault_changes enable always trigger vault_backed;

select protect_organizations();
select protect_writes();
