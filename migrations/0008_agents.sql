-- Agents: their manifests, what was observed, what they decided, and the shards that tick them.

-- One row per hashed manifest version (spec 2.6); `canonical` is the RFC 8785 text that `hash` is the SHA-256 of.
create table manifests (
  agent_id uuid not null references actors,
  version int not null check (version > 0),
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  canonical text not null,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (agent_id, version),
  constraint manifest_hash_is_true check (encode(sha256(convert_to(canonical, 'UTF8')), 'hex') = hash)
);
select make_append_only('manifests');
grant select on manifests to sevengate_evaluator;

-- Where each agent stands: the projection of its actor that lists and gates read.
create table agents (
  id uuid primary key references actors,
  org_id uuid not null references organizations,
  name text not null check (name <> ''),
  description text not null default '',
  stage text not null check (stage in ('draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live')),
  autonomy text not null check (autonomy in ('research', 'suggest', 'confirm', 'policy_auto', 'autonomous', 'risk_only')),
  pause_cause text,
  manifest_version int not null,
  manifest_hash text not null,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- The evidence that let the agent into its present stage (0009_gates.sql), and who asked for it.
  stage_evidence uuid,
  stage_asked_by text,
  -- Positions that somebody has closed by hand: what is not sold yet, as the agent's actor says it.
  closing jsonb not null default '[]',
  foreign key (id, manifest_version) references manifests (agent_id, version) deferrable initially deferred
);
create index agents_by_org on agents (org_id, created_at desc, id desc);
create index agents_closing on agents (id) where closing <> '[]';
grant select, insert on agents to sevengate_app;
grant update (name, description, stage, autonomy, pause_cause, manifest_version, manifest_hash, closing, stage_evidence, stage_asked_by)
  on agents to sevengate_app, sevengate_api;
grant select on agents to sevengate_evaluator;

create trigger feed_tells_of_feeds before update on agents for each row execute function check_feed_change();
alter table agents enable always trigger feed_tells_of_feeds;

-- Conversations with the copilot: what was asked and answered, by one caller.
create table copilot_exchanges (
  number bigint generated always as identity primary key,
  conversation uuid not null,
  org_id uuid not null references organizations,
  subject text not null,
  at bigint not null,
  message text not null,
  intent text not null,
  reply text not null,
  symbol text
);
create index copilot_exchanges_by_conversation on copilot_exchanges (conversation, number);
select make_append_only('copilot_exchanges');

-- One row per slot that was cut. `source` says whether the streams were heard at all.
create table cuts (
  slot bigint primary key,
  source text not null check (source in ('streams', 'silence')),
  instruments int not null,
  written_at timestamptz not null default clock_timestamp()
);
create trigger append_only_rows before update or delete on cuts for each row execute function refuse_change_of_kept();
create trigger append_only_table before truncate on cuts for each statement execute function refuse_change();
alter table cuts enable always trigger append_only_rows;
alter table cuts enable always trigger append_only_table;
grant select, insert on cuts to sevengate_app;
grant select on cuts to sevengate_api, sevengate_evaluator;

-- A cut is taken only of a slot that has come. (A second of grace: clocks of the same machine differ by less.)
create function check_cut_time() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.slot > gate_now() + 1000 and exists (select 1 from trail_writers) then
    raise exception 'slot % has not come yet', to_timestamp(new.slot / 1000.0) using errcode = 'check_violation', constraint = 'cut_of_the_past';
  end if;
  return new;
end $$;
create trigger cut_of_the_past before insert on cuts for each row execute function check_cut_time();
alter table cuts enable always trigger cut_of_the_past;

-- A cut is taken only of a slot that the service's clock has reached. The clock of a machine may be wrong; cuts are append-only, so a cut
-- of a slot to come could be replaced by nobody when its time comes.
create function check_cut_reached() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if new.slot > service_clock_ms() then
    raise exception 'the slot % lies % ms ahead of the database''s clock', new.slot, new.slot - service_clock_ms()
      using errcode = 'check_violation', constraint = 'cut_of_reached_slot';
  end if;
  return new;
end
$$;
create trigger cut_of_reached_slot before insert on cuts for each row execute function check_cut_reached();

-- What each cut held: SHA-256 over the lines `instrument hash` of its observations, by instrument.
create table cut_batches (
  slot bigint primary key,
  source text not null,
  instruments int not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$')
);
select make_append_only('cut_batches');
grant select on cut_batches to sevengate_evaluator;

-- What was known of one instrument at one slot, shared by every agent that looked at it. `body` is canonical JSON.
create table observations (
  slot bigint not null references cuts,
  instrument text not null,
  hash text not null,
  body text not null,
  primary key (slot, instrument)
);
create trigger append_only_rows before update or delete on observations for each row execute function refuse_change_of_kept();
create trigger append_only_table before truncate on observations for each statement execute function refuse_change();
alter table observations enable always trigger append_only_rows;
alter table observations enable always trigger append_only_table;
grant select, insert on observations to sevengate_app;
grant select on observations to sevengate_api, sevengate_evaluator;

-- A wrong cut stays as the feed signed it, and is superseded by a correction that the owner signs: what was decided on it stays as it
-- was, and whatever judges leaves the cut out.
create table cut_corrections (
  slot bigint primary key,
  reason text not null check (length(btrim(reason)) between 10 and 500 and position(chr(10) in reason) = 0),
  corrected_by text not null check (corrected_by <> ''),
  corrected_at bigint not null default gate_now()
);
select make_append_only('cut_corrections');
-- Nobody but the owner of the tables writes one.
revoke insert on cut_corrections from sevengate_app;
grant select on cut_corrections to sevengate_api, sevengate_evaluator;

-- A correction is of a cut that was written, and comes once every shard has decided on it: no tick finds another cut than a replay.
create function admit_cut_correction() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  behind bigint;
begin
  if not exists (select 1 from cut_batches where slot = new.slot) then
    raise exception 'no cut of % was written', to_timestamp(new.slot / 1000.0) using errcode = 'check_violation', constraint = 'corrected_cut_is_there';
  end if;
  select min(last_slot) into behind from tick_shards;
  if behind < new.slot then
    raise exception 'a shard has decided up to % only: the cut of % is corrected after that', to_timestamp(behind / 1000.0), to_timestamp(new.slot / 1000.0)
      using errcode = 'check_violation', constraint = 'corrected_when_decided';
  end if;
  return new;
end $$;
create trigger admit_correction before insert on cut_corrections for each row execute function admit_cut_correction();
alter table cut_corrections enable always trigger admit_correction;

-- What judges reads these: cuts and observations without those that were corrected.
create view judged_cuts with (security_invoker = true) as
  select c.* from cuts c where not exists (select 1 from cut_corrections w where w.slot = c.slot);
grant select on judged_cuts to sevengate_app, sevengate_api, sevengate_evaluator;
create view judged_observations with (security_invoker = true) as
  select o.* from observations o where not exists (select 1 from cut_corrections w where w.slot = o.slot);
grant select on judged_observations to sevengate_app, sevengate_api, sevengate_evaluator;

-- The decision records of spec 2.8, packed: the matrix refers to the manifest, the observed state to the observations. Workers COPY
-- them, which PostgreSQL refuses under row-level security, even of whoever may write every row. So the rows lie in a partition that
-- has no policies and that callers may not name; whatever reads `decisions` meets its policies.
create table decisions (
  agent_id uuid not null,
  slot bigint not null,
  written_at timestamptz not null default clock_timestamp(),
  manifest_version int not null,
  disposition text not null check (disposition in ('hold', 'propose_entry', 'propose_exit', 'blocked_by_risk')),
  reason text,
  instrument text,
  outcome text not null,
  risk text,
  book text,
  manifest_hash bytea not null,
  observed_hash bytea not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (agent_id, slot)
) partition by range (slot);
create table decision_rows (like decisions including defaults including constraints, primary key (agent_id, slot));
alter table decisions attach partition decision_rows default;
-- What agents at `suggest` recommended is read from their decisions: those that asked for a trade and became no proposal.
create index decisions_asking on decisions (slot desc, agent_id desc) where disposition in ('propose_entry', 'propose_exit');
create trigger append_only_rows before update or delete on decisions for each row execute function refuse_change_of_kept();
create trigger append_only_table before truncate on decisions for each statement execute function refuse_change();
alter table decisions enable always trigger append_only_rows;
alter table decisions enable always trigger append_only_table;
create trigger append_only_table before truncate on decision_rows for each statement execute function refuse_change();
alter table decision_rows enable always trigger append_only_table;
grant select, insert on decisions to sevengate_app;
grant select, insert on decision_rows to sevengate_app;

-- How far each shard has been ticked, who is at it, and how often its next slot was begun.
create table tick_shards (
  period_ms int not null,
  shard int not null,
  last_slot bigint not null,
  begun_slot bigint,
  begun_times int not null default 0,
  suspect uuid,
  suspect_times int not null default 0,
  primary key (period_ms, shard)
);
grant select, insert, update on tick_shards to sevengate_app;
grant select on tick_shards to sevengate_api;

-- A shard was ticked up to a slot that has come, and never back from there.
create function check_shard_progress() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from trail_writers) or session_is_owner() then
    return new;
  end if;
  if new.last_slot > service_clock_ms() + new.period_ms then
    raise exception 'shard % cannot have been ticked to slot %, which has not come', new.shard, new.last_slot
      using errcode = 'check_violation', constraint = 'shard_of_reached_slot';
  end if;
  if tg_op = 'UPDATE' and new.last_slot < old.last_slot then
    raise exception 'shard % was ticked to slot %: it does not go back to %', new.shard, old.last_slot, new.last_slot
      using errcode = 'check_violation', constraint = 'shard_goes_on';
  end if;
  return new;
end $$;
create trigger shard_of_reached_slot before insert or update on tick_shards for each row execute function check_shard_progress();
alter table tick_shards enable always trigger shard_of_reached_slot;

-- Ticks of one actor that threw, one after the other; a good tick clears them. `poisoned` where the slot's tick took
-- its worker down again and again.
create table tick_crashes (
  actor_id uuid primary key references actors,
  crashes int not null,
  slot bigint not null,
  poisoned boolean not null default false
);
grant select, insert, update, delete on tick_crashes to sevengate_app;

-- What an agent's tick read besides the cut and the agent itself (book, preferences), from this slot on: a replay reads
-- the same. Written where it is read and has changed.
create table tick_inputs (
  agent_id uuid not null,
  slot bigint not null,
  body text not null,
  primary key (agent_id, slot)
);
create trigger append_only_rows before update or delete on tick_inputs for each row execute function refuse_change_of_unmoved();
create trigger append_only_table before truncate on tick_inputs for each statement execute function refuse_change();
alter table tick_inputs enable always trigger append_only_rows;
alter table tick_inputs enable always trigger append_only_table;
grant select, insert on tick_inputs to sevengate_app;

-- What each commit of a shard's tick decided: SHA-256 over the lines `agent slot hash` of its decisions, by slot and agent.
create table tick_batches (
  period_ms int not null,
  shard int not null,
  from_slot bigint not null,
  slot bigint not null check (slot > from_slot),
  decisions int not null check (decisions > 0),
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  primary key (period_ms, shard, slot)
);
select make_append_only('tick_batches');
grant select on tick_batches to sevengate_evaluator;

select protect_organizations();
-- Ticks write these, and no request does.
revoke insert on decisions, tick_inputs from sevengate_api;
revoke insert, update, delete on tick_crashes from sevengate_api;
