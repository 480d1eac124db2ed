-- Takes, those that are published, and whoever trades by a manifest's rules: agents and Takes together.

-- Takes: one asset with its conditions and limits, compiled, armed and evaluated every half minute. A Take trades through the same
-- books, proposals and decision records as an agent; `agent_id` in those tables names the actor that trades. Armed live it has a live
-- book of its own, which begins with its allocation.
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
  mode text check (mode in ('paper', 'live')),
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
grant select, insert on takes to sevengate_app;
-- A step moves its Take. Whose it is and what it trades is no column that a role of the service may update.
grant update (state, on_duty, mode, reason, armed_at, published_at, changed_at) on takes to sevengate_app;

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
alter table takes enable always trigger take_rows;
create trigger take_table before truncate on takes for each statement execute function refuse_change();
alter table takes enable always trigger take_table;

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
-- Its rows come from the trigger below and from nobody else.
revoke insert on published_takes from sevengate_app;
grant select on published_takes to sevengate_api, sevengate_evaluator;

-- What is published is what its organization has.
create function publish_take() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into published_takes (take, symbol, canonical, hash, manifest_hash, compiled, lineage, created_at, published_at)
    values (new.id, new.symbol, new.canonical, new.hash, new.manifest_hash, new.compiled, new.lineage, new.created_at, new.published_at);
  return null;
end $$;
create trigger take_published after update on takes for each row
  when (old.published_at is null and new.published_at is not null) execute function publish_take();
alter table takes enable always trigger take_published;

-- What the delegated signer asks of whoever trades: the pause that a circuit breaker ordered, and the word that closes positions.
create view traders with (security_invoker = true) as
  select id, org_id, 'agent' as kind, stage, autonomy, manifest_version, manifest_hash, pause_cause is not null as paused,
    coalesce(pause_cause in ('daily_drawdown', 'data_degraded'), false) as paused_by_breaker, closing <> '[]' as closed_by_hand
  from agents
  union all
  select id, org_id, 'take', case mode when 'live' then 'live' else 'paper' end, 'policy_auto', manifest_version, manifest_hash, not on_duty,
    false, state = 'disarmed' and reason is not distinct from 'closing'
  from takes;
grant select on traders to sevengate_app, sevengate_api, sevengate_evaluator;

-- The instruments with live capital or open live orders, of the organizations that the asking role sees. A manifest or a book that cannot
-- be read has none, and fails the question for nobody else.
create function visible_live_instruments() returns table (key text) language sql stable set search_path = public, pg_temp as $$
  select u ->> 'key' from traders g join manifests m on m.agent_id = g.id and m.version = g.manifest_version
    cross join lateral readable_elements(readable_json(m.canonical) -> 'universe') u
    left join takes t on t.id = g.id where g.stage in ('limited_live', 'live') and (t.id is null or t.on_duty) and u ->> 'key' is not null
  union select h ->> 'instrument' from books b cross join lateral readable_elements(b.holdings) h
    where b.mode = 'live' and h ->> 'instrument' is not null
  union select instrument from proposals where mode = 'live' and state in ('pending_approval', 'approved', 'executing', 'unknown')
  union select instrument from market_orders where mode = 'live' and state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown')
  union select instrument from prepared_transactions where instrument is not null
    and state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown')
$$;
revoke execute on function visible_live_instruments() from public;
grant execute on function visible_live_instruments() to sevengate_app, sevengate_api;

-- Those of all organizations, without whose they are: a polled venue asks for their quotes first, and gives capital to no more of them
-- than it can ask for in time. Callers are told of their own organization alone.
create function live_instruments() returns table (key text) language sql stable security definer set search_path = public, pg_temp as $$
  select key from visible_live_instruments()
$$;
revoke execute on function live_instruments() from public;
grant execute on function live_instruments() to sevengate_app;

-- The number of live instruments of a venue, over all organizations.
create function live_instrument_count(of_venue text) returns int language sql stable security definer set search_path = public, pg_temp as $$
  select count(*)::int from visible_live_instruments() where starts_with(key, of_venue || ':')
$$;
revoke execute on function live_instrument_count(text) from public;
grant execute on function live_instrument_count(text) to sevengate_app, sevengate_api;
