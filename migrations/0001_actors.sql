-- The durable actors: organizations, actors and their timers, errands, announcements and steps.
-- The application works as the role sevengate_app; migrations run as the owner of the tables.

do $$
begin
  create role sevengate_app nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  if not pg_has_role(current_user, 'sevengate_app', 'member') then
    execute format('grant sevengate_app to %I', current_user);
  end if;
end $$;

-- What an append-only table answers to UPDATE, DELETE and TRUNCATE, whoever asks.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are append-only: % is refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;

create function make_append_only(target regclass) returns void language plpgsql as $$
begin
  execute format('create trigger append_only_rows before update or delete on %s for each row execute function refuse_change()', target);
  execute format('create trigger append_only_table before truncate on %s for each statement execute function refuse_change()', target);
  execute format('alter table %s enable always trigger append_only_rows', target);
  execute format('alter table %s enable always trigger append_only_table', target);
  execute format('grant select, insert on %s to sevengate_app', target);
end $$;

create table organizations (
  id uuid primary key,
  name text not null check (name <> ''),
  created_at timestamptz not null default clock_timestamp()
);

-- Who may do what. A subject of the identity provider belongs to one organization; claims in its token never count.
create table members (
  subject text primary key check (subject <> ''),
  org_id uuid not null references organizations,
  name text not null,
  permissions text[] not null check (permissions <@ array['market:read', 'agent:read', 'trade:execute', 'risk:manage']),
  created_at timestamptz not null default clock_timestamp()
);

-- The emergency halt's row: every transaction that leads to a venue reads it FOR SHARE, the halt updates it.
create table control (
  org_id uuid primary key references organizations,
  halted_at timestamptz,
  epoch bigint not null default 0
);

create table actors (
  id uuid primary key,
  -- Dense numbering; 500 consecutive actors share a tick shard.
  number bigint generated always as identity unique,
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
  changed_at timestamptz not null default clock_timestamp()
);
create index actors_by_shard on actors (tick_period_ms, shard) where tick_period_ms is not null;
create index actors_by_org on actors (org_id, kind, number desc);

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
select make_append_only('steps');

-- The delays of state charts, with their absolute due time: they survive any crash.
create table timers (
  actor_id uuid not null references actors,
  timer_id text not null,
  due_at bigint not null,
  event jsonb not null,
  primary key (actor_id, timer_id)
);
create index timers_by_due on timers (due_at);

-- Outside work, carried out after the commit, at least once; `key` makes it idempotent.
create table errands (
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
create index errands_pending on errands (due_at) where state = 'pending';

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
select make_append_only('announcements');
create index announcements_by_actor on announcements (actor_id, xid, seq) where actor_id is not null;

-- What went wrong inside an actor: its last good snapshot stays where it was.
create table incidents (
  id bigint generated always as identity primary key,
  actor_id uuid not null references actors,
  at bigint not null,
  kind text not null,
  detail text not null,
  event jsonb
);
select make_append_only('incidents');

-- Duties that one process at a time holds, for as long as it renews them.
create table leases (
  duty text primary key,
  holder text not null,
  held_until timestamptz not null
);

-- Answers of unsafe requests by their Idempotency-Key.
create table idempotency_keys (
  org_id uuid not null references organizations,
  subject text not null,
  route text not null,
  key text not null,
  request_hash text not null,
  status int,
  body text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (org_id, subject, route, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Who changed what: one row per accepted command.
create table audit (
  seq bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  subject text not null,
  permission text,
  action text not null,
  request_id text not null,
  target text not null,
  before_hash text,
  after_hash text,
  at timestamptz not null default clock_timestamp()
);
select make_append_only('audit');

grant select, insert on organizations, members to sevengate_app;
grant update (permissions, name) on members to sevengate_app;
grant select, insert, update on control, actors, errands to sevengate_app;
grant select, insert, update, delete on timers, leases, idempotency_keys to sevengate_app;
