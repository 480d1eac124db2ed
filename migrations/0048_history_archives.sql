-- What backtests need besides bars: marks and liquidity over time, and archives of events with what they are complete for.

-- Liquidity by day is the least of a UTC day and stands at its end, so that no slot sees what came after it.
create table market_history (
  what text not null check (what in ('issuer_mark', 'pool_liquidity')),
  instrument text not null,
  -- From when on it was known.
  at bigint not null,
  value numeric not null check (value >= 0 and (what <> 'issuer_mark' or value > 0)),
  -- `heard` by the feed, or the file that it was imported from.
  source text not null check (source <> ''),
  primary key (what, instrument, at)
);
grant select, insert, update on market_history to sevengate_app;

-- One row per imported file of events: between its times it holds all that its source told of its underlyings.
create table event_archives (
  id bigint generated always as identity primary key,
  at bigint not null,
  file text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  source text not null check (source in ('news:wire', 'news:filings')),
  underlyings text[] not null check (cardinality(underlyings) > 0),
  from_at bigint not null,
  to_at bigint not null check (to_at > from_at),
  reports bigint not null
);
select make_append_only('event_archives');

create table archived_reports (
  archive_id bigint not null references event_archives,
  id text not null,
  -- The report as the newswire and the filings reader make it.
  body jsonb not null,
  primary key (archive_id, id)
);
select make_append_only('archived_reports');
