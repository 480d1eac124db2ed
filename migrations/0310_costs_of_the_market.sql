-- Backtests and stress tests pay what paper pays: the spread and the depth of the market that an order meets, and the fee of its mint.

-- Half of the spread of an instrument's quotes, in basis points: the mean of an hour, known from its end on.
alter table market_history drop constraint market_history_what_check;
alter table market_history add constraint market_history_what_check check (what in ('issuer_mark', 'pool_liquidity', 'half_spread'));

insert into superseded_evidence
select id, 2, 'a trade costs what it costs on paper: the spread and the depth of its market, and the fee of its mint' from evidence where kind = 'backtest'
union all select id, 1, 'the spread of a pool holds its own fee and the fee of the mint' from evidence where kind = 'stress_test'
on conflict do nothing;
