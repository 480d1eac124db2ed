-- Launches by the external launcher stand beside those on bonding curves: paid for first, and a mint that is known at the end.
alter table launches drop constraint launches_kind_check;
alter table launches add constraint launches_kind_check check (kind in ('curve', 'launcher'));
alter table launches drop constraint launches_state_check;
alter table launches add constraint launches_state_check check (
  case kind
    when 'curve' then state in ('prepared', 'submitted', 'confirmed', 'trading', 'graduating', 'graduated', 'expired', 'failed')
    else state in ('quoted', 'prepared', 'payment_submitted', 'payment_confirmed', 'launching', 'launched', 'expired', 'failed', 'failed_paid')
  end);
alter table launches alter column mint drop not null;
alter table launches add constraint launches_mint_known check (mint is not null or (kind = 'launcher' and state <> 'launched'));
-- What the launcher answered besides the mint.
alter table launches add column outcome jsonb;
-- One payment is one launch.
create unique index launches_by_payment on launches ((signatures[1])) where kind = 'launcher' and cardinality(signatures) > 0;

create or replace function guard_launch() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'launches are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.kind, new.symbol, new.creator, new.quote_mint, new.agent_id, new.take_id, new.terms, new.prepared_by)
    is distinct from (old.id, old.number, old.org_id, old.kind, old.symbol, old.creator, old.quote_mint, old.agent_id, old.take_id, old.terms, old.prepared_by)
    or (old.mint is not null and new.mint is distinct from old.mint)
    or (old.kind = 'launcher' and cardinality(old.signatures) > 0 and new.signatures <> old.signatures) then
    raise exception 'what a launch is about does not change' using errcode = 'check_violation';
  end if;
  if new.state <> old.state and old.state in ('graduated', 'launched', 'expired', 'failed') then
    raise exception 'the launch has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;

alter table prepared_transactions drop constraint prepared_transactions_purpose_check;
alter table prepared_transactions add constraint prepared_transactions_purpose_check
  check (purpose in ('swap', 'prediction_order', 'checkout', 'launch', 'launcher_payment'));
