-- How a proposal's order is carried out: the algorithm, where it stands, what is left of it and what became of each part. Null of
-- proposals from before orders had parts. What is left of an open order is what it reserves: notional_usd follows it down.
alter table proposals add column execution jsonb;
