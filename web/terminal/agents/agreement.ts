/** Result of the last agreement session with outside code, in words. */
import { percentText } from '../../words.js';
import type { EvaluationRun } from '../api.ts';

/** @param runs Newest first. */
export function agreementInWords(runs: readonly Pick<EvaluationRun, 'evaluation' | 'endedAt' | 'summary'>[]): string {
  const [newest, before] = runs.filter(({ evaluation }) => evaluation === 'agreement');
  if (newest === undefined) return 'not asked yet';
  const ended = newest.endedAt === null ? before : newest;
  const waits = newest.endedAt === null ? 'waits for answers' : null;
  return [waits, ended === undefined ? null : endedInWords(ended)].filter((part) => part !== null).join('; before: ');
}

function endedInWords({ summary }: Pick<EvaluationRun, 'summary'>): string {
  if (summary === null) return 'no answer';
  const { agreementPct, trades } = summary as { readonly agreementPct: number | null; readonly trades: number };
  return agreementPct === null ? 'no trade then or now' : `${percentText(agreementPct)} of ${trades} slots with a trade`;
}
