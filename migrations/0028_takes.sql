-- Takes: one asset with its conditions and limits, compiled, armed and evaluated every half minute. A Take trades through
-- the same books, proposals and decision records as an agent; `agent_id` in those tables names the actor that trades.

alter table books drop constraint books_agent_id_fkey, add constraint books_agent_id_fkey foreign key (agent_id) references actors;
alter table proposals drop constraint proposals_agent_id_fkey, add constraint proposals_agent_id_fkey foreign key (agent_id) references actors;

create table takes (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  origin text not null check (origin in ('thesis', 'basis')),
  symbol text not null,
  -- The canonical Take and its hash; what is evaluated is version 1 of its manifest.
  canonical text not null,
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  manifest_version int not null default 1 check (manifest_version = 1),
  manifest_hash text not null,
  -- {"thesis", "understood", "assumed", "notUnderstood"}
  compiled jsonb not null,
  state text not null check (state in ('draft', 'armed', 'triggered', 'proposed', 'filled', 'closed', 'disarmed', 'expired')),
  -- Whether it is evaluated: a filled Take with exit conditions still is.
  on_duty boolean not null,
  mode text check (mode in ('paper')),
  reason text,
  -- The Takes that it was forked from, the first one first. They may be another organization's.
  lineage text[] not null default '{}',
  published_at bigint,
  created_by text not null,
  created_at bigint not null,
  armed_at bigint,
  expires_at bigint not null check (expires_at > created_at),
  changed_at bigint not null,
  constraint take_hash_is_true check (encode(sha256(convert_to(canonical, 'UTF8')), 'hex') = hash),
  foreign key (id, manifest_version) references manifests (agent_id, version) deferrable initially deferred
);
create index takes_by_org on takes (org_id, number desc);

-- What a Take is does not change: whoever changes a condition or a limit has another Take.
create function guard_take() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'Takes are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.origin, new.symbol, new.canonical, new.hash, new.manifest_version, new.manifest_hash, new.compiled, new.lineage,
      new.created_by, new.created_at, new.expires_at)
    is distinct from (old.id, old.number, old.org_id, old.origin, old.symbol, old.canonical, old.hash, old.manifest_version, old.manifest_hash, old.compiled,
      old.lineage, old.created_by, old.created_at, old.expires_at) then
    raise exception 'what a Take is does not change' using errcode = 'check_violation';
  end if;
  if old.published_at is not null and new.published_at is distinct from old.published_at then
    raise exception 'a publication is not taken back' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger take_rows before update or delete on takes for each row execute function guard_take();
create trigger take_table before truncate on takes for each statement execute function refuse_change();
alter table takes enable always trigger take_rows;
alter table takes enable always trigger take_table;

-- A step moves its Take. Whose it is and what it trades is no column that a role of the service may update.
grant select, insert, update (state, on_duty, mode, reason, armed_at, published_at, changed_at) on takes to sevengate_app;
select protect_organizations();

-- What every organization may read and fork: a published Take as it was compiled, without whose it is or what it trades.
create table published_takes (
  take uuid primary key,
  number bigint generated always as identity unique,
  symbol text not null,
  canonical text not null,
  hash text not null,
  manifest_hash text not null,
  compiled jsonb not null,
  lineage text[] not null,
  created_at bigint not null,
  published_at bigint not null
);
select make_append_only('published_takes');
-- Its rows come from the trigger below and from nobody else: what is published is what its organization has.
revoke insert on published_takes from sevengate_app;
grant select on published_takes to sevengate_api, sevengate_reader, sevengate_evaluator;

create function publish_take() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into published_takes (take, symbol, canonical, hash, manifest_hash, compiled, lineage, created_at, published_at)
    values (new.id, new.symbol, new.canonical, new.hash, new.manifest_hash, new.compiled, new.lineage, new.created_at, new.published_at);
  return null;
end $$;
create trigger take_published after update on takes for each row
  when (old.published_at is null and new.published_at is not null) execute function publish_take();
alter table takes enable always trigger take_published;

-- Whoever trades by a manifest's rules: agents and Takes, as ticks, risk and books ask for them.
create view traders with (security_invoker = true) as
  select id, org_id, 'agent' as kind, stage, autonomy, manifest_version, manifest_hash, pause_cause is not null as paused from agents
  union all
  select id, org_id, 'take', 'paper', 'policy_auto', manifest_version, manifest_hash, not on_duty from takes;
grant select on traders to sevengate_app, sevengate_api, sevengate_evaluator, sevengate_reader;
