-- One table for all work that takes long and belongs to no record: imports and backfills of bars as before, imports of events,
-- marks and liquidity, and moves of old history to archive files. Each row says what is worked on and who works.
alter table candle_work rename to long_work;
alter table long_work rename constraint candle_work_pkey to long_work_pkey;
alter index candle_work_seen rename to long_work_seen;
update trail_tables set name = 'long_work', reason = 'how far long work is; nothing is proved by it' where name = 'candle_work';

alter table long_work
  add subject text,
  -- The command or the part of the service, and its process.
  add worked_on_by text not null default 'a process of before',
  alter venue drop not null,
  alter instrument drop not null,
  alter timeframe drop not null,
  drop constraint candle_work_kind_check,
  drop constraint candle_work_unit_check;
update long_work set subject = venue || ' ' || instrument || ' ' || timeframe;
alter table long_work
  alter subject set not null,
  alter worked_on_by drop default,
  add constraint long_work_kind_check check (kind in ('import', 'backfill', 'event_import', 'fact_import', 'archive_move')),
  -- What is imported or fetched of bars names their series, and nothing else does.
  add constraint long_work_series_check check (
    (kind in ('import', 'backfill')) = (venue is not null) and (venue is null) = (instrument is null) and (venue is null) = (timeframe is null));
comment on column long_work.source is 'names of the files, without their folders, or the venue that is asked';
comment on column long_work.subject is 'what is worked on, in a few words';
