-- Conversations with the copilot: what was asked and answered, by one caller.
create table copilot_exchanges (
  number bigint generated always as identity primary key,
  conversation uuid not null,
  org_id uuid not null references organizations,
  subject text not null,
  at bigint not null,
  message text not null,
  intent text not null,
  reply text not null,
  symbol text
);
select make_append_only('copilot_exchanges');
create index copilot_exchanges_by_conversation on copilot_exchanges (conversation, number);
select protect_organizations();
