-- A list of proposals in one state is answered from an index, however many proposals have ended since.
create index proposals_by_state on proposals (org_id, state, number desc);
create index proposals_of_agent_by_state on proposals (agent_id, state, number desc);
create index market_orders_by_mode on market_orders (org_id, mode, number desc);
