/** Evaluations of an agent: progress, cause of a wait, and result. They continue when the page is closed. */
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { provenanceWords, summaryWords } from '../../run-words.js';
import { dayAndTime, forPeople, plain } from '../../words.js';
import { api, type EvaluationRun } from '../api.ts';
import { WorkState } from '../kit/ages.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { SweepForm } from '../reports/sweep-form.tsx';
import { useChange } from './actions.tsx';
import { hasEnded, refreshAgent, useRuns } from './data.ts';
import { Loaded } from '../kit/lists.tsx';

export function Evaluations({ agentId }: { readonly agentId: string }) {
  const read = useRuns(agentId);
  const { data: runs = [] } = read;
  const mayRun = useMay('trade:execute');
  return (
    <div className="evaluations">
      {mayRun ? <Begin agentId={agentId} /> : <p className="faint">Starting an evaluation requires the permission trade:execute.</p>}
      <Loaded query={read} />
      {read.data?.length === 0 && <p className="empty">No evaluations yet. Start with a backtest. It runs in the background.</p>}
      <ul>
        {runs.map((run) => (
          <Run key={run.id} run={run} mayCancel={mayRun} />
        ))}
      </ul>
    </div>
  );
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function Begin({ agentId: id }: { readonly agentId: string }) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [look, setLook] = useState(false);
  const body = {
    ...(DAY.test(from) ? { from: `${from}T00:00:00Z` } : {}),
    ...(DAY.test(to) ? { to: `${to}T00:00:00Z` } : {}),
    ...(look ? { look: true } : {}),
  };
  const backtest = useChange(() => api.backtestAgent({ id, body }), 'The backtest has begun. You may leave this page.');
  const stress = useChange(() => api.stressTestAgent({ id }), 'The stress test has begun. You may leave this page.');
  return (
    <>
      <div className="part-head">
        <Button loading={backtest.isPending} onClick={() => backtest.mutate()}>
          Backtest
        </Button>
        <label className="part-head faint">
          from <TextInput type="date" aria-label="From" value={from} onChange={({ currentTarget }) => setFrom(currentTarget.value)} />
        </label>
        <label className="part-head faint">
          to <TextInput type="date" aria-label="To" value={to} onChange={({ currentTarget }) => setTo(currentTarget.value)} />
        </label>
        <Checkbox label="Exploratory: counts for no gate" checked={look} onChange={({ currentTarget }) => setLook(currentTarget.checked)} />
        <span className="space" />
        <Button variant="default" loading={stress.isPending} onClick={() => stress.mutate()}>
          Stress test
        </Button>
      </div>
      <Refusal error={backtest.error ?? stress.error} />
      <SweepForm agentId={id} />
    </>
  );
}

function Run({ run, mayCancel }: { readonly run: EvaluationRun; readonly mayCancel: boolean }) {
  const { id, agentId, evaluation, state, manifestVersion, createdAt, requestedBy, ending, summary, provenance } = run;
  const cancelling = useMutation({ mutationFn: () => api.cancelEvaluation({ id: agentId, runId: id }), onSettled: refreshAgent });
  const words = ending !== null ? `${plain(ending.code)}: ${ending.detail}` : summary === null ? '' : summaryWords(summary);
  return (
    <li className="run" data-run={id} data-state={state}>
      <div className="part-head">
        <strong>{plain(evaluation)}</strong>
        <span className={`state run-${state}`}>{plain(state)}</span>
        <span className="faint">
          version {manifestVersion} · {dayAndTime(createdAt)} by {requestedBy}
          {provenance !== null && ` · ${provenanceWords(provenance)}`}
        </span>
        <span className="space" />
        {state === 'finished' && <Report run={run} />}
        {!hasEnded(run) && mayCancel && (
          <Button size="compact-xs" variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
            Cancel
          </Button>
        )}
      </div>
      {!hasEnded(run) && (
        <p className="part-head">
          <WorkState work={{ ...run, state: 'running', seenAt: createdAt, error: null }} name={`the ${plain(evaluation)}`} />
          {run.waitsForWork !== null && <a href="#/operate">Data fetch no. {run.waitsForWork}</a>}
        </p>
      )}
      {words !== '' && <p className={ending === null ? undefined : 'rejection'}>{forPeople(words)}</p>}
      <Refusal error={cancelling.error} />
    </li>
  );
}

function Report({ run: { id, agentId, evaluation } }: { readonly run: EvaluationRun }) {
  if (evaluation !== 'stress_test') return <a href={`#/reports/${agentId}/${id}`}>Report</a>;
  return (
    <a href={`/v1/agents/${agentId}/evaluations/${id}/report`} target="_blank" rel="noopener">
      Report
    </a>
  );
}
