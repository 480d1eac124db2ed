-- A sweep is an evaluation run that is no evidence: variants of a manifest over one history, each counted as a trial.
alter table evaluation_runs drop constraint evaluation_runs_evaluation_check;
alter table evaluation_runs add constraint evaluation_runs_evaluation_check check (evaluation in ('backtest', 'stress_test', 'sweep'));
