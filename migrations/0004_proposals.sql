-- Trade proposals, the leases under which orders are executed, and what ticks read besides the cut.

-- A control row can only be locked where there is one: every organization has its own from its birth on.
insert into control (org_id) select id from organizations on conflict do nothing;
create function open_control() returns trigger language plpgsql as $$
begin
  insert into control (org_id) values (new.id) on conflict do nothing;
  return null;
end $$;
create trigger organization_control after insert on organizations for each row execute function open_control();
alter table organizations enable always trigger organization_control;

-- A halt is never taken back: its epoch only grows, whoever writes.
create function guard_control() returns trigger language plpgsql as $$
begin
  if new.epoch < old.epoch or new.org_id <> old.org_id then
    raise exception 'the control epoch of an organization only grows: % after %', new.epoch, old.epoch using errcode = 'check_violation', constraint = 'control_epoch';
  end if;
  return new;
end $$;
create trigger control_grows before update on control for each row execute function guard_control();
alter table control enable always trigger control_grows;

-- Where each trade proposal stands: the projection of its actor that lists, risk and halts read.
create table proposals (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
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
  changed_at bigint not null
);
create index proposals_by_org on proposals (org_id, number desc);
create index proposals_by_agent on proposals (agent_id, number desc);
create index proposals_open on proposals (agent_id) where state in ('pending_approval', 'approved', 'executing', 'unknown');
-- What is proposed once is not proposed again while it is open.
create unique index proposals_one_open on proposals (book_id, instrument) where state in ('pending_approval', 'approved', 'executing', 'unknown');

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
create trigger proposal_table before truncate on proposals for each statement execute function refuse_change();
alter table proposals enable always trigger proposal_rows;
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

-- What an agent's tick read besides the cut and the agent itself (book, preferences), from this slot on: a replay reads
-- the same. Written where it is read and has changed.
create table tick_inputs (
  agent_id uuid not null,
  slot bigint not null,
  body text not null,
  primary key (agent_id, slot)
);
select make_append_only('tick_inputs');

grant select, insert, update on proposals to sevengate_app;
grant select, insert, update, delete on execution_leases to sevengate_app;

create index fills_by_order on fills (order_id);
