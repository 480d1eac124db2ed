-- Evidence has the version of its gate's rules. An agent that passed a gate on evidence of earlier rules stays where it is: no further
-- gate opens and nothing is paid into its vault until that evidence is renewed. A migration that changes the rules of a kind raises
-- its version here and lists the evidence that is on record.

-- The present version of the rules by kind of evidence.
create function gate_rules_version(of_kind text) returns int language sql immutable set search_path = public, pg_temp as $$
  select case when of_kind in ('backtest', 'paper', 'shadow') then 2 else 1 end
$$;

-- Evidence that was made under earlier rules. What is not listed was made under the present ones.
create table superseded_evidence (
  evidence_id uuid primary key references evidence,
  rules_version int not null check (rules_version > 0),
  -- What the rules ask since, as a clause.
  rule_change text not null check (rule_change <> '')
);
select make_append_only('superseded_evidence');
-- Nobody but the owner of the tables writes one.
revoke insert, update, delete on superseded_evidence from sevengate_app;
grant select on superseded_evidence to sevengate_evaluator, sevengate_reader;

insert into superseded_evidence
select id, 1, 'days on which the agent is paused do not count' from evidence where kind = 'paper' and not series::jsonb ? 'pausedMs'
union all select id, 1, 'each order is held against the flow of its venue' from evidence where kind = 'shadow' and not series::jsonb ? 'orders'
union all select e.id, 1, 'its result has to lie above what the best of all trials would show by luck'
  from evidence e join migrations m on m.name = '0106_luck_of_backtests.sql'
  where e.kind = 'backtest' and e.at < extract(epoch from m.applied_at) * 1000;

-- The evidence of earlier rules on which an agent passed a gate with its active manifest, and which is not renewed: the newest evidence
-- of its kind is not one that passes under the present rules.
create function outdated_evidence(agent uuid) returns table (kind text, evidence_id uuid, rules_version int, rule_change text)
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
  from passed p join superseded_evidence o on o.evidence_id = p.evidence_id join evidence e on e.id = p.evidence_id
  where not exists (
    select 1 from (
      select r.id, r.seq, r.at, r.kind, r.series::jsonb as series from evidence r
      where r.agent_id = agent and r.kind = e.kind and r.manifest_version = p.manifest_version and r.manifest_hash = p.manifest_hash
      order by r.seq desc limit 1) newest
    where newest.seq > e.seq and not exists (select 1 from superseded_evidence s where s.evidence_id = newest.id)
      and evidence_passes(newest.kind, newest.series)
      -- A backtest passes its gate only if it is recent and no luck.
      and (newest.kind <> 'backtest' or (newest.at - (newest.series ->> 'lastCandleAt')::bigint <= 31 * 86400000::bigint
        and exists (select 1 from backtest_luck(newest.id) l where l.errors_above >= 1.6448536269514722))))
  order by e.seq
$$;

create function guard_gate_rules() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  stages constant text[] := array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'];
  outdated record;
begin
  if array_position(stages, new.stage) <= array_position(stages, old.stage) then
    return new;
  end if;
  select o.kind, o.rules_version, o.rule_change into outdated from outdated_evidence(new.id) o
    union all select e.kind, s.rules_version, s.rule_change from superseded_evidence s join evidence e on e.id = s.evidence_id
    where s.evidence_id = new.stage_evidence limit 1;
  if outdated.kind is not null then
    raise exception 'the gate from % to % stays shut: the evidence of % was made under version % of its rules, and since then %',
      old.stage, new.stage, outdated.kind, outdated.rules_version, outdated.rule_change using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  return new;
end $$;
-- After `agent_stage_gate`, which has found the evidence.
create trigger agent_stage_rules before update on agents for each row execute function guard_gate_rules();
alter table agents enable always trigger agent_stage_rules;

create function guard_deposit_evidence() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  outdated record;
begin
  select * into outdated from outdated_evidence(new.agent_id) limit 1;
  if outdated.kind is not null then
    raise exception 'the vault takes no deposit: the evidence of % was made under version % of its rules, and since then %',
      outdated.kind, outdated.rules_version, outdated.rule_change using errcode = 'check_violation', constraint = 'vault_evidence';
  end if;
  return new;
end $$;
create trigger deposit_on_evidence before insert on vault_changes for each row when (new.kind = 'deposit') execute function guard_deposit_evidence();
alter table vault_changes enable always trigger deposit_on_evidence;

select protect_organizations();
select protect_writes();
update trail_tables set writers = '{owner}' where name = 'superseded_evidence';
