/** Agents of the organization: stage, profit, last decision, and next step. */
import { Button, SegmentedControl } from '@mantine/core';
import { gateHere, nextAction } from '../../gate-progress.js';
import { plain, STAGES } from '../../words.js';
import type { Agent } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import type { Column } from '../kit/columns.tsx';
import { Written } from '../kit/form.tsx';
import { Today } from '../kit/numbers.tsx';
import { Table } from '../kit/table.tsx';
import { useView, type View, Views } from '../kit/views.tsx';
import { useMay } from '../member.ts';
import { type AgentMoney, toTradingMode, useAgent, useAgentPages, useGates, useLastDecision, useAgentMoney } from './data.ts';
import { Stages } from './rail.tsx';
import { Disposition, Drawdown, State } from './state.tsx';
import { Loaded } from '../kit/lists.tsx';

const TITLES = ['Agent', 'Stage', 'Mode', 'State', 'P&L', 'Today', 'Day’s loss / limit', 'Last decision', 'Next'];
const ROW_PX = 34;
const SHOWN = ['All', 'Running', 'Paused', 'Live'] as const;

export function Agents() {
  const view = useView('agents', { wanted: '', shown: 'All' });
  const { wanted, shown } = view.values;
  const read = useAgentPages();
  const { data, hasNextPage, fetchNextPage } = read;
  const mayCreate = useMay('trade:execute');
  const agents = (data?.pages ?? []).flatMap(({ items }) => items);
  const found = agents.filter((agent) => isShown(agent, shown) && agent.name.toLowerCase().includes(wanted.trim().toLowerCase()));
  return (
    <div className="page agents-page">
      <div className="page-head">
        <h1>Agents</h1>
        <SegmentedControl aria-label="State" data={[...SHOWN]} value={shown} onChange={(value) => view.set({ shown: value })} />
        <span className="space" />
        <Written placeholder="Filter" aria-label="Filter agents" value={wanted} write={(text) => view.set({ wanted: text })} />
        <Views view={view} titles={TITLES} />
        {mayCreate && (
          <Button component="a" href="#/agents/new">
            Create an agent
          </Button>
        )}
      </div>
      <Loaded query={read} />
      {data !== undefined && agents.length === 0 && <NoAgents mayCreate={mayCreate} />}
      {agents.length > 0 && found.length === 0 && <p className="empty">No agent matches. Clear the filter to see all {agents.length}.</p>}
      {found.length > 0 && <AgentTable agents={found} view={view} />}
      {hasNextPage && (
        <p className="faint">
          The newest {agents.length} agents.{' '}
          <Button size="compact-xs" variant="default" onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        </p>
      )}
    </div>
  );
}

export function AgentTable({ agents, view }: { readonly agents: readonly Agent[]; readonly view?: Pick<View, 'values' | 'order'> }) {
  const money = { paper: useAgentMoney('paper'), live: useAgentMoney('live') };
  const findMoney = (agent: Agent) => money[toTradingMode(agent)].get(agent.id);
  const columns: readonly Column<Agent>[] = [
    { title: 'Agent', value: ({ name }) => name, cell: showName },
    { title: 'Stage', isText: true, value: ({ stage }) => STAGES.indexOf(stage), cell: ({ stage }) => <Stages stage={stage} /> },
    { title: 'Mode', isText: true, cell: showMode },
    { title: 'State', isFigure: true, isText: true, value: ({ paused }) => String(paused), cell: (agent) => <State agent={agent} /> },
    { title: 'P&L', isFigure: true, gain: (agent) => findMoney(agent)?.pnlUsd },
    {
      title: 'Today',
      isFigure: true,
      value: (agent) => findMoney(agent)?.todayUsd,
      cell: (agent) => <Today usd={findMoney(agent)?.todayUsd} without={findMoney(agent)?.todayWithout} />,
    },
    { title: 'Day’s loss / limit', isSorted: false, cell: (agent) => <DayLoss agentId={agent.id} money={findMoney(agent)} /> },
    { title: 'Last decision', isText: true, isSorted: false, cell: ({ id }) => <LastDecision agentId={id} /> },
    {
      title: 'Next',
      isText: true,
      isSorted: false,
      cell: (agent) => <NextStep agent={agent} />,
      attributesOf: () => ({ className: 'text next' }),
    },
  ];
  return (
    <Table
      label="Agents"
      area="virtual card"
      isSearched={false}
      {...(view === undefined ? {} : { view })}
      rows={agents}
      columns={columns}
      keyOf={({ id }) => id}
      attributesOf={({ id }) => ({ 'data-agent': id })}
      rowPx={ROW_PX}
    />
  );
}

function isShown(agent: Agent, shown: string): boolean {
  if (shown === 'Running') return !agent.paused;
  if (shown === 'Paused') return agent.paused;
  return shown === 'Live' ? toTradingMode(agent) === 'live' : true;
}

const NoAgents = ({ mayCreate }: { readonly mayCreate: boolean }) => (
  <div className="empty">
    <p>No agents yet. An agent trades by rules, on paper until it has passed its gates.</p>
    {mayCreate ? (
      <Button component="a" href="#/agents/new">
        Create the first agent
      </Button>
    ) : (
      <p>Creating an agent requires the permission trade:execute.</p>
    )}
  </div>
);

const showName = ({ id, name }: Agent) => (
  <a href={`#/agents/${id}`} className="name" title={name}>
    {name}
  </a>
);

const showMode = (agent: Agent) => (
  <>
    <span className="tag" data-mode={toTradingMode(agent)}>
      {toTradingMode(agent)}
    </span>{' '}
    {plain(agent.autonomy)}
  </>
);

function DayLoss({ agentId, money }: { readonly agentId: string; readonly money: AgentMoney | undefined }) {
  const { data } = useAgent(agentId);
  const limit = data?.manifest['maxDailyDrawdownPct'];
  return <Drawdown money={money} limitPct={typeof limit === 'number' ? limit : null} />;
}

function NextStep({ agent }: { readonly agent: Agent }) {
  const { data } = useGates(agent.id);
  const next = data === undefined ? '' : nextAction(agent, gateHere(data.gates));
  if (next === '') return null;
  return (
    <a href={`#/agents/${agent.id}/gates`} title={next}>
      {next}
    </a>
  );
}

function LastDecision({ agentId }: { readonly agentId: string }) {
  const { data } = useLastDecision(agentId);
  if (data === undefined) return <span className="faint">…</span>;
  if (data === null) return <span className="faint">none yet</span>;
  return (
    <span title={data.reason === null ? undefined : plain(data.reason)}>
      <Disposition of={data.disposition} />{' '}
      <span className="faint">
        <Ago at={data.slot} />
      </span>
    </span>
  );
}
