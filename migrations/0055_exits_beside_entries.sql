-- A stop-loss is proposed while an entry of its instrument is still being bought: what is left of the entry ends in the same
-- transaction, and what is just leaving of it may still come back. Of each side there is one that is open.
drop index proposals_one_open;
create unique index proposals_one_open on proposals (book_id, instrument, side) where state in ('pending_approval', 'approved', 'executing', 'unknown');
