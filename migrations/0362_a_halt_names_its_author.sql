-- The newest halt of an organization says who asked for it and why, beside when.
alter table control
  add column halted_by text,
  add column halt_reason text check (halt_reason is null or (halt_reason ~ '\S' and length(halt_reason) <= 500));
