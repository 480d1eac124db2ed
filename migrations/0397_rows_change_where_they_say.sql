-- The application may change a column of these tables only where its definition says that it changes. Row-level security gave
-- callers what the application had.
revoke update on launches from sevengate_app, sevengate_api;
grant update (state, mint, signatures, standing, reason, detail, submitted_by, trading_since, changed_at, outcome) on launches to sevengate_app, sevengate_api;
