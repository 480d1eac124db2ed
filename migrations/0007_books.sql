-- Risk preferences, books, fills and the double-entry ledger beneath them (spec 2.8, 2.12, 4.2).

-- Every version of an organization's risk preferences; the highest holds. `body` is domain `RiskPreferences`.
create table risk_preferences (
  org_id uuid not null references organizations,
  version int not null check (version > 0),
  body jsonb not null,
  set_by text not null check (set_by <> ''),
  set_at timestamptz not null default clock_timestamp(),
  primary key (org_id, version)
);
select make_append_only('risk_preferences');

-- Where each book stands: the fold of its ledger, kept in the same transaction as what is booked. Domain `BookState`.
create table books (
  id text primary key check (id <> ''),
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  -- The agent or Take that trades through it; null for the book of the organization's people.
  agent_id uuid references actors,
  mode text not null check (mode in ('paper', 'live')),
  -- A paper book belongs to one manifest version of its agent.
  manifest_version int,
  version bigint not null default 0,
  capital_usd numeric not null,
  cash_usd numeric not null,
  -- [{"instrument", "quantity", "costUsd", "openedAt"}] in the order of opening.
  holdings jsonb not null default '[]',
  realized_pnl_usd numeric not null default 0,
  fees_usd numeric not null default 0,
  fills int not null default 0,
  turnover_usd numeric not null default 0,
  slippage_usd numeric not null default 0,
  -- First instant of the UTC day that the equity belongs to.
  day bigint,
  day_start_equity_usd numeric,
  opened_at bigint not null,
  changed_at bigint not null,
  -- Funding of perpetuals that was paid, and the end of the last hour up to which every held hour is booked; null before the first.
  funding_usd numeric not null default 0,
  funded_until bigint,
  check ((manifest_version is not null) = (agent_id is not null and mode = 'paper')),
  check ((day is null) = (day_start_equity_usd is null))
);
create index books_by_org on books (org_id, number desc);
create index books_by_agent on books (agent_id) where agent_id is not null;
grant select, insert, update on books to sevengate_app;
grant select on books to sevengate_evaluator;

-- A book is not deleted, changes its owner never, and does not go back.
create function guard_book() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'books are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.agent_id, new.mode, new.manifest_version, new.opened_at)
    is distinct from (old.id, old.number, old.org_id, old.agent_id, old.mode, old.manifest_version, old.opened_at) then
    raise exception 'whose book it is does not change' using errcode = 'check_violation';
  end if;
  if new.version < old.version then
    raise exception 'a book does not go back' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger book_rows before update or delete on books for each row execute function guard_book();
alter table books enable always trigger book_rows;
create trigger book_table before truncate on books for each statement execute function refuse_change();
alter table books enable always trigger book_table;

-- Executions. `id` is the venue's own name of the execution, or derived from the order: the same one is booked once.
create table fills (
  id text primary key check (id <> ''),
  number bigint generated always as identity,
  order_id text not null,
  book_id text not null references books,
  instrument text not null,
  side text not null check (side in ('buy', 'sell')),
  quantity numeric not null check (quantity > 0),
  fill_price numeric not null check (fill_price > 0),
  -- Above zero is paid, below zero is received.
  fee_usd numeric not null,
  notional_usd numeric not null,
  decision_price numeric not null check (decision_price > 0),
  slippage_bps float8 not null,
  at bigint not null,
  -- The quotes that it was made on.
  quotes jsonb not null,
  -- A price times a quantity is the money, exactly. A swap has amounts and no price: what was given and got is booked to the last
  -- base unit, and the price is their quotient, rounded to 12 decimals where it has no end.
  constraint fill_priced check (
    notional_usd = quantity * fill_price
    or (starts_with(instrument, 'spotchain:') and notional_usd > 0 and abs(quantity * fill_price - notional_usd) <= quantity * 0.0000000000005)
  )
);
create index fills_by_book on fills (book_id, number desc);
create index fills_by_order on fills (order_id);
-- Breakers look twice a second for live fills of the last moments, of any trader.
create index live_fills_by_time on fills (at) where book_id like 'agent:%:live';
-- Fills of perpetuals are looked for by book every minute.
create index fills_of_perpetuals on fills (book_id, at) where starts_with(instrument, 'evmvenue:');
select make_append_only('fills');
grant select on fills to sevengate_evaluator;

-- Accounts of a book. In US dollars: cash, capital (what was paid in, negative), fees (what was paid in fees); in any
-- asset: position (what is held) and trading (what was given for something else). In every asset they sum to zero.
create table ledger_accounts (
  id bigint generated always as identity primary key,
  book_id text not null references books,
  kind text not null check (kind in ('cash', 'capital', 'fees', 'funding', 'position', 'trading')),
  asset text not null,
  unique (book_id, kind, asset),
  check (kind = 'trading' or (kind = 'position') = (asset <> 'USD'))
);
select make_append_only('ledger_accounts');

-- `id` names what was booked: `fill:<fill>`, `opening:<book>`, `transfer:<reference>`, `settlement:<book>:<instrument>:<at>`,
-- `funding:<book>:<instrument>:<end of the hour>`. Nothing is booked twice.
create table ledger_transactions (
  id text primary key,
  number bigint generated always as identity,
  book_id text not null references books,
  kind text not null check (kind in ('opening', 'transfer', 'fill', 'settlement', 'funding', 'rescaling')),
  at bigint not null,
  -- How many legs it has, neither more nor fewer: what was complete once stays as it is.
  legs int not null check (legs >= 2),
  check (starts_with(id, kind || ':'))
);
create index ledger_transactions_by_book on ledger_transactions (book_id, number);
select make_append_only('ledger_transactions');

-- What a transaction moves on each account.
create table ledger_legs (
  transaction_id text not null references ledger_transactions,
  leg int not null check (leg > 0),
  account_id bigint not null references ledger_accounts,
  amount numeric not null check (amount <> 0),
  primary key (transaction_id, leg)
);
create index ledger_legs_by_account on ledger_legs (account_id);
select make_append_only('ledger_legs');

-- At the commit every transaction has the legs that it announced, all in its own book, and they sum to zero in every asset.
-- `offset 0`: the few legs are found first, by their transaction and never by their account, which has all of a book's.
create function check_transaction() returns trigger language plpgsql set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  found record;
begin
  select coalesce(sum(s.legs), 0) as legs, coalesce(sum(s.strays), 0) as strays, string_agg(s.amount || ' ' || s.asset, ', ') filter (where s.amount <> 0) as off into found
    from (select a.asset, count(*) as legs, count(*) filter (where a.book_id <> new.book_id) as strays, sum(l.amount) as amount
      from (select account_id, amount from ledger_legs where transaction_id = new.id offset 0) l
      join ledger_accounts a on a.id = l.account_id group by a.asset) s;
  if found.legs <> new.legs or found.strays > 0 then
    raise exception 'ledger transaction % has % of % legs, % of them in another book', new.id, found.legs, new.legs, found.strays
      using errcode = 'check_violation', constraint = 'ledger_complete';
  end if;
  if found.off is not null then
    raise exception 'ledger transaction % is off by %', new.id, found.off using errcode = 'check_violation', constraint = 'ledger_balanced';
  end if;
  return null;
end $$;
create constraint trigger ledger_complete after insert on ledger_transactions deferrable initially deferred for each row execute function check_transaction();
alter table ledger_transactions enable always trigger ledger_complete;

-- Legs are numbered from 1 to as many as were announced, so that none comes later. (Without seqscan here and below: what a booking is
-- checked by is a handful of rows that their keys name. PostgreSQL cannot know how few, and would read whole tables for them.)
create function check_legs() returns trigger language plpgsql set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  if exists (select 1 from added join ledger_transactions t on t.id = added.transaction_id where added.leg > t.legs) then
    raise exception 'a ledger transaction has no more legs than it announced' using errcode = 'check_violation', constraint = 'ledger_complete';
  end if;
  return null;
end $$;
create trigger ledger_announced after insert on ledger_legs referencing new table as added for each statement execute function check_legs();
alter table ledger_legs enable always trigger ledger_announced;

-- At the commit every fill is in the ledger, as what it says: its quantity in the position, its money in the cash.
create function check_fill() returns trigger language plpgsql set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  moved numeric;
  paid numeric;
  sign int := case new.side when 'buy' then 1 else -1 end;
begin
  select coalesce(sum(l.amount) filter (where a.kind = 'position' and a.asset = new.instrument), 0), coalesce(sum(l.amount) filter (where a.kind = 'cash'), 0)
    into moved, paid
    from (select account_id, amount from ledger_legs where transaction_id = 'fill:' || new.id offset 0) l
    join ledger_accounts a on a.id = l.account_id where a.book_id = new.book_id;
  if moved <> sign * new.quantity or paid <> -sign * new.notional_usd - new.fee_usd then
    raise exception 'fill % is not what the ledger holds of it: % %, % USD', new.id, moved, new.instrument, paid using errcode = 'check_violation', constraint = 'fill_in_ledger';
  end if;
  return null;
end $$;
create constraint trigger fill_in_ledger after insert on fills deferrable initially deferred for each row execute function check_fill();
alter table fills enable always trigger fill_in_ledger;

-- At the commit no payment out of a live book has left less than nothing in it. Only a live book can be left so: the cash of the others
-- need not be added up, which takes all that was ever booked.
create function check_cash() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  cash numeric;
  moved numeric;
begin
  if not exists (select 1 from books where id = new.book_id and mode = 'live') then
    return null;
  end if;
  select coalesce(sum(l.amount), 0) into moved from (select account_id, amount from ledger_legs where transaction_id = new.id offset 0) l
    join ledger_accounts a on a.id = l.account_id where a.book_id = new.book_id and a.kind = 'cash';
  if moved >= 0 then
    return null;
  end if;
  select coalesce(sum(l.amount), 0) into cash from ledger_accounts a join ledger_legs l on l.account_id = a.id where a.book_id = new.book_id and a.kind = 'cash';
  if cash < 0 then
    raise exception 'transfer % leaves % dollars in book %', new.id, cash, new.book_id using errcode = 'check_violation', constraint = 'transfer_covered';
  end if;
  return null;
end $$;
create constraint trigger transfer_covered after insert on ledger_transactions deferrable initially deferred for each row
  when (new.kind = 'transfer') execute function check_cash();
alter table ledger_transactions enable always trigger transfer_covered;
