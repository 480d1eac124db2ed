-- Periods in which the feed received a source of events without a gap. Before, a backtest took every day since the first stored report for
-- known: while a source was down, or for an underlying that the catalog did not have yet, unknown counted as "no event". Periods before this
-- migration are known from imported archives alone.
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

insert into trail_tables (name, mode, reason, writers)
  values ('event_receptions', 'summed', 'when news was received; cuts hold what is decided on', '{feed}');
