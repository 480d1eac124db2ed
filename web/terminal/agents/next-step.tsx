/** Next step of an agent: one button, and what is still missing. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { gateHere, nextAction, progressWords } from '../../gate-progress.js';
import { gateCheckWords, plain } from '../../words.js';
import { type Agent, api, type Gate, type Gates } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { Dialog } from '../kit/ask.tsx';
import { useChange } from './actions.tsx';
import { hasEnded, useRuns } from './data.ts';
import { renderItems } from '../kit/lists.tsx';

/** Number of conditions shown beside the button. The Gates tab shows all. */
const SHOWN = 4;

export function NextStep({ agent, gates }: { readonly agent: Agent; readonly gates: Gates }) {
  const gate = gateHere(gates.gates);
  const open = gate === null ? [] : listMissing(gate, gates);
  return (
    <div className="next-step">
      <div>
        <strong>{progressWords(gate)}</strong> {gates.simulated && <span className="tag">simulated</span>}{' '}
        <span className="faint">{nextAction(agent, gate)}</span>
        {open.length > 0 && (
          <ul>
            {renderItems(open.slice(0, SHOWN))}
            {open.length > SHOWN && (
              <li>
                <a href={`#/agents/${agent.id}/gates`}>{open.length - SHOWN} more</a>
              </li>
            )}
          </ul>
        )}
      </div>
      <Step agent={agent} gate={gate} />
    </div>
  );
}

/** Obstacles to the gate: its problems, its open conditions, and bars that are missing. */
function listMissing({ passed, problems, checks }: Gate, { missingHistory }: Gates): readonly string[] {
  if (passed) return [];
  return [
    ...new Set([
      ...problems.map(plain),
      ...checks.filter((check) => !check.passed).map(gateCheckWords),
      ...missingHistory.map(({ text }) => text),
    ]),
  ];
}

function Step({ agent, gate }: { readonly agent: Agent; readonly gate: Gate | null }) {
  const mayTrade = useMay('trade:execute');
  const { data: runs = [] } = useRuns(agent.id);
  const running = runs.find((run) => !hasEnded(run));
  if (gate === null) return null;
  if (running !== undefined)
    return (
      <Button component="a" variant="default" href={`#/agents/${agent.id}/evaluations`}>
        {plain(running.evaluation)} {running.progress === null ? 'is under way' : `${computePercent(running.progress)} %`}
      </Button>
    );
  if (!mayTrade) return <span className="faint">The next step requires the permission trade:execute.</span>;
  if (gate.passed) return <Promote agent={agent} to={gate.to} />;
  if (gate.kind === 'backtest' || gate.kind === 'stress_test')
    return <Evaluate agent={agent} kind={gate.kind} isAgain={gate.evidence !== null} />;
  if (gate.kind === 'manifest')
    return (
      <Button component="a" href={`#/agents/${agent.id}/edit`}>
        Complete the rules
      </Button>
    );
  return null;
}

const computePercent = ({ done, total }: { readonly done: number; readonly total: number }): number =>
  Math.floor((done / Math.max(1, total)) * 100);

function Promote({ agent: { id, name }, to }: { readonly agent: Agent; readonly to: string }) {
  const [isOpen, setOpen] = useState(false);
  const change = useChange(
    () => api.promoteAgent({ id }),
    `Promoted to ${plain(to)}.`,
    () => setOpen(false),
  );
  return (
    <>
      <Button color="teal.9" onClick={() => setOpen(true)}>
        Promote to {plain(to)}
      </Button>
      <Dialog isOpen={isOpen} close={() => setOpen(false)} title={`Promote ${name} to ${plain(to)}?`} confirm="Promote" change={change}>
        <p>{to === 'limited_live' || to === 'live' ? 'From there on it trades with real capital.' : 'No real order is placed there.'}</p>
      </Dialog>
    </>
  );
}

interface EvaluateProps {
  readonly agent: Agent;
  readonly kind: 'backtest' | 'stress_test';
  readonly isAgain: boolean;
}

function Evaluate({ agent: { id }, kind, isAgain }: EvaluateProps) {
  const begin = useChange(
    () => (kind === 'backtest' ? api.backtestAgent({ id }) : api.stressTestAgent({ id })),
    `The ${plain(kind)} has begun. You may leave this page.`,
  );
  return (
    <div className="next-buttons">
      {isAgain && (
        <Button component="a" variant="default" href={`#/agents/${id}/edit`}>
          Change the rules
        </Button>
      )}
      <Button loading={begin.isPending} onClick={() => begin.mutate()}>
        Run the {plain(kind)}
        {isAgain ? ' again' : ''}
      </Button>
      <Refusal error={begin.error} />
    </div>
  );
}
