/** Tabs of an agent's records, each with its own address. */
import type { ReactNode } from 'react';
import type { AgentDetail } from '../api.ts';
import { LiveChart } from '../debugger/live-chart.tsx';
import { Delegations } from '../wallet/delegations.tsx';
import { Costs } from './costs.tsx';
import { Decisions } from './decisions.tsx';
import { Evaluations } from './evaluations.tsx';
import { GateList } from './gates.tsx';
import { OutsideCode } from './outside/outside.tsx';
import { Trades } from './trades.tsx';
import { Vault } from '../portfolio/vault.tsx';
import { Versions } from './versions.tsx';

interface Part {
  readonly name: string;
  readonly title: string;
  readonly content: (agent: AgentDetail) => ReactNode;
  /** True for a tab of outside agents only. */
  readonly outsideOnly?: boolean;
}

const Signing = ({ agentId }: { readonly agentId: string }) => (
  <div className="padded">
    <Delegations trader={{ agentId }} />
  </div>
);

const PARTS: readonly Part[] = [
  { name: 'decisions', title: 'Decisions', content: ({ id }) => <Decisions agentId={id} /> },
  { name: 'outside', title: 'Outside code', content: (agent) => <OutsideCode agent={agent} />, outsideOnly: true },
  { name: 'gates', title: 'Gates', content: ({ id }) => <GateList agentId={id} /> },
  { name: 'evaluations', title: 'Evaluations', content: ({ id }) => <Evaluations agentId={id} /> },
  { name: 'trades', title: 'Positions and fills', content: ({ id }) => <Trades agentId={id} /> },
  { name: 'costs', title: 'Costs', content: ({ id }) => <Costs agentId={id} /> },
  { name: 'state', title: 'State chart', content: ({ id }) => <LiveChart id={id} /> },
  { name: 'vault', title: 'Vault', content: ({ id }) => <Vault agentId={id} /> },
  { name: 'signing', title: 'Signing', content: ({ id }) => <Signing agentId={id} /> },
  { name: 'versions', title: 'Versions', content: ({ id }) => <Versions agentId={id} /> },
];

export function Tabs({ agent, chosen }: { readonly agent: AgentDetail; readonly chosen: string }) {
  const isOutside = agent.manifest['strategy'] !== undefined;
  const parts = PARTS.filter(({ outsideOnly = false }) => isOutside || !outsideOnly);
  const shown = parts.find(({ name }) => name === chosen) ?? parts[0];
  if (shown === undefined) return null;
  return (
    <section className="card agent-parts" aria-label={shown.title}>
      <nav className="parts" aria-label="Parts of the agent">
        {parts.map(({ name, title }) => (
          <a key={name} href={`#/agents/${agent.id}/${name}`} aria-current={name === shown.name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {shown.content(agent)}
    </section>
  );
}
