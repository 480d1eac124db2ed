-- Every series and every piece of evidence says whether its source was real. Series of the sandbox are set aside while their source is
-- a real one: they stay, and nothing reads them. What is not known to be real counts as little as what is simulated.

-- Whether a source of market data is real, from when on: the service writes a row when it starts with other settings than before. What
-- was received before the first row is unknown. A source is `mixed` if it trades for real and a part of its data is simulated.
create table source_origins (
  source text not null check (source in ('spotchain', 'spotexchange', 'evmvenue', 'reference', 'prediction', 'issuer', 'wire', 'filings')),
  at bigint not null,
  origin text not null check (origin in ('real', 'mixed', 'sandbox')),
  primary key (source, at)
);
select make_append_only('source_origins');
revoke insert on source_origins from sevengate_app;
grant select on source_origins to sevengate_api, sevengate_evaluator;
insert into trail_tables (name, mode, reason, writers) values ('source_origins', 'logged', 'evidence, authority or money may rest on it', '{feed,worker,api}');

create function origin_at(of_source text, instant bigint) returns text language sql stable set search_path = public, pg_temp as $$
  select coalesce((select origin from source_origins where source = of_source and at <= instant order by at desc limit 1), 'unknown')
$$;

-- True if a source trades or quotes for real now, so that only its real series are read and only real evidence counts.
create function reads_real(of_source text) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce((select origin in ('real', 'mixed') from source_origins where source = of_source order by at desc limit 1), false)
$$;

-- True if what is received of a source now is real.
create function writes_real(of_source text) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce((select origin = 'real' from source_origins where source = of_source order by at desc limit 1), false)
$$;

-- Bars. A real bar lies beside a simulated one of the same time.
alter table candles add column is_real boolean not null default false;
alter table candles drop constraint candles_pkey;
alter table candles add primary key (venue, instrument, timeframe, is_real, open_time);
alter table candle_windows add column is_real boolean not null default false;
alter table candle_windows drop constraint candle_windows_pkey;
alter table candle_windows add primary key (venue, instrument, timeframe, is_real, state, code);
alter table candle_stretches add column is_real boolean not null default false;

create or replace function note_candle_stretch() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select 1 from trail_writers) then
    insert into candle_stretches (venue, instrument, timeframe, is_real, source, received_at, first_open, last_open, bars, digests)
    select venue, instrument, timeframe, is_real, min(source), max(received_at), min(open_time), max(open_time), count(*),
      string_agg(candle_digest(open_time, open, high, low, close, volume), ''::bytea order by open_time)
    from added group by venue, instrument, timeframe, is_real;
  end if;
  return null;
end $$;

create or replace function trail_sum_up() returns void language plpgsql set search_path = public, pg_temp as $$
begin
  insert into cut_batches (slot, source, instruments, digest)
  select c.slot, c.source, c.instruments, encode(sha256(convert_to(coalesce(o.lines, ''), 'UTF8')), 'hex')
  from cuts c left join lateral (
    select string_agg(instrument || ' ' || hash || chr(10), '' order by instrument collate "C") as lines from observations where slot = c.slot
  ) o on true on conflict do nothing;
  insert into tick_batches (period_ms, shard, from_slot, slot, decisions, digest)
  select a.tick_period_ms, a.shard, d.slot / 86400000 * 86400000 - 1, max(d.slot), count(*),
    encode(sha256(convert_to(string_agg(d.agent_id || ' ' || d.slot || ' ' || encode(d.hash, 'hex') || chr(10), '' order by d.slot, d.agent_id), 'UTF8')), 'hex')
  from decisions d join actors a on a.id = d.agent_id where a.tick_period_ms is not null
  group by a.tick_period_ms, a.shard, d.slot / 86400000 on conflict do nothing;
  insert into candle_stretches (venue, instrument, timeframe, is_real, source, received_at, first_open, last_open, bars, digests)
  select venue, instrument, timeframe, is_real, 'genesis', max(received_at), min(open_time), max(open_time), count(*),
    string_agg(candle_digest(open_time, open, high, low, close, volume), ''::bytea order by open_time)
  from (select *, (row_number() over (partition by venue, instrument, timeframe, is_real order by open_time) - 1) / 10000 as part from candles) c
  group by venue, instrument, timeframe, is_real, part;
end $$;

-- Marks, liquidity and spreads over time. Their rows are signed by their key, so they are written anew under the longer one.
create temp table kept_history on commit drop as select * from market_history;
delete from market_history;
drop trigger trail_insert on market_history;
drop trigger trail_update on market_history;
drop trigger trail_delete on market_history;
alter table market_history add column is_real boolean not null default false;
alter table market_history drop constraint market_history_pkey;
alter table market_history add primary key (what, instrument, at, is_real);
select trail_log_table('market_history');
insert into market_history (what, instrument, at, value, source) select what, instrument, at, value, source from kept_history;
update trail_tables set shape = trail_shape_of('market_history') where name = 'market_history' and shape is not null;
alter table issuer_marks add column is_real boolean not null default false;
alter table event_archives add column is_real boolean not null default false;

-- The sources that a manifest's decisions and fills rest on.
create function manifest_sources(manifest jsonb) returns text[] language sql immutable set search_path = public, pg_temp as $$
  with universe as (
    select split_part(u ->> 'key', ':', 1) as venue, u ->> 'kind' as kind from readable_elements(manifest -> 'universe') u
  ), rules as (
    select c ->> 'type' as type from readable_elements(manifest -> 'entry') c union select c ->> 'type' from readable_elements(manifest -> 'exit') c
  )
  select array(select distinct s.source from (
    select venue as source from universe
    union all select 'reference' from universe where kind = 'tokenized_equity'
    union all select 'issuer' from universe where kind = 'pre_ipo'
    union all select 'reference' from rules where type like 'premium%' or type = 'reference_lost'
    union all select 'evmvenue' from rules where type like 'funding%' or type like 'basis%'
    union all select 'spotexchange' from rules where type like 'basis%'
    union all select unnest(array['wire', 'filings']) from rules where type in ('negative_event', 'no_negative_event')
  ) s where s.source <> '' order by s.source)
$$;

-- The worst that each source was within a stretch of time.
create function origins_between(sources text[], since bigint, until bigint) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select coalesce(jsonb_object_agg(s.source, w.origin), '{}') from unnest(sources) s(source) cross join lateral (
    select case when bool_and(o.origin = 'real') then 'real' when bool_or(o.origin = 'sandbox') then 'sandbox'
      when bool_or(o.origin = 'mixed') then 'mixed' else 'unknown' end as origin
    from (
      select origin_at(s.source, since) as origin
      union all select r.origin from source_origins r where r.source = s.source and r.at > since and r.at <= until
    ) o
  ) w
$$;

-- From when on what a piece of evidence rests on was received.
create function evidence_since(kind text, series jsonb, of_run text, at bigint) returns bigint language sql stable set search_path = public, pg_temp as $$
  select case when kind in ('paper', 'shadow') then (series ->> 'enteredAt')::bigint
    else coalesce((select r.created_at from evaluation_runs r where r.id::text = of_run), at) end
$$;

-- By source what it was while the evidence was made. Null of what was on record before: unknown.
alter table evidence add column origins jsonb;

create function state_evidence_origins() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.origins := case when new.kind = 'manifest' then '{}' else (
    select origins_between(manifest_sources(m.canonical::jsonb), evidence_since(new.kind, new.series::jsonb, new.run_id, new.at), new.at)
    from manifests m where m.agent_id = new.agent_id and m.version = new.manifest_version) end;
  return new;
end $$;
-- After `evidence_admitted`, which gives it its time.
create trigger evidence_states_origins before insert on evidence for each row execute function state_evidence_origins();
alter table evidence enable always trigger evidence_states_origins;

-- By source what it was while a piece of evidence was made.
create function evidence_origins(of_evidence evidence) returns jsonb language sql stable set search_path = public, pg_temp as $$
  select case when of_evidence.kind = 'manifest' then '{}' else coalesce(of_evidence.origins, (
    select coalesce(jsonb_object_agg(s.source, 'unknown'), '{}') from manifests m cross join unnest(manifest_sources(m.canonical::jsonb)) s(source)
    where m.agent_id = of_evidence.agent_id and m.version = of_evidence.manifest_version)) end
$$;

-- True unless every source of a piece of evidence was real, and time was not moved on.
create function evidence_is_simulated(of_evidence evidence) returns boolean language sql stable set search_path = public, pg_temp as $$
  select is_simulated(of_evidence.at) or exists (select 1 from jsonb_each_text(evidence_origins(of_evidence)) o where o.value <> 'real')
$$;

-- The sources that keep a piece of evidence from counting, in words; null if it counts. Where the agent trades on a real venue every
-- source has to be real, and a source that is real now has to have been.
create function set_aside_sources(of_evidence evidence) returns text language sql stable set search_path = public, pg_temp as $$
  select string_agg(format('%s (%s)', o.key, o.value), ', ' order by o.key)
  from manifests m cross join lateral (
    select exists (select 1 from readable_elements(m.canonical::jsonb -> 'universe') u where reads_real(split_part(u ->> 'key', ':', 1))) as for_real
  ) t cross join lateral jsonb_each_text(evidence_origins(of_evidence)) o
  where m.agent_id = of_evidence.agent_id and m.version = of_evidence.manifest_version and o.value <> 'real' and (t.for_real or reads_real(o.key))
$$;

-- Why a piece of evidence counts no more, if it does not: it was made under earlier rules, or it stands on what is not real.
create function superseding(of_evidence evidence) returns table (rules_version int, rule_change text) language sql stable set search_path = public, pg_temp as $$
  select s.rules_version, s.rule_change from superseded_evidence s where s.evidence_id = of_evidence.id
  union all
  select gate_rules_version(of_evidence.kind), 'only real sources count beside a real venue, and it stands on ' || a.sources
  from (select set_aside_sources(of_evidence) as sources) a where a.sources is not null
  limit 1
$$;

-- The evidence on which an agent passed a gate with its active manifest, which counts no more and is not renewed.
create or replace function outdated_evidence(agent uuid) returns table (kind text, evidence_id uuid, rules_version int, rule_change text)
language sql stable set search_path = public, pg_temp as $$
  with stages(names) as (values (array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'])),
  passed as (
    select distinct on (c.from_stage) c.evidence_id, a.manifest_version, a.manifest_hash
    from agents a cross join stages s join stage_changes c on c.agent_id = a.id and c.manifest_version = a.manifest_version
      and c.manifest_hash = a.manifest_hash and c.evidence_id is not null
    where a.id = agent and array_position(s.names, c.from_stage) < array_position(s.names, a.stage)
    order by c.from_stage, c.seq desc
  )
  select e.kind, e.id, o.rules_version, o.rule_change
  from passed p join evidence e on e.id = p.evidence_id cross join lateral superseding(e) o
  where not exists (
    select 1 from (
      select r as row, r.id, r.seq, r.at, r.kind, r.series::jsonb as series from evidence r
      where r.agent_id = agent and r.kind = e.kind and r.manifest_version = p.manifest_version and r.manifest_hash = p.manifest_hash
      order by r.seq desc limit 1) newest
    where newest.seq > e.seq and not exists (select 1 from superseding(newest.row))
      and evidence_passes(newest.kind, newest.series)
      -- A backtest passes its gate only if it is recent and no luck.
      and (newest.kind <> 'backtest' or (newest.at - (newest.series ->> 'lastCandleAt')::bigint <= 31 * 86400000::bigint
        and exists (select 1 from backtest_luck(newest.id) l where l.errors_above >= 1.6448536269514722))))
  order by e.seq
$$;

create or replace function guard_gate_rules() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  stages constant text[] := array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'];
  outdated record;
begin
  if array_position(stages, new.stage) <= array_position(stages, old.stage) then
    return new;
  end if;
  select o.kind, o.rules_version, o.rule_change into outdated from outdated_evidence(new.id) o
    union all select e.kind, s.rules_version, s.rule_change from evidence e cross join lateral superseding(e) s
    where e.id = new.stage_evidence limit 1;
  if outdated.kind is not null then
    raise exception 'the gate from % to % stays shut: the evidence of % was made under version % of its rules, and since then %',
      old.stage, new.stage, outdated.kind, outdated.rules_version, outdated.rule_change using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  return new;
end $$;
