-- The application may change a column of an agent only where its definition says that it changes.
revoke update on agents from sevengate_app, sevengate_api;
grant update (name, description, stage, autonomy, pause_cause, manifest_version, manifest_hash, closing, stage_evidence, stage_asked_by)
  on agents to sevengate_app, sevengate_api;
