-- Trading: proposals and the leases under which orders are executed, orders of people, transactions that somebody else signs,
-- delegations of wallets, and what an organization has at work over its books.

-- Where each trade proposal stands: the projection of its actor that lists, risk and halts read.
create table proposals (
  id uuid primary key references actors,
  number bigint generated always as identity,
  org_id uuid not null references organizations,
  -- The agent or Take that trades.
  agent_id uuid not null references actors,
  -- Null where no decision asked for it: a kill switch closes a position.
  decision_id uuid,
  slot bigint not null,
  side text not null check (side in ('entry', 'exit')),
  manifest_version int not null,
  manifest_hash text not null,
  autonomy text not null,
  epoch bigint not null,
  mode text not null check (mode in ('paper', 'live')),
  book_id text not null,
  instrument text not null,
  -- The order as it was compiled: domain `Order`.
  order_body jsonb not null,
  notional_usd numeric not null,
  decision_price numeric not null,
  -- Whether the rules that asked for it rest on the reference price.
  reads_reference boolean not null,
  risk jsonb not null,
  state text not null check (state in ('pending_approval', 'approved', 'executing', 'filled', 'partially_filled', 'failed', 'unknown', 'expired', 'cancelled', 'declined', 'blocked_by_risk')),
  reason text,
  decided_by text,
  filled_quantity numeric not null default 0,
  filled_notional_usd numeric not null default 0,
  created_at bigint not null,
  expires_at bigint not null,
  changed_at bigint not null,
  -- How the order is carried out: the algorithm, where it stands, what is left of it and what became of each part. Null of proposals
  -- from before orders had parts. What is left of an open order is what it reserves: notional_usd follows it down.
  execution jsonb
);
create index proposals_by_org on proposals (org_id, number desc);
create index proposals_by_agent on proposals (agent_id, number desc);
-- A list of proposals in one state is answered from an index, however many proposals have ended since: of open ones, which are few, by
-- their organization, and of ended ones by an index that an ending alone writes. An index of every state was written at each step, and
-- took three times the space.
create index proposals_open_by_org on proposals (org_id)
  where state in ('pending_approval', 'approved', 'executing', 'unknown') and org_id is not null;
create index proposals_ended_by_org on proposals (org_id, state, number desc) where state not in ('pending_approval', 'approved', 'executing', 'unknown');
create index proposals_ended_by_agent on proposals (agent_id, state, number desc) where state not in ('pending_approval', 'approved', 'executing', 'unknown');
create index proposals_by_decision on proposals (agent_id, slot);
create index proposals_open on proposals (agent_id)
  where state in ('pending_approval', 'approved', 'executing', 'unknown') and agent_id is not null;
create unique index proposals_one_open on proposals (book_id, instrument, side)
  where state in ('pending_approval', 'approved', 'executing', 'unknown') and book_id is not null;
grant select, insert on proposals to sevengate_app;
grant update (state, reason, decided_by, risk, filled_quantity, filled_notional_usd, notional_usd, execution, changed_at) on proposals to sevengate_app, sevengate_api;

-- A finished proposal stays as it ended, and none changes what it was about.
create function guard_proposal() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'proposals are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.agent_id, new.decision_id, new.mode, new.book_id, new.instrument, new.order_body, new.epoch)
    is distinct from (old.id, old.number, old.org_id, old.agent_id, old.decision_id, old.mode, old.book_id, old.instrument, old.order_body, old.epoch) then
    raise exception 'what a proposal is about does not change' using errcode = 'check_violation';
  end if;
  if old.state not in ('pending_approval', 'approved', 'executing', 'unknown') and new.state <> old.state then
    raise exception 'the proposal has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger proposal_rows before update or delete on proposals for each row execute function guard_proposal();
alter table proposals enable always trigger proposal_rows;
create trigger proposal_table before truncate on proposals for each statement execute function refuse_change();
alter table proposals enable always trigger proposal_table;

-- Orders that may be on their way to a venue: taken in the transaction that checks the control row, and never sent after
-- its end. A halt waits until no lease of an older epoch lives.
create table execution_leases (
  key text primary key,
  org_id uuid not null references organizations,
  epoch bigint not null,
  held_until timestamptz not null
);
create index execution_leases_by_org on execution_leases (org_id);
grant select, insert, update, delete on execution_leases to sevengate_app;

-- A lease to execute begins, and ends early while it still lives, only with a step of the actor that holds it, in the same transaction:
-- that step is signed. A session without a key cannot make two processes carry out the same order, nor tell a halt that nothing is on
-- its way, nor that something is.
create function check_lease_end() returns trigger language plpgsql security definer
set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  lease execution_leases := coalesce(old, new);
begin
  if greatest(old.held_until, new.held_until) > clock_timestamp() and old.held_until is distinct from new.held_until
    and exists (select 1 from trail_writers) and not session_is_owner()
    and not exists (select 1 from trail_changes where name = 'steps' and key > lease.key || ' ' and key < lease.key || '!' and xid = pg_current_xact_id())
  then
    raise exception 'the lease of % lives until %, and no step of it begins or ends it', lease.key, greatest(old.held_until, new.held_until)
      using errcode = 'insufficient_privilege', constraint = 'lease_ended_by_step';
  end if;
  return null;
end $$;
create constraint trigger lease_ended_by_step after insert or update or delete on execution_leases deferrable initially deferred
  for each row execute function check_lease_end();
alter table execution_leases enable always trigger lease_ended_by_step;

-- Orders of people on the spot exchange: the projection of their actors that lists and risk read (spec 4.4). They may rest there until
-- they are filled or cancelled.
create table market_orders (
  id uuid primary key references actors,
  number bigint generated always as identity,
  org_id uuid not null references organizations,
  mode text not null check (mode in ('paper', 'live')),
  book_id text not null,
  instrument text not null,
  -- The order as it was compiled: domain `Order`.
  order_body jsonb not null,
  decision_price numeric not null,
  risk jsonb not null,
  placed_by text not null,
  -- The control epoch that it was placed in.
  epoch bigint not null,
  state text not null check (state in ('approved', 'executing', 'resting', 'withdrawing', 'filled', 'partially_filled', 'failed', 'unknown', 'cancelled', 'blocked_by_risk')),
  reason text,
  detail text,
  filled_quantity numeric not null default 0,
  filled_notional_usd numeric not null default 0,
  created_at bigint not null,
  changed_at bigint not null,
  time_in_force text not null default 'ioc' check (time_in_force in ('ioc', 'gtc')),
  post_only boolean not null default false,
  -- What it rests at; null where it does not rest.
  resting_at numeric,
  -- What the order still may come to, in US dollars; null of orders from before.
  bound_usd numeric
);
create index market_orders_by_org on market_orders (org_id, number desc);
create index market_orders_by_mode on market_orders (org_id, mode, number desc);
-- What waits on a book is found by its organization, its book and its place, however many orders have ended.
create index market_orders_open on market_orders (org_id, book_id, number) where state in ('approved', 'executing', 'resting', 'withdrawing', 'unknown');
create index market_orders_resting on market_orders (number) where state in ('resting', 'withdrawing');
grant select, insert on market_orders to sevengate_app;
grant update (state, reason, detail, risk, filled_quantity, filled_notional_usd, changed_at, resting_at, bound_usd) on market_orders to sevengate_app, sevengate_api;

-- A finished order stays as it ended, and none changes what it was about.
create function guard_market_order() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'market orders are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.mode, new.book_id, new.instrument, new.order_body, new.placed_by, new.epoch, new.time_in_force, new.post_only)
    is distinct from
    (old.id, old.number, old.org_id, old.mode, old.book_id, old.instrument, old.order_body, old.placed_by, old.epoch, old.time_in_force, old.post_only) then
    raise exception 'what an order is about does not change' using errcode = 'check_violation';
  end if;
  if old.state not in ('approved', 'executing', 'resting', 'withdrawing', 'unknown') and new.state <> old.state then
    raise exception 'the order has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger market_order_rows before update or delete on market_orders for each row execute function guard_market_order();
alter table market_orders enable always trigger market_order_rows;
create trigger market_order_table before truncate on market_orders for each statement execute function refuse_change();
alter table market_orders enable always trigger market_order_table;

-- Whose account at the spot exchange is whose: the exchange's own number of it, and never a key. The command line writes a row when
-- it has put a key into the signer's folder; where there is none, nothing of the organization is sent to the exchange.
create table exchange_accounts (
  org_id uuid primary key references organizations,
  -- The orders of two organizations never meet in one account.
  account text not null unique check (account ~ '^[0-9A-Za-z]{1,40}$'),
  added_at bigint not null,
  -- When the key was taken away; null while there is one. The account stays known: orders that were sent to it are asked after there.
  removed_at bigint
);
grant select on exchange_accounts to sevengate_app;

-- Transactions of the primary chain that somebody else signs (spec 4.3, 5.5): the projection of their actors that lists
-- and risk read. The message is stored before whoever signs it hears of it, and never changes.
create table prepared_transactions (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  purpose text not null check (purpose in ('swap', 'prediction_order', 'checkout', 'launch', 'launcher_payment', 'launch_claim')),
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
  -- What a person's transaction takes of its wallet's dollars; zero of an agent's or a Take's, null of transactions from before. US dollars.
  dollars_usd numeric check (dollars_usd >= 0),
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
-- Own swaps of a wallet, which are merged with what the provider tells.
create index prepared_swaps_by_wallet on prepared_transactions (wallet, changed_at) where purpose = 'swap' and state = 'finalized';
create index prepared_transactions_final on prepared_transactions (org_id, changed_at) where state = 'finalized';
grant select, insert on prepared_transactions to sevengate_app;
grant update (submitted_by, state, reason, detail, signature, broadcasts, slot, fee_lamports, expired_at_height, changed_at)
  on prepared_transactions to sevengate_app, sevengate_api;

-- What a transaction is about never changes, its signed bytes are given once, and an ended one stays as it ended.
create function guard_prepared_transaction() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'prepared transactions are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.purpose, new.executor, new.wallet, new.subject, new.message, new.unsigned, new.book_id, new.instrument,
      new.side, new.quantity, new.notional_usd, new.dollars_usd, new.prepared_by, new.epoch, new.created_at)
    is distinct from (old.id, old.number, old.org_id, old.purpose, old.executor, old.wallet, old.subject, old.message, old.unsigned, old.book_id, old.instrument,
      old.side, old.quantity, old.notional_usd, old.dollars_usd, old.prepared_by, old.epoch, old.created_at) then
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
alter table prepared_transactions enable always trigger prepared_transaction_rows;
create trigger prepared_transaction_table before truncate on prepared_transactions for each statement execute function refuse_change();
alter table prepared_transactions enable always trigger prepared_transaction_table;

-- Locks by name are taken by sessions that may write, and only in the name of what is there: whoever holds other locks could stop the
-- work. (Functions of the server itself: see the last block of 0001_database_roles.sql.)
create function lock_prepared_transactions(org uuid) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if session_is_proven() and exists (select 1 from organizations o where o.id = org) then
    perform pg_advisory_xact_lock(hashtextextended('prepared transactions ' || org, 0));
  end if;
end $$;
revoke execute on function lock_prepared_transactions(uuid) from public;
grant execute on function lock_prepared_transactions(uuid) to sevengate_app, sevengate_api;

-- Delegations of wallets to agents and Takes. The newest one of a trader counts; it ends by its time or by its revocation, and an
-- older one never holds again. No column holds a key: signatures are public.
create table delegations (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references actors,
  wallet text not null check (wallet ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'),
  signer_wallet text not null check (signer_wallet ~ '^[A-Za-z0-9_-]{1,64}$'),
  max_notional_usd numeric not null check (max_notional_usd > 0),
  expires_at bigint not null,
  issued_at bigint not null,
  nonce uuid not null,
  -- What the owner signed, and the signature under it.
  challenge text not null,
  owner_signature text not null check (owner_signature ~ '^[A-Za-z0-9+/]{86}==$'),
  granted_by text not null check (granted_by <> ''),
  granted_at bigint not null,
  -- Which kind `agent_id` is: the owner signs a text that says so too.
  trader text not null check (trader in ('agent', 'take')),
  check (expires_at > granted_at),
  -- A text grants once: whoever revokes need not fear that it is sent again.
  constraint delegation_signed_once unique (challenge)
);
create index delegations_by_org on delegations (org_id, number desc);
create index delegations_by_agent on delegations (agent_id, number desc);
select make_append_only('delegations');

-- A delegation is of the organization of its agent or Take, and of that kind.
create function guard_delegated_trader() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if not exists (select 1 from traders where id = new.agent_id and org_id = new.org_id and kind = new.trader) then
    raise exception 'a delegation belongs to the organization of its agent or Take' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger delegation_of_its_organization before insert on delegations for each row execute function guard_delegated_trader();
alter table delegations enable always trigger delegation_of_its_organization;

-- The same for a delegation.
create function lock_delegation(id uuid, shared boolean) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if session_is_proven() and exists (select 1 from delegations d where d.id = lock_delegation.id) then
    if shared then
      perform pg_advisory_xact_lock_shared(hashtextextended('delegation ' || id, 0));
    else
      perform pg_advisory_xact_lock(hashtextextended('delegation ' || id, 0));
    end if;
  end if;
end $$;
revoke execute on function lock_delegation(uuid, boolean) from public;
grant execute on function lock_delegation(uuid, boolean) to sevengate_app, sevengate_api;

-- Delegations that were taken back.
create table delegation_revocations (
  delegation_id uuid primary key references delegations,
  org_id uuid not null references organizations,
  revoked_by text not null check (revoked_by <> ''),
  revoked_at bigint not null
);
select make_append_only('delegation_revocations');

-- A revocation is of the organization of its delegation.
create function guard_delegation() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  -- The agent's column in one table, the delegation's in the other.
  subject uuid := (to_jsonb(new)->>tg_argv[1])::uuid;
  is_of_it boolean;
begin
  execute format('select exists (select 1 from %I where id = $1 and org_id = $2)', tg_argv[0]) into is_of_it using subject, new.org_id;
  if not is_of_it then
    raise exception 'a delegation belongs to the organization of its agent' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger revocation_of_its_organization before insert on delegation_revocations for each row execute function guard_delegation('delegations', 'delegation_id');
alter table delegation_revocations enable always trigger revocation_of_its_organization;

-- One row per transaction that the service puts before the delegated signer: whose it is and on which market risk passed it.
-- The signer reads it and everything else itself; what it was told is the id alone.
create table delegated_orders (
  order_id uuid primary key,
  org_id uuid not null references organizations,
  agent_id uuid not null references actors,
  proposal_id uuid not null references proposals,
  delegation_id uuid not null references delegations,
  -- The order as risk passed it: domain `Order`.
  order_body jsonb not null,
  -- The quotes and the reference price that it was passed on, and those that the organization's holdings are valued by.
  heard jsonb not null,
  prepared_at bigint not null
);
create index delegated_orders_by_proposal on delegated_orders (proposal_id);
select make_append_only('delegated_orders');

-- What an organization has at work over its books, kept as sums: an order reads one row per instrument, however many books
-- there are. Triggers alone write these tables, in the transaction that changes a book or a proposal.

-- What each book adds to the sums of its organization: {asset: [quantity, cost in US dollars, reserved US dollars]}. Of the
-- asset USD the quantity is the book's cash. A paper book of a manifest version that is not active adds nothing.
create table book_exposures (
  book_id text primary key,
  org_id uuid not null references organizations,
  mode text not null check (mode in ('paper', 'live')),
  adds jsonb not null default '{}'
);
grant select on book_exposures to sevengate_app;

-- The sums, each in several lanes: a transaction adds to a lane that no other transaction is writing to, so that fills of one
-- organization do not wait for each other. There are as many lanes as transactions have met at one time.
create table exposures (
  org_id uuid not null references organizations,
  mode text not null check (mode in ('paper', 'live')),
  asset text not null,
  lane int not null,
  quantity numeric not null default 0,
  cost_usd numeric not null default 0,
  reserved_usd numeric not null default 0,
  primary key (org_id, mode, asset, lane)
) with (fillfactor = 60);
grant select on exposures to sevengate_app;

-- What each of the books adds, by its id, from the book and the proposals that wait on it. A book that only a proposal knows is
-- at its opening. A book whose figures no fill or transfer can have led to adds nothing: the tick of its agent quarantines it.
-- (The settings of what keeps exposures stand at the triggers alone, which call this and the two below.)
create function exposures_of_books(names text[]) returns jsonb language plpgsql stable as $$
declare
  adds jsonb;
begin
  with named as (
    select n.name, b.id is not null as is_kept, b.cash_usd, b.holdings, coalesce(b.mode, w.mode) as mode,
      coalesce(b.agent_id, w.agent_id) as agent_id, coalesce(b.manifest_version, w.manifest_version) as manifest_version
    from unnest(names) as n(name)
    left join books b on b.id = n.name
    left join lateral (
      select p.mode, p.agent_id, p.manifest_version from proposals p
      where b.id is null and p.book_id = n.name and p.state in ('pending_approval', 'approved', 'executing', 'unknown') limit 1
    ) w on true
    where (b.id is not null or w.mode is not null) and (b.fills > 0 and b.turnover_usd <= 0) is not true
  ), counted as (
    select * from named n
    where n.mode <> 'paper' or (n.is_kept and n.agent_id is null)
      or exists (select 1 from agents t where t.id = n.agent_id and t.manifest_version = n.manifest_version)
      or exists (select 1 from takes t where t.id = n.agent_id and t.manifest_version = n.manifest_version)
  ), parts as (
    select name, 'USD' as asset, cash_usd as quantity, 0::numeric as cost, 0::numeric as reserved from counted where is_kept
    union all
    select c.name, 'USD', (m.canonical::jsonb ->> 'maxCapitalUsd')::numeric, 0, 0
    from counted c join manifests m on m.agent_id = c.agent_id and m.version = c.manifest_version where not c.is_kept and c.mode = 'paper'
    union all
    select c.name, h ->> 'instrument', (h ->> 'quantity')::numeric, (h ->> 'costUsd')::numeric, 0
    from counted c cross join lateral jsonb_array_elements(c.holdings) h where c.is_kept
    union all
    select c.name, p.instrument, 0, 0, p.notional_usd from counted c join proposals p on p.book_id = c.name
    where p.state in ('pending_approval', 'approved', 'executing', 'unknown') and p.order_body ->> 'side' = 'buy'
  ), sums as (
    select name, asset, sum(quantity) as quantity, sum(cost) as cost, sum(reserved) as reserved,
      bool_and(coalesce((asset = 'USD' or quantity >= 0) and quantity + cost + reserved < 'Infinity' and quantity > '-Infinity', false)) as sound
    from parts group by name, asset
  ), added as (
    select name, jsonb_object_agg(asset, jsonb_build_array(quantity, cost, reserved)) as adds, bool_and(sound) as sound from sums group by name
  )
  select jsonb_object_agg(n.name, case when a.sound then a.adds else '{}' end) into adds from unnest(names) as n(name) left join added a using (name);
  return adds;
exception when data_exception or not_null_violation then
  -- One of them cannot be read: it adds nothing, and the others are not touched by it.
  if cardinality(names) = 1 then
    return jsonb_build_object(names[1], '{}'::jsonb);
  end if;
  select jsonb_object_agg(name, exposures_of_books(array[name]) -> name) into adds from unnest(names) as n(name);
  return adds;
end $$;
revoke execute on function exposures_of_books(text[]) from public;

-- Adds to a sum: to a lane that nobody else holds, else to a new one.
create function add_exposure(org uuid, its_mode text, its_asset text, quantity_more numeric, cost_more numeric, reserved_more numeric) returns void
language plpgsql as $$
declare
  free int;
begin
  select lane into free from exposures where org_id = org and mode = its_mode and asset = its_asset order by lane limit 1 for no key update skip locked;
  if found then
    update exposures set quantity = quantity + quantity_more, cost_usd = cost_usd + cost_more, reserved_usd = reserved_usd + reserved_more
      where org_id = org and mode = its_mode and asset = its_asset and lane = free;
  else
    insert into exposures (org_id, mode, asset, lane, quantity, cost_usd, reserved_usd)
      values (org, its_mode, its_asset, (random() * 2147483647)::int, quantity_more, cost_more, reserved_more);
  end if;
end $$;
revoke execute on function add_exposure(uuid, text, text, numeric, numeric, numeric) from public;

-- Brings the sums to what the books add now. Whoever changes a book or its proposals waits here for whoever else does: each then
-- sees what the other has committed. Of each book the row in book_exposures has to be there.
create function refresh_exposures(names text[]) returns void language plpgsql as $$
declare
  adds_now jsonb;
  change record;
begin
  perform 1 from book_exposures where book_id = any(names) order by book_id for update;
  adds_now := exposures_of_books(names);
  for change in
    with moved as (
      update book_exposures e set adds = adds_now -> e.book_id from book_exposures b
      where e.book_id = any(names) and b.book_id = e.book_id and e.adds <> adds_now -> e.book_id
      returning e.org_id, e.mode, b.adds as before, e.adds as after
    )
    select m.org_id, m.mode, d.asset, sum(d.quantity) as quantity, sum(d.cost) as cost, sum(d.reserved) as reserved
    from moved m cross join lateral (
      select asset, coalesce((a.value ->> 0)::numeric, 0) - coalesce((b.value ->> 0)::numeric, 0) as quantity,
        coalesce((a.value ->> 1)::numeric, 0) - coalesce((b.value ->> 1)::numeric, 0) as cost,
        coalesce((a.value ->> 2)::numeric, 0) - coalesce((b.value ->> 2)::numeric, 0) as reserved
      from jsonb_each(m.after) a(asset, value) full join jsonb_each(m.before) b(asset, value) using (asset) where a.value is distinct from b.value
    ) d group by m.org_id, m.mode, d.asset order by m.org_id, m.mode, d.asset
  loop
    perform add_exposure(change.org_id, change.mode, change.asset, change.quantity, change.cost, change.reserved);
  end loop;
end $$;
revoke execute on function refresh_exposures(text[]) from public;

-- Once per statement, not once per row: a transaction of many executions changes each sum once.
create function expose_books() returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  names text[];
begin
  if tg_op = 'INSERT' then
    select array_agg(id order by id) into names from books_after;
  else
    select array_agg(id order by id) into names from books_after n join books_before o using (id)
      where (o.version, o.cash_usd, o.holdings, o.fills, o.turnover_usd) is distinct from (n.version, n.cash_usd, n.holdings, n.fills, n.turnover_usd);
  end if;
  if names is not null then
    insert into book_exposures (book_id, org_id, mode) select id, org_id, mode from books_after b
      where id = any(names) and not exists (select 1 from book_exposures e where e.book_id = b.id) order by id on conflict do nothing;
    perform refresh_exposures(names);
  end if;
  return null;
end $$;
create trigger books_open_exposures after insert on books referencing new table as books_after for each statement execute function expose_books();
alter table books enable always trigger books_open_exposures;
create trigger books_move_exposures after update on books referencing old table as books_before new table as books_after
  for each statement execute function expose_books();
alter table books enable always trigger books_move_exposures;

-- The books are locked before what they add, as by whoever books to them.
create function expose_proposals() returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  waits constant text[] := array['pending_approval', 'approved', 'executing', 'unknown'];
  names text[];
begin
  if tg_op = 'INSERT' then
    select array_agg(distinct book_id order by book_id) into names from proposals_after where state = any(waits);
  else
    select array_agg(distinct n.book_id order by n.book_id) into names from proposals_after n join proposals_before o using (id)
      where (o.state = any(waits)) <> (n.state = any(waits)) or o.notional_usd <> n.notional_usd;
  end if;
  if names is not null then
    perform 1 from books where id = any(names) order by id for no key update;
    insert into book_exposures (book_id, org_id, mode) select distinct on (book_id) book_id, org_id, mode from proposals_after p
      where book_id = any(names) and not exists (select 1 from book_exposures e where e.book_id = p.book_id) order by book_id on conflict do nothing;
    perform refresh_exposures(names);
  end if;
  return null;
end $$;
create trigger proposals_open_exposures after insert on proposals referencing new table as proposals_after
  for each statement execute function expose_proposals();
alter table proposals enable always trigger proposals_open_exposures;
create trigger proposals_move_exposures after update on proposals referencing old table as proposals_before new table as proposals_after
  for each statement execute function expose_proposals();
alter table proposals enable always trigger proposals_move_exposures;

-- Another manifest version of an agent is active (a Take has one): the paper book of the version before adds nothing any more.
create function expose_versions() returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  perform refresh_exposures(array['agent:' || new.id || ':paper:' || old.manifest_version, 'agent:' || new.id || ':paper:' || new.manifest_version]);
  return null;
end $$;
create trigger agent_moves_exposure after update on agents for each row
  when (old.manifest_version <> new.manifest_version) execute function expose_versions();
alter table agents enable always trigger agent_moves_exposure;

select protect_organizations();
-- What only executions leave behind; no request of a caller puts anything before the signer.
revoke insert, update, delete on execution_leases from sevengate_api;
revoke insert on delegated_orders from sevengate_api;
