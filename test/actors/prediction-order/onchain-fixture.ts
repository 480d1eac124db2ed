// Live prediction orders on a real PostgreSQL, with the sandbox's chain and on-chain venue over sockets, on a clock that the test moves.

import { type Address, address } from '@solana/kit';
import type { CommandContext } from '../../../src/core/command-context.ts';
import { createSolanaRpc } from '../../../src/adapters/solana/rpc.ts';
import { createPredictionOrderStore } from '../../../src/adapters/store/orders/prediction-order-store.ts';
import { createPredictionStore } from '../../../src/adapters/store/predictions/prediction-store.ts';
import { createKalshiRest, KALSHI_TOKENS_PER_SECOND } from '../../../src/adapters/venues/prediction/kalshi/rest.ts';
import { createOnchainOrders } from '../../../src/adapters/venues/prediction/onchain-orders.ts';
import { WeightBudget } from '../../../src/adapters/venues/request-budget.ts';
import { createLivePredictionOrders } from '../../../src/boot/capabilities/prediction-order.ts';
import { USDC_DECIMALS, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import type { PredictionMarket } from '../../../src/domain/prediction/market.ts';
import type { PredictionWish } from '../../../src/domain/prediction/prediction-order.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { createKalshiSimulator } from '../../../src/sandbox/prediction/kalshi-simulator.ts';
import { createOnchainPredictionSimulator } from '../../../src/sandbox/prediction/onchain/simulator.ts';
import { createSeededQuestions } from '../../../src/sandbox/prediction/seeded-questions.ts';
import { ISSUER } from '../../../src/sandbox/solana/genesis.ts';
import { associatedAccount, buildTransaction, TOKEN, transferChecked } from '../../../src/sandbox/solana/instructions.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { createSolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import { decodeTransaction } from '../../../src/sandbox/solana/decode-transaction.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { riskOn } from '../../harness/trading.ts';
import { actorWorld } from '../../world/actor-world.ts';

export const ORG = '00000000-0000-7000-8000-00000000000a';
/** Friday 16:30 UTC: hourly and daily questions are open. */
const AT = Date.UTC(2026, 10, 20, 16, 30);
const KEY = 'sandbox';
const STABLE = { mint: USDC_MINT, decimals: USDC_DECIMALS };
const CONTEXT: CommandContext = { orgId: ORG, subject: 'trader', permissions: ['trade:execute'], requestId: 'request-1' };

/** Creates a world with one wallet of a thousand dollars and one open market that trades near even. */
export async function onchainFixture({ at = AT } = {}) {
  let passed = 0;
  const began = performance.now();
  const clock = createLiveClock({
    wall: () => at + passed + (performance.now() - began),
    monotonic: () => passed + performance.now(),
    timer: (delayMs, call) => {
      const timer = setTimeout(call, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const world = await actorWorld({ clock, at, organizations: { [ORG]: 'ours' }, connections: 4 });
  const { sql, store: actors, runtime, newId, errors, onError } = world;
  const random = (): number => 0.5;
  const seeded = createSeededMarket({ seed: 7 });
  const questions = createSeededQuestions({ seed: 7, market: seeded });
  const publicKey = await import('node:crypto').then(({ generateKeyPairSync }) =>
    generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  );
  const kalshi = await createKalshiSimulator({ questions, clock, key: { id: 'unused', publicKey }, port: 0 });
  const listing = createKalshiRest({ baseUrl: kalshi.restUrl, clock, random, budget: new WeightBudget(KALSHI_TOKENS_PER_SECOND, 1_000) });
  const solana = await createSolanaSimulator({ clock, seed: 7, port: 0, slots: 'manual', mints: [], stable: STABLE });
  const onchain = await createOnchainPredictionSimulator({
    questions,
    chain: solana.chain,
    stable: STABLE,
    clock,
    port: 0,
    key: KEY,
    keeper: 'waits',
  });
  const chain = createSolanaRpc({ url: solana.url, clock });
  const venue = createOnchainOrders({
    baseUrl: onchain.restUrl,
    key: KEY,
    stable: STABLE,
    programs: [],
    clock,
    random,
    budget: new WeightBudget(1_000, 60_000),
    note: (source, field) => onError(new Error(`${source} sends ${field}, which nobody knows`)),
  });
  const live = createLivePredictionOrders({
    sql,
    runtime,
    onchain: { venue, chain },
    venues: { kalshi: listing, polymarket: listing },
    risk: riskOn(sql, { bus: { latest: () => null }, clock }),
    clock,
    newId,
  });
  const workers = world.workersOf({ primaryChain: { chain } as never, onchainPredictions: { venue, chain } });
  const activities = world.carrying(workers);
  const orders = createPredictionOrderStore(sql);
  const markets = createPredictionStore(sql);
  const wallet = sandboxKey('a trader of prediction markets');
  solana.fund(wallet.address, 'SOL', 1_000_000_000n);
  solana.fund(wallet.address, USDC_MINT, 1_000_000_000n);
  solana.chain.finalize();

  /** Returns the market nearest to even, as its provider lists it now. */
  async function list(): Promise<PredictionMarket> {
    const listed = (await listing.list()).markets;
    await markets.saveMarkets(listed);
    const open = listed.filter(
      ({ status, outcomes, closesAt }) => status === 'open' && outcomes[0].bid !== null && (closesAt ?? 0) > at + 3_600_000,
    );
    const away = ({ outcomes }: PredictionMarket): number => Math.abs(Number(outcomes[0].bid) - 0.5);
    return open.sort((a, b) => away(a) - away(b))[0] as PredictionMarket;
  }
  const market = await list();

  const work = (): Promise<void> => world.settle(activities);

  return {
    sql,
    databaseUrl: world.url,
    clock,
    chain: solana.chain,
    solana,
    onchain,
    rpc: chain,
    venue,
    runtime,
    actors,
    orders,
    live,
    market,
    markets,
    list,
    wallet,
    errors,
    workers,
    work,
    context: CONTEXT,
    /** Advances time without running anything. */
    leap: (ms: number): void => void (passed += ms),
    /** Advances time and runs due work. */
    async pass(ms: number): Promise<void> {
      passed += ms;
      await work();
    },
    wish: (over: Partial<PredictionWish> = {}): PredictionWish => ({
      marketId: market.id,
      outcome: 'yes',
      side: 'buy',
      quantity: null,
      notionalUsd: '50',
      limitPrice: null,
      maxSlippageBps: 500,
      ...over,
    }),
    /** Returns the transaction with the wallet's signature in its first slot. */
    signed(unsignedBase64: string, by = wallet): string {
      const bytes = Uint8Array.from(Buffer.from(unsignedBase64, 'base64'));
      bytes.set(by.sign(bytes.subarray(1 + 64 * (bytes[0] as number))), 1);
      return Buffer.from(bytes).toString('base64');
    },
    async order(id: string) {
      const found = await orders.find(ORG, id);
      if (found === null) throw new Error(`there is no order ${id}`);
      return found;
    },
    /** Returns the wallet's final stablecoin balance, in base units. */
    async cash(): Promise<bigint> {
      solana.chain.finalize();
      const held = await chain.balancesOf(wallet.address);
      if (!held.ok) throw new Error(held.refusal.detail);
      return held.value.tokens.find(({ mint }) => mint === USDC_MINT)?.amount ?? 0n;
    },
    /** Pays stablecoin from the wallet to the issuer, without the service's knowledge. */
    pay(amount: bigint): void {
      const [from, to] = [wallet, ISSUER].map(({ address: owner }) => associatedAccount(owner, address(USDC_MINT), TOKEN)) as [
        Address,
        Address,
      ];
      solana.fund(ISSUER.address, USDC_MINT, 1n);
      const transfer = { program: TOKEN, mint: address(USDC_MINT), decimals: USDC_DECIMALS, from, to, authority: wallet.address, amount };
      const { blockhash } = solana.chain.latestBlockhash('processed');
      const bytes = buildTransaction({
        version: 0,
        feePayer: wallet.address,
        blockhash,
        instructions: [transferChecked(transfer)],
        signers: [wallet],
      });
      solana.chain.submit(decodeTransaction(bytes));
    },
    async close(): Promise<void> {
      venue.close();
      chain.close();
      await Promise.all([onchain.close(), solana.close(), kalshi.close()]);
      await world.close();
    },
  };
}
export type OnchainFixture = Awaited<ReturnType<typeof onchainFixture>>;
