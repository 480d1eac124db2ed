/** State of an agent with its cause, and today's loss beside the limit. */
import { dayAndTime, plain } from '../../words.js';
import type { Agent } from '../api.ts';
import type { Column } from '../kit/columns.tsx';
import type { AgentMoney } from './data.ts';

export function State({ agent: { paused, pauseCause, closing } }: { readonly agent: Agent }) {
  const word = paused ? `paused${pauseCause === null ? '' : `, ${plain(pauseCause)}`}` : 'running';
  return (
    <span
      className="duty"
      data-duty={pauseCause === 'quarantine' || pauseCause === 'emergency_halt' ? 'held' : paused ? 'paused' : 'running'}
    >
      <span className="dot" aria-hidden="true" /> {word}
      {closing.length > 0 && <span className="tag">closing</span>}
    </span>
  );
}

/** Today's loss in percent of the equity at the start of the day, for drawing only. */
function lossPct({ todayUsd, equityUsd }: AgentMoney): number {
  const [today, equity] = [Number(todayUsd), Number(equityUsd)];
  return today < 0 && equity - today > 0 ? (-today / (equity - today)) * 100 : 0;
}

/** Bar that fills as today's loss comes near the limit that pauses the agent. */
export function Drawdown({ money, limitPct }: { readonly money: AgentMoney | undefined; readonly limitPct: number | null }) {
  if (limitPct === null) return <span className="faint">–</span>;
  const loss = money === undefined ? null : lossPct(money);
  const part = loss === null || limitPct === 0 ? 0 : Math.min(1, loss / limitPct);
  return (
    <span className="drawdown num" title={`The agent pauses when a day loses ${limitPct} %.`}>
      <span className="drawdown-bar" data-near={part > 0.6} aria-hidden="true">
        <i style={{ width: `${part * 100}%` }} />
      </span>
      {loss === null ? '–' : loss.toFixed(2)} / {limitPct} %
    </span>
  );
}

const WORDS: Readonly<Record<string, readonly [word: string, tone: string]>> = {
  hold: ['hold', 'faint'],
  propose_entry: ['entry', 'up'],
  propose_exit: ['exit', 'down'],
  blocked_by_risk: ['blocked', 'warn'],
};

export function Disposition({ of }: { readonly of: string }) {
  const [word, tone] = WORDS[of] ?? [plain(of), 'faint'];
  return <span className={`disposition ${tone}`}>{word}</span>;
}

interface Decided {
  readonly id: string;
  readonly disposition: string;
  readonly rules: readonly { readonly side: string; readonly passed: boolean }[];
}

/** Returns how many rules of a side passed: `2 of 3`. */
function passed({ rules }: Decided, side: 'entry' | 'exit'): string {
  const ofSide = rules.filter((rule) => rule.side === side);
  return ofSide.length === 0 ? '–' : `${ofSide.filter((rule) => rule.passed).length} of ${ofSide.length}`;
}

/** Columns of any decision: its time, which opens its details, its outcome, and the rules that passed. */
export const decisionColumns = <Row extends Decided>(
  timeOf: (row: Row) => string,
  open: string | null,
  setOpen: (id: string | null) => void,
): readonly [time: Column<Row>, outcome: Column<Row>, entry: Column<Row>, exit: Column<Row>] => [
  {
    title: 'Time',
    value: timeOf,
    cell: (row) => (
      <button type="button" className="plain num" aria-expanded={row.id === open} onClick={() => setOpen(row.id === open ? null : row.id)}>
        {dayAndTime(timeOf(row)).slice(5)}
      </button>
    ),
  },
  { title: 'Decision', isText: true, value: ({ disposition }) => disposition, cell: ({ disposition }) => <Disposition of={disposition} /> },
  { title: 'Entry rules', text: (row) => passed(row, 'entry') },
  { title: 'Exit rules', text: (row) => passed(row, 'exit') },
];
