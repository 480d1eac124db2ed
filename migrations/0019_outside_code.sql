-- External agents: their strategy is code outside of the service, which sends proposals under the mandate of a manifest, with tokens of its
-- own or by alerts of charts, and which answers history and stress scenarios in blind sessions.

create function is_external(of_agent uuid, of_version int) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce((select readable_json(canonical) -> 'strategy' ->> 'kind' = 'external' from manifests where agent_id = of_agent and version = of_version), false)
$$;

-- One row per outside proposal. `canonical` is the RFC 8785 text that `hash` is the SHA-256 of. It joins the slot that was next when
-- it was received, alone: one waits per agent.
create table outside_proposals (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  client_id text not null,
  slot bigint not null check (slot % 60000 = 0),
  received_at bigint not null,
  submitted_by text not null check (submitted_by <> ''),
  hash text not null,
  canonical text not null,
  constraint outside_hash_is_true check (encode(sha256(convert_to(canonical, 'UTF8')), 'hex') = hash),
  constraint outside_names_its_agent check (canonical::jsonb ->> 'agentId' = agent_id::text and canonical::jsonb ->> 'clientId' = client_id),
  constraint outside_received_before_slot check (received_at < slot and slot - received_at <= 120000),
  constraint one_outside_client_id unique (agent_id, client_id),
  constraint one_outside_proposal_per_slot unique (agent_id, slot)
);
select make_append_only('outside_proposals');
create index outside_proposals_by_agent on outside_proposals (agent_id, number desc);

-- One at a time for each agent: of two at once the second finds the first one waiting. Nothing comes under a token or a hook once its
-- revocation is answered.
create function guard_outside_proposal() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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
create trigger outside_of_external_agent before insert on outside_proposals for each row execute function guard_outside_proposal();
alter table outside_proposals enable always trigger outside_of_external_agent;

-- What the code says it decided on: the bytes for 90 days. Their hash stays in the proposal.
create table outside_inputs (
  proposal_id uuid primary key references outside_proposals,
  org_id uuid not null references organizations,
  received_at bigint not null,
  body text not null check (octet_length(body) <= 16384)
);
create index outside_inputs_by_time on outside_inputs (received_at);
grant select, insert on outside_inputs to sevengate_app;

-- Forgets inputs that were received before `before`, at most so many at a time; answers how many.
create function forget_outside_inputs(before bigint, most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten bigint;
begin
  if before > record_clock_ms() - 90 * 86400000::bigint then
    raise exception 'inputs are kept for 90 days' using errcode = 'check_violation';
  end if;
  with gone as (
    delete from outside_inputs where proposal_id in (
      select proposal_id from outside_inputs where received_at < before order by received_at limit most for update skip locked
    ) returning 1
  )
  select count(*) into forgotten from gone;
  return forgotten;
end $$;
revoke execute on function forget_outside_inputs(bigint, int) from public;
grant execute on function forget_outside_inputs(bigint, int) to sevengate_app;

-- Nothing of an external agent is sold, tokenized or evaluated, but by a session; and nothing else is evaluated by one.
create function refuse_external() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  evaluation text := case when tg_table_name = 'evaluation_runs' then to_jsonb(new) ->> 'evaluation' end;
  is_session boolean := evaluation is not null and coalesce(to_jsonb(new) -> 'request' ? 'session', false);
  external boolean := new.agent_id is not null and is_external(new.agent_id, case tg_table_name
    when 'launches' then (select manifest_version from agents where id = new.agent_id)
    else (to_jsonb(new) ->> 'manifest_version')::int end);
begin
  if is_session and not (external and evaluation <> 'sweep') then
    raise exception 'a session is the backtest, the stress test or the agreement of an external agent' using errcode = 'check_violation', constraint = 'session_of_external_agent';
  end if;
  -- The service asks at its own time, and no caller.
  if evaluation = 'agreement' and (current_user = 'sevengate_api' or not is_session) then
    raise exception 'the service alone asks for agreement' using errcode = 'check_violation', constraint = 'session_of_external_agent';
  end if;
  if external and not is_session then
    raise exception 'the strategy of this agent is code outside of the service: it is evaluated by sessions alone, and neither listed, tokenized nor swept'
      using errcode = 'check_violation', constraint = 'external_not_listable';
  end if;
  return new;
end $$;
create trigger external_not_listable before insert on marketplace_listings for each row execute function refuse_external();
create trigger external_not_listable before insert on launches for each row execute function refuse_external();
create trigger external_not_listable before insert on evaluation_runs for each row execute function refuse_external();
alter table marketplace_listings enable always trigger external_not_listable;
alter table launches enable always trigger external_not_listable;
alter table evaluation_runs enable always trigger external_not_listable;

-- An agent with a token stays one whose rules are on record.
create function refuse_external_of_token() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select 1 from launches where agent_id = new.agent_id) then
    raise exception 'agent % has a token: its strategy stays in its manifest', new.agent_id
      using errcode = 'check_violation', constraint = 'external_not_listable';
  end if;
  return new;
end $$;
create trigger external_not_listable before insert on manifests for each row
  when (readable_json(new.canonical) -> 'strategy' ->> 'kind' = 'external') execute function refuse_external_of_token();
alter table manifests enable always trigger external_not_listable;

-- A session of agreement is due by the last one.
create index evaluation_runs_of_agreement on evaluation_runs (agent_id, created_at desc) where evaluation = 'agreement';

-- Tokens of external agents: each is bound to one agent, proposes for it and reads what it needs for that. It can be revoked.

-- Only the SHA-256 of a token is kept: it is shown once.
create table agent_tokens (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  name text not null check (name <> ''),
  digest text not null unique check (digest ~ '^[0-9a-f]{64}$'),
  created_by text not null check (created_by <> ''),
  created_at bigint not null
);
select make_append_only('agent_tokens');
create index agent_tokens_by_agent on agent_tokens (agent_id, number desc);

create table agent_token_revocations (
  token_id uuid primary key references agent_tokens,
  org_id uuid not null references organizations,
  revoked_by text not null check (revoked_by <> ''),
  revoked_at bigint not null
);
select make_append_only('agent_token_revocations');

-- Signals: alerts of somebody else's charts that become outside proposals of one external agent, by a template.
create table signal_hooks (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  name text not null check (name <> ''),
  -- RFC 8785 text of the template and its tickers.
  template text not null check (octet_length(template) <= 16384),
  manifest_hash text not null check (manifest_hash ~ '^[0-9a-f]{64}$'),
  created_by text not null check (created_by <> ''),
  created_at bigint not null
);
select make_append_only('signal_hooks');
create index signal_hooks_by_agent on signal_hooks (agent_id, number desc);

-- The SHA-256 of each secret, which is also the key of signed deliveries: whoever reads it can sign, so sessions of callers do not.
create table signal_secrets (
  digest text primary key check (digest ~ '^[0-9a-f]{64}$'),
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  hook_id uuid not null references signal_hooks,
  created_by text not null check (created_by <> ''),
  created_at bigint not null
);
select make_append_only('signal_secrets');
create index signal_secrets_by_hook on signal_secrets (hook_id, number desc);
revoke select on signal_secrets from sevengate_api;

create table signal_hook_revocations (
  hook_id uuid primary key references signal_hooks,
  org_id uuid not null references organizations,
  revoked_by text not null check (revoked_by <> ''),
  revoked_at bigint not null
);
select make_append_only('signal_hook_revocations');

-- A proposal is written before the revocation or not at all. One that was received while it waited for its turn came before it.
create function revoke_after_proposals() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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

select protect_organizations();
select protect_writes();
