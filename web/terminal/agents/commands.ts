/** Commands of the palette for each agent: open, pause, resume, backtest. */
import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight';
import { notifications } from '@mantine/notifications';
import { type Agent, api } from '../api.ts';
import { describeError } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { useAgents } from '../organization.ts';
import { goTo } from '../place.ts';
import { refreshAgent } from './data.ts';

export function useAgentActions(): SpotlightActionGroupData {
  const { data: agents = [] } = useAgents();
  const [mayTrade, mayManage] = [useMay('trade:execute'), useMay('risk:manage')];
  const actions = agents.flatMap((agent) => [
    action(agent, 'Open', ['agent', 'go'], () => goTo(`agents/${agent.id}`)),
    ...(!agent.paused && (mayTrade || mayManage)
      ? [action(agent, 'Pause', ['stop'], () => carryOut(api.pauseAgent({ id: agent.id }), `${agent.name} is paused.`))]
      : []),
    ...(agent.paused && mayManage
      ? [action(agent, 'Resume', ['start'], () => carryOut(api.resumeAgent({ id: agent.id }), `${agent.name} is running again.`))]
      : []),
    ...(mayTrade ? [action(agent, 'Backtest', ['simulate'], () => backtest(agent))] : []),
  ]);
  return { group: 'Agents', actions };
}

const action = ({ id, name }: Agent, verb: string, keywords: string[], onClick: () => void): SpotlightActionData => ({
  id: `agent-${verb}-${id}`,
  label: `${verb} ${name}`,
  description: 'Agent',
  keywords,
  onClick,
});

function backtest({ id, name }: Agent): void {
  goTo(`agents/${id}/evaluations`);
  carryOut(api.backtestAgent({ id }), `The backtest of ${name} has begun.`);
}

function carryOut(change: Promise<unknown>, done: string): void {
  change
    .then(() => notifications.show({ color: 'teal', message: done }))
    .catch((error: unknown) => notifications.show({ color: 'red', title: 'Not done', message: describeError(error) }))
    .finally(refreshAgent);
}
