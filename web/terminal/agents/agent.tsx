/** Page of one agent: profit, stage and next step, its activity on the chart, its rules in sentences, and its records. */
import { Suspense } from 'react';
import { dayAndTime, forPeople, plain, readSymbol } from '../../words.js';
import { type AgentDetail, ApiError } from '../api.ts';
import { FigureList, Loaded, Trail, renderItems } from '../kit/lists.tsx';
import { Gain, Money, Today } from '../kit/numbers.tsx';
import { laterPart } from '../kit/refusal.tsx';
import { Actions } from './actions.tsx';
import { toTradingMode, useAgent, useGates, useAgentMoney, useNews } from './data.ts';
import { NextStep } from './next-step.tsx';
import { StageRail } from './rail.tsx';
import { conditionSentence, type Rules, rulesSentences } from './rules.ts';
import { Drawdown, State } from './state.tsx';
import { Tabs } from './tabs.tsx';

const AgentChart = laterPart(async () => (await import('../charts.tsx')).AgentChart);

export function AgentPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const read = useAgent(id);
  const { data: agent } = read;
  useNews(id);
  if (agent === undefined)
    return (
      <div className="page">
        <Trail to="agents" name="Agents" />
        {isAbsent(read.error) ? <Absent /> : <Loaded query={read} />}
      </div>
    );
  return (
    <div className="page agent-page" data-tab={tab}>
      <Trail to="agents" name="Agents" />
      <Head agent={agent} />
      <Where agent={agent} />
      <div className="agent-sight">
        <Suspense fallback={<div className="card agent-chart" />}>
          <AgentChart agent={agent} />
        </Suspense>
        <InWords agent={agent} />
      </div>
      <Tabs agent={agent} chosen={tab} />
    </div>
  );
}

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

const Absent = () => (
  <div className="empty">
    <h1>Agent not found</h1>
    <p>It may belong to another organization.</p>
  </div>
);

const readRules = ({ manifest }: AgentDetail): Rules => manifest as unknown as Rules;

function Head({ agent }: { readonly agent: AgentDetail }) {
  const { name, description, manifestVersion, manifestHash, createdBy, createdAt, autonomy } = agent;
  const mode = toTradingMode(agent);
  const money = useAgentMoney(mode).get(agent.id);
  const { maxDailyDrawdownPct, strategy } = readRules(agent);
  return (
    <header className="agent-head">
      <div className="agent-name">
        <h1>{name}</h1>
        <State agent={agent} />
        <span className="tag" data-mode={mode}>
          {mode}
        </span>
        <span className="tag">{plain(autonomy)}</span>
        {strategy !== undefined && <span className="tag">outside code, release {strategy.release}</span>}
        <p className="faint">{description}</p>
      </div>
      <FigureList
        look="figures"
        lines={[
          ['P&L', <Gain usd={money?.pnlUsd} />],
          ['Today', <Today usd={money?.todayUsd} without={money?.todayWithout} />],
          ['Equity', <Money usd={money?.equityUsd} />],
          ['Day’s loss / limit', <Drawdown money={money} limitPct={maxDailyDrawdownPct} />],
          [
            'Manifest',
            <span className="num" title={`${manifestHash}, created ${dayAndTime(createdAt)} by ${createdBy}`}>
              v{manifestVersion}
            </span>,
          ],
        ]}
      />
      <Actions agent={agent} />
    </header>
  );
}

/** Stage of the agent, its next step, and the positions that are being sold. */
function Where({ agent }: { readonly agent: AgentDetail }) {
  const gates = useGates(agent.id);
  return (
    <section className="card agent-where" aria-label="Stage and next step">
      <StageRail stage={agent.stage} gates={gates.data?.gates ?? []} />
      <Loaded query={gates}>{(data) => <NextStep agent={agent} gates={data} />}</Loaded>
      {agent.closing.map(({ instrument, limitPrice, closedBy, at, waitingFor }) => (
        <p key={`${instrument} ${at}`} className="warn">
          Selling {instrument === null ? 'all positions' : readSymbol(instrument)}
          {limitPrice === null ? '' : ` at ${limitPrice} or better`}, asked by {closedBy} at {dayAndTime(at)}
          {waitingFor == null ? '' : `: ${waitingFor.detail}`}
        </p>
      ))}
    </section>
  );
}

/** Rules as sentences, and why it does not trade. */
function InWords({ agent }: { readonly agent: AgentDetail }) {
  const rules = readRules(agent);
  const { data: gates } = useGates(agent.id);
  const why = gates?.whyNoTrades ?? [];
  return (
    <section className="card agent-words" aria-label="Rules" tabIndex={0}>
      {why.length > 0 && (
        <div className="why">
          <h2>Why no trades</h2>
          <ul>{renderItems(why.map(forPeople))}</ul>
        </div>
      )}
      {rules.strategy === undefined ? (
        <>
          <h2>Buys when all are true</h2>
          <Conditions of={rules.entry} none="It never buys: it has no entry rule." />
          <h2>Sells when any is true</h2>
          <Conditions
            of={[...rules.exit, { type: 'stop_loss', pct: rules.stopLossPct }, { type: 'take_profit', pct: rules.takeProfitPct }]}
            none=""
          />
        </>
      ) : (
        <p>Your own code decides. Each of its proposals is checked against this mandate.</p>
      )}
      <h2>Limits</h2>
      <ul>
        {renderItems(rulesSentences(rules))}
        {(gates?.execution ?? []).map((sentence) => (
          <li key={sentence} className="faint">
            {forPeople(sentence)}
          </li>
        ))}
        {gates?.liveLimit != null && <li className="warn">{gates.liveLimit}.</li>}
      </ul>
    </section>
  );
}

function Conditions({ of, none }: { readonly of: Rules['entry']; readonly none: string }) {
  if (of.length === 0) return <p className="warn">{none}</p>;
  return (
    <ul>
      {of.map(conditionSentence).map((sentence, place) => (
        <li key={`${place} ${sentence}`}>{sentence}</li>
      ))}
    </ul>
  );
}
