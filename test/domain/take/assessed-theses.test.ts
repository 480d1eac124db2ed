/** The thesis grammar against a corpus of assessed theses that its author wrote without seeing it. */
import { describe, expect, it } from 'vitest';
import { assessedTheses, outcomeOf } from './assessed-theses.ts';

describe.each(['dev', 'held-out', 'third'] as const)('%s theses', (name) => {
  const theses = assessedTheses(name);
  const outcomes = theses.map((thesis) => ({ id: thesis.id, verdict: thesis.verdict, outcome: outcomeOf(thesis) }));

  it('compile to nothing that was not meant', () => {
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toEqual([]);
  });

  it('are understood in at least 60 of 100 that a broker would understand', () => {
    const assessed = outcomes.filter(({ verdict }) => verdict === 'compile');
    const right = assessed.filter(({ outcome }) => outcome === 'right');
    expect(right.length / assessed.length).toBeGreaterThanOrEqual(0.6);
  });
});
