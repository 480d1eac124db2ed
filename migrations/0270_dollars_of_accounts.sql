-- What accounts hold in dollars, place by place, beside the cash and the capital of the organization's live books at the same moment:
-- {places: [{place, usd}], booksCashUsd, booksCapitalUsd}. Null of comparisons from before.
alter table reserve_checks add column dollars jsonb;

select protect_organizations();
select protect_writes();
