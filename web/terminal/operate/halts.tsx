/** Paused agents: since when, by whom and why, and resuming them. */
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { plain } from '../../words.js';
import { api, type Agent } from '../api.ts';
import { resumeAll, useHalted, useLastHalt } from '../halt.tsx';
import { Ago, At } from '../kit/ages.tsx';
import { Ask } from '../kit/ask.tsx';
import { FigureList, Loaded, NotRead } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { useMay } from '../member.ts';
import { useAgents, usePaused } from '../organization.ts';

/** Explanation of each cause, and the condition for resuming. */
const CAUSES: Record<NonNullable<Agent['pauseCause']>, string> = {
  emergency_halt: 'Emergency halt',
  operator: 'Paused by a member',
  data_degraded: 'Market data degraded: resumes by itself once the data is good again',
  daily_drawdown: 'Daily loss limit reached',
  tick_crash: 'Its decisions failed several times',
  quarantine: 'Quarantined after an internal error: release it first',
};

export function Halts() {
  const agents = useAgents();
  const { paused, isWhole, older } = usePaused();
  return (
    <div className="panel-scroll">
      <LastHalt />
      <Loaded query={agents}>
        {() => (
          <>
            <NotRead query={older} />
            {paused.length > 0 && <Paused agents={paused} isWhole={isWhole} />}
            {paused.length === 0 && isWhole && (
              <p className="empty">No agent is paused. Halted and paused agents appear here with their cause and a Resume button.</p>
            )}
            {!isWhole && older.error === null && <p className="faint padded">Reading older agents…</p>}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Paused agents, resumed one by one or by selection. */
function Paused({ agents, isWhole }: { readonly agents: readonly Agent[]; readonly isWhole: boolean }) {
  const mayResume = useMay('risk:manage');
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const resumable = agents.filter(({ pauseCause }) => pauseCause !== 'quarantine');
  const chosen = resumable.filter(({ id }) => ticked.has(id));
  const tick = (id: string) =>
    setTicked((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])));
  const canChoose = mayResume && resumable.length > 1;
  return (
    <>
      {canChoose && (
        <div className="panel-tools">
          <ResumeMany verb="Resume all" agents={resumable} isOff={!isWhole} />
          <ResumeMany verb="Resume selected" agents={chosen} />
          <span className="faint">{chosen.length === 0 ? 'None selected' : `${chosen.length} of ${resumable.length} selected`}</span>
        </div>
      )}
      <Table
        label="Paused agents"
        rows={agents}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Agent',
            value: ({ name }) => name,
            cell: (agent) => (
              <span className="ticked">
                {canChoose && (
                  <Checkbox
                    aria-label={`Select ${agent.name}`}
                    checked={chosen.includes(agent)}
                    disabled={!resumable.includes(agent)}
                    onChange={() => tick(agent.id)}
                  />
                )}
                <a href={`#/agents/${agent.id}`}>{agent.name}</a>
              </span>
            ),
          },
          { title: 'Why', isText: true, cell: showCause },
          { title: 'Actions', buttons: (agent) => <Resume agent={agent} /> },
        ]}
      />
    </>
  );
}

/** Confirms once for all agents, and resumes them one by one up to the first refusal. Those before it stay resumed. */
function ResumeMany({
  verb,
  agents,
  isOff = false,
}: {
  readonly verb: string;
  readonly agents: readonly Agent[];
  readonly isOff?: boolean;
}) {
  const number = `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}`;
  return (
    <Ask
      verb={verb}
      title={`Resume ${number}?`}
      done={`${number} resumed.`}
      changes={['agents', 'paused', 'alerts']}
      isOff={isOff || agents.length === 0}
      act={() => resumeAll(agents)}
    >
      <p>Each decides again from the next full minute, at its stage.</p>
      <ul className="dotted">
        {agents.map(({ id, name, pauseCause }) => (
          <li key={id}>
            {name} {pauseCause !== null && <span className="faint">{CAUSES[pauseCause].split(': ')[0]}</span>}
          </li>
        ))}
      </ul>
    </Ask>
  );
}

function showCause({ pauseCause: cause }: Agent) {
  if (cause === null) return <span className="faint">–</span>;
  const [short = '', more] = CAUSES[cause].split(': ');
  return (
    <span className={cause === 'emergency_halt' || cause === 'quarantine' ? 'down' : 'warn'} title={CAUSES[cause]}>
      {short}
      {more !== undefined && <small className="long"> {more}</small>}
    </span>
  );
}

function LastHalt() {
  const halt = useLastHalt();
  const { number, words } = useHalted();
  return (
    <Loaded query={halt}>
      {({ epoch, haltedAt, haltedBy, reason, isPausing }) => (
        <>
          <FigureList
            look="figures padded"
            lines={[
              ['Trading', <span className={number === 0 ? 'up' : 'down'}>{number === 0 ? 'not halted' : `${words} halted`}</span>],
              ['Last halt', haltedAt === null ? 'never' : <At at={haltedAt} />],
              ...(haltedAt === null
                ? []
                : ([
                    ['By', haltedBy ?? 'not recorded'],
                    ['Reason', reason ?? 'none given'],
                    ['Age', <Ago at={haltedAt} />],
                    ['Halts so far', epoch],
                  ] as const)),
            ]}
          />
          {isPausing && <p className="warn padded">Agents are still being paused. None of them trades meanwhile.</p>}
        </>
      )}
    </Loaded>
  );
}

function Resume({ agent: { id, name, pauseCause, stage } }: { readonly agent: Agent }) {
  const mayResume = useMay('risk:manage');
  if (!mayResume) return <span className="faint">needs risk:manage</span>;
  return (
    <Ask
      verb="Resume"
      name={`Resume ${name}`}
      title={`Resume ${name}?`}
      done={`${name} resumed.`}
      changes={['agents', 'paused', 'alerts']}
      isOff={pauseCause === 'quarantine'}
      act={() => api.resumeAgent({ id })}
    >
      <p>The agent decides again from the next full minute, at stage {plain(stage)}.</p>
      {pauseCause !== null && <p className="faint">{CAUSES[pauseCause]}</p>}
    </Ask>
  );
}
