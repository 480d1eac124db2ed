/** Agents by name or id. */
import type { Agent, Client } from '../../../clients/typescript/src/index.ts';
import { nearestNames } from '../../domain/values/nearest-name.ts';

const LISTED = 10;

/** Finds the agent with this name or id. @throws Error naming the existing agents, or those with the same name */
export async function findAgent(api: Client, given: string): Promise<Agent> {
  const agents: Agent[] = [];
  for await (const agent of api.listAgents.items({ limit: 200 })) {
    if (agent.id === given.toLowerCase()) return agent;
    agents.push(agent);
  }
  const found = agents.filter(({ name }) => name.toLowerCase() === given.trim().toLowerCase());
  if (found.length === 1) return found[0] as Agent;
  if (found.length > 1)
    throw new Error(
      `${found.length} agents are called ${JSON.stringify(given)}; give the id of one: ${found.map(({ id }) => id).join(', ')}`,
    );
  if (agents.length === 0) throw new Error('no agents yet: create one with sevengate agents create <file>');
  const names = agents.map(({ name }) => name);
  const near = nearestNames(given, names);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${names.slice(0, LISTED).join(', ')}`;
  throw new Error(`no agent is called ${JSON.stringify(given)}; ${hint}`);
}
