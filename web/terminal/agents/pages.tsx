/** Pages of agents, by what stands in the address: the list, one agent, its rules being written, recommendations. */
import { lazy } from 'react';
import { useStore } from '../kit/store.ts';
import { useMay } from '../member.ts';
import { within } from '../place.ts';
import { AgentPage } from './agent.tsx';
import { Agents } from './list.tsx';
import { Recommendations } from './recommendations.tsx';

const Builder = lazy(() => import('./builder/builder.tsx'));

export default function AgentPages({ name }: { readonly name: string }) {
  const [id = '', part = ''] = useStore(within).split('/');
  const mayRead = useMay('agent:read');
  if (!mayRead)
    return (
      <div className="page">
        <h1>Agents</h1>
        <p className="empty">Your role may not read agents. Ask for the permission agent:read.</p>
      </div>
    );
  if (name === 'recommendations') return <Recommendations />;
  if (id === 'new') return <Builder id="" purpose="new" />;
  if (part === 'edit' || part === 'clone') return <Builder key={`${part} ${id}`} id={id} purpose={part} />;
  return id === '' ? <Agents /> : <AgentPage key={id} id={id} tab={part} />;
}
