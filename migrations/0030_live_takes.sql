-- Takes on real capital: a Take that is armed live trades through a live book of its own, which begins with its allocation.

alter table takes drop constraint takes_mode_check, add constraint takes_mode_check check (mode in ('paper', 'live'));

create or replace view traders with (security_invoker = true) as
  select id, org_id, 'agent' as kind, stage, autonomy, manifest_version, manifest_hash, pause_cause is not null as paused from agents
  union all
  select id, org_id, 'take', case mode when 'live' then 'live' else 'paper' end, 'policy_auto', manifest_version, manifest_hash, not on_duty from takes;

-- The allocation of a Take enters its live book once, under its own name and to the last digit; an agent's capital comes through its vault.
create or replace function check_live_transfer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  agent uuid;
  allocation numeric;
  moved numeric;
begin
  if new.kind not in ('opening', 'transfer') then
    return null;
  end if;
  select agent_id into agent from books where id = new.book_id and mode = 'live';
  if agent is null then
    return null;
  end if;
  select (canonical::jsonb ->> 'allocationUsd')::numeric into allocation from takes where id = agent and mode = 'live';
  if allocation is not null and new.id = 'transfer:take:' || agent then
    select coalesce(sum(l.amount), 0) into moved from ledger_legs l join ledger_accounts a on a.id = l.account_id
      where l.transaction_id = new.id and a.kind = 'cash' and a.book_id = new.book_id;
    if moved <> allocation then
      raise exception '% pays % dollars into the live book of a Take that was allocated %', new.id, moved, allocation
        using errcode = 'check_violation', constraint = 'live_money_by_vault';
    end if;
    return null;
  end if;
  if not exists (
    select 1 from vault_changes v where v.agent_id = agent and new.id = 'transfer:vault:' || v.agent_id || ':' || v.change) then
    raise exception '% pays into or out of the live book of agent % beside its vault', new.id, agent using errcode = 'check_violation', constraint = 'live_money_by_vault';
  end if;
  return null;
end $$;
