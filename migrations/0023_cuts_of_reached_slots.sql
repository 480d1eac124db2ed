-- A cut is taken only of a slot that this server's clock has reached. The clock of a machine may be wrong; cuts are
-- append-only, so a cut of a slot to come could be replaced by nobody when its time comes.

-- How far the service's time is ahead of this server's, in milliseconds. No row in a real deployment: only whoever owns
-- the schema may set one, for simulations and tests that live at another time.
create table clock_shift (
  only_one boolean primary key default true check (only_one),
  ms bigint not null
);

-- The service's time in milliseconds since 1970.
create function service_clock_ms() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint + coalesce((select ms from clock_shift), 0)
$$;

create function check_cut_reached() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if new.slot > service_clock_ms() then
    raise exception 'the slot % lies % ms ahead of the database''s clock', new.slot, new.slot - service_clock_ms()
      using errcode = 'check_violation', constraint = 'cut_of_reached_slot';
  end if;
  return new;
end
$$;

create trigger cut_of_reached_slot before insert on cuts for each row execute function check_cut_reached();
