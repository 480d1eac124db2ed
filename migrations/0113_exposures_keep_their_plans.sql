-- Planned once per session: for an array of ids PostgreSQL planned these queries anew at every call, which cost a statement that
-- changes a single book more than the query itself.
alter function exposures_of_books(text[]) set plan_cache_mode = 'force_generic_plan';
alter function refresh_exposures(text[]) set plan_cache_mode = 'force_generic_plan';
