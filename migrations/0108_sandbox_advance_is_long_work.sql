-- `sevengate sandbox advance` writes how far it is as all other long work does.
alter table long_work
  drop constraint long_work_kind_check,
  add constraint long_work_kind_check check (
    kind in ('import', 'backfill', 'event_import', 'fact_import', 'archive_move', 'sandbox_advance'));
