/** Report of a finished backtest or sweep, also as a file. A backtest can be compared with a second one. */
import { NativeSelect, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { provenanceWords } from '../../run-words.js';
import { dayAndTime } from '../../words.js';
import { Changes } from '../agents/versions.tsx';
import { api, type EvaluationRun, useRead, type EvaluationRunDetail } from '../api.ts';
import { Loaded } from '../kit/lists.tsx';
import { useStore } from '../kit/store.ts';
import { useAgentName, useAgents } from '../organization.ts';
import { goTo, within } from '../place.ts';

interface RunId {
  readonly agentId: string;
  readonly runId: string;
}

const RUNS_OFFERED = 50;

/** Report page at `reports/AGENT/RUN`, with `/AGENT/RUN` of a second run appended. */
export function ReportPage() {
  const [agentId = '', runId = '', otherAgent = '', otherRun = ''] = useStore(within).split('/');
  const other = otherRun === '' ? null : { agentId: otherAgent, runId: otherRun };
  return <Report key={`${runId} ${otherRun}`} own={{ agentId, runId }} other={other} />;
}

const useRun = (of: RunId | null) =>
  useRead(['run', of?.agentId, of?.runId], (call) => api.getEvaluation({ id: of?.agentId ?? '', runId: of?.runId ?? '' }, call), {
    enabled: of !== null,
  });

function Report({ own, other }: { readonly own: RunId; readonly other: RunId | null }) {
  const run = useRun(own);
  const beside = useRun(other);
  const nameOf = useAgentName();
  const kind = run.data?.evaluation === 'sweep' ? 'Sweep' : 'Backtest';
  return (
    <div className="page report-page">
      <div className="page-head">
        <a href={`#/agents/${own.agentId}/evaluations`}>← {nameOf(own.agentId)}</a>
        <h1>
          {kind}: {nameOf(own.agentId)}
          {run.data !== undefined && <small> version {run.data.manifestVersion}</small>}
        </h1>
        <span className="faint">{provenanceWords(run.data?.provenance ?? null)}</span>
        <span className="space" />
        <a href={`/v1/agents/${own.agentId}/evaluations/${own.runId}/report`} download={`report-${own.runId}.html`}>
          Download report
        </a>
      </div>
      {kind === 'Backtest' && <Chooser own={own} other={other} />}
      <Loaded query={run}>
        {(data) =>
          data.result === null ? (
            <p className="card empty">No report yet. The report appears when the {kind.toLowerCase()} has finished.</p>
          ) : other !== null && beside.data === undefined ? (
            <p className="card empty">Reading the other run…</p>
          ) : (
            <>
              {other !== null && beside.data !== undefined && <Versions own={data} other={beside.data} />}
              <Sheet run={data} other={beside.data ?? null} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

/** Report, the same on the page and in the file. */
function Sheet({ run, other }: { readonly run: EvaluationRunDetail; readonly other: EvaluationRunDetail | null }) {
  const place = useRef<HTMLDivElement>(null);
  const nameOf = useAgentName();
  const scheme = useComputedColorScheme('dark');
  const [error, setError] = useState<string | null>(null);
  const [title, otherTitle] = [nameOf(run.agentId), other === null ? '' : nameOf(other.agentId)];
  useEffect(() => {
    let end = (): void => {};
    let isOver = false;
    const show = async () => {
      const { backtestReport, sweepReport } = await import('../charts.tsx');
      if (isOver) return;
      const drawn =
        run.evaluation === 'sweep'
          ? sweepReport(toReport(run, title) as never)
          : backtestReport(toReport(run, title) as never, other === null ? null : (toReport(other, otherTitle) as never));
      end = drawn.end;
      place.current?.replaceChildren(drawn.element);
    };
    show().catch((reason: unknown) => setError(String(reason)));
    return () => {
      isOver = true;
      end();
    };
  }, [run, other, title, otherTitle, scheme]);
  return (
    <>
      {error !== null && <p className="refusal">{error}</p>}
      <div ref={place} className="report-sheet" />
    </>
  );
}

const toReport = ({ manifestVersion, resultHash, summary, result }: EvaluationRunDetail, title: string) => ({
  title,
  manifestVersion,
  resultHash,
  summary: summary ?? {},
  result,
});

/** Differences between the two manifests, above the figures. */
function Versions({ own, other }: { readonly own: EvaluationRunDetail; readonly other: EvaluationRunDetail }) {
  const nameOf = useAgentName();
  const isSame = own.agentId === other.agentId && own.manifestVersion === other.manifestVersion;
  const { data } = useRead(
    ['comparison', own.agentId, own.manifestVersion, other.agentId, other.manifestVersion],
    async (call) => {
      const against = own.agentId === other.agentId ? {} : { against: other.agentId };
      const asked = { id: own.agentId, limit: 1, from: own.manifestVersion, to: other.manifestVersion, ...against };
      return (await api.listVersions(asked, call)).comparison;
    },
    { enabled: !isSame },
  );
  return (
    <section className="card padded" aria-label="Manifests">
      <h2>
        {nameOf(own.agentId)} v{own.manifestVersion} beside {nameOf(other.agentId)} v{other.manifestVersion}
      </h2>
      {isSame ? <p className="faint">Both runs use the same manifest.</p> : data != null && <Changes of={data} />}
    </section>
  );
}

/** Form to choose the second run: an agent, and one of its finished backtests. */
function Chooser({ own, other }: { readonly own: RunId; readonly other: RunId | null }) {
  const [agentId, setAgent] = useState(other?.agentId ?? own.agentId);
  const agents = useAgents();
  const { data: runs = [] } = useRead(
    ['runs', agentId, 'finished'],
    async (call) => (await api.listEvaluations({ id: agentId, limit: RUNS_OFFERED }, call)).items,
  );
  const offered = runs.filter(({ id, evaluation, state }) => evaluation === 'backtest' && state === 'finished' && id !== own.runId);
  const none = offered.length === 0 ? 'no other finished backtest' : 'no other run';
  return (
    <div className="card padded inline-form">
      <NativeSelect
        label="Compare with"
        data={(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={agentId}
        onChange={({ currentTarget }) => setAgent(currentTarget.value)}
      />
      <NativeSelect
        label="Its run"
        data={[{ value: '', label: none }, ...offered.map((run) => ({ value: run.id, label: runText(run) }))]}
        value={other?.agentId === agentId ? other.runId : ''}
        onChange={({ currentTarget: { value } }) =>
          goTo(`reports/${own.agentId}/${own.runId}${value === '' ? '' : `/${agentId}/${value}`}`)
        }
      />
    </div>
  );
}

function runText({ createdAt, manifestVersion, request }: EvaluationRun): string {
  const { from, to } = request as { readonly from?: string; readonly to?: string };
  return `${dayAndTime(createdAt)}, version ${manifestVersion}, ${String(from).slice(0, 10)} to ${String(to).slice(0, 10)}`;
}
