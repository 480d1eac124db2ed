/** Gates of an agent with what each asks and what was observed, bars that are missing, and the evidence on record. */
import { Button } from '@mantine/core';
import { dayAndTime, GATE_RULES, numberText, plain } from '../../words.js';
import { api, type Evidence, type Gate } from '../api.ts';
import { Heads } from '../kit/heads.tsx';
import { Loaded, useList } from '../kit/lists.tsx';
import { useGates } from './data.ts';

export function GateList({ agentId }: { readonly agentId: string }) {
  const read = useGates(agentId);
  const { data } = read;
  return (
    <div className="gates-part">
      <Loaded query={read} />
      {data !== undefined && data.missingHistory.length > 0 && (
        <div className="why">
          <h2>Data missing for a backtest</h2>
          <ul>
            {data.missingHistory.map(({ text, command }) => (
              <li key={text}>
                {text} <code>{command}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {(data?.gates ?? []).map((gate) => (
        <GateCard key={gate.from} gate={gate} />
      ))}
      <EvidenceTable agentId={agentId} />
    </div>
  );
}

function verdictOf({ passed, state, problems, evidence }: Gate): readonly [word: string, tone: string] {
  if (passed) return [state === 'here' ? 'ready' : 'passed', 'up'];
  if (state === 'behind' && problems.length > 0) return ['outdated', 'down'];
  return evidence === null && state !== 'here' ? ['no evidence', 'faint'] : ['shut', state === 'here' ? 'down' : 'faint'];
}

function GateCard({ gate }: { readonly gate: Gate }) {
  const { from, to, state, checks, problems, evidence } = gate;
  const [word, tone] = verdictOf(gate);
  return (
    <details className="gate-card" data-gate={from} open={state === 'here' || word === 'outdated'}>
      <summary>
        <strong>
          {plain(from)} → {plain(to)}
        </strong>{' '}
        <span className={tone}>{word}</span>
        {evidence !== null && (
          <span className="faint">
            {' '}
            {dayAndTime(evidence.at)}
            {evidence.simulated ? ', simulated' : ''}
          </span>
        )}
      </summary>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{plain(problem)}</li>
          ))}
        </ul>
      )}
      <Checks of={checks} />
    </details>
  );
}

function Checks({ of }: { readonly of: Gate['checks'] }) {
  if (of.length === 0) return null;
  return (
    <table className="rows checks">
      <Heads titles={['Condition', 'Observed', 'Required']} />
      <tbody>
        {of.map(({ name, observed, rule, limit, passed }) => (
          <tr key={`${name} ${rule}`} data-check={name}>
            <th scope="row">
              <span className={passed ? 'up' : 'down'} role="img" aria-label={passed ? 'met' : 'missed'}>
                {passed ? '✓' : '✗'}
              </span>{' '}
              {plain(name)}
            </th>
            <td className="num">{observed === null ? 'unknown' : numberText(observed)}</td>
            <td className="num">
              {GATE_RULES[rule] ?? rule} {limit === null ? 'unknown' : numberText(limit)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function EvidenceTable({ agentId }: { readonly agentId: string }) {
  const read = useList(['evidence', agentId], (page, options) => api.listEvidence({ id: agentId, ...page }, options));
  const { data, hasNextPage, fetchNextPage } = read;
  const items = (data?.pages ?? []).flatMap((page) => page.items);
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Evidence on record">
      <h2>Evidence on record</h2>
      <Loaded query={read} />
      {data !== undefined && items.length === 0 && <p className="empty">No evidence yet. A backtest creates the first.</p>}
      {items.length > 0 && (
        <table className="rows wide">
          <Heads
            titles={['When', 'Of', 'Version', 'Verdict', 'Conditions', 'Data', 'Record']}
            words={['Of', 'Verdict', 'Data', 'Record']}
          />
          <tbody>
            {items.map((evidence) => (
              <EvidenceRow key={evidence.id} agentId={agentId} evidence={evidence} />
            ))}
          </tbody>
        </table>
      )}
      {hasNextPage && (
        <Button size="compact-xs" variant="default" onClick={() => void fetchNextPage()}>
          Older evidence
        </Button>
      )}
    </div>
  );
}

function EvidenceRow({ agentId, evidence }: { readonly agentId: string; readonly evidence: Evidence }) {
  const { kind, manifestVersion, passed, at, checks, simulated, origins, runId, seq, hash, ruleChange } = evidence;
  const from = [...new Set(Object.values(origins))].map(plain).join(', ');
  return (
    <tr data-evidence={evidence.id}>
      <th scope="row" className="num">
        {dayAndTime(at)}
      </th>
      <td className="text">
        {runId === null || kind !== 'backtest' ? plain(kind) : <a href={`#/reports/${agentId}/${runId}`}>{plain(kind)}</a>}
      </td>
      <td className="num">{manifestVersion}</td>
      <td className="text" title={ruleChange ?? undefined}>
        <span className={passed ? 'up' : 'down'}>{passed ? 'passed' : 'failed'}</span>
      </td>
      <td className="num">
        {checks.filter((check) => check.passed).length} of {checks.length}
      </td>
      <td className="text faint">
        {from}
        {simulated ? ' (simulated)' : ''}
      </td>
      <td className="text faint">
        {seq}, <code title={hash}>{hash.slice(0, 10)}</code>
      </td>
    </tr>
  );
}
