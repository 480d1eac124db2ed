/** State of an agent with its cause, and today's loss beside the limit. */
import { plain } from '../../words.js';
import type { Agent } from '../api.ts';
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

/** Outcome of a decision. */
export function Disposition({ of }: { readonly of: string }) {
  const [word, tone] = WORDS[of] ?? [plain(of), 'faint'];
  return <span className={`disposition ${tone}`}>{word}</span>;
}
