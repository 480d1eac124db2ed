-- Funding of perpetuals is booked by the hour, as an entry of its own: `funding:<book>:<instrument>:<end of the hour>`.

alter table ledger_accounts drop constraint ledger_accounts_kind_check,
  add constraint ledger_accounts_kind_check check (kind in ('cash', 'capital', 'fees', 'funding', 'position', 'trading'));
alter table ledger_transactions drop constraint ledger_transactions_kind_check,
  add constraint ledger_transactions_kind_check check (kind in ('opening', 'transfer', 'fill', 'settlement', 'funding'));

-- What was paid, and the end of the last hour up to which every held hour is booked; null before the first.
alter table books add column funding_usd numeric not null default 0, add column funded_until bigint;

-- Fills of perpetuals are looked for by book every minute.
create index fills_of_perpetuals on fills (book_id, at) where starts_with(instrument, 'evmvenue:');

-- Positions from before are paid for from now on: nothing is owed of hours that nobody was told of.
update books set funded_until = (extract(epoch from date_trunc('hour', clock_timestamp())) * 1000)::bigint
where exists (select 1 from fills f where f.book_id = books.id and starts_with(f.instrument, 'evmvenue:'));
