-- Checkouts (the projection of their actors), the licences that they lead to, and the agents that were imported under them.
create table marketplace_checkouts (
  id uuid primary key references actors,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  listing_id uuid not null references marketplace_listings,
  manifest_hash text not null,
  price_usd numeric not null check (price_usd between 0 and 10000),
  -- Who pays, who is paid, and what names the payment on the chain; null where the price is 0.
  buyer text,
  payout_wallet text,
  memo text unique,
  transaction_id uuid unique references prepared_transactions,
  state text not null check (state in ('prepared', 'submitted', 'confirmed', 'licensed', 'late', 'expired', 'failed')),
  reason text,
  detail text,
  signature text,
  requested_by text not null,
  submitted_by text,
  created_at bigint not null,
  changed_at bigint not null,
  check ((price_usd = 0) = (buyer is null) and num_nulls(buyer, payout_wallet, memo, transaction_id) in (0, 4)),
  check ((signature is null) = (submitted_by is null)),
  check (state in ('prepared', 'expired', 'licensed') or signature is not null)
);
create index marketplace_checkouts_by_org on marketplace_checkouts (org_id, number desc);
-- One purchase of a listing at a time.
create unique index one_open_checkout on marketplace_checkouts (org_id, listing_id) where state in ('prepared', 'submitted', 'confirmed');

-- A checkout begins at the price and the wallet of a listing that is listed.
create function admit_checkout() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  -- What is written again after a step has begun before.
  if exists (select 1 from marketplace_checkouts where id = new.id) then
    return new;
  end if;
  perform 1 from marketplace_listings l where l.id = new.listing_id and l.state = 'listed' and l.price_usd = new.price_usd
    and l.manifest_hash = new.manifest_hash and (new.price_usd = 0 or l.payout_wallet = new.payout_wallet);
  if not found then
    raise exception 'the listing has changed: check out anew' using errcode = 'check_violation', constraint = 'checkout_as_listed';
  end if;
  return new;
end $$;
create trigger checkout_begins before insert on marketplace_checkouts for each row execute function admit_checkout();
alter table marketplace_checkouts enable always trigger checkout_begins;

-- What a checkout is about does not change, its payment is named once, and an ended one stays as it ended.
create function guard_checkout() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'checkouts are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.listing_id, new.manifest_hash, new.price_usd, new.buyer, new.payout_wallet, new.memo, new.transaction_id,
      new.requested_by, new.created_at)
    is distinct from (old.id, old.number, old.org_id, old.listing_id, old.manifest_hash, old.price_usd, old.buyer, old.payout_wallet, old.memo,
      old.transaction_id, old.requested_by, old.created_at) then
    raise exception 'what a checkout is about does not change' using errcode = 'check_violation';
  end if;
  if old.signature is not null and new.signature is distinct from old.signature then
    raise exception 'the payment was signed as %', old.signature using errcode = 'check_violation';
  end if;
  if new.state <> old.state and old.state in ('licensed', 'failed') then
    raise exception 'the checkout has ended as %', old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger checkout_rows before update or delete on marketplace_checkouts for each row execute function guard_checkout();
create trigger checkout_table before truncate on marketplace_checkouts for each statement execute function refuse_change();
alter table marketplace_checkouts enable always trigger checkout_rows;
alter table marketplace_checkouts enable always trigger checkout_table;

create table licences (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  listing_id uuid not null references marketplace_listings,
  checkout_id uuid not null unique references marketplace_checkouts,
  manifest_hash text not null,
  price_usd numeric not null,
  -- Of the payment; null where the price was 0.
  signature text,
  issued_to text not null,
  issued_at bigint not null,
  -- One licence of a listing for an organization, and one for a payment.
  constraint one_licence_per_listing unique (org_id, listing_id),
  constraint one_licence_per_payment unique (signature)
);
create index licences_by_org on licences (org_id, number desc);
select make_append_only('licences');

-- A licence follows from a checkout of the same organization that is licensed. A payment that this service has sent is final
-- by its own record; one that came after its expiry was looked for on the chain.
create function admit_licence() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  checkout marketplace_checkouts;
begin
  select * into checkout from marketplace_checkouts where id = new.checkout_id;
  if checkout is null or checkout.state <> 'licensed'
    or (checkout.org_id, checkout.listing_id, checkout.manifest_hash, checkout.price_usd) is distinct from (new.org_id, new.listing_id, new.manifest_hash, new.price_usd)
    or checkout.signature is distinct from new.signature or (checkout.price_usd > 0 and checkout.signature is null)
    or (checkout.price_usd > 0 and not exists (select 1 from prepared_transactions t where t.id = checkout.transaction_id
      and t.org_id = new.org_id and t.state in ('finalized', 'expired') and (t.state = 'expired' or t.signature = new.signature))) then
    raise exception 'checkout % does not lead to this licence', new.checkout_id using errcode = 'check_violation', constraint = 'licence_of_paid_checkout';
  end if;
  return new;
end $$;
create trigger licence_admitted before insert on licences for each row execute function admit_licence();
alter table licences enable always trigger licence_admitted;

create table marketplace_imports (
  agent_id uuid primary key references agents,
  org_id uuid not null references organizations,
  licence_id uuid not null references licences,
  listing_id uuid not null references marketplace_listings,
  imported_by text not null,
  at bigint not null
);
create index marketplace_imports_by_licence on marketplace_imports (licence_id);
select make_append_only('marketplace_imports');

grant select, insert, update on marketplace_checkouts to sevengate_app;
grant select, insert on licences, marketplace_imports to sevengate_app;

select protect_organizations();

-- Rules are for their creator, and for whoever holds a licence.
create policy shared_rows on listing_rules for select to sevengate_api
  using (exists (select 1 from licences l where l.listing_id = listing_rules.listing_id and l.org_id = current_organization()));
