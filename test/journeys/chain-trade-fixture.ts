// Agents and Takes on the primary chain: real PostgreSQL, the sandbox's chain, aggregator and remote signer over sockets, on a clock that
// the test moves.
import { generateKeyPairSync } from 'node:crypto';
import { rmSync } from 'node:fs';
import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import { authorizationKey } from '../../src/adapters/identity/authorization-signature.ts';
import type { SignerAnswer } from '../../src/adapters/identity/signer/protocol.ts';
import { createRemoteSigner } from '../../src/adapters/identity/signer/remote-signer.ts';
import { createSolanaRpc } from '../../src/adapters/solana/rpc.ts';
import { createPreparedTransactionStore } from '../../src/adapters/store/orders/prepared-transaction-store.ts';
import { createRiskReads } from '../../src/adapters/store/risk/risk-reads.ts';
import { createKeyedClient } from '../../src/adapters/venues/reference/keyed-client.ts';
import { createSpotchainRoutes } from '../../src/adapters/venues/spotchain/orders.ts';
import { createDelegations } from '../../src/boot/caller-ports.ts';
import { createSwaps, preparedTransactionWorkers } from '../../src/boot/capabilities/prepared-transaction.ts';
import { createChainOrders } from '../../src/boot/wiring/chain-orders.ts';
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import { CATALOG, type TokenFacts, USDC_DECIMALS, USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { uuidV7 } from '../../src/domain/values/ids.ts';
import { createRemoteSignerSimulator, SANDBOX_SIGNER_APP, sessionWallet } from '../../src/sandbox/identity/remote-signer.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { createSolanaSimulator } from '../../src/sandbox/solana/simulator.ts';
import { SANDBOX_MAKER } from '../../src/sandbox/spotchain/pool.ts';
import { createSpotchainSimulator } from '../../src/sandbox/spotchain/simulator.ts';
import { createSwapBuilder } from '../../src/sandbox/spotchain/swap-builder.ts';
import { createSigning } from '../../src/trading/signing-validation.ts';
import { condition } from '../actors/agent/sample.ts';
import { eagerManifest, tradingFixture } from '../actors/proposal/trading-fixture.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { riskOn, signingOn, signsAsWorker } from '../harness/trading.ts';
import { newRunFolder } from '../harness/temporary-files.ts';

export const AAPL: InstrumentKey = 'spotchain:AAPLx';
const { underlying, token } = CATALOG.byKey(AAPL) as { underlying: string; token: TokenFacts };
/** Token of the tests, as listed in the catalog. */
export const AAPL_TOKEN = token;
const STABLE = { mint: USDC_MINT, decimals: USDC_DECIMALS };
export const WALLET = 'session-1';
/** Trading wallet: its address, and its owner's key. */
export const { address, sign } = sessionWallet(WALLET);
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const key = authorizationKey(pem);
if (key === null) throw new Error('the key of the test is none');

/** Signs a transaction as the owner's wallet: base64 in, base64 out. */
export function ownerSigned(unsigned: string): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(unsigned, 'base64'));
  transaction.addSignature(new PublicKey(address), sign(Buffer.from(transaction.message.serialize())));
  return Buffer.from(transaction.serialize()).toString('base64');
}

/** `signer: false`: no signer process. `limit`: amount that the signer signs for within a day. */
export async function chainTradeFixture(options: { readonly signer?: boolean; readonly limit?: { usd: string } } = {}) {
  const cleanups: (() => unknown)[] = [];
  const home = newRunFolder();
  const fixture = await tradingFixture({ home });
  const { clock, sql, runtime, timers, preTrade } = fixture;
  const mints = [{ symbol: 'AAPLx', ...token }] as never;
  const chain = await createSolanaSimulator({ clock, seed: 3, port: 0, slots: 'manual', mints, stable: STABLE });
  cleanups.push(() => chain.close());
  const aggregator = await createSpotchainSimulator({
    market: createSeededMarket({ seed: 33 }),
    clock,
    tokens: [{ ...token, symbol: 'AAPLx', underlying }],
    stable: STABLE,
    port: 0,
    handler: createSwapBuilder({ chain: chain.chain, clock, mints, stable: STABLE }),
  });
  cleanups.push(() => aggregator.close());
  const rpc = createSolanaRpc({ url: chain.url, clock });
  cleanups.push(() => rpc.close());
  const client = createKeyedClient({
    venue: 'spotchain',
    baseUrl: aggregator.url,
    headers: {},
    clock,
    random: () => 0.5,
    perMinute: 6_000,
  });
  const routes = createSpotchainRoutes(client);
  const provider = await createRemoteSignerSimulator({ clock, port: 0, authorizationKeys: () => [key?.publicKey ?? ''] });
  cleanups.push(() => provider.close());
  const remote = createRemoteSigner({
    baseUrl: provider.url,
    appId: SANDBOX_SIGNER_APP.id,
    appSecret: SANDBOX_SIGNER_APP.secret,
    key: key as NonNullable<typeof key>,
    clock,
  });
  const signing = createSigning({ ...signingOn(sql, { home, chain: rpc, limit: options.limit ?? { usd: '1000000' } }), remote, clock });
  const answers: SignerAnswer[] = [];
  const bus = { latest: fixture.latest };
  /** Hooks between the preparation and the signing. */
  const meanwhile = {
    call: async (): Promise<unknown> => null,
    signed: async (): Promise<unknown> => null,
    /** Signature of a compromised worker, or null for an honest one. */
    signature: null as string | null,
  };
  const primaryChain = { chain: rpc, routes, rules: { programs: new Set<string>(), makers: new Set([SANDBOX_MAKER]) } };
  const signer = {
    async sign(orderId: string, signature: string) {
      await meanwhile.call();
      const answer = await signing(orderId, meanwhile.signature ?? signature);
      answers.push(answer);
      await meanwhile.signed();
      return answer;
    },
  };
  const orders = createChainOrders({
    ...primaryChain,
    sql,
    reads: createRiskReads(sql),
    runtime,
    preTrade,
    bus,
    clock,
    signing: options.signer === false ? null : { signer, signAsWorker: signsAsWorker(home) },
  });
  const activities = fixture.carrying(preparedTransactionWorkers({ sql, runtime, chain: rpc, clock }));
  cleanups.push(() => activities.stop());
  let made = 0;
  const newId = () => uuidV7(clock.now(), Uint8Array.of(7, 0, 0, 0, 0, 0, 0, 0, 1, ++made));
  /** Swaps of people, and those that proposals have prepared for their wallets. */
  const swaps = createSwaps({ ...primaryChain, sql, runtime, risk: riskOn(sql, { bus, clock }), preTrade, clock, newId });
  const clients = { spotchain: orders };
  const tokensOf = async () => {
    const holdings = await rpc.balancesOf(address);
    return holdings.ok ? (holdings.value.tokens.find(({ mint }) => mint === token.mint)?.amount ?? 0n) : 0n;
  };

  /** Adds the service as a session signer of the wallet, or removes it. */
  async function atProvider(signers: readonly object[]): Promise<void> {
    const basic = Buffer.from(`${SANDBOX_SIGNER_APP.id}:${SANDBOX_SIGNER_APP.secret}`).toString('base64');
    await fetch(`${provider.url}/v1/wallets/${WALLET}`, {
      method: 'PATCH',
      headers: { authorization: `Basic ${basic}`, 'privy-app-id': SANDBOX_SIGNER_APP.id },
      body: JSON.stringify({ additional_signers: signers }),
    });
  }

  /** Receives the aggregator's price. */
  async function receive(): Promise<void> {
    const amount = '300000000';
    const route = await routes.route({ inputMint: USDC_MINT, outputMint: token.mint, amount, slippageBps: 0, taker: null });
    if (!route.ok) throw new Error(route.refusal.detail);
    const { outAmount } = route.value;
    const back = await routes.route({ inputMint: token.mint, outputMint: USDC_MINT, amount: outAmount, slippageBps: 0, taker: null });
    if (!back.ok) throw new Error(back.refusal.detail);
    const tokens = new Decimal(outAmount).times(token.multiplier).div(10 ** token.decimals);
    const priceOf = (dollars: string) => new Decimal(dollars).div(10 ** USDC_DECIMALS).div(tokens);
    fixture.price(priceOf(back.value.outAmount).toFixed(4), priceOf(amount).toFixed(4), 'live', AAPL, '100');
    const at = clock.now();
    for (const [instrument, price] of fixture.references)
      fixture.references.set(instrument, { ...price, observedAt: at, receivedAt: at, feedUpdatedAt: at });
  }

  /** Receives the share's price, which trades on its gap need. */
  function receiveReference(): void {
    const at = clock.now();
    fixture.references.set(CATALOG.byKey(AAPL)?.benchmark as InstrumentKey, {
      kind: 'reference',
      venue: 'reference',
      instrument: underlying,
      source: 'test:reference',
      observedAt: at,
      receivedAt: at,
      feedUpdatedAt: at,
      referencePrice: '270',
      confidence: '0.05',
      publisherSession: 'REGULAR',
      quality: 'live',
      flags: [],
    });
  }

  chain.fund(address, 'SOL', 1_000_000_000n);
  chain.fund(address, USDC_MINT, 10_000_000_000n);
  await atProvider([{ signer_id: 'service' }]);

  return {
    home,
    fixture: fixture,
    chain,
    rpc,
    runtime,
    provider,
    answers,
    meanwhile,
    activities,
    orders,
    swaps,
    swapReads: createPreparedTransactionStore(sql).ofPurpose('swap'),
    delegations: createDelegations(sql, clock, newId),
    atProvider,
    receive,
    receiveReference,
    tokensOf,
    broadcasts: (): number => chain.requests.get('sendTransaction') ?? 0,

    /** Creates a funded agent at `limited_live` that buys and sells at once. */
    async liveAgent(autonomy: Autonomy = 'policy_auto', changes: Partial<Manifest> = {}): Promise<string> {
      const manifest = eagerManifest({
        universe: [{ key: AAPL, kind: 'tokenized_equity' }] as never,
        exit: [condition('price_above', { price: '1' })],
        maxCapitalUsd: '50000',
        maxTradeNotionalUsd: '300',
        maxSlippageBps: 100,
        ...changes,
      });
      const agentId = await fixture.agent(autonomy, manifest);
      await placeAtStage(fixture.url, agentId, 'limited_live', fixture.writer);
      await fixture.fund(agentId, '4000');
      return agentId;
    },

    async proposed(agentId: string, periodMs?: number) {
      await receive();
      await fixture.tick('live', periodMs);
      await receive();
      await fixture.carry({ clients });
      return (await fixture.list({ agentId }))[0];
    },

    /** Runs transactions to their end on the chain, with the trader's newest proposal. */
    async finished(agentId: string) {
      for (let round = 0; round < 8; round++) {
        await activities.carryDue();
        chain.chain.finalize();
        clock.advanceTo(clock.now() + 2_500);
        await timers.fireDue();
      }
      const ENDED = ['filled', 'failed', 'cancelled', 'expired'];
      for (let round = 0; round < 10 && (round < 3 || !ENDED.includes((await fixture.list({ agentId }))[0]?.state ?? '')); round++) {
        clock.advanceTo(clock.now() + 15_000);
        await timers.fireDue();
        await fixture.carry({ clients });
      }
      return (await fixture.list({ agentId }))[0];
    },

    async close() {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
      await fixture.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
export type ChainTradeFixture = Awaited<ReturnType<typeof chainTradeFixture>>;
