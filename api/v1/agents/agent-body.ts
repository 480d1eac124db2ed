/** An agent on the wire. */
import { Type } from 'typebox';
import type { AgentView } from '../../../actors/agent/commands.ts';
import { STAGES } from '../../../src/domain/agent.ts';
import { type ClosingFacts, closingWait } from '../../../src/domain/closing-waits.ts';
import type { Closing } from '../../../src/domain/execution.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { WORK_FIELDS } from '../../work-fields.ts';
import { AutonomyWord, choice, HashText, IdText, nullable, PauseCauseWord, StageWord, Time } from '../../shapes.ts';

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

export const agentFields = {
  id: IdText,
  name: Type.String(),
  description: Type.String(),
  stage: StageWord,
  state: choice([...STAGES, 'paused'], 'The stage, or `paused` while the agent is paused.'),
  paused: Type.Boolean(),
  pauseCause: PauseCauseWord,
  autonomy: AutonomyWord,
  manifestHash: HashText,
  manifestVersion: Type.Integer(),
  closing: Type.Array(ClosingBody, { description: 'Positions closed by a person and not yet sold.' }),
  createdBy: Type.String(),
  createdAt: Time,
};

export const AGENT_EXAMPLE = {
  id: '019a5b1e-7c00-7000-8000-000000000001',
  name: 'NVDA discount',
  description: 'Buys the tokenized share below its reference.',
  stage: 'draft',
  state: 'draft',
  paused: false,
  pauseCause: null,
  autonomy: 'research',
  manifestHash: 'c5f5a7f1f5d0f3a6f8f5e3b8a1f0c2d4e6f8a0b2c4d6e8f0a1b2c3d4e5f60718',
  manifestVersion: 1,
  closing: [],
  createdBy: 'operator',
  createdAt: '2026-03-02T14:31:00.000Z',
};

export const AgentBody = Type.Object(agentFields, { $id: 'Agent', examples: [AGENT_EXAMPLE] });

export function agentBody(view: AgentView) {
  return {
    id: view.id,
    name: view.name,
    description: view.description,
    stage: view.stage,
    state: view.paused ? ('paused' as const) : view.stage,
    paused: view.paused,
    pauseCause: view.pauseCause,
    autonomy: view.autonomy,
    manifestHash: view.manifestHash,
    manifestVersion: view.manifestVersion,
    closing: view.closing.map(closingBody),
    createdBy: view.createdBy,
    createdAt: view.createdAt,
  };
}

function closingBody({ instrument, limitPrice, subject, at }: Closing) {
  return { instrument, limitPrice, closedBy: subject, at: isoTime(at) };
}

export function waitingAgentBody(view: AgentView, facts: ClosingFacts) {
  const closing = view.closing.map((one) => ({ ...closingBody(one), waitingFor: closingWait(one, view.closing, facts) }));
  return { ...agentBody(view), closing };
}
