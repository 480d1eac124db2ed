// An order is placed on a validation that still holds: validated anew where it does not, answered where that is all there is to say.
import { expect, test } from 'vitest';
import { type Obstacle, placedOnVerdict } from '../../../actors/manual-order/placing.ts';
import { passed } from '../../../actors/manual-order/verdict.ts';
import { PermitLost } from '../../../src/domain/execution.ts';
import { refuse } from '../../../src/domain/refusal.ts';

class Moved extends Error {}
class Full extends Error {}
const obstacleOf = (error: unknown): Obstacle => {
  if (error instanceof Moved) return 'moved';
  return error instanceof Full ? refuse('too_many_prepared', 'twenty are open') : null;
};

/** Fails with these errors one after the other, then writes. */
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

test('what moved is validated anew, and the fifth time is the last', async () => {
  const fourth = attempts(new Moved(), new Moved(), new Moved(), new Moved());
  expect(await placedOnVerdict('org', obstacleOf, fourth.attempt)).toEqual({ ok: true, value: 'written' });
  const never = attempts(...Array.from({ length: 9 }, () => new Moved()));
  expect(await placedOnVerdict('org', obstacleOf, never.attempt)).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  expect([fourth.made.times, never.made.times]).toEqual([5, 5]);
});

test('orders that overtook one another take turns: each is validated anew at most once more', async () => {
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

test('an order that comes while others wait for their turn waits as well, and is validated once', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const said: string[] = [];
  const first = placedOnVerdict('org', obstacleOf, async () => {
    said.push('first');
    if (said.length === 1) throw new Moved();
    await held;
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
  release();
  expect(await Promise.all([first, next])).toMatchObject([{ ok: true }, { ok: true }]);
  expect(said).toEqual(['first', 'first', 'in its turn', 'next']);
});

test('a turn that ends in an error lets the next one come', async () => {
  const broken = placedOnVerdict('org', obstacleOf, attempts(new Moved(), new Error('a defect')).attempt);
  const next = placedOnVerdict('org', obstacleOf, attempts(new Moved()).attempt);
  await expect(broken).rejects.toThrow('a defect');
  expect(await next).toEqual({ ok: true, value: 'written' });
});

test.each<[string, Error, string]>([
  ['no room', new Full(), 'too_many_prepared'],
  ['a halt', new PermitLost('halted'), 'halted'],
  ['a duplicate request', Object.assign(new Error(), { code: '23505', constraint_name: 'idempotency_keys_pkey' }), 'idempotency_in_flight'],
])('%s is answered, and nothing is tried again', async (_, error, code) => {
  const { made, attempt } = attempts(error);
  expect(await placedOnVerdict('org', obstacleOf, attempt)).toMatchObject({ ok: false, refusal: { code } });
  expect(made.times).toBe(1);
});

test('an error that nobody knows is an error still', async () => {
  await expect(placedOnVerdict('org', obstacleOf, attempts(new Error('a defect')).attempt)).rejects.toThrow('a defect');
});

test('a validation that lets nothing pass names every limit, and the reason of what is only not known', () => {
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
      detail: 'risk does not let it pass: open_positions_limit, quote_not_live (wait for a live quote)',
      rejections,
    },
  });
  expect(passed(refuse('malformed', 'no lot'))).toEqual(refuse('malformed', 'no lot'));
});
