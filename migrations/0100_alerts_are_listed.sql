-- Alerts are listed newest first among all announcements.
create index announcements_alerts on announcements (xid desc, seq desc) where channel = 'alerts';
