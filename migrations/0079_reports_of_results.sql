-- The report of a backtest is made of its result whenever somebody asks for it; that of a stress test is kept as it was written.
alter table evaluation_reports alter column report drop not null;
