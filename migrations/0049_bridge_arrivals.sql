-- What has arrived for a transfer between the chains counts for its source transaction alone: a provider that names the same
-- payment for a second transfer is not believed. Two organizations may follow one source transaction, and share its arrival.
create table bridge_arrivals (
  chain text not null check (chain in ('spotchain', 'evmvenue')),
  -- In its one spelling: lower case on the EVM chain.
  hash text not null check (chain = 'spotchain' or hash ~ '^0x[0-9a-f]{64}$'),
  kind text not null check (kind in ('payment', 'refund')),
  -- The transfer that it ended first.
  transfer_id uuid not null references bridge_transfers,
  source_chain text not null check (source_chain in ('spotchain', 'evmvenue')),
  source_hash text not null,
  primary key (chain, hash)
);
create index bridge_arrivals_by_transfer on bridge_arrivals (transfer_id);
select make_append_only('bridge_arrivals');
grant select, insert on bridge_arrivals to sevengate_app;

-- A transfer does not end by money that is not its own.
create function guard_bridge_end() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from bridge_arrivals a where a.source_chain = new.from_chain and a.source_hash = new.hash
    and a.chain = case new.state when 'completed' then new.to_chain else new.from_chain end
    and a.hash = new.body #>> case new.state when 'completed' then '{axes,destination,hash}'::text[] else '{axes,refund,hash}'::text[] end) then
    raise exception 'no arrival of its own ends transfer % as %', new.id, new.state using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger bridge_transfer_end after insert or update of state on bridge_transfers deferrable initially deferred
  for each row when (new.state in ('completed', 'refunded')) execute function guard_bridge_end();
alter table bridge_transfers enable always trigger bridge_transfer_end;

select protect_organizations();
-- Transfers are ended by workers alone.
revoke insert on bridge_arrivals from sevengate_api;
