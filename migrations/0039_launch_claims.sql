-- Claims of the fees that wait for a launch's creator are prepared transactions of their own purpose.
alter table prepared_transactions drop constraint prepared_transactions_purpose_check;
alter table prepared_transactions add constraint prepared_transactions_purpose_check
  check (purpose in ('swap', 'prediction_order', 'checkout', 'launch', 'launcher_payment', 'launch_claim'));
