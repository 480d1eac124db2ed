-- Nothing comes under a token or a signal hook once its revocation is answered. Before, a request that had been let in just before it wrote
-- its proposal after it, which the verification of the trail complained about for ever.

-- That of 0019, which also refuses what comes under a revoked token or hook.
create or replace function guard_outside_proposal() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan as $$
declare
  ticked bigint;
  begun bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('outside proposal ' || new.agent_id, 0));
  select coalesce(t.last_slot, 0), coalesce(greatest(t.begun_slot, t.last_slot), 0) into ticked, begun
    from actors a left join tick_shards t on t.period_ms = a.tick_period_ms and t.shard = a.shard where a.id = new.agent_id;
  if exists (select 1 from agent_tokens t join agent_token_revocations r on r.token_id = t.id
      where t.agent_id = new.agent_id and 'agent-token:' || t.id = new.submitted_by)
    or exists (select 1 from signal_hooks h join signal_hook_revocations r on r.hook_id = h.id
      where h.agent_id = new.agent_id and 'signal:' || h.id = new.submitted_by) then
    raise exception '% was revoked', new.submitted_by using errcode = 'check_violation', constraint = 'outside_sender_may_propose';
  end if;
  -- A slot that nobody has ticked after 30 s is written as late: a proposal for it waits no longer.
  if exists (select 1 from outside_proposals where agent_id = new.agent_id and slot > ticked and slot > new.received_at - 30000) then
    raise exception 'an outside proposal of agent % waits for its slot', new.agent_id
      using errcode = 'unique_violation', constraint = 'one_outside_proposal_pending';
  end if;
  if begun >= new.slot then
    raise exception 'the slot % has begun', new.slot using errcode = 'check_violation', constraint = 'outside_before_slot_begins';
  end if;
  if not exists (select 1 from agents a where a.id = new.agent_id and a.org_id = new.org_id and is_external(a.id, a.manifest_version)) then
    raise exception 'agent % has no external strategy', new.agent_id using errcode = 'check_violation', constraint = 'outside_of_external_agent';
  end if;
  return new;
end $$;

-- A proposal is written before the revocation or not at all. One that was received while it waited for its turn came before it.
create function revoke_after_proposals() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set plan_cache_mode = force_generic_plan as $$
declare
  of_agent uuid;
begin
  if tg_table_name = 'agent_token_revocations' then select agent_id into of_agent from agent_tokens where id = new.token_id;
  else select agent_id into of_agent from signal_hooks where id = new.hook_id;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('outside proposal ' || of_agent, 0));
  new.revoked_at := greatest(new.revoked_at, (select received_at from outside_proposals where agent_id = of_agent order by number desc limit 1));
  return new;
end $$;
revoke execute on function revoke_after_proposals() from public;
create trigger proposals_awaited before insert on agent_token_revocations for each row execute function revoke_after_proposals();
create trigger proposals_awaited before insert on signal_hook_revocations for each row execute function revoke_after_proposals();
alter table agent_token_revocations enable always trigger proposals_awaited;
alter table signal_hook_revocations enable always trigger proposals_awaited;
