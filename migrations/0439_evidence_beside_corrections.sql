-- Evidence of a stage is written before a correction of its cuts or after it, not beside it. Before, evidence that did not see a correction
-- which had begun and was not committed was dated after it, so that it counted on although it rested on the wrong cut.
create function await_corrections() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  lock table cut_corrections in share mode;
  return new;
end $$;
revoke execute on function await_corrections() from public;
-- Before `evidence_admitted`, which compares the series with the rows.
create trigger corrections_awaited before insert on evidence for each row when (new.kind in ('paper', 'shadow')) execute function await_corrections();
alter table evidence enable always trigger corrections_awaited;
