-- What a booking is checked by, and what it changes in the sums beside the books, is a handful of rows that their keys name.
-- PostgreSQL cannot know how few, and read whole tables for them as long as those were of some thousand rows: per booking, ever
-- longer with the ledger. In these functions it goes by the indexes.
alter function check_legs() set enable_seqscan = off;
alter function check_transaction() set enable_seqscan = off;
alter function check_fill() set enable_seqscan = off;
alter function expose_books() set enable_seqscan = off;
alter function refresh_exposures(text[]) set enable_seqscan = off;
alter function exposures_of_books(text[]) set enable_seqscan = off;
alter function add_exposure(uuid, text, text, numeric, numeric, numeric) set enable_seqscan = off;
