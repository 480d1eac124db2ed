/** The primary chain as transactions reach it: its node, and the aggregator that routes swaps over it. */
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import { createSolanaRpc } from '../adapters/solana/rpc.ts';
import { createKeyedClient } from '../adapters/venues/reference/keyed-client.ts';
import { createSpotchainRoutes } from '../adapters/venues/spotchain/orders.ts';
import type { LaunchingPrimaryChain } from '../trading/primary-chain.ts';
import type { Addresses } from './addresses.ts';
import { type RequestBudgets, SPOTCHAIN_PER_MINUTE } from './venues.ts';

/** Somebody waits for the route: an aggregator whose budget is used up is told as away. */
const ROUTE_WAIT_MS = 3_000;
/** A node that answers later is told as silent; a broadcast then is of unknown outcome. */
const NODE_MS = 10_000;

/** Null where no node of the chain is named: then nothing is prepared for it. */
export function openPrimaryChain(
  { url, key, rpcUrl, makers, launchPartner }: Addresses['spotchain'],
  clock: Clock,
  random: () => number,
  budgets: Pick<RequestBudgets, 'aggregator'>,
  onFailure: (code: string) => void,
  note: NoteUnknownField,
): (LaunchingPrimaryChain & { close(): void }) | null {
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
