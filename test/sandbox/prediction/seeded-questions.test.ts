// Books of seeded questions: they last for seconds, and depend only on the seed and the time.
import { expect, test } from 'vitest';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { createSeededQuestions, type SeededQuestion } from '../../../src/sandbox/prediction/seeded-questions.ts';
import { NOON } from './fixture.ts';

test('a book lasts five seconds, whatever was requested in between, and is the same in a world that starts later', () => {
  const market = createSeededMarket({ seed: 5 });
  const questions = createSeededQuestions({ seed: 5, market });
  const asked = questions.listed('polymarket', NOON).find(({ resolvesAt }) => resolvesAt > NOON + 3_600_000) as SeededQuestion;
  const books = Array.from({ length: 120 }, (_, second) => {
    const book = questions.book(asked, 'polymarket', NOON + second * 1_000);
    expect(questions.book(asked, 'polymarket', NOON + second * 1_000 + 999)).toBe(book);
    return book;
  });
  books.forEach((book, second) => second % 5 > 0 && expect(book).toBe(books[second - 1]));
  // Sizes at the best prices change every half minute even if the price does not.
  expect(new Set(books).size).toBeGreaterThanOrEqual(4);
  const later = createSeededQuestions({ seed: 5, market });
  expect(later.book(asked, 'polymarket', NOON + 90_000)).toEqual(books[90]);
  questions.trades(asked, 'polymarket', NOON, NOON + 60_000);
  expect(questions.book(asked, 'polymarket', NOON + 90_000)).toEqual(books[90]);
});
