-- The durable actors: their steps and checkpoints, timers and activities, what the feeds send, what went wrong, and the work of the
-- processes themselves.

-- What lives on: its state chart's snapshot, and how it is ticked.
create table actors (
  id uuid primary key,
  -- Dense numbering; 500 consecutive actors share a tick shard.
  number bigint generated always as identity,
  shard int generated always as ((number / 500)::int) stored,
  org_id uuid not null references organizations,
  kind text not null,
  machine text not null,
  version bigint not null check (version >= 0),
  -- {"value": …, "context": …, "history": …}: what the machine needs to go on.
  snapshot jsonb not null,
  status text not null check (status in ('running', 'done', 'quarantined')),
  -- Ticked every so many milliseconds from the slot tick_from, and before tick_until where that is set, but not within rests.
  tick_period_ms int check (tick_period_ms > 0),
  tick_from bigint,
  tick_until bigint,
  -- Off duty between duties of which not every slot has been ticked yet.
  rests int8multirange not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  -- Up to which version checkpoints are written, so that whoever is due is found without reading every actor.
  checkpoint_version bigint not null default 0
);
create index actors_by_shard on actors (tick_period_ms, shard) where tick_period_ms is not null;
create index actors_by_org on actors (org_id, kind, number desc);
create index actors_to_checkpoint on actors (id) where version - checkpoint_version >= 128;
-- The organizations of a tick shard are found from one to the next, so that organizations take turns when many shards are due.
create index actors_by_shard_and_org on actors (tick_period_ms, shard, org_id) where tick_from is not null;
-- Readiness counts actors in quarantine.
create index actors_in_quarantine on actors (id) where status = 'quarantined';
grant select, insert, update on actors to sevengate_app;

-- Every committed step except the ordinary tick, whose decision is its record.
create table steps (
  actor_id uuid not null references actors,
  version bigint not null,
  at bigint not null,
  machine text not null,
  event jsonb not null,
  from_value jsonb,
  to_value jsonb not null,
  cause text,
  primary key (actor_id, version)
);
create trigger append_only_rows before update or delete on steps for each row execute function refuse_change_of_unmoved();
create trigger append_only_table before truncate on steps for each statement execute function refuse_change();
alter table steps enable always trigger append_only_rows;
alter table steps enable always trigger append_only_table;
grant select, insert on steps to sevengate_app;
grant select on steps to sevengate_evaluator;

-- Snapshots of actors along their history: a state of the past is the last checkpoint before it and the steps since.
create table actor_checkpoints (
  actor_id uuid not null references actors,
  version bigint not null,
  at bigint not null,
  machine text not null,
  snapshot jsonb not null,
  primary key (actor_id, version)
);
select make_append_only('actor_checkpoints');

-- The delays of state charts, with their absolute due time: they survive any crash.
create table timers (
  actor_id uuid not null references actors,
  timer_id text not null,
  due_at bigint not null,
  event jsonb not null,
  primary key (actor_id, timer_id)
);
create index timers_by_due on timers (due_at);
grant select, insert, update, delete on timers to sevengate_app;

-- Outside work, carried out after the commit of a step, at least once; `key` makes it idempotent. Those that have ended are kept for
-- some days: what they came to is a step, which stays.
create table activities (
  key text primary key,
  actor_id uuid not null references actors,
  kind text not null,
  payload jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'given_up')),
  attempts int not null default 0,
  due_at bigint not null,
  answer jsonb,
  created_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
-- They are found by the time of their end and removed some thousand at a time; a table in parts of time would have to hold the pending
-- ones of every age.
create index activities_ended on activities (ended_at) where state <> 'pending';
create index activities_given_up on activities (actor_id) where state = 'given_up';
create index activities_pending on activities (due_at) where state = 'pending';
grant select, insert, update on activities to sevengate_app;

-- A claim of an activity, which nobody signs, keeps it for an hour at most: the longest wait between two tries is 5 minutes 20 seconds.
create function check_claim() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.due_at > greatest(old.due_at, service_clock_ms() + 3600000) and exists (select 1 from trail_writers) and not session_is_owner() then
    raise exception 'the activity % cannot be put off to %', new.key, to_timestamp(new.due_at / 1000.0)
      using errcode = 'check_violation', constraint = 'claim_is_short';
  end if;
  return new;
end $$;
create trigger claim_is_short before update on activities for each row when (new.due_at > old.due_at) execute function check_claim();
alter table activities enable always trigger claim_is_short;

-- The due work of an organization is carried out by one worker at a time: its steps then share transactions, and its rows wait for
-- no other worker. Workers divide the organizations that have work among them. This is a preference and no lock: each activity is
-- claimed as before, and the organizations of a worker that is silent are the others' after a few seconds.
create table activity_workers (
  worker text primary key check (worker <> ''),
  -- Which kinds of activities it carries out.
  kinds text[] not null,
  -- It takes part in the division until then.
  until bigint not null
);
create table worked_organizations (
  org_id uuid primary key references organizations,
  -- Empty where the last worker has handed it over.
  worker text not null
);
grant select, insert, update on activity_workers, worked_organizations to sevengate_app;

-- The organizations with due work that a worker carries out now: its own, those that no worker has, and no more than its share. A worker
-- says that it takes part where it renews its leases; one that has just begun is not among the present yet, and takes what they leave.
create function share_organizations(now bigint, retry_ms bigint, of_kinds text[], by_worker text) returns uuid[]
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  due uuid[] := (select coalesce(array_agg(distinct a.org_id), '{}') from activities d join actors a on a.id = d.actor_id
    where d.state = 'pending' and d.due_at <= now and d.kind = any(of_kinds) and a.status <> 'quarantined');
  present text[];
  held uuid[];
  share int;
begin
  present := array(select w.worker from activity_workers w where w.until > now and w.until <= now + 2 * retry_ms and w.kinds @> of_kinds);
  held := array(select o.org_id from worked_organizations o where o.worker = by_worker and o.org_id = any(due) order by o.org_id);
  share := ceil(cardinality(due)::numeric / greatest(cardinality(present), 1));
  if cardinality(held) > share then
    update worked_organizations o set worker = '' where o.org_id = any(held[share + 1:]) and o.worker = by_worker;
    return held[:share];
  end if;
  if cardinality(held) < share then
    insert into worked_organizations (org_id, worker) select d.org_id, '' from unnest(due) as d(org_id)
      where not exists (select 1 from worked_organizations o where o.org_id = d.org_id) on conflict do nothing;
    -- Each worker begins elsewhere, and what another one is just beginning with it passes over: nobody waits.
    with free as materialized (
      select o.org_id from worked_organizations o where o.org_id = any(due) and o.worker <> all(present || by_worker)
      order by md5(o.org_id || by_worker) limit share - cardinality(held) for update skip locked
    ), gained as (
      update worked_organizations o set worker = by_worker from free f where o.org_id = f.org_id returning o.org_id
    )
    select held || array_agg(g.org_id) into held from gained g;
  end if;
  return held;
end $$;

-- Organizations take turns, and within an organization what sells or withdraws comes first: however many openings wait, people can
-- get out. The conditions stand twice because a row that another worker took meanwhile is checked again under its lock. Without a
-- worker's name it takes the work of all organizations. What a quarantined actor asked for waits for its release, as its timers do.
create function take_activities(now bigint, retry_ms bigint, most int, kinds text[], by_worker text)
returns table (key text, actor_id uuid, kind text, payload jsonb, attempts int)
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  organizations uuid[] := case when by_worker is not null then share_organizations(now, retry_ms, kinds, by_worker) end;
begin
  return query with due as materialized (
    select d.key, d.due_at, row_number() over (partition by a.org_id order by d.payload -> 'reduces' = 'true' desc nulls last, d.due_at, d.key) as turn
    from activities d join actors a on a.id = d.actor_id where d.state = 'pending' and d.due_at <= now and d.kind = any(kinds)
      and a.status <> 'quarantined' and (organizations is null or a.org_id = any(organizations))
  ), free as materialized (
    select d.key, o.turn, o.due_at from due o join activities d on d.key = o.key where d.state = 'pending' and d.due_at <= now
    order by o.turn, o.due_at, o.key limit most for update of d skip locked
  ), taken as (
    update activities a set attempts = a.attempts + 1, due_at = now + retry_ms * (1 << least(a.attempts, 6))
    from free f where a.key = f.key returning a.key, a.actor_id, a.kind, a.payload, a.attempts, f.turn, f.due_at as was_due
  )
  select t.key, t.actor_id, t.kind, t.payload, t.attempts from taken t order by t.turn, t.was_due, t.key;
end $$;
revoke execute on function share_organizations(bigint, bigint, text[], text), take_activities(bigint, bigint, int, text[], text) from public;
grant execute on function share_organizations(bigint, bigint, text[], text), take_activities(bigint, bigint, int, text[], text) to sevengate_app;

-- Keeps claimed activities until a later time.
create function renew_activities(keys text[], until bigint) returns void language sql set search_path = public, pg_temp as $$
  update activities set due_at = until where key = any(keys) and state = 'pending' and due_at < until
$$;
revoke execute on function renew_activities(text[], bigint) from public;
grant execute on function renew_activities(text[], bigint) to sevengate_app;

-- Forgets activities that ended more than so many days ago, at most so many at a time; answers how many. What is pending stays.
create function forget_activities(days int, most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten bigint;
begin
  if days < 1 then
    raise exception 'activities are kept for at least one day, and % was asked', days using errcode = 'check_violation';
  end if;
  with gone as (
    delete from activities where key in (
      select key from activities where state <> 'pending' and ended_at < clock_timestamp() - make_interval(days => days)
      order by ended_at limit most for update skip locked
    ) returning 1
  )
  select count(*) into forgotten from gone;
  return forgotten;
end $$;
revoke execute on function forget_activities(int, int) from public;
grant execute on function forget_activities(int, int) to sevengate_app;

-- What the feeds send. A reader goes by (xid, seq) and never past the oldest transaction still open, so that a number
-- that becomes visible late is not skipped.
create table announcements (
  xid xid8 not null default pg_current_xact_id(),
  seq bigint generated always as identity,
  channel text not null,
  org_id uuid references organizations,
  actor_id uuid,
  at bigint not null,
  body jsonb not null,
  primary key (xid, seq)
);
create index announcements_by_actor on announcements (actor_id, xid, seq) where actor_id is not null;
-- Alerts are listed newest first among all announcements.
create index announcements_alerts on announcements (xid desc, seq desc) where channel = 'alerts';
create trigger append_only_rows before update or delete on announcements for each row execute function refuse_change_of_recent();
create trigger append_only_table before truncate on announcements for each statement execute function refuse_change();
alter table announcements enable always trigger append_only_rows;
alter table announcements enable always trigger append_only_table;
grant select, insert on announcements to sevengate_app;

-- Forgets the oldest announcements that are older than so many days, at most so many at a time; answers how many. The newest
-- one stays, so that a place from before everything that is kept can be told from the present.
create function forget_announcements(days int, most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten bigint;
begin
  if days < 1 then
    raise exception 'announcements are kept for at least one day, and % was asked', days using errcode = 'check_violation';
  end if;
  with oldest as (
    select xid, seq, at from announcements where (xid, seq) < (select xid, seq from announcements order by xid desc, seq desc limit 1)
    order by xid, seq limit most
  ), gone as (
    delete from announcements a using oldest o
    where a.xid = o.xid and a.seq = o.seq and o.at < extract(epoch from clock_timestamp() - make_interval(days => days)) * 1000
    returning 1
  )
  select count(*) into forgotten from gone;
  return forgotten;
end $$;
revoke execute on function forget_announcements(int, int) from public;
grant execute on function forget_announcements(int, int) to sevengate_app;

-- What went wrong inside an actor: its last good snapshot stays where it was.
create table incidents (
  id bigint generated always as identity primary key,
  actor_id uuid not null references actors,
  at bigint not null,
  kind text not null,
  detail text not null,
  event jsonb
);
-- What the page of the runtime lists: an actor's incidents, and the activities that were given up.
create index incidents_by_actor on incidents (actor_id, id);
select make_append_only('incidents');

-- What a person did to an actor of any kind beside its state chart: an activity retried, its attempts counted from none again,
-- a quarantine ended; each with who and why.
create table interventions (
  seq bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  actor_id uuid not null references actors,
  action text not null check (action in ('retry', 'reset', 'release')),
  -- The activity; null where it was the actor as a whole.
  activity_key text,
  -- How many activities it concerned.
  activities int not null check (activities >= 0),
  reason text not null check (length(btrim(reason)) between 1 and 500),
  subject text not null check (subject <> ''),
  request_id text not null,
  at bigint not null
);
create index interventions_by_org on interventions (org_id, seq desc);
select make_append_only('interventions');

-- Of an actor that the feed moves, what it knows of feeds changes and nothing else. Of an agent that it takes off duty, the cause of its pause.
create function check_feed_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from trail_writers where key_id = proven_key() and writer = 'feed') or session_is_owner() then
    return new;
  end if;
  if tg_table_name = 'timers' then
    if starts_with(new.event ->> 'type', 'xstate.after.degradedFor.') then
      return new;
    end if;
  elsif tg_table_name = 'agents' then
    if to_jsonb(old) - 'pause_cause' = to_jsonb(new) - 'pause_cause' then
      return new;
    end if;
  elsif old.snapshot #- '{context,degradedVenues}' #- '{value,feed}' = new.snapshot #- '{context,degradedVenues}' #- '{value,feed}' then
    return new;
  end if;
  raise exception 'the feed changes of % only what it knows of feeds', tg_table_name
    using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
end $$;
create trigger feed_tells_of_feeds before update on actors for each row
  when (old.snapshot #- '{context,degradedVenues}' is distinct from new.snapshot #- '{context,degradedVenues}') execute function check_feed_change();
alter table actors enable always trigger feed_tells_of_feeds;
-- A delay is what an actor is told later: the feed sets that of lost data alone.
create trigger feed_tells_of_feeds before insert or update on timers for each row
  when (not starts_with(new.event ->> 'type', 'xstate.after.degradedFor.')) execute function check_feed_change();
alter table timers enable always trigger feed_tells_of_feeds;

-- Duties that one process at a time holds, for as long as it renews them.
create table leases (
  duty text primary key,
  holder text not null,
  held_until timestamptz not null
);
grant select, insert, update, delete on leases to sevengate_app;

-- A duty that somebody holds is not taken from them, and nobody holds one for long without renewing it.
create function check_lease() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'UPDATE' and new.holder <> old.holder and old.held_until > clock_timestamp() then
    raise exception 'the duty % is held by % until %', old.duty, old.holder, old.held_until using errcode = 'restrict_violation', constraint = 'lease_is_held';
  end if;
  if new.held_until > clock_timestamp() + interval '10 minutes' then
    raise exception 'a duty is held for 10 minutes at most before it is renewed, and % was asked until %', new.duty, new.held_until
      using errcode = 'check_violation', constraint = 'lease_is_short';
  end if;
  return new;
end $$;
create trigger lease_is_held before insert or update on leases for each row execute function check_lease();
alter table leases enable always trigger lease_is_held;

-- What is done once in every so many milliseconds, by whichever worker the queue or the clock sends: the slot that was done
-- last, and who is at the next one.
create table recurring_work (
  name text primary key,
  done_slot bigint not null,
  claimed_by text,
  claimed_until timestamptz,
  failure text
);
grant select, insert, update on recurring_work to sevengate_app;

-- Recurring work is done of slots that have come, and claimed for ten minutes at most.
create function check_recurring_progress() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select 1 from trail_writers) and not session_is_owner()
    and (new.done_slot > service_clock_ms() + 60000 or new.claimed_until > clock_timestamp() + interval '10 minutes')
  then
    raise exception 'the work % cannot be done up to % and claimed until %', new.name, new.done_slot, new.claimed_until
      using errcode = 'check_violation', constraint = 'recurring_work_of_now';
  end if;
  return new;
end $$;
create trigger recurring_work_of_now before insert or update on recurring_work for each row execute function check_recurring_progress();
alter table recurring_work enable always trigger recurring_work_of_now;

-- Work that takes long and belongs to no record: imports and backfills of bars, imports of events, marks and liquidity, moves of old
-- history to archive files, the sandbox's way through time. How far each is, when it said so last, and what it waits for. Whoever works
-- writes its own row once a second at most; a row whose writer died shows by its age.
create table long_work (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('import', 'backfill', 'event_import', 'fact_import', 'archive_move', 'sandbox_advance')),
  venue text,
  instrument text,
  timeframe text,
  source text not null,
  unit text not null,
  done bigint not null check (done >= 0),
  -- Null before it is counted.
  total bigint check (total >= 0),
  wait_cause text,
  wait_detail text,
  begun_at bigint not null,
  seen_at bigint not null,
  ended_at bigint,
  error text,
  subject text not null,
  -- The command or the part of the service, and its process.
  worked_on_by text not null,
  check ((wait_cause is null) = (wait_detail is null)),
  check (error is null or ended_at is not null),
  -- What is imported or fetched of bars names their series, and nothing else does.
  constraint long_work_series_check check (
    (kind in ('import', 'backfill')) = (venue is not null) and (venue is null) = (instrument is null) and (venue is null) = (timeframe is null))
);
comment on column long_work.source is 'names of the files, without their folders, or the venue that is asked';
comment on column long_work.subject is 'what is worked on, in a few words';
create index long_work_seen on long_work (seen_at);
grant select, insert, update, delete on long_work to sevengate_app;
grant select on long_work to sevengate_api;

-- Rows that a background loop could not handle and tries again later, while it handles every other row. The table is for
-- people to read: no loop acts on it, so a forged row in it stops nothing.
create table quarantined_rows (
  loop text not null,
  row_id text not null,
  detail text not null,
  failures int not null default 1,
  since timestamptz not null default clock_timestamp(),
  -- After this instant the row is no longer counted: its loop has not met it again.
  counts_until timestamptz not null,
  primary key (loop, row_id)
);
grant select, insert, update, delete on quarantined_rows to sevengate_app;
