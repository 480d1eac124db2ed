// A token launched on the sandbox's chain is analysed like any other: holders, creator and depth, before and after graduation.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentMarket } from '../../../src/adapters/solana/agent-market.ts';
import { createSolanaRpc } from '../../../src/adapters/solana/rpc.ts';
import { createListedTokenStore } from '../../../src/adapters/store/catalog/listed-token-store.ts';
import { analyzeToken } from '../../../src/domain/agent-market/analysis.ts';
import { associatedAccount, swapInstruction } from '../../../src/domain/launch/curve/program.ts';
import { NATIVE_MINT } from '../../../src/domain/launch/quote-tokens.ts';
import { agentTokenEntry } from '../../../src/domain/catalog/listed-token.ts';
import { TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { decodeTransaction } from '../../../src/sandbox/solana/decode-transaction.ts';
import { createLaunchQuotes } from '../../../src/trading/launch-quotes.ts';
import { createLiveQuotes } from '../../../src/trading/live-marks.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { type LaunchFixture, launchFixture, must, signedBy } from '../../actors/launch/launch-fixture.ts';
import { quoteOf } from '../../actors/proposal/trading-fixture.ts';
import { holdingOf, landOn, wireOf } from '../../sandbox/solana/launch-fixture.ts';

let fixture: LaunchFixture;
beforeAll(async () => {
  fixture = await launchFixture();
});
afterAll(() => fixture.close());

const trader = sandboxKey('curve trader');

function buy(mint: string, config: string, amount: bigint): void {
  fixture.fund(trader, 'SOL', 10_000_000_000n);
  fixture.fund(trader, NATIVE_MINT, amount);
  const keys = { config, baseMint: mint, quoteMint: NATIVE_MINT, quoteProgram: TOKEN_PROGRAM };
  const accounts = {
    baseAccount: associatedAccount(trader.address, mint, TOKEN_PROGRAM),
    quoteAccount: associatedAccount(trader.address, NATIVE_MINT, TOKEN_PROGRAM),
  };
  const swap = swapInstruction(keys, { direction: 'buy', mode: 'partialFill', amount, bound: 0n, trader: trader.address, ...accounts });
  fixture.chain.advance(1);
  expect(
    landOn(fixture.chain, decodeTransaction(wireOf(fixture.chain, [holdingOf(trader, mint, TOKEN_PROGRAM), swap], [trader]))).run.error,
  ).toBeNull();
  fixture.chain.finalize();
}

/** Analyses without any cached reads. */
async function analysed(mint: string) {
  const store = createListedTokenStore(fixture.sql);
  const listed = (await store.all()).find((one) => one.mint === mint);
  if (listed === undefined) throw new Error(`${mint} is not listed`);
  const entry = agentTokenEntry(listed);
  const received = {
    latest: (key: InstrumentKey) => (key === 'spotexchange:SOLUSDT' ? quoteOf(key, fixture.clock.now(), '149', '151') : null),
  };
  const market = createAgentMarket({
    chain: fixture.node,
    originOf: store.originOf,
    liquidity: async () => null,
    liveQuote: createLiveQuotes(received, fixture.clock),
    quotes: createLaunchQuotes(received, fixture.clock),
    makers: [],
    clock: fixture.clock,
  });
  return analyzeToken(entry, { ...(await market.look(entry)), bars: [], stockBars: [] });
}

test('holdings of the curve, the successor pool and the locker are no concentration; those of wallets are', async () => {
  const { launch, transactions } = must(
    await fixture.commands.prepare(fixture.context(), fixture.wish({ preset: 'agent_treasury', firstBuy: '1' })),
  );
  must(
    await fixture.commands.submit(
      fixture.context(),
      launch.id,
      transactions.map((one) => signedBy(fixture.creator, one)),
    ),
  );
  for (let round = 0; round < 30 && (await fixture.find(launch.id)).state !== 'trading'; round++) await fixture.pass(2_100);
  const { mint, config } = launch;

  const early = await analysed(mint);
  expect(early.holders?.excluded.map(({ kind }) => kind)).toEqual(['curve']);
  expect(early.holders?.wallets.map(({ owner }) => owner)).toEqual([fixture.creator.address]);
  expect(early.holders).toMatchObject({ top1Pct: 100, isComplete: true });
  expect(early.creator?.freePct).toBeGreaterThan(0);
  expect(early.creator).toMatchObject({ address: fixture.creator.address, lockedPct: 10, vesting: { state: 'waiting' } });
  // 0.96 SOL at 150 dollars.
  expect(early.depth).toMatchObject({ source: 'curve', depthUsd: '144' });
  expect(early.price?.source).toBe('curve');
  expect(Number(early.price?.priceUsd)).toBeCloseTo((30 * 150) / 1e9, 6);

  buy(mint, config, 20_000_000_000n);
  const later = await analysed(mint);
  expect(later.holders?.wallets.map(({ owner }) => owner)).toEqual([trader.address, fixture.creator.address]);
  const [own, other] = later.holders?.wallets ?? [];
  expect((own?.pct ?? 0) + (other?.pct ?? 0)).toBeCloseTo(100, 4);

  buy(mint, config, 300_000_000_000n);
  for (let round = 0; round < 6 && (await fixture.find(launch.id)).state !== 'graduated'; round++) await fixture.pass(61_000);
  const last = await analysed(mint);
  expect(last.holders?.excluded.map(({ kind }) => kind).sort()).toEqual(expect.arrayContaining(['locker', 'pool']));
  expect(last.creator?.vesting?.state).toBe('unlocking');
  expect(last.depth?.source).toBe('successor_pool');
  expect(Number(last.depth?.depthUsd)).toBeGreaterThan(Number(later.depth?.depthUsd));
  expect(last.price).toBeNull();
});

test('a node that does not answer makes only its own data unknown', async () => {
  const entry = agentTokenEntry({
    mint: 'AgtRchd1111111111111111111111111111111111111',
    program: TOKEN_PROGRAM,
    symbol: 'ORCHARD',
    name: 'Orchard',
    decimals: 6,
    pairedStock: null,
    launcher: 'sandbox',
    listedAt: 0,
    delistedAt: null,
  });
  // Port of this machine on which nothing listens.
  const node = createSolanaRpc({ url: 'http://127.0.0.1:1', clock: createLiveClock(), timeoutMs: 500 });
  const received = { latest: () => null };
  const market = createAgentMarket({
    chain: node,
    originOf: async () => ({ creator: fixture.creator.address, pool: null, config: null, quoteMint: null }),
    liquidity: async () => ({ liquidityUsd: '1000', observedAt: 5 }),
    liveQuote: createLiveQuotes(received, fixture.clock),
    quotes: createLaunchQuotes(received, fixture.clock),
    makers: [],
    clock: fixture.clock,
  });
  expect(await market.look(entry)).toMatchObject({
    holders: null,
    creator: null,
    depth: { source: 'aggregator', depthUsd: '500', at: 5 },
    price: null,
  });
  node.close();
});
