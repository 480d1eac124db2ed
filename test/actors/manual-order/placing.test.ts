// An order is placed only on a validation that still holds: it is validated again if not, or answered.
import { expect, test } from 'vitest';
import { passed } from '../../../actors/manual-order/manual-order.ts';
import { type Obstacle, placedOnVerdict, placingTogether } from '../../../actors/manual-order/placing.ts';
import { PermitLost } from '../../../src/domain/orders/execution.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { latch } from '../../harness/latch.ts';

class Moved extends Error {}
class Full extends Error {}
class Outage extends Error {}
const obstacleOf = (error: unknown): Obstacle => {
  if (error instanceof Moved) return 'moved';
  return error instanceof Full ? refuse('too_many_prepared', 'twenty are open') : null;
};

/** Fails with these errors one after the other, then succeeds. */
function attempts(...errors: Error[]) {
  const made = { times: 0 };
  return {
    made,
    attempt: async () => {
      const error = errors[made.times++];
      if (error !== undefined) throw error;
      return { ok: true, value: 'written' } as const;
    },
  };
}

test('an order whose book moved is validated again, at most five times', async () => {
  const fourth = attempts(new Moved(), new Moved(), new Moved(), new Moved());
  expect(await placedOnVerdict('org', obstacleOf, fourth.attempt)).toEqual({ ok: true, value: 'written' });
  const never = attempts(...Array.from({ length: 9 }, () => new Moved()));
  expect(await placedOnVerdict('org', obstacleOf, never.attempt)).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  expect([fourth.made.times, never.made.times]).toEqual([5, 5]);
});

test('concurrent orders take turns: each is validated again at most once more', async () => {
  let version = 0;
  let writing = 0;
  const order = (orgId: string) => {
    const made = { times: 0 };
    const placed = placedOnVerdict(orgId, obstacleOf, async () => {
      made.times++;
      const assessedOn = version;
      writing++;
      await new Promise(setImmediate);
      writing--;
      if (assessedOn !== version) throw new Moved();
      version++;
      return { ok: true, value: made } as const;
    });
    return placed;
  };
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => order('org')));
  expect(outcomes.map((outcome) => outcome.ok && outcome.value.times).sort()).toEqual([1, ...Array.from({ length: 49 }, () => 2)]);
  expect([version, writing]).toEqual([50, 0]);
});

test('an order that comes while others wait for their turn waits too, and is validated once', async () => {
  const turn = latch();
  const said: string[] = [];
  const first = placedOnVerdict('org', obstacleOf, async () => {
    said.push('first');
    if (said.length === 1) throw new Moved();
    await turn.released;
    said.push('in its turn');
    return { ok: true, value: 'written' } as const;
  });
  while (said.length < 2) await new Promise(setImmediate);
  const next = placedOnVerdict('org', obstacleOf, async () => {
    said.push('next');
    return { ok: true, value: 'written' } as const;
  });
  const elsewhere = await placedOnVerdict('other org', obstacleOf, attempts().attempt);
  expect([elsewhere, said]).toEqual([{ ok: true, value: 'written' }, ['first', 'first']]);
  turn.release();
  expect(await Promise.all([first, next])).toMatchObject([{ ok: true }, { ok: true }]);
  expect(said).toEqual(['first', 'first', 'in its turn', 'next']);
});

test('a turn that ends in an error lets the next one proceed', async () => {
  const broken = placedOnVerdict('org', obstacleOf, attempts(new Moved(), new Error('a defect')).attempt);
  const next = placedOnVerdict('org', obstacleOf, attempts(new Moved()).attempt);
  await expect(broken).rejects.toThrow('a defect');
  expect(await next).toEqual({ ok: true, value: 'written' });
});

test.each<[string, Error, string]>([
  ['no room', new Full(), 'too_many_prepared'],
  ['a halt', new PermitLost('halted'), 'halted'],
  ['a duplicate request', Object.assign(new Error(), { code: '23505', constraint_name: 'idempotency_keys_pkey' }), 'idempotency_in_flight'],
])('%s is answered, and nothing is retried', async (_, error, code) => {
  const { made, attempt } = attempts(error);
  expect(await placedOnVerdict('org', obstacleOf, attempt)).toMatchObject({ ok: false, refusal: { code } });
  expect(made.times).toBe(1);
});

test('an unknown error stays an error', async () => {
  await expect(placedOnVerdict('org', obstacleOf, attempts(new Error('a defect')).attempt)).rejects.toThrow('a defect');
});

test('a failed validation names every limit, and the reason of each unknown one', () => {
  const limit = { limit: '5', before: '4', after: '6', suggestion: 'at most 1' };
  const rejections = [
    { code: 'open_positions_limit', ...limit },
    { code: 'quote_not_live', limit: null, before: null, after: null, suggestion: 'wait for a live quote' },
  ];
  const validated = { order: {}, verdict: { ok: false, risk: { verdict: 'blocked', rejections } } } as never;
  expect(passed({ ok: true, value: validated })).toEqual({
    ok: false,
    refusal: {
      code: 'blocked_by_risk',
      detail: 'rejected by the risk check: open_positions_limit, quote_not_live (wait for a live quote)',
      rejections,
    },
  });
  expect(passed(refuse('malformed', 'no lot'))).toEqual(refuse('malformed', 'no lot'));
});

/** Creates attempts that record who was tried together, and fail as `failing` says. */
function together(failing: (asked: readonly number[], times: number) => Error | null = () => null) {
  const tried: number[][] = [];
  const place = placingTogether<number, number>(
    obstacleOf,
    (error) => error instanceof Outage,
    async (_, asked) => {
      tried.push([...asked]);
      await new Promise(setImmediate);
      const error = failing(asked, tried.length);
      if (error !== null) throw error;
      return asked.map((one) => (one % 10 === 9 ? refuse('blocked_by_risk', `${one}`) : { ok: true, value: one }));
    },
  );
  return { tried, place };
}
const numbers = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

test('concurrent orders are attempted together, at most 64, and later ones afterwards; each has its own answer', async () => {
  const { tried, place } = together();
  const placed = numbers(70).map((one) => place('org', one));
  while (tried.length === 0) await new Promise(setImmediate);
  const late = place('org', 70);
  const outcomes = await Promise.all([...placed, late]);
  expect(tried).toEqual([numbers(64), numbers(71).slice(64)]);
  expect(outcomes.map((outcome) => (outcome.ok ? outcome.value : Number(outcome.refusal.detail)))).toEqual(numbers(71));
  expect(outcomes.filter(({ ok }) => !ok).length).toBe(7);
});

test('orders of other organizations are attempted separately, and all take turns with orders placed elsewhere', async () => {
  const { tried, place } = together();
  const said: string[] = [];
  const other = placedOnVerdict('org', obstacleOf, async () => {
    said.push(`other after ${tried.length}`);
    if (said.length === 1) throw new Moved();
    return { ok: true, value: 'written' } as const;
  });
  await Promise.all([place('org', 1), place('org 2', 2), place('org', 3), other]);
  expect(tried.map((asked) => [...asked]).sort()).toEqual([[1, 3], [2]]);
  expect(said).toEqual(['other after 0', 'other after 2']);
});

test('orders whose book moved are validated together again, at most five times', async () => {
  const moving = together((_, times) => (times < 5 ? new Moved() : null));
  await expect(Promise.all([moving.place('org', 1), moving.place('org', 2)])).resolves.toMatchObject([{ ok: true }, { ok: true }]);
  expect(moving.tried.length).toBe(5);
  const never = together(() => new Moved());
  const outcomes = await Promise.all([never.place('org', 1), never.place('org', 2)]);
  expect(outcomes).toMatchObject(Array.from({ length: 2 }, () => ({ ok: false, refusal: { code: 'unavailable' } })));
  expect(never.tried.length).toBe(5);
});

test('if one of a group cannot be written, each is placed by itself, and only that one fails', async () => {
  const { tried, place } = together((asked) => (asked.includes(2) ? new Error('a defect') : asked.includes(3) ? new Full() : null));
  const outcomes = await Promise.allSettled(numbers(5).map((one) => place('org', one)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(outcomes[3]).toMatchObject({ value: { ok: false, refusal: { code: 'too_many_prepared' } } });
  expect(tried).toEqual([numbers(5), [0], [1], [2], [3], [4]]);
  expect(await place('org', 7)).toEqual({ ok: true, value: 7 });
});

test('a halt while a group is placed ends all of it, and nothing is retried', async () => {
  const { tried, place } = together(() => new PermitLost('halted'));
  const outcomes = await Promise.all([place('org', 1), place('org', 2)]);
  expect(outcomes).toMatchObject(Array.from({ length: 2 }, () => ({ ok: false, refusal: { code: 'halted' } })));
  expect(tried).toEqual([[1, 2]]);
});

test('without a database a group fails at once: no order is tried by itself', async () => {
  const { tried, place } = together((_, times) => (times === 1 ? new Outage() : null));
  const outcomes = await Promise.allSettled([place('org', 1), place('org', 2)]);
  expect(outcomes).toMatchObject(Array.from({ length: 2 }, () => ({ status: 'rejected', reason: expect.any(Outage) })));
  expect(await place('org', 3)).toEqual({ ok: true, value: 3 });
  expect(tried).toEqual([[1, 2], [3]]);
});
