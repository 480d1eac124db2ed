// Shared by the tests of the primary chain: a chain whose slots pass on command, its node, its aggregator, and people with keys.
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { createSolanaRpc } from '../../../src/adapters/solana/rpc.ts';
import { USDC_DECIMALS, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { createSolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import { createLaunchedMarket } from '../../../src/sandbox/spotchain/launched-market.ts';
import { createSpotchainSimulator } from '../../../src/sandbox/spotchain/simulator.ts';
import { createSwapBuilder } from '../../../src/sandbox/spotchain/swap-builder.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { NOON, tinyMarket } from '../../adapters/venues/spotexchange/tiny-world.ts';

/** Share whose multiplier has changed, and one of an unlisted company whose mint takes a fee. */
export const SHARE = {
  symbol: 'TSLAx',
  mint: 'XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB',
  decimals: 8,
  underlying: 'TSLA',
  multiplier: 1.003_909_2,
  newMultiplier: 1.005_714_6,
  newMultiplierEffectiveAt: NOON - 86_400_000,
};
export const TAXED = {
  symbol: 'SPACEX',
  mint: 'PreANxuXjsy2pvisWWMNB6YaJNzr7681wJJr2rHsfTh',
  decimals: 9,
  underlying: 'SOL',
  multiplier: 1,
  newMultiplier: 5,
  newMultiplierEffectiveAt: NOON + 86_400_000,
  transferFeeBps: 100,
};
export const STABLE = { mint: USDC_MINT, decimals: USDC_DECIMALS };
export const KEY = 'sandbox';

/** Untyped answer, as read from the wire. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Route {
  readonly transaction: string;
  readonly requestId: string;
  readonly outAmount: string;
  readonly otherAmountThreshold: string;
  readonly lastValidBlockHeight: string;
  readonly [field: string]: unknown;
}

export async function chainFixture(options: { readonly programs?: string } = {}) {
  const clock = createVirtualClock(NOON);
  const mints = [SHARE, TAXED];
  const node = await createSolanaSimulator({
    clock,
    seed: 7,
    port: 0,
    slots: 'manual',
    mints,
    stable: STABLE,
    programs: options.programs ?? null,
  });
  const handler = createSwapBuilder({ chain: node.chain, clock, mints, stable: STABLE });
  const launched = createLaunchedMarket(node.chain);
  const aggregator = await createSpotchainSimulator({
    market: tinyMarket(),
    clock,
    tokens: mints,
    stable: STABLE,
    handler,
    launched,
    port: 0,
    apiKeys: [KEY],
  });
  const rpc = createSolanaRpc({ url: node.url, clock });
  const headers = { 'x-api-key': KEY };

  return {
    clock,
    node,
    chain: node.chain,
    aggregator,
    launched,
    rpc,
    url: node.url,
    /** Creates a wallet with lamports and dollars that every commitment knows. */
    rich(): Keypair {
      const made = Keypair.generate();
      node.fund(made.publicKey.toBase58(), 'SOL', 1_000_000_000n);
      node.fund(made.publicKey.toBase58(), STABLE.mint, 5_000_000_000n);
      node.chain.finalize();
      return made;
    },
    /** Sends one request. */
    async ask(method: string, ...params: unknown[]): Promise<{ result?: Json; error?: { code: number; message: string; data?: Json } }> {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return (await response.json()) as never;
    },
    async order(query: Readonly<Record<string, string>>): Promise<Route> {
      const response = await fetch(`${aggregator.url}/swap/v2/order?${new URLSearchParams(query).toString()}`, { headers });
      return (await response.json()) as Route;
    },
    async post(path: string, body: unknown): Promise<Json> {
      const response = await fetch(`${aggregator.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return response.json();
    },
    async quote(query: Readonly<Record<string, string>>): Promise<Json> {
      return (await fetch(`${aggregator.url}/swap/v1/quote?${new URLSearchParams(query).toString()}`, { headers })).json();
    },
    async close(): Promise<void> {
      rpc.close();
      await Promise.all([node.close(), aggregator.close()]);
    },
  };
}
export type ChainFixture = Awaited<ReturnType<typeof chainFixture>>;

/** Returns the bytes of a prepared transaction with its taker's signature, as a wallet does. */
export function signed(base64: string, taker: Keypair): Buffer {
  const transaction = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'));
  transaction.sign([taker]);
  return Buffer.from(transaction.serialize());
}
