-- The gate out of backtest: the stretch ends within the last month, so that nobody chooses a stretch by how well it went.

create function guard_backtest_window() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  last bigint;
begin
  if old.stage <> 'backtest' or new.stage <> 'stress_test' then
    return new;
  end if;
  -- Other evidence opens nothing: that is for `agent_stage_gate` to say.
  select (series::jsonb ->> 'lastCandleAt')::bigint into last from evidence where id = new.stage_evidence and kind = 'backtest';
  if found and (gate_now() - last <= 31 * 86400000::bigint) is not true then
    raise exception 'the gate from backtest to stress_test stays shut: the last candle of the backtest lies more than 31 days back'
      using errcode = 'check_violation', constraint = 'stage_gate';
  end if;
  return new;
end $$;
-- After `agent_stage_gate`, which has found the evidence.
create trigger agent_stage_window before update on agents for each row execute function guard_backtest_window();
alter table agents enable always trigger agent_stage_window;
