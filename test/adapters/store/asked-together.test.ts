// Questions of one moment are one statement; a failing question fails alone.
import { expect, test } from 'vitest';
import { askedTogether } from '../../../src/adapters/store/asked-together.ts';

function doubling(refuse: (key: number) => unknown = () => null) {
  const asked: number[][] = [];
  const ask = askedTogether<number, number>(async (keys) => {
    asked.push([...keys]);
    for (const key of keys) {
      const error = refuse(key);
      if (error !== null) throw error;
    }
    return (key) => key * 2;
  });
  return { ask, asked };
}

test('questions of one moment are one statement, later ones another', async () => {
  const { ask, asked } = doubling();
  expect(await Promise.all([ask(1), ask(2), ask(3)])).toEqual([2, 4, 6]);
  expect(await ask(4)).toBe(8);
  expect(asked).toEqual([[1, 2, 3], [4]]);
});

test('many questions are several statements', async () => {
  const { ask, asked } = doubling();
  const keys = Array.from({ length: 600 }, (_, key) => key);
  expect(await Promise.all(keys.map(ask))).toEqual(keys.map((key) => key * 2));
  expect(asked.map(({ length }) => length)).toEqual([256, 256, 88]);
});

test('an unreadable row fails only its own question; a lost connection fails all of them once', async () => {
  const { ask } = doubling((key) => (key === 2 ? new Error('row 2 is not JSON') : null));
  const answers = await Promise.allSettled([ask(1), ask(2), ask(3)]);
  expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message))).toEqual([
    2,
    'row 2 is not JSON',
    6,
  ]);
  const lost = doubling(() => Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
  const all = await Promise.allSettled([lost.ask(1), lost.ask(2)]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(lost.asked).toHaveLength(1);
});
