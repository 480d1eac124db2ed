-- What is known about stored bars besides the bars: which stretches somebody was asked about, and which files they came from.

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
  primary key (venue, instrument, timeframe, state, code),
  check ((state = 'refused') = (code <> ''))
);
grant select, insert, update, delete on candle_windows to sevengate_app;

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
