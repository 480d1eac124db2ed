-- Few proposals are open at a time, so that statistics say that none is, and two partial indexes of the same condition look alike:
-- what waits on one book was looked for among everything that waits, as often as there are executions. Each index now also says that
-- what it begins with is there, which only a query that asks for it can show.
drop index proposals_open;
create index proposals_open on proposals (agent_id)
  where state in ('pending_approval', 'approved', 'executing', 'unknown') and agent_id is not null;
drop index proposals_one_open;
create unique index proposals_one_open on proposals (book_id, instrument, side)
  where state in ('pending_approval', 'approved', 'executing', 'unknown') and book_id is not null;
