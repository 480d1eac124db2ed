-- The organizations of a tick shard are found from one to the next, so that organizations take turns when many shards are due.
create index actors_by_shard_and_org on actors (tick_period_ms, shard, org_id) where tick_from is not null;
