/** Thesis grammar on a corpus of assessed theses that their authors wrote without knowing it. */
import { describe, expect, it } from 'vitest';
import { assessedTheses, outcomeOf } from './assessed-theses.ts';

describe.each([
  ['dev', 0.6],
  ['held-out', 0.6],
  ['third', 0.6],
  ['blind', 0.6],
  // Never used for development: the expected result for unseen texts. Most lead to questions.
  ['fifth', 0.3],
] as const)('%s theses', (name, recall) => {
  const outcomes = assessedTheses(name).map((thesis) => ({ ...thesis, outcome: outcomeOf(thesis) }));

  it('compile to nothing that was not meant', () => {
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong').map(({ id }) => id)).toEqual([]);
    // No Take can express it, so a question is asked.
    expect(outcomes.filter(({ beyond, outcome }) => beyond !== undefined && outcome !== 'asked').map(({ id }) => id)).toEqual([]);
  });

  it(`are understood in at least ${recall * 100} of 100 that a broker would understand`, () => {
    const assessed = outcomes.filter(({ verdict, beyond }) => verdict === 'compile' && beyond === undefined);
    const right = assessed.filter(({ outcome }) => outcome === 'right');
    expect(right.length / assessed.length).toBeGreaterThanOrEqual(recall);
  });
});
