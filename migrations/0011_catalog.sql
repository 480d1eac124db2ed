-- What the catalog learns while the service runs: agent tokens that are listed, and the history of issuers' marks.

-- A listing is never changed but for its end; its symbol stays taken, so that a name means one token for ever.
create table listed_tokens (
  mint text primary key check (mint ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'),
  program text not null,
  symbol text not null check (symbol ~ '^[A-Za-z0-9]{1,10}$'),
  name text not null check (length(name) between 1 and 64),
  decimals integer not null check (decimals between 0 and 12),
  paired_stock text check (paired_stock ~ '^spotchain:'),
  launcher text not null,
  listed_at bigint not null,
  delisted_at bigint check (delisted_at >= listed_at)
);
create unique index listed_tokens_by_symbol on listed_tokens (upper(symbol));
grant select, insert, update (delisted_at) on listed_tokens to sevengate_app;

create function keep_delisting() returns trigger language plpgsql as $$
begin
  if old.delisted_at is not null and new.delisted_at is distinct from old.delisted_at then
    raise exception 'a delisted token stays delisted' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger delisting_kept before update on listed_tokens for each row execute function keep_delisting();

-- One row per change of a mark, with who said so and when it was first heard. Prices are per UI unit, valuations in US dollars.
create table issuer_marks (
  id bigint generated always as identity primary key,
  issuer text not null,
  source text not null,
  instrument text not null,
  mint text not null,
  mark_price numeric not null check (mark_price > 0),
  mark_valuation numeric not null check (mark_valuation > 0),
  -- UI units in existence and the issuer's own word on the token, where it says so.
  supply numeric check (supply > 0),
  token_price numeric check (token_price > 0),
  implied_valuation numeric check (implied_valuation > 0),
  seen_at bigint not null,
  written_at timestamptz not null default clock_timestamp()
);
create index issuer_marks_by_instrument on issuer_marks (instrument, id desc);
select make_append_only('issuer_marks');
