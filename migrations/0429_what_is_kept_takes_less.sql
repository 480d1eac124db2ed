-- What is kept for ever takes less: a leaf is found by the hash of its row's key, and a number that an identity column gives is not
-- indexed for itself.

create index trail_changes_by_row on trail_changes (name, hashtext(key), seq);
drop index trail_changes_by_key;

create or replace function leaf_stays(of_name text, of_op text, of_key text, of_seq bigint, kept_from bigint) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select of_op <> 'sum' and coalesce((select assessed from trail_tables where name = of_name), false)
    and case of_name
      when 'steps' then not exists (select 1 from actors where id = split_part(of_key, ' ', 1)::uuid and kind = any(moving_kinds()))
      when 'cut_batches' then of_key::bigint >= kept_from
      else true end
    and not exists (select 1 from trail_changes later
      where later.name = of_name and hashtext(later.key) = hashtext(of_key) and later.key = of_key and later.seq > of_seq)
$$;

-- Lists are read by organization, agent or book and number, and no row is looked for by its number alone.
alter table actors drop constraint actors_number_key;
alter table proposals drop constraint proposals_number_key;
alter table market_orders drop constraint market_orders_number_key;
alter table fills drop constraint fills_number_key;
alter table ledger_transactions drop constraint ledger_transactions_number_key;
