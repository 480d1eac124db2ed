-- What is kept of a proposal takes less once its steps lie in an archive file.

-- Where a proposal has ended, and what lists name it by. All that led there is in its steps.
create function without_context(snapshot jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select snapshot || jsonb_build_object('context', jsonb_build_object('order', (
    select jsonb_object_agg(key, value) from jsonb_each(snapshot #> '{context,order}') where key in ('side', 'quantity', 'instrument'))))
$$;
revoke execute on function without_context(jsonb) from public;

-- Takes at most so many steps and rows of audit that were moved out of the database, and the contexts of proposals with their steps;
-- answers how many steps and rows. One stretch is taken away before the next one is moved, so only the newest is looked at.
create or replace function forget_moved_steps(most int) returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten bigint;
  gone bigint;
begin
  with chosen as (
    select s.actor_id, s.version from moved_actors m join steps s on s.actor_id = m.actor_id
    where m.until_slot = (select max(until_slot) from moved_history) limit most
  ), gone as (
    delete from steps s using chosen c where s.actor_id = c.actor_id and s.version = c.version returning s.actor_id
  ), thinned as (
    update actors a set snapshot = without_context(a.snapshot)
    where a.kind = 'proposal' and a.id in (select actor_id from gone) and a.snapshot <> without_context(a.snapshot)
  )
  select count(*) into forgotten from gone;
  with chosen as (
    select seq from audit where seq < (select max(audit_until) from moved_history) order by seq limit greatest(most - forgotten, 0)
  )
  delete from audit a using chosen c where a.seq = c.seq;
  get diagnostics gone = row_count;
  return forgotten + gone;
end $$;

-- A list of proposals in one state is answered from an index, however many proposals have ended since: of open ones, which are few, by
-- their organization, and of ended ones by an index that an ending alone writes. An index of every state was written at each step, and
-- took three times the space.
create index proposals_open_by_org on proposals (org_id)
  where state in ('pending_approval', 'approved', 'executing', 'unknown') and org_id is not null;
create index proposals_ended_by_org on proposals (org_id, state, number desc) where state not in ('pending_approval', 'approved', 'executing', 'unknown');
create index proposals_ended_by_agent on proposals (agent_id, state, number desc) where state not in ('pending_approval', 'approved', 'executing', 'unknown');
drop index proposals_by_state;
drop index proposals_of_agent_by_state;
