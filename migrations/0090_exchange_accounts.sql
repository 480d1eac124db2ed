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
revoke insert, update, delete on exchange_accounts from sevengate_app, sevengate_api, sevengate_evaluator;
grant select on exchange_accounts to sevengate_app, sevengate_api, sevengate_reader;
select protect_organizations();
revoke insert, update, delete on exchange_accounts from sevengate_api;
select protect_writes();
