/** Results of the pre-trade risk function as people read them. */
import type { RiskAttribution, RiskRejection } from '../src/domain/agents/decision.ts';
import { withAgesInWords } from '../src/domain/values/words.ts';

const inWords = (text: string | null): string | null => (text === null ? null : withAgesInWords(text));

/** Breaches as people read them: `27 h old`. The record of a decision keeps milliseconds, which are hashed. */
export function rejectionsInWords(rejections: readonly RiskRejection[]): RiskRejection[] {
  return rejections.map((found) => ({ ...found, before: inWords(found.before), after: inWords(found.after) }));
}

/** Returns the risk attribution of an order with its breaches in words. */
export function attributionInWords(risk: RiskAttribution | null): RiskAttribution | null {
  return risk === null ? null : { ...risk, rejections: rejectionsInWords(risk.rejections) };
}
