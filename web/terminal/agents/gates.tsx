/** Gates of an agent with their conditions and observed values, missing bars, and the evidence on record. */
import { dayAndTime, GATE_RULES, grouped, numberText, plain } from '../../words.js';
import { api, type Gate } from '../api.ts';
import { List, Loaded, useList, renderItems } from '../kit/lists.tsx';
import { useGates } from './data.ts';
import { Table } from '../kit/table.tsx';
import { Mark } from './mark.tsx';

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

function describeVerdict({ passed, state, problems, evidence }: Gate): readonly [word: string, tone: string] {
  if (passed) return [state === 'here' ? 'ready' : 'passed', 'up'];
  if (state === 'behind' && problems.length > 0) return ['outdated', 'down'];
  return evidence === null && state !== 'here' ? ['no evidence', 'faint'] : ['shut', state === 'here' ? 'down' : 'faint'];
}

function GateCard({ gate }: { readonly gate: Gate }) {
  const { from, to, state, checks, problems, evidence } = gate;
  const [word, tone] = describeVerdict(gate);
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
      {problems.length > 0 && <ul>{renderItems(problems.map(plain))}</ul>}
      <Checks of={checks} />
    </details>
  );
}

function Checks({ of }: { readonly of: Gate['checks'] }) {
  if (of.length === 0) return null;
  return (
    <div className="checks">
      <Table
        rows={of}
        keyOf={({ name, rule }) => `${name} ${rule}`}
        attributesOf={({ name }) => ({ 'data-check': name })}
        columns={[
          {
            title: 'Condition',
            cell: ({ name, passed }) => (
              <>
                <Mark passed={passed} words={['met', 'missed']} /> {plain(name)}
              </>
            ),
          },
          { title: 'Observed', text: ({ observed }) => (observed === null ? 'unknown' : grouped(numberText(observed))) },
          {
            title: 'Required',
            text: ({ rule, limit }) => `${GATE_RULES[rule] ?? rule} ${limit === null ? 'unknown' : grouped(numberText(limit))}`,
          },
        ]}
      />
    </div>
  );
}

const EvidenceTable = ({ agentId }: { readonly agentId: string }) => (
  <section aria-label="Evidence on record">
    <h2>Evidence on record</h2>
    <List
      list={useList(['evidence', agentId], (page, options) => api.listEvidence({ id: agentId, ...page }, options))}
      label="Evidence, newest first"
      empty="No evidence yet. A backtest creates the first."
      keyOf={({ id }) => id}
      columns={[
        { title: 'Time', at: ({ at }) => at },
        {
          title: 'Evidence',
          isText: true,
          cell: ({ kind, runId }) =>
            runId === null || kind !== 'backtest' ? plain(kind) : <a href={`#/reports/${agentId}/${runId}`}>{plain(kind)}</a>,
        },
        { title: 'Version', text: ({ manifestVersion }) => manifestVersion },
        {
          title: 'Verdict',
          isText: true,
          cell: ({ passed, ruleChange }) => (
            <span className={passed ? 'up' : 'down'} title={ruleChange ?? undefined}>
              {passed ? 'passed' : 'failed'}
            </span>
          ),
        },
        { title: 'Conditions', text: ({ checks }) => `${checks.filter((check) => check.passed).length} of ${checks.length}` },
        {
          title: 'Data',
          isText: true,
          text: ({ origins, simulated }) =>
            `${[...new Set(Object.values(origins))].map(plain).join(', ')}${simulated ? ' (simulated)' : ''}`,
        },
        {
          title: 'Record',
          isText: true,
          cell: ({ seq, hash }) => (
            <>
              {seq}, <code title={hash}>{hash.slice(0, 10)}</code>
            </>
          ),
        },
      ]}
    />
  </section>
);
