/** The seven stages of an agent as a rail: past ones filled, the present one marked. */
import { plain, STAGES } from '../../words.js';
import type { Agent, Gate } from '../api.ts';

type Stage = Agent['stage'];

/** Seven small marks and the stage in words, for a row of a table. */
export function Stages({ stage }: { readonly stage: Stage }) {
  const at = STAGES.indexOf(stage);
  return (
    <span className="stages">
      <span aria-hidden="true">
        {STAGES.map((name, place) => (
          <i key={name} data-at={place < at ? 'behind' : place === at ? 'here' : 'ahead'} />
        ))}
      </span>
      {plain(stage)}
    </span>
  );
}

/** Rail of the stages with the number of conditions met at each gate. */
export function StageRail({ stage, gates }: { readonly stage: Stage; readonly gates: readonly Gate[] }) {
  const at = STAGES.indexOf(stage);
  return (
    <ol className="stage-rail" aria-label="Stages">
      {STAGES.map((name, place) => {
        const gate = gates.find(({ from }) => from === name);
        const state = place < at ? 'behind' : place === at ? 'here' : 'ahead';
        return (
          <li key={name} data-at={state} aria-current={state === 'here' ? 'step' : undefined}>
            <span className="stage-name">{plain(name)}</span>
            <span className="stage-note num">{describeNote(state, gate)}</span>
            <span className="stage-bar" aria-hidden="true">
              <i style={{ width: `${partMet(state, gate) * 100}%` }} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

const countMet = ({ checks }: Gate): number => checks.filter(({ passed }) => passed).length;

function describeNote(state: string, gate: Gate | undefined): string {
  if (state === 'behind') return gate?.problems.length ? 'outdated' : 'passed';
  if (gate === undefined) return state === 'here' ? 'at the end' : '';
  if (gate.passed) return 'ready';
  return gate.checks.length === 0 ? '' : `${countMet(gate)} of ${gate.checks.length}`;
}

function partMet(state: string, gate: Gate | undefined): number {
  if (state === 'behind' || (state === 'here' && gate === undefined)) return 1;
  if (state === 'ahead' || gate === undefined) return 0;
  return gate.passed ? 1 : countMet(gate) / Math.max(1, gate.checks.length);
}
