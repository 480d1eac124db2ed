-- How far a run is, as its worker said last: what it does, since when, and how much of how much of that is done.
alter table evaluation_runs add column progress jsonb;
