-- Market data: closed bars with where they came from, marks and liquidity over time, and what the catalog learns while the service runs;
-- and market intelligence.

-- Closed bars with where they came from. A bar that is missing is missing: nothing is filled in.
create table candles (
  venue text not null,
  instrument text not null,
  timeframe text not null,
  open_time bigint not null,
  open numeric not null,
  high numeric not null,
  low numeric not null,
  close numeric not null,
  volume numeric not null,
  source text not null,
  received_at bigint not null,
  -- A real bar lies beside a simulated one of the same time.
  is_real boolean not null default false,
  primary key (venue, instrument, timeframe, is_real, open_time),
  check (low <= high and open between low and high and close between low and high and low > 0 and volume >= 0)
);
grant select, insert, update on candles to sevengate_app;
grant select on candles to sevengate_api, sevengate_evaluator;

-- Stretches of open times of one series, by who answered for them. A bar that is missing inside of an answered stretch
-- does not exist there; a bar missing outside of all of them was simply never asked for.
create table candle_windows (
  venue text not null,
  instrument text not null,
  timeframe text not null,
  -- asked: the venue answered; imported: a file held what there is; refused: the venue would not or could not answer.
  state text not null check (state in ('asked', 'imported', 'refused')),
  -- The venue's own code of a refusal; empty otherwise.
  code text not null default '',
  windows int8multirange not null,
  checked_at bigint not null,
  is_real boolean not null default false,
  primary key (venue, instrument, timeframe, is_real, state, code),
  check ((state = 'refused') = (code <> ''))
);
grant select, insert, update, delete on candle_windows to sevengate_app;
grant select on candle_windows to sevengate_api;

-- One row per imported file: where bars that no venue was asked for came from.
create table candle_imports (
  id bigint generated always as identity primary key,
  at bigint not null,
  venue text not null,
  instrument text not null,
  timeframe text not null,
  file text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  form text not null,
  bars bigint not null,
  inserted bigint not null,
  same bigint not null,
  conflicting bigint not null,
  replaced bigint not null,
  -- Rows that were left out, counted by reason.
  skipped jsonb not null,
  first_open bigint,
  last_open bigint
);
select make_append_only('candle_imports');
grant select on candle_imports to sevengate_api;

-- Closed bars as they were kept: for each bar the first 16 bytes of the SHA-256 of its values, by open time.
create table candle_stretches (
  id bigint generated always as identity primary key,
  venue text not null,
  instrument text not null,
  timeframe text not null,
  source text not null,
  received_at bigint not null,
  first_open bigint not null,
  last_open bigint not null check (last_open >= first_open),
  bars int not null check (bars > 0),
  -- Per bar 8 bytes of its open time and 16 of its digest.
  digests bytea not null check (length(digests) = bars * 24),
  is_real boolean not null default false
);
create index candle_stretches_by_series on candle_stretches (venue, instrument, timeframe, last_open);
select make_append_only('candle_stretches');
revoke insert on candle_stretches from sevengate_app;
grant select on candle_stretches to sevengate_evaluator;

-- The digest of a bar: 8 bytes of its open time and the first 16 of the SHA-256 of its values.
create function candle_digest(open_time bigint, open numeric, high numeric, low numeric, close numeric, volume numeric) returns bytea
language sql immutable set search_path = public, pg_temp as $$
  select int8send(open_time) || substring(sha256(convert_to(concat_ws(' ', trim_scale(open), trim_scale(high), trim_scale(low), trim_scale(close),
    trim_scale(volume)), 'UTF8')) from 1 for 16)
$$;

-- Every write of bars is a stretch of its own, which the writer signs with the rest of its transaction.
create function note_candle_stretch() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select 1 from trail_writers) then
    insert into candle_stretches (venue, instrument, timeframe, is_real, source, received_at, first_open, last_open, bars, digests)
    select venue, instrument, timeframe, is_real, min(source), max(received_at), min(open_time), max(open_time), count(*),
      string_agg(candle_digest(open_time, open, high, low, close, volume), ''::bytea order by open_time)
    from added group by venue, instrument, timeframe, is_real;
  end if;
  return null;
end $$;
create trigger stretch_of_new after insert on candles referencing new table as added for each statement execute function note_candle_stretch();
alter table candles enable always trigger stretch_of_new;
create trigger stretch_of_corrected after update on candles referencing new table as added for each statement execute function note_candle_stretch();
alter table candles enable always trigger stretch_of_corrected;

-- How deep the pools of a token were when they were heard last. Cuts say it by the minute; orders are judged between them,
-- and before the first one after a start.
create table pool_liquidity (
  instrument text primary key check (starts_with(instrument, 'spotchain:')),
  -- Both sides together.
  liquidity_usd numeric not null check (liquidity_usd >= 0),
  observed_at bigint not null
);
grant select, insert, update on pool_liquidity to sevengate_app;
grant select on pool_liquidity to sevengate_api;

-- Liquidity by day is the least of a UTC day and stands at its end, so that no slot sees what came after it.
create table market_history (
  -- Half of a spread, in basis points, is the mean of an hour and known from its end on.
  what text not null check (what in ('issuer_mark', 'pool_liquidity', 'half_spread')),
  instrument text not null,
  -- From when on it was known.
  at bigint not null,
  value numeric not null check (value >= 0 and (what <> 'issuer_mark' or value > 0)),
  -- `heard` by the feed, or the file that it was imported from.
  source text not null check (source <> ''),
  is_real boolean not null default false,
  primary key (what, instrument, at, is_real)
);
grant select, insert, update on market_history to sevengate_app;
grant select on market_history to sevengate_api;

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
  reports bigint not null,
  is_real boolean not null default false
);
select make_append_only('event_archives');
grant select on event_archives to sevengate_api;

-- The reports of an imported file.
create table archived_reports (
  archive_id bigint not null references event_archives,
  id text not null,
  -- The report as the newswire and the filings reader make it.
  body jsonb not null,
  primary key (archive_id, id)
);
select make_append_only('archived_reports');

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
  delisted_at bigint check (delisted_at >= listed_at),
  -- Where a launched token comes from: its creator, and the curve that it trades on. All of it stands on the chain.
  origin jsonb
);
create unique index listed_tokens_by_symbol on listed_tokens (upper(symbol));
grant select, insert on listed_tokens to sevengate_app;
grant select on listed_tokens to sevengate_api;
grant update (delisted_at) on listed_tokens to sevengate_app;

-- A delisting is not taken back.
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
  written_at timestamptz not null default clock_timestamp(),
  is_real boolean not null default false
);
create index issuer_marks_by_instrument on issuer_marks (instrument, id desc);
select make_append_only('issuer_marks');
grant select on issuer_marks to sevengate_api;

-- Intelligence: events with their reports, macro series with vintages, the calendar, value locked on chains, social posts.
-- What is old is removed (docs/decisions/0047-intelligence-retention.md); the macro observations stay.

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
grant select, insert, update, delete on intelligence_events to sevengate_app;
grant select on intelligence_events to sevengate_api;

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
grant select, insert, update, delete on intelligence_reports to sevengate_app;
grant select on intelligence_reports to sevengate_api;

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
grant select on macro_observations to sevengate_api;

-- The calendar of releases.
create table macro_releases (
  release_id integer not null,
  date date not null,
  name text not null,
  received_at bigint not null,
  primary key (release_id, date)
);
create index macro_releases_by_date on macro_releases (date, release_id);
grant select, insert, update, delete on macro_releases to sevengate_app;
grant select on macro_releases to sevengate_api;

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
grant select, insert, update, delete on chain_tvl to sevengate_app;
grant select on chain_tvl to sevengate_api;

-- The provider's own days. The empty name stands for all chains together.
create table chain_tvl_days (
  chain text not null,
  date date not null,
  tvl_usd numeric not null check (tvl_usd >= 0),
  received_at bigint not null,
  primary key (chain, date)
);
grant select, insert, update, delete on chain_tvl_days to sevengate_app;
grant select on chain_tvl_days to sevengate_api;

-- Posts of social platforms, which confirm nothing.
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
grant select, insert, update, delete on social_posts to sevengate_app;
grant select on social_posts to sevengate_api;

-- Periods in which the feed received a source of events without a gap.
create table event_receptions (
  source text not null check (source in ('news:wire', 'news:filings')),
  -- The end of the first round, which reads the longest look-back of a rule.
  from_at bigint not null,
  -- As long after the last round as a rule still takes its source for known (exclusive).
  to_at bigint not null check (to_at > from_at),
  -- Underlyings whose events the source was asked for.
  underlyings text[] not null check (cardinality(underlyings) > 0),
  is_real boolean not null default false,
  primary key (source, is_real, from_at)
);
grant select, insert, update, delete on event_receptions to sevengate_app;
grant select on event_receptions to sevengate_api;

-- Series of the sandbox are set aside while their source is a real one: they stay, and nothing reads them. What is not known to be real
-- counts as little as what is simulated.

-- Whether a source of market data is real, from when on: the service writes a row when it starts with other settings than before. What
-- was received before the first row is unknown. A source is `mixed` if it trades for real and a part of its data is simulated.
create table source_origins (
  source text not null check (source in ('spotchain', 'spotexchange', 'evmvenue', 'reference', 'prediction', 'issuer', 'wire', 'filings')),
  at bigint not null,
  origin text not null check (origin in ('real', 'mixed', 'sandbox')),
  primary key (source, at)
);
select make_append_only('source_origins');
revoke insert on source_origins from sevengate_app;
grant select on source_origins to sevengate_api, sevengate_evaluator;

create function origin_at(of_source text, instant bigint) returns text language sql stable set search_path = public, pg_temp as $$
  select coalesce((select origin from source_origins where source = of_source and at <= instant order by at desc limit 1), 'unknown')
$$;

-- True if a source trades or quotes for real now, so that only its real series are read and only real evidence counts.
create function reads_real(of_source text) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce((select origin in ('real', 'mixed') from source_origins where source = of_source order by at desc limit 1), false)
$$;

-- True if what is received of a source now is real.
create function writes_real(of_source text) returns boolean language sql stable set search_path = public, pg_temp as $$
  select coalesce((select origin = 'real' from source_origins where source = of_source order by at desc limit 1), false)
$$;

-- From when on quotes of a token are in units of which multiplier (Token-2022 scaled UI amount), as the feed heard it. The first row of an
-- instrument is no change.
create table token_multipliers (
  instrument text not null check (starts_with(instrument, 'spotchain:')),
  at bigint not null,
  multiplier numeric not null check (multiplier > 0),
  is_real boolean not null,
  primary key (instrument, at)
);
select make_append_only('token_multipliers');
grant select on token_multipliers to sevengate_api, sevengate_evaluator;

-- Changes of an instrument's multiplier up to an instant, of the real series or of the simulated one.
create function multiplier_changes(of_instrument text, until bigint) returns table (at bigint, before numeric, after numeric)
language sql stable set search_path = public, pg_temp as $$
  select m.at, m.before, m.after from (
    select t.at, lag(t.multiplier) over (order by t.at) as before, t.multiplier as after from token_multipliers t
    where t.instrument = of_instrument and t.is_real = reads_real('spotchain') and t.at <= until) m
  where m.before <> m.after order by m.at
$$;

-- What a quantity is after a change: domain `rescaledBy`. Cut after 18 decimals, by whole numbers: a quotient has not always so many.
create function rescaled(quantity numeric, before numeric, after numeric) returns numeric language sql immutable as $$
  select div(quantity * after * 1e18, before) * 1e-18
$$;
