-- Imports and backfills of bars that are under way or ended lately: how far each is, when it said so last, and what it waits for.
-- Whoever works writes its own row once a second at most; a row whose writer died shows by its age.
create table candle_work (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('import', 'backfill')),
  venue text not null,
  instrument text not null,
  timeframe text not null,
  -- Names of the files, without their folders, or the venue that is asked.
  source text not null,
  unit text not null check (unit in ('bytes', 'bars')),
  done bigint not null check (done >= 0),
  -- Null before it is counted.
  total bigint check (total >= 0),
  wait_cause text,
  wait_detail text,
  begun_at bigint not null,
  seen_at bigint not null,
  ended_at bigint,
  error text,
  check ((wait_cause is null) = (wait_detail is null)),
  check (error is null or ended_at is not null)
);
create index candle_work_seen on candle_work (seen_at);
grant select, insert, update, delete on candle_work to sevengate_app;
grant select on candle_work to sevengate_api;

insert into trail_tables (name, mode, reason) values
  ('candle_work', 'guarded', 'how far imports and backfills of bars are; nothing is proved by it');
select protect_writes();
