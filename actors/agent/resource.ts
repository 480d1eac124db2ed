/** An agent: each of its fields, once. */
import { Type } from 'typebox';
import { derived, held, resource, type ViewOf } from '../../src/core/resource.ts';
import { AutonomyWord, choice, HashText, IdText, nullable, PauseCauseWord, StageWord, Time } from '../../src/core/shapes.ts';
import { WORK_FIELDS } from '../../src/core/work-fields.ts';
import { STAGES, type Stage } from '../../src/domain/agents/agent.ts';
import type { Closing } from '../../src/domain/orders/execution.ts';
import { isoTime } from '../../src/domain/values/time.ts';

const ClosingBody = Type.Object({
  instrument: nullable('string', 'Instrument to close, or null for all positions.'),
  limitPrice: nullable('string', 'The lowest price that is accepted; null sells at the market.'),
  closedBy: Type.String(),
  at: Time,
  waitingFor: Type.Optional({
    ...WORK_FIELDS.waitingFor,
    description:
      'Reason that it waits, in one sentence: a price that is not live, a market that does not pay the limit, a signature of the wallet, or a worker. Null while its order is being executed. Given by `GET /v1/agents/{id}` and by the answer of the closing; lists know no prices and leave it out.',
  }),
});

export function closingBody({ instrument, limitPrice, subject, at }: Closing) {
  return { instrument, limitPrice, closedBy: subject, at: isoTime(at) };
}

export const agent = resource('agents', {
  id: { wire: IdText, column: 'uuid' },
  name: { wire: Type.String(), column: 'text', changes: true },
  description: { wire: Type.String(), column: 'text', changes: true },
  stage: { wire: StageWord, column: 'text', changes: true },
  state: derived(
    choice([...STAGES, 'paused'], 'The stage, or `paused` while the agent is paused.'),
    ({ paused, stage }: { readonly paused: boolean; readonly stage: Stage }) => (paused ? 'paused' : stage),
  ),
  paused: derived(Type.Boolean(), ({ paused }: { readonly paused: boolean }) => paused),
  pauseCause: { wire: PauseCauseWord, column: 'text', changes: true },
  autonomy: { wire: AutonomyWord, column: 'text', changes: true },
  manifestHash: { wire: HashText, column: 'text', changes: true },
  manifestVersion: { wire: Type.Integer(), column: 'int', changes: true },
  closing: {
    holds: held<readonly Closing[]>(),
    ...derived(
      Type.Array(ClosingBody, { description: 'Positions closed by a person and not yet sold.' }),
      ({ closing }: { readonly closing: readonly Closing[] }) => closing.map(closingBody),
    ),
    column: 'jsonb',
    changes: true,
  },
  /** Evidence for the agent's present stage, and the subject who asked for it. */
  stageEvidence: { holds: held<string | null>(), column: 'uuid', changes: true },
  stageAskedBy: { holds: held<string | null>(), column: 'text', changes: true },
  createdBy: { wire: Type.String(), column: 'text' },
  createdAt: { wire: Time, column: 'timestamptz' },
});

/** Fields that a step of the agent changes. */
export const agentProjection = agent.revisionExcept('name', 'description');
/** Fields that come from the manifest. */
export const agentNames = agent.revision('name', 'description');

export type AgentChanges = ReturnType<typeof agentProjection.pick>;
export type AgentView = ViewOf<typeof agent> & { readonly paused: boolean };
