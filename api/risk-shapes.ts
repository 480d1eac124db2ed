/** Results of the pre-trade risk function in words. */
import type { RiskAttribution, RiskRejection } from '../src/domain/agents/decision.ts';
import { withAgesInWords } from '../src/domain/values/words.ts';

const inWords = (text: string | null): string | null => (text === null ? null : withAgesInWords(text));

/** Returns rejections with ages in words, such as `27 h old`. Decision records keep the hashed milliseconds. */
export function rejectionsInWords(rejections: readonly RiskRejection[]): RiskRejection[] {
  return rejections.map((found) => ({ ...found, before: inWords(found.before), after: inWords(found.after) }));
}

/** Returns the risk attribution of an order with its breaches in words. */
export function attributionInWords(risk: RiskAttribution | null): RiskAttribution | null {
  return risk === null ? null : { ...risk, rejections: rejectionsInWords(risk.rejections) };
}
