/** An agent on the wire. */
import { Type } from 'typebox';
import { type AgentView, agent, closingBody } from '../../../actors/agent/resource.ts';
import { type ClosingFacts, closingWait } from '../../../src/domain/agents/closing-waits.ts';

export const { wire: agentFields, body: agentBody } = agent;

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

export function waitingAgentBody(view: AgentView, facts: ClosingFacts) {
  const closing = view.closing.map((one) => ({ ...closingBody(one), waitingFor: closingWait(one, view.closing, facts) }));
  return { ...agentBody(view), closing };
}
