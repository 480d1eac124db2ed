-- Plans the queries of triggers and of `trail_seal` once per session: they go by keys, and a plan for one value is as good as for any
-- other. PostgreSQL planned some of them anew at every call, because the name of the table is a value to them: more than the queries cost.
alter function trail_seal(text, bigint, int, text, text) set plan_cache_mode = force_generic_plan;
do $$
declare
  each regprocedure;
begin
  for each in select oid::regprocedure from pg_proc where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype
    and not coalesce(proconfig, '{}') && array['plan_cache_mode=force_generic_plan'] loop
    execute format('alter function %s set plan_cache_mode = force_generic_plan', each);
  end loop;
end $$;
