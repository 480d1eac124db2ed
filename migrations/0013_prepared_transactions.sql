-- Transactions of the primary chain that somebody else signs (spec 4.3, 5.5): the projection of their actors that lists
-- and risk read. The message is stored before whoever signs it hears of it, and never changes.
create table prepared_transactions (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  purpose text not null check (purpose in ('swap', 'prediction_order', 'checkout', 'launch')),
  executor text not null check (executor in ('user', 'delegated')),
  wallet text not null,
  -- What was promised, in the words of the purpose.
  subject jsonb not null,
  -- The message as it has to be signed, with its digest, signers and last valid block height: domain `PreparedMessage`.
  message jsonb not null,
  unsigned text not null,
  -- What it takes of a book until it has ended; null where it takes nothing.
  book_id text,
  instrument text,
  side text check (side in ('buy', 'sell')),
  quantity numeric,
  notional_usd numeric,
  prepared_by text not null,
  submitted_by text,
  -- The control epoch that it was prepared in.
  epoch bigint not null,
  state text not null check (state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'finalized', 'expired', 'refused', 'failed', 'unknown')),
  reason text,
  detail text,
  -- The name of the signed bytes on the chain: recorded before anything is sent.
  signature text,
  broadcasts int not null default 0,
  slot bigint,
  fee_lamports numeric,
  expired_at_height bigint,
  created_at bigint not null,
  changed_at bigint not null,
  -- The digest is that of the stored message. `is true`: what is missing is no proof.
  check ((encode(sha256(decode(message->>'messageBase64', 'base64')), 'hex') = message->>'digest') is true),
  check (num_nulls(book_id, instrument, side, quantity, notional_usd) in (0, 5)),
  -- Nothing is sent whose name is not recorded, and what nobody signed has gone nowhere.
  check ((signature is null) = (submitted_by is null)),
  check (signature is not null or state in ('prepared', 'expired')),
  check (state <> 'expired' or (expired_at_height > (message->>'lastValidBlockHeight')::bigint) is true)
);
create index prepared_transactions_by_org on prepared_transactions (org_id, purpose, number desc);
create index prepared_transactions_open on prepared_transactions (org_id)
  where state in ('prepared', 'submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown');
-- The same signed bytes are one transaction, whoever prepared them.
create unique index prepared_transactions_by_signature on prepared_transactions (signature) where signature is not null;
-- And the same message is prepared once: whoever else was given it would take another one's fill for its own.
create unique index prepared_transactions_by_digest on prepared_transactions ((message->>'digest'));

-- What a transaction is about never changes, its signed bytes are given once, and an ended one stays as it ended.
create function guard_prepared_transaction() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'prepared transactions are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.purpose, new.executor, new.wallet, new.subject, new.message, new.unsigned, new.book_id, new.instrument,
      new.side, new.quantity, new.notional_usd, new.prepared_by, new.epoch, new.created_at)
    is distinct from (old.id, old.number, old.org_id, old.purpose, old.executor, old.wallet, old.subject, old.message, old.unsigned, old.book_id, old.instrument,
      old.side, old.quantity, old.notional_usd, old.prepared_by, old.epoch, old.created_at) then
    raise exception 'what a prepared transaction is about does not change' using errcode = 'check_violation';
  end if;
  if old.signature is not null and new.signature is distinct from old.signature then
    raise exception 'the transaction was signed as %', old.signature using errcode = 'check_violation';
  end if;
  if old.state in ('finalized', 'failed', 'expired') and new.state <> old.state then
    raise exception 'the transaction has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger prepared_transaction_rows before update or delete on prepared_transactions for each row execute function guard_prepared_transaction();
create trigger prepared_transaction_table before truncate on prepared_transactions for each statement execute function refuse_change();
alter table prepared_transactions enable always trigger prepared_transaction_rows;
alter table prepared_transactions enable always trigger prepared_transaction_table;

grant select, insert, update on prepared_transactions to sevengate_app;
