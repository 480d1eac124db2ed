-- What a person did to an actor of any kind beside its state chart: an activity retried, its attempts counted from none again,
-- a quarantine ended; each with who and why.
create table interventions (
  seq bigint generated always as identity primary key,
  org_id uuid not null references organizations,
  actor_id uuid not null references actors,
  action text not null check (action in ('retry', 'reset', 'release')),
  -- The activity; null where it was the actor as a whole.
  activity_key text,
  -- How many activities it concerned.
  activities int not null check (activities >= 0),
  reason text not null check (length(btrim(reason)) between 1 and 500),
  subject text not null check (subject <> ''),
  request_id text not null,
  at bigint not null
);
create index interventions_by_org on interventions (org_id, seq desc);
select make_append_only('interventions');

-- What the page of the runtime lists: an actor's incidents, and the activities that were given up.
create index incidents_by_actor on incidents (actor_id, id);
create index activities_given_up on activities (actor_id) where state = 'given_up';

select protect_organizations();
