-- Positions of agents that somebody has closed: what is not sold yet, as the agent's actor says it.

alter table agents add column closing jsonb not null default '[]';
create index agents_closing on agents (id) where closing <> '[]';
