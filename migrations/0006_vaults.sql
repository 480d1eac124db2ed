-- Vaults: who owns what of an agent's live capital (spec section 2.12), and the ceilings of its stage (spec section 8).

-- The state of each vault: kept by the triggers below and by nobody else. Shares in units of 10^-9, money in US dollars.
create table vaults (
  agent_id uuid primary key references agents,
  total_shares numeric not null default 0 check (total_shares >= 0),
  -- Fractions of the stablecoin's smallest unit that no share stands for.
  rounding_usd numeric not null default 0 check (rounding_usd >= 0),
  -- What was paid in less what the shares taken back had cost: the capital that the ceilings are about.
  allocated_usd numeric not null default 0 check (allocated_usd >= 0),
  high_water_usd numeric not null default 1 check (high_water_usd > 0),
  high_water_at bigint,
  changes int not null default 0
);
grant select on vaults to sevengate_app;

-- Every deposit and withdrawal, numbered without a hole.
create table vault_changes (
  agent_id uuid not null references agents,
  change int not null check (change > 0),
  kind text not null check (kind in ('deposit', 'withdrawal')),
  depositor text not null check (depositor <> ''),
  amount_usd numeric not null check (amount_usd > 0 and scale(amount_usd) <= 6),
  shares numeric not null check (shares > 0 and scale(shares) <= 9),
  share_price_usd numeric not null check (share_price_usd > 0 and scale(share_price_usd) <= 9),
  -- The vault's rounding account afterwards.
  rounding_usd numeric not null,
  stage text not null,
  at bigint not null,
  request_id text not null,
  primary key (agent_id, change)
);
select make_append_only('vault_changes');
create index vault_changes_by_depositor on vault_changes (agent_id, depositor);

-- What a share was worth at a moment at which every position of the vault had a live quote.
create table vault_marks (
  agent_id uuid not null references vaults,
  at bigint not null,
  equity_usd numeric not null,
  share_price_usd numeric not null check (share_price_usd >= 0),
  primary key (agent_id, at)
);
select make_append_only('vault_marks');

-- How much capital a vault may hold at a stage: none on paper, a tenth of the mandate at limited_live, all of it at live.
create function vault_ceiling_usd(agent uuid) returns numeric language sql stable set search_path = public, pg_temp as $$
  select case a.stage when 'live' then 1 when 'limited_live' then 0.1 else 0 end * (m.canonical::jsonb ->> 'maxCapitalUsd')::numeric
  from agents a join manifests m on m.agent_id = a.id and m.version = a.manifest_version where a.id = agent
$$;

-- Admits a deposit or a withdrawal, whoever writes it: the next number, the right arithmetic, within the ceiling, and
-- nobody takes more than is theirs. Then brings the vault's state up to date.
create function admit_vault_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  vault vaults;
  agent_stage text;
  owned numeric;
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
create trigger vault_change_admitted before insert on vault_changes for each row execute function admit_vault_change();
alter table vault_changes enable always trigger vault_change_admitted;

create function note_high_water() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update vaults set high_water_usd = new.share_price_usd, high_water_at = new.at
    where agent_id = new.agent_id and new.share_price_usd > high_water_usd and total_shares > 0;
  return new;
end $$;
create trigger vault_marked after insert on vault_marks for each row execute function note_high_water();
alter table vault_marks enable always trigger vault_marked;

-- An agent that comes to limited_live with more in its vault than a tenth of its mandate has to give back first.
create function guard_live_capital() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  allocated numeric;
  most numeric;
begin
  if new.stage <> 'limited_live' or old.stage = 'limited_live' then
    return new;
  end if;
  select allocated_usd into allocated from vaults where agent_id = new.id;
  select (canonical::jsonb ->> 'maxCapitalUsd')::numeric / 10 into most from manifests where agent_id = new.id and version = new.manifest_version;
  if coalesce(allocated, 0) > most then
    raise exception 'the vault holds % dollars, at limited_live it may hold %', allocated, most using errcode = 'check_violation', constraint = 'vault_ceiling';
  end if;
  return new;
end $$;
create trigger agent_live_capital before update on agents for each row execute function guard_live_capital();
alter table agents enable always trigger agent_live_capital;
