/** The primary chain as transactions reach it: its node, and the aggregator that routes swaps over it. */
import { createSolanaRpc } from '../adapters/solana/rpc.ts';
import { createKeyedClient } from '../adapters/venues/reference/keyed-client.ts';
import { createSpotchainRoutes } from '../adapters/venues/spotchain/orders.ts';
import type { LaunchingPrimaryChain } from '../trading/primary-chain.ts';
import type { OutsideReach } from './outside/index.ts';
import { SPOTCHAIN_PER_MINUTE } from './outside/spotchain.ts';

/** Somebody waits for the route: an aggregator whose budget is used up is told as away. */
const ROUTE_WAIT_MS = 3_000;
/** A node that answers later is told as silent; a broadcast then is of unknown outcome. */
const NODE_MS = 10_000;

/** Null where no node of the chain is named: then nothing is prepared for it. */
export function openPrimaryChain(
  { addresses, budgets, clock, random, note }: OutsideReach,
  onFailure: (code: string) => void,
): (LaunchingPrimaryChain & { close(): void }) | null {
  const { url, key, rpcUrl, makers, launchPartner } = addresses.spotchain;
  if (rpcUrl === null) return null;
  const node = createSolanaRpc({ url: rpcUrl, clock, timeoutMs: NODE_MS, onFailure });
  const aggregator = createKeyedClient({
    venue: 'spotchain',
    baseUrl: url,
    headers: key === null ? {} : { 'x-api-key': key },
    clock,
    random,
    perMinute: SPOTCHAIN_PER_MINUTE,
    budget: budgets.aggregator,
    maxWaitMs: ROUTE_WAIT_MS,
    note,
  });
  return {
    chain: node,
    routes: createSpotchainRoutes(aggregator),
    launchPartner,
    rules: { programs: new Set(), makers: new Set(makers) },
    close: () => node.close(),
  };
}
