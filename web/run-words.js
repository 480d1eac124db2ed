/** Result of an evaluation, in words. */
import { numberText, plain } from './words.js';

/**
 * Summarizes a run: `passed yes · sharpe 1.93 · max drawdown pct 12.4`.
 * @param {{ readonly [name: string]: unknown }} summary
 */
export function summaryWords(summary) {
  // The verdict comes first.
  const { passed, verdict, ...rest } = summary;
  const first = typeof verdict === 'string' ? [verdict.replace(/\.$/, '')] : [];
  const numbers = Object.entries({ ...(passed === undefined || first.length > 0 ? {} : { passed }), ...rest }).map(([field, value]) => {
    const name = plain(field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    if (typeof value === 'boolean') return `${name} ${value ? 'yes' : 'no'}`;
    if (typeof value === 'number') return `${name} ${numberText(value)}`;
    return `${name} ${value === null ? 'unknown' : String(value)}`;
  });
  return [...first, ...numbers].join(' · ');
}

/**
 * Origins of the market data behind a result: `real market data`, or `simulated: spotexchange (sandbox)`. Empty before there is a result.
 * @param {import('./wire.ts').EvaluationRun['provenance']} provenance
 */
export function provenanceWords(provenance) {
  if (provenance === null) return '';
  const named = Object.entries(provenance.origins).filter(([, origin]) => origin !== 'real');
  if (!provenance.simulated) return 'real market data';
  return `simulated: ${named.map(([source, origin]) => `${plain(source)} (${origin})`).join(', ') || 'its time was moved'}`;
}
