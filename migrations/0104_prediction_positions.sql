-- Positions at the prediction venue are compared with what live books claim, by the account that holds them.
create index prediction_orders_by_position on prediction_orders ((onchain ->> 'positionAccount')) where mode = 'live';
