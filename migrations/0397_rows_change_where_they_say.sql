-- The application may change a column of these tables only where its definition says that it changes. Row-level security gave
-- callers what the application had.
revoke update on launches from sevengate_app, sevengate_api;
grant update (state, mint, signatures, standing, reason, detail, submitted_by, trading_since, changed_at, outcome) on launches to sevengate_app, sevengate_api;
revoke update on bridge_transfers from sevengate_app, sevengate_api;
grant update (state, hash, delayed_at, body, changed_at) on bridge_transfers to sevengate_app, sevengate_api;
revoke update on marketplace_checkouts from sevengate_app, sevengate_api;
grant update (state, reason, detail, signature, submitted_by, changed_at) on marketplace_checkouts to sevengate_app, sevengate_api;
