/** Pages of agents by the address: the list, one agent, and the rule editor. */
import { useStore } from '../kit/store.ts';
import { useMay } from '../member.ts';
import { within } from '../place.ts';
import { AgentPage } from './agent.tsx';
import { Builder } from './builder/builder.tsx';
import { Agents } from './list.tsx';

export function AgentPages() {
  const [id = '', part = ''] = useStore(within).split('/');
  const mayRead = useMay('agent:read');
  if (!mayRead)
    return (
      <div className="page">
        <h1>Agents</h1>
        <p className="empty">Your role may not read agents. Ask for the permission agent:read.</p>
      </div>
    );
  if (id === 'new') return <Builder id="" purpose="new" />;
  if (part === 'edit' || part === 'clone') return <Builder key={`${part} ${id}`} id={id} purpose={part} />;
  return id === '' ? <Agents /> : <AgentPage key={id} id={id} tab={part} />;
}
