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

insert into trail_tables (name, mode, reason) values
  ('quarantined_rows', 'guarded', 'which rows a background loop could not handle; nothing acts on it');

-- Reads stored text as JSON, or null where it is not JSON. A query over rows of several organizations uses it, so that one
-- unreadable row does not fail the query for all of them.
create function readable_json(stored text) returns jsonb language plpgsql immutable parallel safe set search_path = pg_catalog as $$
begin
  return stored::jsonb;
exception when others then
  return null;
end $$;

-- Elements of a JSON array, or no rows where the value is not an array.
create function readable_elements(stored jsonb) returns setof jsonb language sql immutable parallel safe set search_path = pg_catalog as $$
  select jsonb_array_elements(case when jsonb_typeof(stored) = 'array' then stored else '[]' end)
$$;

-- Readiness counts actors in quarantine.
create index actors_in_quarantine on actors (id) where status = 'quarantined';
