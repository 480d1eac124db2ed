-- Where a launched token comes from: its creator, and the curve that it trades on. All of it stands on the chain.
alter table listed_tokens add column origin jsonb;
