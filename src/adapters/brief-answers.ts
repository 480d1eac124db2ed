/** Short-lived cache of answers of an external source. */

import type { Clock } from '../../streams/clock/clock.ts';
import type { Outcome } from '../domain/values/refusal.ts';

const REMEMBERED = 500;

/** Keeps one answer per key for a while. Concurrent requests of a key share one question. Refusals are not kept. */
export function briefly<Value>(
  clock: Pick<Clock, 'elapsed'>,
  lifeMs: number,
): (key: string, ask: () => Promise<Outcome<Value>>) => Promise<Outcome<Value>> {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<Outcome<Value>> }>();
  return (key, ask) => {
    const now = clock.elapsed();
    const known = kept.get(key);
    if (known !== undefined && now - known.at < lifeMs) return known.answer;
    kept.delete(key);
    const answer = ask();
    const entry = { at: now, answer };
    kept.set(key, entry);
    for (const oldest of kept.keys()) if (kept.size > REMEMBERED) kept.delete(oldest);
    const forget = (): void => {
      if (kept.get(key) === entry) kept.delete(key);
    };
    answer.then((outcome) => outcome.ok || forget(), forget);
    return answer;
  };
}
