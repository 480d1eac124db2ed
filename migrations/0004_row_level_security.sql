-- Row-level security: what serves a caller sees the rows of one organization, named per transaction, and without it none.
-- The boundary is the role, never the setting: the engine (sevengate_app, sevengate_evaluator) acts for every organization,
-- sevengate_api for the one in set_config('sevengate.organization', …, true). The owner is not forced under the policies:
-- nobody but migrations and triggers works as the owner, and the triggers keep chains and ledgers whole, whoever wrote.

-- Null where no organization was named; what is no UUID is an error. Inlined into every policy, so it can serve an index.
create function current_organization() returns uuid language sql stable parallel safe
return nullif(current_setting('sevengate.organization', true), '')::uuid;

-- Which references of a table lead to rows of an organization, shortest way first: its actor or agent, then what its
-- foreign keys name. `condition` holds where the row that is meant is there for whoever asks; `nothing` where none is meant.
-- A scalar subquery and no `exists`, which may be answered by a hash of all actors of the organization at every statement.
create function organization_references(target regclass) returns table (place int, is_key boolean, condition text, nothing text)
language sql stable set search_path = public, pg_temp as $$
  with key as (
    select c.oid, c.confrelid, cardinality(c.conkey) as columns, min(a.attname) as first_column,
      string_agg(format('r.%I = %s.%I', f.attname, target, a.attname), ' and ' order by k.n) as matched,
      string_agg(format('%s.%I is null', target, a.attname), ' or ' order by k.n) filter (where not a.attnotnull) as nothing
    from pg_constraint c cross join unnest(c.conkey, c.confkey) as k(n, m)
    join pg_attribute a on a.attrelid = target and a.attnum = k.n join pg_attribute f on f.attrelid = c.confrelid and f.attnum = k.m
    where c.conrelid = target and c.contype = 'f' and not c.condeferrable and c.confrelid <> target and c.confrelid <> 'organizations'::regclass
      and exists (select 1 from pg_policy p where p.polrelid = c.confrelid and p.polname = 'organization_rows')
    group by c.oid
  )
  -- Every agent is an actor, and actors say whose they are.
  select 1, exists (select 1 from key where columns = 1 and first_column = a.attname), format('(select true from actors r where r.id = %s.%I)', target, a.attname),
    case when not a.attnotnull then format('%s.%I is null', target, a.attname) end
  from pg_attribute a where a.attrelid = target and a.attname in ('actor_id', 'agent_id') and not a.attisdropped and a.atttypid = 'uuid'::regtype
  union all
  select 2, true, format('(select true from %s r where %s)', confrelid::regclass, matched), nothing
  from key where columns > 1 or first_column not in ('actor_id', 'agent_id')
$$;

-- Gives a table its policies: its rows belong to the organization of their org_id, else of what they refer to. Callers get
-- the privileges that the application has at this moment; take from them what no request of theirs writes.
create function belongs_to_organization(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  own text := case when target = 'organizations'::regclass then 'organizations.id = current_organization()'
    when exists (select 1 from pg_attribute where attrelid = target and attname = 'org_id' and not attisdropped) then format('%s.org_id = current_organization()', target)
    else (select condition from organization_references(target) order by place, condition limit 1) end;
  privilege text;
  fields text;
begin
  if own is null then
    raise exception 'nothing in % leads to an organization: give it an org_id, an agent_id, an actor_id or a foreign key to what has one', target;
  end if;
  execute format('alter table %s enable row level security', target);
  execute format('create policy engine_rows on %s to sevengate_app, sevengate_evaluator using (true) with check (true)', target);
  execute format('create policy reader_rows on %s for select to sevengate_reader using (true)', target);
  execute format('create policy organization_rows on %s to sevengate_api using (%s) with check (%s)', target, own, own);
  foreach privilege in array array['select', 'insert', 'update', 'delete'] loop
    if has_table_privilege('sevengate_app', target, privilege) then
      execute format('grant %s on %s to sevengate_api', privilege, target);
    elsif privilege in ('insert', 'update') then
      select string_agg(quote_ident(attname), ', ') into fields from pg_attribute
        where attrelid = target and attnum > 0 and not attisdropped and has_column_privilege('sevengate_app', target, attnum, privilege);
      if fields is not null then
        execute format('grant %s (%s) on %s to sevengate_api', privilege, fields, target);
      end if;
    end if;
  end loop;
end $$;
revoke execute on function belongs_to_organization(regclass) from public;

-- A new row refers to rows of its own organization only: foreign keys look past policies.
create function refers_within_organization(target regclass) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  named boolean := exists (select 1 from pg_attribute where attrelid = target and attname = 'org_id' and not attisdropped);
  checked text;
begin
  -- Where the row itself names its organization, a reference that no foreign key vouches for says nothing.
  select concat_ws(' and ', case when named then format('%s.org_id = current_organization()', target) end,
    string_agg(case when nothing is null then condition else format('(%s or %s)', nothing, condition) end, ' and ' order by place, condition))
    into checked from organization_references(target) where is_key or not named;
  if checked <> '' then
    execute format('alter policy organization_rows on %s with check (%s)', target, checked);
  end if;
end $$;
revoke execute on function refers_within_organization(regclass) from public;

-- Gives every table its policies that has none yet and leads to an organization; `sevengate migrate` asks for it after each
-- migration. A partition is read through its table, whose policies hold.
create function protect_organizations() returns void language plpgsql set search_path = public, pg_temp as $$
declare
  target regclass;
begin
  loop
    select c.oid into target from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polname = 'organization_rows')
        and (c.oid in ('organizations'::regclass, 'actors'::regclass)
          or exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)
          or exists (select 1 from organization_references(c.oid)))
      -- What others refer to comes first.
      order by c.oid <> 'organizations'::regclass, c.oid <> 'actors'::regclass,
        not exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id'), c.oid limit 1;
    exit when target is null;
    perform belongs_to_organization(target);
  end loop;
  perform refers_within_organization(polrelid) from pg_policy where polname = 'organization_rows' and polrelid <> 'organizations'::regclass;
end $$;
revoke execute on function protect_organizations() from public;

select protect_organizations();
revoke insert on organizations from sevengate_api;

-- Announcements without an organization (that a shard has decided, for example) are for everybody; nobody who serves callers writes one.
create policy shared_rows on announcements for select to sevengate_api using (org_id is null);
