-- Launches of tokens, on bonding curves and by the external launcher: the projection of their actors that lists and monitors read.
create table launches (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  kind text not null check (kind in ('curve', 'launcher')),
  state text not null,
  -- Of the launcher's it is known at the end.
  mint text check (mint ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'),
  symbol text not null check (symbol ~ '^[A-Za-z0-9]{1,10}$'),
  creator text not null check (creator ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'),
  quote_mint text not null,
  paired_stock text,
  agent_id uuid references agents,
  take_id uuid,
  -- What was asked for, and the addresses that follow from it.
  terms jsonb not null,
  signatures text[] not null,
  -- What the last look at the curve told; null before the first one.
  standing jsonb,
  reason text,
  detail text,
  prepared_by text not null,
  submitted_by text,
  trading_since bigint,
  created_at bigint not null,
  changed_at bigint not null,
  -- What the launcher answered besides the mint.
  outcome jsonb,
  constraint launches_state_check check (
    case kind
      when 'curve' then state in ('prepared', 'submitted', 'confirmed', 'trading', 'graduating', 'graduated', 'expired', 'failed')
      else state in ('quoted', 'prepared', 'payment_submitted', 'payment_confirmed', 'launching', 'launched', 'expired', 'failed', 'failed_paid')
    end),
  constraint launches_mint_known check (mint is not null or (kind = 'launcher' and state <> 'launched'))
);
create index launches_by_org on launches (org_id, number desc);
-- A mint's key is made for one launch.
create unique index launches_by_mint on launches (mint);
-- One payment is one launch.
create unique index launches_by_payment on launches ((signatures[1])) where kind = 'launcher' and cardinality(signatures) > 0;
grant select, insert on launches to sevengate_app;
grant update (state, mint, signatures, standing, reason, detail, submitted_by, trading_since, changed_at, outcome) on launches to sevengate_app, sevengate_api;

-- A launch that has ended stays as it ended, and none changes what it was about.
create function guard_launch() returns trigger language plpgsql as $$
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
create trigger launch_rows before update or delete on launches for each row execute function guard_launch();
alter table launches enable always trigger launch_rows;
create trigger launch_table before truncate on launches for each statement execute function refuse_change();
alter table launches enable always trigger launch_table;
