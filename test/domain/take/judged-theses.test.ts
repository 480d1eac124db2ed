/** The thesis grammar against a corpus of judged theses that its author wrote without seeing it. */
import { describe, expect, it } from 'vitest';
import { judgedTheses, outcomeOf } from './judged-theses.ts';

describe.each(['dev', 'held-out'] as const)('%s theses', (name) => {
  const theses = judgedTheses(name);
  const outcomes = theses.map((thesis) => ({ id: thesis.id, verdict: thesis.verdict, outcome: outcomeOf(thesis) }));

  it('compile to nothing that was not meant', () => {
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toEqual([]);
  });

  it('are understood in at least 60 of 100 that a broker would understand', () => {
    const judged = outcomes.filter(({ verdict }) => verdict === 'compile');
    const right = judged.filter(({ outcome }) => outcome === 'right');
    expect(right.length / judged.length).toBeGreaterThanOrEqual(0.6);
  });
});
