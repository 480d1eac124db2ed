-- An arrival ends the transfer that it is recorded for, and no other. Until now two organizations could follow one source
-- transaction and share its arrival, so that a quote of the same terms showed a stranger's deposit as an own transfer.
create or replace function guard_bridge_end() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from bridge_arrivals a where a.transfer_id = new.id and a.source_chain = new.from_chain and a.source_hash = new.hash
    and a.chain = case new.state when 'completed' then new.to_chain else new.from_chain end
    and a.hash = new.body #>> case new.state when 'completed' then '{axes,destination,hash}'::text[] else '{axes,refund,hash}'::text[] end) then
    raise exception 'no arrival of its own ends transfer % as %', new.id, new.state using errcode = 'check_violation';
  end if;
  return null;
end $$;

-- Transfers that ended by an arrival of another one stay as they ended; the log of the migration names how many there are.
do $$
declare
  borrowed bigint;
begin
  select count(*) into borrowed from bridge_transfers t where t.state in ('completed', 'refunded')
    and not exists (select 1 from bridge_arrivals a where a.transfer_id = t.id);
  if borrowed > 0 then
    raise warning '% bridge transfers ended by the arrival of another transfer: select id, org_id, hash from bridge_transfers t where t.state in (''completed'', ''refunded'') and not exists (select 1 from bridge_arrivals a where a.transfer_id = t.id)', borrowed;
  end if;
end $$;
