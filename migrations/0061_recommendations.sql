-- What agents at `suggest` recommended is read from their decisions: those that asked for a trade and became no proposal.
create index decisions_asking on decisions (slot desc, agent_id desc) where disposition in ('propose_entry', 'propose_exit');
create index proposals_by_decision on proposals (agent_id, slot);
