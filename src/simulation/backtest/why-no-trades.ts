/** Why a simulated stretch holds no trade, in sentences: the rules that stood in the way, and what stopped those that asked. */
import { figureInWords } from '../../domain/words.ts';
import type { BacktestResult, ConditionStatistics } from './run.ts';

/** One sentence for each reason, the hardest first; empty where there was a trade. */
export function whyNoTrades({
  trades,
  conditions,
  blocked,
  missed,
}: Pick<BacktestResult, 'trades' | 'conditions' | 'blocked' | 'missed'>): string[] {
  if (trades.closed + trades.open > 0) return [];
  const entries = conditions.filter(({ side }) => side === 'entry');
  if (entries.length === 0) return ['No rule asks to enter.'];
  const never = entries.filter(({ passed }) => passed === 0);
  const rules =
    never.length > 0
      ? never.map(neverHeld)
      : [
          'Each entry rule held at times, but never all of them at once.',
          ...[...entries].sort((a, b) => b.lastToFail - a.lastToFail || a.passed - b.passed).map(stoodAlone),
        ];
  const asked = [...stopped(blocked, 'risk refused'), ...stopped(missed, 'no order came about')];
  // Where rules asked and were stopped, that is the reason, and rules that failed elsewhere are none.
  return asked.length > 0 ? asked : rules;
}

function neverHeld({ type, threshold, evaluated, unknown }: ConditionStatistics): string {
  const against = threshold === null ? '' : ` (${threshold})`;
  if (unknown >= evaluated) return `${type}${against} could not be known at any of ${evaluated} looks: its history is missing.`;
  const part = unknown === 0 ? '' : `; at ${figureInWords((unknown / evaluated) * 100)} % of them it could not be known`;
  return `${type}${against} held at none of ${evaluated} looks${part}.`;
}

function stoodAlone({ type, threshold, evaluated, passed, lastToFail }: ConditionStatistics): string {
  const against = threshold === null ? '' : ` (${threshold})`;
  const alone = lastToFail === 0 ? '' : `, and alone stood in the way at ${lastToFail}`;
  return `${type}${against} held at ${passed} of ${evaluated} looks${alone}.`;
}

function stopped(counts: Readonly<Record<string, number>>, what: string): string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `The rules asked to enter, and ${what} at ${count} looks: ${reason}.`);
}
