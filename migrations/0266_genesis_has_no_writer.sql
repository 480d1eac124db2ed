-- Rows that were there before the first key have no writer: whichever process signs first puts them on record, the feed as well.
create or replace function check_feed_steps() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from trail_changes c join steps s on s.actor_id = split_part(c.key, ' ', 1)::uuid and s.version = split_part(c.key, ' ', 2)::bigint
    where c.xid = pg_current_xact_id() and c.name = 'steps' and c.op <> 'genesis' and not (s.event ->> 'type' = any(feed_events()) and s.cause = 'feed');
  if found then
    raise exception 'the feed has actors take its own events alone' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
  perform 1 from trail_changes c join actors a on a.id = c.key::uuid
    where c.xid = pg_current_xact_id() and c.name = 'actors' and c.op <> 'genesis' and a.status <> 'quarantined' and not exists (
      select 1 from trail_changes s where s.xid = c.xid and s.name = 'steps' and s.key = a.id || ' ' || a.version);
  if found then
    raise exception 'the feed moves an actor by a step alone' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
  perform 1 from trail_changes c join agents g on g.id = c.key::uuid join actors a on a.id = g.id
    where c.xid = pg_current_xact_id() and c.name = 'agents' and c.op <> 'genesis' and not (c.op = 'update' and a.status = 'quarantined' and g.pause_cause = 'quarantine');
  if found then
    raise exception 'the feed changes an agent only to take it off duty' using errcode = 'insufficient_privilege', constraint = 'feed_tells_of_feeds';
  end if;
end $$;
