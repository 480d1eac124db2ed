-- The chart of a Take has two regions: its life, and what it hears of its data. Snapshots are carried over when they are
-- read; the timers that wait for a state of the older chart are renamed here.

update timers t set timer_id = replace(t.timer_id, 'take@1.', 'take@2.life.'), event = replace(t.event::text, 'take@1.', 'take@2.life.')::jsonb
from actors a where a.id = t.actor_id and a.kind = 'take' and t.timer_id like 'xstate.%take@1.%';
