-- A halt holds from its epoch on. Pausing what it found on duty may take longer: until that is done (swept_epoch), no agent of
-- the organization gets a permit to execute. Whoever pauses renews sweeping_until; another worker goes on after it.
alter table control add column swept_epoch bigint not null default 0, add column sweeping_until timestamptz;
update control set swept_epoch = epoch;
alter table control add constraint control_swept check (swept_epoch <= epoch);
create index control_to_sweep on control (org_id) where swept_epoch < epoch;
