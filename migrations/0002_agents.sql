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
  foreign key (id, manifest_version) references manifests (agent_id, version) deferrable initially deferred
);
create index agents_by_org on agents (org_id, created_at desc, id desc);

-- The stage gate of the database (spec 3.1): an agent begins at draft, a new manifest puts it back to draft in the same
-- statement, and it moves forward only one gate at a time with evidence; while no evidence can be judged, no gate opens.
create function guard_agent_stage() returns trigger language plpgsql as $$
declare
  stages constant text[] := array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'];
begin
  if tg_op = 'INSERT' then
    if new.stage <> 'draft' then
      raise exception 'an agent begins at draft, not at %', new.stage using errcode = 'check_violation';
    end if;
    return new;
  end if;
  if new.id <> old.id or new.org_id <> old.org_id or new.created_by <> old.created_by then
    raise exception 'the identity of an agent does not change' using errcode = 'check_violation';
  end if;
  if new.manifest_hash <> old.manifest_hash and new.stage <> 'draft' then
    raise exception 'a changed manifest restarts the promotion at draft' using errcode = 'check_violation';
  end if;
  if not exists (select 1 from manifests m where m.agent_id = new.id and m.version = new.manifest_version and m.hash = new.manifest_hash) then
    raise exception 'manifest version % with that hash is not on record', new.manifest_version using errcode = 'check_violation';
  end if;
  if array_position(stages, new.stage) > array_position(stages, old.stage) then
    raise exception 'the gate from % to % needs evidence tied to the manifest', old.stage, new.stage using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger agent_stage_gate before insert or update on agents for each row execute function guard_agent_stage();
alter table agents enable always trigger agent_stage_gate;

-- One row per slot that was cut. `source` says whether the streams were heard at all.
create table cuts (
  slot bigint primary key,
  source text not null check (source in ('streams', 'silence')),
  instruments int not null,
  written_at timestamptz not null default clock_timestamp()
);
select make_append_only('cuts');

-- What was known of one instrument at one slot, shared by every agent that looked at it. `body` is canonical JSON.
create table observations (
  slot bigint not null references cuts,
  instrument text not null,
  hash text not null,
  body text not null,
  primary key (slot, instrument)
);
select make_append_only('observations');

-- The decision records of spec 2.8, packed: the matrix refers to the manifest, the observed state to the observations.
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
);
select make_append_only('decisions');

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

-- Ticks of one actor that threw, one after the other; a good tick clears them. `poisoned` where the slot's tick took
-- its worker down again and again.
create table tick_crashes (
  actor_id uuid primary key references actors,
  crashes int not null,
  slot bigint not null,
  poisoned boolean not null default false
);

-- Closed bars with where they came from. A bar that is missing is missing: nothing is filled in.
create table candles (
  venue text not null,
  instrument text not null,
  timeframe text not null,
  open_time bigint not null,
  open numeric not null,
  high numeric not null,
  low numeric not null,
  close numeric not null,
  volume numeric not null,
  source text not null,
  received_at bigint not null,
  primary key (venue, instrument, timeframe, open_time),
  check (low <= high and open between low and high and close between low and high and low > 0 and volume >= 0)
);

-- Filings, wire items and other events about assets (spec 6.4).
create table news_events (
  id text primary key,
  source text not null,
  observed_at bigint not null,
  received_at bigint not null,
  symbols text[] not null,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  negative boolean not null,
  rumor boolean not null,
  headline text not null
);
create index news_events_by_time on news_events (observed_at desc);

grant select, insert, update on agents, tick_shards, candles, news_events to sevengate_app;
grant select, insert, update, delete on tick_crashes to sevengate_app;
