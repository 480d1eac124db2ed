/** The thesis grammar against a corpus of assessed theses that their authors wrote without seeing it. */
import { describe, expect, it } from 'vitest';
import { assessedTheses, outcomeOf } from './assessed-theses.ts';

describe.each([
  ['dev', 0.6],
  ['held-out', 0.6],
  ['third', 0.6],
  // Never worked on: what a text that nobody has seen may expect. Most are asked about.
  ['blind', 0.12],
] as const)('%s theses', (name, recall) => {
  const outcomes = assessedTheses(name).map((thesis) => ({ id: thesis.id, verdict: thesis.verdict, outcome: outcomeOf(thesis) }));

  it('compile to nothing that was not meant', () => {
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toEqual([]);
  });

  it(`are understood in at least ${recall * 100} of 100 that a broker would understand`, () => {
    const assessed = outcomes.filter(({ verdict }) => verdict === 'compile');
    const right = assessed.filter(({ outcome }) => outcome === 'right');
    expect(right.length / assessed.length).toBeGreaterThanOrEqual(recall);
  });
});
