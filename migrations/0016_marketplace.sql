-- The marketplace: listings of pinned manifest versions, the rules behind them, what they cost and when, checkouts (the projection of
-- their actors), the licences that they lead to, and the agents that were imported under them.

-- The part of a manifest that buyers see before they pay: which kinds of conditions there are, without their parameters.
create function listing_shape(manifest jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  select jsonb_build_object(
    'entry', coalesce((select jsonb_agg(c.condition ->> 'type' order by c.n) from jsonb_array_elements(manifest -> 'entry') with ordinality as c(condition, n)), '[]'),
    'exit', coalesce((select jsonb_agg(c.condition ->> 'type' order by c.n) from jsonb_array_elements(manifest -> 'exit') with ordinality as c(condition, n)), '[]'),
    'timeframe', manifest ->> 'timeframe',
    'instruments', jsonb_array_length(manifest -> 'universe'),
    'kinds', coalesce((select jsonb_agg(distinct e ->> 'kind') from jsonb_array_elements(manifest -> 'universe') as e), '[]'))
$$;

-- The course of a backtest: its return since the beginning in percent at no more than 48 instants, evenly apart. So few points and no
-- dollars: whoever has not paid sees how it went, and no single trade.
create function listing_curve(series jsonb) returns jsonb language sql immutable set search_path = public, pg_temp as $$
  with days as (
    select jsonb_array_length(series -> 'days') as count, (series ->> 'startEquityUsd')::numeric as start
  ), points as (
    select n, series -> 'days' -> (ceil(n * d.count / least(d.count, 48)::numeric)::int - 1) as day, d.start
    from days d, generate_series(1, least(d.count, 48)) as n
  )
  select jsonb_agg(jsonb_build_array((day ->> 0)::bigint, round(((day ->> 1)::numeric / start - 1) * 100, 2)::float8) order by n) from points
$$;

-- What is on record of one manifest version at this moment: its newest evidence of each kind, what luck explains of its
-- backtest, how many versions of the agent were tried, how far it came and how long it stood at paper. Evidence of a run that did not finish
-- is not shown; what stands on simulated sources says so.
create function listing_evidence(of_agent uuid, of_version int) returns jsonb language sql stable set search_path = public, pg_temp as $$
  with newest as (
    select distinct on (e.kind) e.* from evidence e
    where e.agent_id = of_agent and e.manifest_version = of_version and not exists (
      select 1 from evaluation_runs r where r.agent_id = e.agent_id and r.id::text = e.run_id and r.evaluation = e.kind and r.state <> 'finished')
    order by e.kind, e.seq desc
  ), stay as (
    select to_stage, manifest_version, at, lead(at) over (order by seq) as until from stage_changes where agent_id = of_agent
  )
  select jsonb_build_object(
    'at', gate_now(),
    'gates', coalesce((select jsonb_agg(jsonb_build_object('kind', kind, 'passed', passed, 'at', at, 'evidenceId', id, 'hash', hash,
      'runId', run_id, 'metrics', metrics::jsonb, 'checks', checks,
      'simulated', (select evidence_is_simulated(e) from evidence e where e.id = newest.id)) order by seq) from newest), '[]'),
    'curve', coalesce((select listing_curve(series::jsonb) from newest where kind = 'backtest'), '[]'),
    'luck', (select r.result::jsonb -> 'luck' from newest e join evaluation_reports r on r.run_id::text = e.run_id where e.kind = 'backtest'),
    'versions', (select count(*) from manifests where agent_id = of_agent),
    'versionsTried', (select count(distinct manifest_version) from evidence where agent_id = of_agent and kind = 'backtest'),
    'stage', (select to_stage from stay where manifest_version = of_version
      order by array_position(array['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'], to_stage) desc limit 1),
    'paperDays', coalesce((select round(sum(coalesce(until, gate_now()) - at) / 86400000.0, 2) from stay
      where manifest_version = of_version and to_stage = 'paper'), 0))
$$;

-- Listings of pinned manifest versions. What a listing says of its strategy (name, shape, evidence) the database itself takes from the
-- manifest and from the evidence on record: whoever publishes cannot state it.
create table marketplace_listings (
  id uuid primary key,
  number bigint generated always as identity unique,
  org_id uuid not null references organizations,
  agent_id uuid not null references agents,
  manifest_version int not null,
  manifest_hash text not null check (manifest_hash ~ '^[0-9a-f]{64}$'),
  name text not null,
  description text not null,
  categories text[] not null check (cardinality(categories) between 1 and 8),
  shape jsonb not null,
  evidence jsonb not null,
  -- Dollars of the stablecoin, which has six decimals.
  price_usd numeric not null check (price_usd between 0 and 10000 and scale(price_usd) <= 6),
  payout_wallet text not null check (payout_wallet ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'),
  state text not null check (state in ('listed', 'unlisted')),
  published_by text not null check (published_by <> ''),
  published_at bigint not null,
  changed_by text not null check (changed_by <> ''),
  changed_at bigint not null,
  foreign key (agent_id, manifest_version) references manifests (agent_id, version)
);
create index marketplace_listings_by_org on marketplace_listings (org_id, number desc);
create index marketplace_listings_listed on marketplace_listings (number desc) where state = 'listed';
create index marketplace_listings_by_category on marketplace_listings using gin (categories);
create unique index one_listing_per_version on marketplace_listings (agent_id, manifest_version) where state = 'listed';
grant select, insert, update on marketplace_listings to sevengate_app;

-- The rules themselves, as they were hashed. Nobody reads them but their creator, and whoever has a licence.
create table listing_rules (
  listing_id uuid primary key references marketplace_listings,
  org_id uuid not null references organizations,
  hash text not null,
  canonical text not null,
  constraint listing_hash_is_true check (encode(sha256(convert_to(canonical, 'UTF8')), 'hex') = hash)
);
select make_append_only('listing_rules');

-- What each listing cost and when, with who set it.
create table listing_prices (
  listing_id uuid not null references marketplace_listings,
  number int not null check (number > 0),
  org_id uuid not null references organizations,
  price_usd numeric not null,
  set_by text not null,
  at bigint not null,
  primary key (listing_id, number)
);
select make_append_only('listing_prices');

-- Names, shape, hash and evidence come from what is on record, whatever the statement says; the payout wallet is a proved one.
create function take_listing_from_record() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  manifest manifests;
begin
  select m.* into manifest from manifests m join agents a on a.id = m.agent_id
    where m.agent_id = new.agent_id and m.version = new.manifest_version and a.org_id = new.org_id;
  if manifest is null then
    raise exception 'the organization has no version % of this agent', new.manifest_version using errcode = 'check_violation', constraint = 'listing_of_own_agent';
  end if;
  if new.state <> 'listed' then
    raise exception 'a listing begins listed' using errcode = 'check_violation';
  end if;
  if not exists (select 1 from linked_wallets w where w.org_id = new.org_id and w.address = new.payout_wallet and w.chain = 'spotchain') then
    raise exception 'nobody of the organization has proved the wallet %', new.payout_wallet using errcode = 'check_violation', constraint = 'listing_of_proved_wallet';
  end if;
  new.manifest_hash := manifest.hash;
  new.name := manifest.canonical::jsonb ->> 'name';
  new.description := manifest.canonical::jsonb ->> 'description';
  new.shape := listing_shape(manifest.canonical::jsonb);
  new.evidence := listing_evidence(new.agent_id, new.manifest_version);
  return new;
end $$;
create trigger listing_from_record before insert on marketplace_listings for each row execute function take_listing_from_record();
alter table marketplace_listings enable always trigger listing_from_record;

-- The rules are kept beside the listing, and every price with who set it.
create function keep_rules_and_price() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into listing_rules (listing_id, org_id, hash, canonical)
      select new.id, new.org_id, m.hash, m.canonical from manifests m where m.agent_id = new.agent_id and m.version = new.manifest_version;
  end if;
  if tg_op = 'INSERT' or new.price_usd <> old.price_usd then
    insert into listing_prices (listing_id, number, org_id, price_usd, set_by, at)
      select new.id, coalesce(max(number), 0) + 1, new.org_id, new.price_usd, new.changed_by, new.changed_at from listing_prices where listing_id = new.id;
  end if;
  return null;
end $$;
create trigger listing_kept after insert or update on marketplace_listings for each row execute function keep_rules_and_price();
alter table marketplace_listings enable always trigger listing_kept;

-- Only the price changes, and the listing ends once.
create function guard_listing() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'listings are not deleted' using errcode = 'restrict_violation';
  end if;
  if (new.id, new.number, new.org_id, new.agent_id, new.manifest_version, new.manifest_hash, new.name, new.description, new.categories, new.shape,
      new.evidence, new.payout_wallet, new.published_by, new.published_at)
    is distinct from (old.id, old.number, old.org_id, old.agent_id, old.manifest_version, old.manifest_hash, old.name, old.description, old.categories, old.shape,
      old.evidence, old.payout_wallet, old.published_by, old.published_at) then
    raise exception 'what a listing is about does not change' using errcode = 'check_violation';
  end if;
  if old.state = 'unlisted' then
    raise exception 'the listing has ended' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger listing_rows before update or delete on marketplace_listings for each row execute function guard_listing();
alter table marketplace_listings enable always trigger listing_rows;
create trigger listing_table before truncate on marketplace_listings for each statement execute function refuse_change();
alter table marketplace_listings enable always trigger listing_table;

-- Purchases of a listing: the projection of their actors.
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
grant select, insert on marketplace_checkouts to sevengate_app;
grant update (state, reason, detail, signature, submitted_by, changed_at) on marketplace_checkouts to sevengate_app, sevengate_api;

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
alter table marketplace_checkouts enable always trigger checkout_rows;
create trigger checkout_table before truncate on marketplace_checkouts for each statement execute function refuse_change();
alter table marketplace_checkouts enable always trigger checkout_table;

-- What a paid checkout leads to.
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

-- Agents that were imported under a licence.
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

select protect_organizations();

-- Listings and their prices are for everybody; their rules are not.
create policy shared_rows on marketplace_listings for select to sevengate_api using (state in ('listed', 'unlisted'));
create policy shared_rows on listing_prices for select to sevengate_api
  using (exists (select 1 from marketplace_listings l where l.id = listing_prices.listing_id));
-- Rules are for their creator, and for whoever holds a licence.
create policy shared_rows on listing_rules for select to sevengate_api
  using (exists (select 1 from licences l where l.listing_id = listing_rules.listing_id and l.org_id = current_organization()));
