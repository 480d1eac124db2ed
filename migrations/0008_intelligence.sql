-- Market intelligence: events with their reports, macro series with vintages, the calendar, value locked on chains, social posts.

-- Stories: what the reports about one event come to. One that turned out to be another names it in merged_into.
create table intelligence_events (
  id text primary key,
  number bigint generated always as identity unique,
  state text not null check (state in ('rumor', 'confirmed', 'retracted')),
  confirmed_by text check (confirmed_by in ('primary_source', 'independent_families')),
  confirmed_at bigint,
  kind text not null,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  direction text not null check (direction in ('negative', 'neutral', 'positive')),
  symbols text[] not null,
  headline text not null,
  first_at bigint not null,
  observed_at bigint not null,
  received_at bigint not null,
  families text[] not null,
  copies text[] not null,
  withdrawn text[] not null,
  merged_into text,
  -- Nothing is confirmed without saying by what, and nothing else is.
  check ((state = 'confirmed') = (confirmed_by is not null and confirmed_at is not null))
);
create index intelligence_events_by_time on intelligence_events (observed_at desc, number desc) where merged_into is null;
create index intelligence_events_by_symbol on intelligence_events using gin (symbols);

-- What each source said, as it was read. Social posts are no reports: they have a table of their own below.
create table intelligence_reports (
  id text primary key,
  event_id text not null references intelligence_events on delete cascade,
  channel text not null check (channel in ('filing', 'wire', 'macro')),
  source text not null,
  family text not null,
  is_primary boolean not null,
  published_at bigint not null,
  received_at bigint not null,
  kind text not null,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  direction text not null check (direction in ('negative', 'neutral', 'positive')),
  entities jsonb not null,
  unmapped text[] not null,
  headline text not null,
  url text,
  story_key text,
  action text not null check (action in ('report', 'correction', 'retraction')),
  corrects text
);
create index intelligence_reports_by_event on intelligence_reports (event_id, published_at);
create index intelligence_reports_by_time on intelligence_reports (published_at);

-- What was heard before reports were kept: events without them.
insert into intelligence_events (id, state, confirmed_by, confirmed_at, kind, severity, direction, symbols, headline, first_at, observed_at,
  received_at, families, copies, withdrawn)
select id, case when rumor then 'rumor' else 'confirmed' end, case when rumor then null else 'independent_families' end,
  case when rumor then null else observed_at end, 'wire', severity, case when negative then 'negative' else 'neutral' end, symbols, headline,
  observed_at, observed_at, received_at, '{}', '{}', '{}'
from news_events n order by n.observed_at, n.id;
drop table news_events;

-- Every value that was ever published of a date: a revision is a row of a later vintage.
create table macro_observations (
  series_id text not null,
  units text not null,
  date date not null,
  vintage date not null,
  received_at bigint not null,
  value numeric,
  primary key (series_id, units, date, vintage, received_at)
);
select make_append_only('macro_observations');

create table macro_releases (
  release_id integer not null,
  date date not null,
  name text not null,
  received_at bigint not null,
  primary key (release_id, date)
);
create index macro_releases_by_date on macro_releases (date, release_id);

-- One row per chain and hour: the last snapshot of it.
create table chain_tvl (
  chain text not null,
  hour bigint not null,
  received_at bigint not null,
  tvl_usd numeric not null check (tvl_usd >= 0),
  chain_id text,
  token_symbol text,
  primary key (chain, hour)
);
create index chain_tvl_by_hour on chain_tvl (hour);

-- The provider's own days. The empty name stands for all chains together.
create table chain_tvl_days (
  chain text not null,
  date date not null,
  tvl_usd numeric not null check (tvl_usd >= 0),
  received_at bigint not null,
  primary key (chain, date)
);

create table social_posts (
  id text primary key,
  number bigint generated always as identity unique,
  platform text not null,
  author text not null,
  text text not null,
  url text,
  published_at bigint not null,
  received_at bigint not null,
  engagement jsonb not null,
  cashtags text[] not null,
  symbols text[] not null,
  entities jsonb not null,
  ambiguous jsonb not null,
  unmapped text[] not null
);
create index social_posts_by_time on social_posts (published_at desc, number desc);
create index social_posts_by_symbol on social_posts using gin (symbols);

-- What is old is removed (docs/decisions/0047-intelligence-retention.md); the macro observations stay.
grant select, insert, update, delete on intelligence_events, intelligence_reports, macro_releases, chain_tvl, chain_tvl_days, social_posts
  to sevengate_app;
