/** Agents of the organization: stage, profit, last decision, and next step. */
import { Button, SegmentedControl } from '@mantine/core';
import { gateHere, nextAction } from '../../gate-progress.js';
import { plain, STAGES } from '../../words.js';
import type { Agent } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { isPhone } from '../kit/browser.ts';
import { Written } from '../kit/form.tsx';
import { Heads } from '../kit/heads.tsx';
import { Gain, Today } from '../kit/numbers.tsx';
import { VirtualTable } from '../kit/virtual-rows.tsx';
import { useView, type View, Views } from '../kit/views.tsx';
import { useMay } from '../member.ts';
import { type AgentMoney, modeOf, useAgent, useAgentPages, useGates, useLastDecision, useMoneyOf } from './data.ts';
import { Stages } from './rail.tsx';
import { Disposition, Drawdown, State } from './state.tsx';
import { Loaded } from '../kit/lists.tsx';

const TITLES = ['Agent', 'Stage', 'Mode', 'State', 'P&L', 'Today', 'Day’s loss / limit', 'Last decision', 'Next'];
/** Number of columns that the rows can be sorted by. The others are read row by row. */
const SORTED = 6;
/** Columns that a phone leaves out, so that profit is in sight. */
const WIDE_COLUMNS = '2 3';
const ROW_PX = 34;
const SHOWN = ['All', 'Running', 'Paused', 'Live'] as const;

export function Agents() {
  const view = useView('agents', { wanted: '', shown: 'All' }, WIDE_COLUMNS);
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

/** @param props.view Order and columns; without it the agents stay in their given order. */
export function AgentTable({
  agents: given,
  view,
}: {
  readonly agents: readonly Agent[];
  readonly view?: Pick<View, 'values' | 'sorting' | 'inOrder'>;
}) {
  const money = { paper: useMoneyOf('paper'), live: useMoneyOf('live') };
  const textsOf = (agent: Agent) => {
    const own = money[modeOf(agent)].get(agent.id);
    return [agent.name, String(STAGES.indexOf(agent.stage)), modeOf(agent), String(agent.paused), own?.pnlUsd, own?.todayUsd];
  };
  const agents = view?.inOrder(given, textsOf) ?? given;
  return (
    <VirtualTable
      className="card"
      label="Agents"
      hidden={view?.values.hidden ?? (isPhone() ? WIDE_COLUMNS : '')}
      head={
        <Heads
          titles={TITLES}
          words={['Stage', 'Mode', 'State', 'Last decision', 'Next']}
          {...(view === undefined ? {} : { sorting: view.sorting, sorted: SORTED })}
        />
      }
      columns={TITLES.length}
      rowPx={ROW_PX}
      count={agents.length}
      row={(index) => {
        const agent = agents[index] as Agent;
        return <Row key={agent.id} agent={agent} money={money[modeOf(agent)].get(agent.id)} />;
      }}
    />
  );
}

function isShown(agent: Agent, shown: string): boolean {
  if (shown === 'Running') return !agent.paused;
  if (shown === 'Paused') return agent.paused;
  return shown === 'Live' ? modeOf(agent) === 'live' : true;
}

function NoAgents({ mayCreate }: { readonly mayCreate: boolean }) {
  return (
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
}

function Row({ agent, money }: { readonly agent: Agent; readonly money: AgentMoney | undefined }) {
  const { id, name, stage, autonomy } = agent;
  const { data: detail } = useAgent(id);
  const { data: gates } = useGates(id);
  const limit = detail?.manifest['maxDailyDrawdownPct'];
  const next = gates === undefined ? '' : nextAction(agent, gateHere(gates.gates));
  return (
    <tr data-agent={id}>
      <th scope="row">
        <a href={`#/agents/${id}`} className="name" title={name}>
          {name}
        </a>
      </th>
      <td className="text">
        <Stages stage={stage} />
      </td>
      <td className="text">
        <span className="tag" data-mode={modeOf(agent)}>
          {modeOf(agent)}
        </span>{' '}
        {plain(autonomy)}
      </td>
      <td className="text">
        <State agent={agent} />
      </td>
      <td>
        <Gain usd={money?.pnlUsd} />
      </td>
      <td>
        <Today usd={money?.todayUsd} without={money?.todayWithout} />
      </td>
      <td>
        <Drawdown money={money} limitPct={typeof limit === 'number' ? limit : null} />
      </td>
      <td className="text">
        <LastDecision agentId={id} />
      </td>
      <td className="text next" title={next}>
        {next !== '' && <a href={`#/agents/${id}/gates`}>{next}</a>}
      </td>
    </tr>
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
