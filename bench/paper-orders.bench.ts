/**
 * Cost of a manual paper order in an organization with ten books and in one with a thousand, one at a time and many at once: assessed,
 * filled, booked and signed.
 */
import { createMarketOrderHandler } from '../actors/market-order/commands.ts';
import { createDirectory } from '../actors/runtime/directory.ts';
import { createRuntime } from '../actors/runtime/runtime.ts';
import { openWriterKeys } from '../src/adapters/signing-keys/writer-keys.ts';
import { writeRecords } from '../src/adapters/store/actors/actor-records.ts';
import { createActorStore } from '../src/adapters/store/actors/actor-store.ts';
import { BookMoved } from '../src/adapters/store/books/book-store.ts';
import { isRetryable, openDatabase, type Sql } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import { createMarketOrderStore } from '../src/adapters/store/orders/market-order-store.ts';
import { createRiskReads } from '../src/adapters/store/risk/risk-reads.ts';
import { registerWriters } from '../src/adapters/store/trail/writer-registry.ts';
import { ACTOR_KINDS } from '../src/boot/capabilities/index.ts';
import { bookIds } from '../src/domain/books/book.ts';
import { uuidV7 } from '../src/domain/values/ids.ts';
import { ALL_ENABLED } from '../src/domain/risk/index.ts';
import { createPreTrade } from '../src/trading/pre-trade.ts';
import { createVirtualClock } from '../streams/clock/virtual-clock.ts';
import { SLOT } from '../test/actors/agent/sample.ts';
import { BTC, quoteOf } from '../test/actors/proposal/trading-fixture.ts';
import { agentRow } from '../test/adapters/store/reads.ts';
import { withDatabase } from './database.ts';
import { bench, type Contender } from './harness.ts';
import { followedBook } from './followed-book.ts';
import { costWithServer } from './server-cost.ts';

const AT_ONCE = Number(process.env['BENCH_AT_ONCE'] ?? 32);
/** Orders per round. Each caller buys and then sells. */
const ORDERS = Math.max(32, 2 * AT_ONCE);
const SIZES = { few: 10, many: 1_000 } as const;

await withDatabase(async ({ home, server, ends }) => {
  const keys = openWriterKeys(home, ['worker']);
  await migrate(server.url);
  const owner = openDatabase({ url: server.url, role: null, name: 'bench owner', connections: 1 });
  ends.push(() => owner.end());
  for (const [index, books] of Object.values(SIZES).entries()) await organizationOf(owner, orgOf(index), books);
  await registerWriters(server.url, [keys.worker]);
  const sql = openDatabase({ url: server.url, name: 'bench', connections: 10, writer: keys.worker });
  ends.push(() => sql.end());
  await bench({
    title: `a paper order of a person, one at a time (few, many) and ${AT_ONCE} at once (together)`,
    rounds: 7,
    contenders: [
      ordering(sql, 'few', orgOf(0), server.pid, 1),
      ordering(sql, 'many', orgOf(1), server.pid, 1),
      ordering(sql, 'together', orgOf(1), server.pid, AT_ONCE),
    ],
    comparisons: [
      { what: 'orders per second with 1,000 books against 10', ours: 'many', reference: 'few', goal: 0.9 },
      { what: `orders per second with 1,000 books, ${AT_ONCE} at once against one`, ours: 'together', reference: 'many', goal: null },
    ],
    rates: [{ what: 'orders of a person, one at a time, per second of processor time', of: 'few', goal: 250 }],
    notes: [
      process.platform === 'linux'
        ? "rates are per second of processor time, ours and the server's together"
        : 'rates are per second of wall time',
    ],
  });
});

function orgOf(index: number): string {
  return `00000000-0000-7000-8000-00000000000${index + 1}`;
}

/** Creates an organization whose agents have bought once each, on their own books. */
async function organizationOf(sql: Sql, orgId: string, books: number): Promise<void> {
  await sql`insert into organizations (id, name) values (${orgId}, ${`of ${books}`})`;
  for (let index = 0; index < books; index++) {
    const agent = await agentRow(sql, orgId, '2026-03-02T00:00:00Z');
    const fill = {
      id: `${orgId}-${index}`,
      orderId: 'order',
      bookId: bookIds.paper(agent, 1),
      instrument: BTC,
      side: 'buy',
      quantity: '0.01',
      fillPrice: '60000',
      feeUsd: '0.6',
      notionalUsd: '600',
      decisionPrice: '60000',
      slippageBps: 0,
      at: SLOT,
      quotes: [],
    } as const;
    await sql.begin((transaction) => writeRecords(transaction, [{ type: 'fill', orgId, fill }]));
  }
}

/** Contender whose callers each buy and sell again, all in the organization's one manual book. */
function ordering(sql: Sql, name: string, orgId: string, postmaster: number, atOnce: number): Contender {
  const clock = createVirtualClock(SLOT + 1_000);
  const book = followedBook(clock, 'BTCUSDT');
  book.quote(60_000);
  let made = 0;
  const orders = createMarketOrderHandler({
    runtime: createRuntime({ store: createActorStore(sql), directory: createDirectory(ACTOR_KINDS), clock }),
    preTrade: createPreTrade({
      reads: createRiskReads(sql),
      disabledVenues: () => ALL_ENABLED,
      bus: { latest: (key) => (key === BTC ? quoteOf(BTC, clock.now(), '60000', '60001') : null) },
      clock,
      orderBooks: book.orderBooks,
    }),
    lacks: () => null,
    orders: createMarketOrderStore(sql),
    isOverrun: (error) => error instanceof BookMoved,
    isOutage: isRetryable,
    clock,
    newId: () => uuidV7(SLOT + ++made, Uint8Array.of(0, 0, 0, 0, 0, 0, name.length, 0, made >> 8, made & 255)),
  });
  const place = async (side: 'buy' | 'sell'): Promise<void> => {
    const request = {
      instrument: BTC,
      side,
      quantity: '0.001',
      notionalUsd: null,
      limitPrice: null,
    } as const;
    const outcome = await orders.place({ orgId, subject: 'ann', permissions: ['trade:execute'], requestId: 'r' }, 'paper', {
      ...request,
      maxSlippageBps: null,
    } as never);
    if (!outcome.ok || outcome.value.state !== 'filled') throw new Error(JSON.stringify(outcome));
  };
  return {
    name,
    round: () =>
      costWithServer(postmaster, ORDERS, async () => {
        let pairs = 0;
        const caller = async (): Promise<void> => {
          while (pairs++ < ORDERS / 2) {
            await place('buy');
            await place('sell');
          }
        };
        await Promise.all(Array.from({ length: atOnce }, caller));
      }),
  };
}
