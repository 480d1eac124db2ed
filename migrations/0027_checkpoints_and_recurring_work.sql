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
grant select, insert on actor_checkpoints to sevengate_app;

-- Up to which version checkpoints are written, so that whoever is due is found without reading every actor.
alter table actors add column checkpoint_version bigint not null default 0;
create index actors_to_checkpoint on actors (id) where version - checkpoint_version >= 128;

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

insert into trail_tables (name, mode, reason) values
  ('actor_checkpoints', 'guarded', 'follows from the steps, which are logged; what is rebuilt is held against them'),
  ('recurring_work', 'guarded', 'which slot of what recurs is done; nothing is proved by it');
