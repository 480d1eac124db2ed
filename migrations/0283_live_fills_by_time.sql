-- Breakers look twice a second for live fills of the last moments, of any trader.
create index live_fills_by_time on fills (at) where book_id like 'agent:%:live';
