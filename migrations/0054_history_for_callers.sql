-- Callers are told what of the past is missing before they ask for a backtest. Neither table belongs to an organization.
grant select on market_history, event_archives to sevengate_api;
