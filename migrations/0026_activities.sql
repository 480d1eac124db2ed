-- Work that is carried out after the commit of a step is an activity. Rows under way keep their keys and are carried on.
alter table errands rename to activities;
alter table activities rename constraint errands_pkey to activities_pkey;
alter table activities rename constraint errands_actor_id_fkey to activities_actor_id_fkey;
alter table activities rename constraint errands_state_check to activities_state_check;
alter index errands_pending rename to activities_pending;
update trail_tables set name = 'activities' where name = 'errands';
