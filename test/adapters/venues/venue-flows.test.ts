// Orders resting on one instrument share requests for its trades, and each gets what its own request would have returned.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AskTrades, createVenueFlows } from '../../../src/adapters/venues/venue-flows.ts';
import type { FlowTrade } from '../../../src/domain/orders/resting-fill.ts';

/** Maximum number of trades per read. */
const READ = 20;
const ALL: readonly FlowTrade[] = Array.from({ length: 100 }, (_, n) => ({ price: String(n), quantity: '1', at: 1_000 + n * 10 }));

function venue(): { readonly asked: string[]; readonly ask: AskTrades } {
  const asked: string[] = [];
  return {
    asked,
    ask: {
      source: 'test:trades',
      between: async (instrument, from, to) => {
        asked.push(`${instrument} ${from} ${to}`);
        await new Promise((done) => setImmediate(done));
        const within = ALL.filter(({ at }) => at >= from && at <= to);
        const trades = within.slice(0, READ);
        return { trades, upTo: within.length <= READ ? to : (trades.at(-1)?.at ?? from) - 1 };
      },
    },
  };
}

test('a thousand orders that end at the same moment are one request, and those ending meanwhile are the next', async () => {
  const { asked, ask } = venue();
  const flows = createVenueFlows({ spotexchange: ask });
  const ended = (n: number) => flows.between('spotexchange:BTCUSDT', 1_000 + (n % 10), 1_100 + (n % 50));
  const first = Array.from({ length: 1_000 }, (_, n) => ended(n));
  await new Promise((done) => process.nextTick(done));
  const later = Array.from({ length: 1_000 }, (_, n) => ended(n));
  const other = flows.between('spotexchange:ETHUSDT', 1_000, 1_050);
  await Promise.all([...first, ...later, other]);
  expect(asked).toEqual(['BTCUSDT 1000 1149', 'ETHUSDT 1000 1050', 'BTCUSDT 1000 1149']);
});

test('an order gets what a request of its own would return', async () => {
  const window = fc.tuple(fc.integer({ min: 900, max: 2_100 }), fc.integer({ min: 0, max: 600 }));
  await fc.assert(
    fc.asyncProperty(fc.array(window, { minLength: 1, maxLength: 12 }), async (windows) => {
      const flows = createVenueFlows({ spotexchange: venue().ask });
      const shared = await Promise.all(windows.map(([from, length]) => flows.between('spotexchange:BTCUSDT', from, from + length)));
      const own = await Promise.all(windows.map(([from, length]) => venue().ask.between('BTCUSDT', from, from + length)));
      expect(shared.map(({ trades }) => trades)).toEqual(own.map(({ trades }) => trades));
    }),
  );
});

test('a long window is requested separately', async () => {
  const { asked, ask } = venue();
  const flows = createVenueFlows({ spotexchange: ask });
  const end = 1_000_000;
  await Promise.all([0, 900_000, 950_000].map((from) => flows.between('spotexchange:BTCUSDT', from, end)));
  expect(asked).toEqual(['BTCUSDT 0 1000000', 'BTCUSDT 900000 1000000']);
});

test('a refusal is reported to every waiting order, and the next request is new', async () => {
  let refuses = true;
  const { ask } = venue();
  const flows = createVenueFlows({
    spotexchange: {
      ...ask,
      between: (...query) => (refuses ? Promise.reject(new Error('it is silent')) : ask.between(...query)),
    },
  });
  const read = () => flows.between('spotexchange:BTCUSDT', 1_000, 1_010);
  const refused = await Promise.allSettled([read(), read()]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  refuses = false;
  expect((await read()).trades).toHaveLength(2);
});
