-- The highest price of a share follows from prices that hold: once a cut is corrected, a mark that rests on it counts no more.
create function lower_high_waters() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  with open_since as (
    -- The deposit that came when there was no share: what was reached before it belongs to nobody who holds one now.
    select v.agent_id, (
      select c.change from (
        select change, sum(case kind when 'deposit' then shares else -shares end) over (order by change) as owned
        from vault_changes where agent_id = v.agent_id) c
      where c.owned = 0 order by c.change desc limit 1) as emptied
    from vaults v where v.total_shares > 0
  ), first as (
    select o.agent_id, c.change, c.at, c.share_price_usd from open_since o
    join vault_changes c on c.agent_id = o.agent_id and c.change = coalesce(o.emptied, 0) + 1
  ), reached as (
    select agent_id, at, share_price_usd from first
    union all
    select c.agent_id, c.at, c.share_price_usd from first f
    join vault_changes c on c.agent_id = f.agent_id and c.change > f.change and c.kind = 'deposit'
    where not exists (
      select 1 from cut_corrections w
      where w.slot = (select slot from cut_batches where slot <= c.at and slot >= c.at - 180000 order by slot desc limit 1))
    union all
    select m.agent_id, m.at, m.share_price_usd from first f join judged_vault_marks m on m.agent_id = f.agent_id and m.at >= f.at
  ), highest as (
    select distinct on (agent_id) agent_id, at, share_price_usd from reached order by agent_id, share_price_usd desc, at
  )
  update vaults v set high_water_usd = h.share_price_usd, high_water_at = h.at
    from highest h where h.agent_id = v.agent_id and h.share_price_usd < v.high_water_usd;
  return null;
end $$;
create trigger high_waters_follow after insert on cut_corrections for each statement execute function lower_high_waters();
alter table cut_corrections enable always trigger high_waters_follow;

select protect_writes();
