-- The application may change a column of an order only where its definition says that it changes.
revoke update on market_orders, prediction_orders from sevengate_app, sevengate_api;
grant update (state, reason, detail, risk, filled_quantity, filled_notional_usd, changed_at, resting_at, bound_usd) on market_orders to sevengate_app, sevengate_api;
grant update (state, reason, detail, filled_quantity, filled_notional_usd, fees_usd, refund_usd, changed_at) on prediction_orders to sevengate_app, sevengate_api;
revoke update on prepared_transactions from sevengate_app, sevengate_api;
grant update (submitted_by, state, reason, detail, signature, broadcasts, slot, fee_lamports, expired_at_height, changed_at)
  on prepared_transactions to sevengate_app, sevengate_api;
revoke update on proposals from sevengate_app, sevengate_api;
grant update (state, reason, decided_by, risk, filled_quantity, filled_notional_usd, notional_usd, execution, changed_at) on proposals to sevengate_app, sevengate_api;
