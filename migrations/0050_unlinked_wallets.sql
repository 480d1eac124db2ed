-- A linked wallet can be unlinked: its row goes, and the audit keeps who did it. Nothing else refers to it.
grant delete on linked_wallets to sevengate_app;
grant delete on linked_wallets to sevengate_api;
