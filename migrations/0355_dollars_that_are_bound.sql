-- Dollars that something else than a vault has bound, said once for deposits, armings and orders of people.

-- Dollars that a book has spent since a moment and not got back: accounts that were compared then still held them. US dollars.
create function spent_since(book text, since bigint) returns table (venue text, usd numeric)
language sql stable set search_path = public, pg_temp as $$
  select case split_part(f.instrument, ':', 1) when 'spotexchange' then 'spotexchange' else 'spotchain' end,
    greatest(sum(case f.side when 'buy' then f.notional_usd else -f.notional_usd end + f.fee_usd), 0)
  from fills f where f.book_id = book and f.at > since group by 1
$$;

-- A row for each live Take that may buy or hold something: the venue whose dollars pay for it, what is left of them, what it spent since
-- the newest comparison, and what was paid in. A Take that was closed buys nothing any more, whatever dust it keeps. The other rows are
-- purchases of people since that comparison. US dollars.
create function bound_dollars(org uuid) returns table (take_id uuid, venue text, cash_usd numeric, spent_usd numeric, capital_usd numeric)
language sql stable set search_path = public, pg_temp as $$
  with compared as (select at from reserve_checks where org_id = org order by number desc limit 1)
  select t.id, case split_part(readable_json(t.canonical) #>> '{asset,key}', ':', 1) when 'spotexchange' then 'spotexchange' else 'spotchain' end,
    greatest(b.cash_usd, 0), coalesce((select sum(s.usd) from compared c, spent_since(b.id, c.at) s), 0), b.capital_usd
  from takes t join books b on b.agent_id = t.id and b.mode = 'live'
  where t.org_id = org and t.mode = 'live' and (t.on_duty or b.holdings <> '[]' and t.state <> 'closed'
    or exists (select 1 from proposals p where p.agent_id = t.id and p.state in ('pending_approval', 'approved', 'executing', 'unknown')))
  union all
  select null, s.venue, 0, s.usd, 0 from books b, compared c, spent_since(b.id, c.at) s
  where b.org_id = org and b.agent_id is null and b.mode = 'live'
$$;
revoke execute on function spent_since(text, bigint), bound_dollars(uuid) from public;
grant execute on function spent_since(text, bigint), bound_dollars(uuid) to sevengate_app, sevengate_api;

-- Admits a deposit that the newest comparison backs, beside every deposit before it and the dollars that Takes and people have bound; of a
-- vault that trades at one venue only, by dollars that lie there. Deposits that name no comparison are paid from the simulated dollars
-- of a sandbox. The organization's row is locked until the commit, before anything of the vault is, so that each deposit sees the one
-- before. (Its name lets it run before the other triggers.)
create or replace function back_vault_deposit() returns trigger language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  org uuid;
  newest reserve_checks;
  present record;
  held numeric;
  armed numeric;
  claimed numeric;
  free numeric;
  venue text := vault_dollar_venue(new.agent_id);
begin
  select org_id into org from agents where id = new.agent_id;
  perform 1 from organizations where id = org for no key update;
  -- A live Take is armed under this lock: neither takes the dollars of the other.
  perform 1 from control where org_id = org for no key update;
  select * into newest from reserve_checks where org_id = org order by number desc limit 1;
  if new.reserve_check is null then
    -- Where somebody compares, something real is at stake.
    if newest.at > new.at - 360000 then
      raise exception 'a deposit names the comparison that backs it' using errcode = 'check_violation', constraint = 'vault_backing';
    end if;
    select coalesce(sum(capital_usd), 0) into armed from bound_dollars(org);
    free := sandbox_dollars() - sandbox_claims(org) - armed;
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
  select coalesce(sum(cash_usd + spent_usd), 0) into armed from bound_dollars(org);
  free := held - greatest(present.claimed_usd, claimed + present.deposited_usd - newest.deposited_usd) - armed;
  if free is null or free < new.amount_usd then
    raise exception '% dollars are free of what comparison % found, not %', free, new.reserve_check, new.amount_usd
      using errcode = 'check_violation', constraint = 'vault_backing';
  end if;
  if venue is not null then
    select coalesce(sum((place ->> 'usd')::numeric), 0) into held from jsonb_array_elements(newest.dollars -> 'places') place where place ->> 'venue' = venue;
    select coalesce(sum((line ->> 'claimed')::numeric), 0) into claimed from jsonb_array_elements(newest.lines) line where line ->> 'asset' = 'USD:' || venue;
    select coalesce(sum(cash_usd + spent_usd), 0) into armed from bound_dollars(org) a where a.venue = vault_dollar_venue(new.agent_id);
    free := held - claimed - (present.deposited_usd - newest.deposited_usd) - armed;
    if free is null or free < new.amount_usd then
      raise exception '% dollars are free at % of what comparison % found, not %', free, venue, new.reserve_check, new.amount_usd
        using errcode = 'check_violation', constraint = 'vault_backing';
    end if;
  end if;
  return new;
end $$;
drop function armed_takes(uuid);
