/** Explanation why a simulated range has no trades: the rules that failed, and what blocked those that passed. */
import { entryRulesInWords } from '../../domain/agents/why-no-trades.ts';
import type { BacktestResult } from './run.ts';

/** Returns one sentence per reason, the strictest first, or an empty list if there was a trade. */
export function whyNoTrades({
  trades,
  conditions,
  blocked,
  missed,
}: Pick<BacktestResult, 'trades' | 'conditions' | 'blocked' | 'missed'>): readonly string[] {
  if (trades.closed + trades.open > 0) return [];
  const asked = [...stopped(blocked, 'risk refused'), ...stopped(missed, 'no order came about')];
  // If proposals were blocked, that is the reason, and not rules that failed elsewhere.
  if (asked.length > 0) return asked;
  return entryRulesInWords(
    conditions.filter(({ side }) => side === 'entry').map((rule) => ({ ...rule, instrument: null, causes: new Map() })),
  );
}

function stopped(counts: Readonly<Record<string, number>>, what: string): string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `The rules asked to enter, and ${what} at ${count === 1 ? 'one look' : `${count} looks`}: ${reason}.`);
}
