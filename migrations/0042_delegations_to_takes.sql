-- A wallet can be delegated to a Take as to an agent. `agent_id` names the actor that trades, `trader` says which kind it is:
-- the owner signs a text that says so too.

alter table delegations add column trader text not null default 'agent' check (trader in ('agent', 'take'));
alter table delegations alter column trader drop default;
alter table delegations drop constraint delegations_agent_id_fkey, add constraint delegations_agent_id_fkey foreign key (agent_id) references actors;
alter table delegated_orders drop constraint delegated_orders_agent_id_fkey,
  add constraint delegated_orders_agent_id_fkey foreign key (agent_id) references actors;

-- What the delegated signer asks of whoever trades: the pause that a circuit breaker ordered, and the word that closes positions.
create or replace view traders with (security_invoker = true) as
  select id, org_id, 'agent' as kind, stage, autonomy, manifest_version, manifest_hash, pause_cause is not null as paused,
    coalesce(pause_cause in ('daily_drawdown', 'data_degraded'), false) as paused_by_breaker, closing <> '[]' as closed_by_hand
  from agents
  union all
  select id, org_id, 'take', case mode when 'live' then 'live' else 'paper' end, 'policy_auto', manifest_version, manifest_hash, not on_duty,
    false, state = 'disarmed' and reason is not distinct from 'closing'
  from takes;

-- A delegation is of the organization of its agent or Take, and of that kind.
create function guard_delegated_trader() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from traders where id = new.agent_id and org_id = new.org_id and kind = new.trader) then
    raise exception 'a delegation belongs to the organization of its agent or Take' using errcode = 'check_violation';
  end if;
  return new;
end $$;
drop trigger delegation_of_its_organization on delegations;
create trigger delegation_of_its_organization before insert on delegations for each row execute function guard_delegated_trader();
alter table delegations enable always trigger delegation_of_its_organization;
