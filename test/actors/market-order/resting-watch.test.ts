// The check of resting orders: whose turn it is, and which market activity counts as read.
import { beforeEach, expect, test } from 'vitest';
import { createRestingWatch, type RestingOrder, type RestingWatchDeps } from '../../../actors/market-order/resting-watch.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { SLOT } from '../agent/sample.ts';

const PRICE = '60000';

let clock: ReturnType<typeof createVirtualClock>;
beforeEach(() => {
  clock = createVirtualClock(SLOT);
});

/** Watches paper purchases that rest since `SLOT`. Returns the periods whose trades were requested, and the events of orders. */
function watchOf(resting: readonly RestingOrder[], trades: readonly { readonly at: number; readonly price: string }[] = []) {
  const asked: { readonly id: string; readonly from: number }[] = [];
  const delivered: string[] = [];
  const answers: Outcome<never>[] = [];
  let loading = '';
  const deps = {
    resting: async () => resting,
    restingParts: async () => [],
    load: async ([id]: readonly string[]) => {
      loading = id as string;
      const order = {
        mode: 'paper',
        venue: 'spotexchange',
        instrument: 'spotexchange:BTCUSDT',
        side: 'buy',
        quantity: '1',
        limitPrice: PRICE,
      };
      const part = { number: 0, kind: 'rest', quantity: '1', dueAt: null };
      const context = {
        order,
        part,
        rest: { price: PRICE, since: SLOT },
        resting: { postOnly: true },
        filledQuantity: '0',
        decisionPrice: PRICE,
      };
      return new Map([[loading, { orgId: 'any', state: { value: 'resting', context } }]]);
    },
    flows: {
      between: async (_: string, from: number, to: number) => {
        asked.push({ id: loading, from });
        const own = trades.filter(({ at }) => at >= from && at <= to).map((trade) => ({ ...trade, quantity: '5' }));
        return { venue: 'spotexchange', source: 'test:trades', trades: own, tops: [] };
      },
    },
    runtime: {
      deliver: async (id: string) => {
        delivered.push(id);
        return answers.shift() ?? { ok: true };
      },
    },
    clients: {},
    clock,
    contained: eachRow((error) => {
      throw error;
    }),
    onError: (error: unknown) => {
      throw error;
    },
  };
  return { watch: createRestingWatch(deps as unknown as RestingWatchDeps), asked, delivered, answers };
}

const resting = (id: string, orgId: string): RestingOrder => ({ id, orgId, mode: 'paper' });

test('organizations take turns, however many orders one of them has', async () => {
  const many = Array.from({ length: 200 }, (_, n) => resting(`many ${n}`, 'a'));
  const { watch, asked } = watchOf([...many, resting('only', 'b')]);
  for (let look = 0; look < 4; look++) {
    clock.advanceTo(clock.now() + 3_000);
    await watch.look();
  }
  expect(asked.filter(({ id }) => id === 'only')).toHaveLength(4);
  expect(new Set(asked.map(({ id }) => id)).size).toBe(17);
});

test('trades whose fill could not be booked are read again', async () => {
  const { watch, asked, delivered, answers } = watchOf([resting('one', 'a')], [{ at: SLOT + 2_000, price: '59000' }]);
  const look = async () => {
    clock.advanceTo(clock.now() + 3_000);
    return watch.look();
  };
  answers.push(refuse('unavailable', 'others keep changing it'));
  expect(await look()).toBe(0);
  expect(await look()).toBe(1);
  expect(asked.map(({ from }) => from)).toEqual([SLOT, SLOT]);
  expect(delivered).toEqual(['one', 'one']);
  // Once it is booked, only later trades are read.
  await look();
  expect(asked.at(-1)?.from).toBe(SLOT + 6_000);
});
