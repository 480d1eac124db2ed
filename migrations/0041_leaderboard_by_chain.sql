-- Each chain's wallets wait in a line of their own: a spent budget of one holds up nobody of the other.
drop index leaderboard_wallets_stale;
create index leaderboard_wallets_stale on leaderboard_wallets (chain, asked_at nulls first, id);

-- What a list shows of a wallet's reading belongs to the figures beside it: both change in the one step that ranks.
alter table leaderboard_standings add column read_at bigint, add column failure text, add column truncated_at bigint;
