/** Opens the primary chain: its aggregator, the history of its pools, and its node. */
import { USDC_DECIMALS, USDC_MINT } from '../../../domain/catalog/catalog.ts';
import type { MakeBudget } from '../../queue/request-budgets.ts';
import type { Reach } from '../../reach.ts';
import { createSolanaRpc } from '../../solana/rpc.ts';
import { tokensNow } from '../listed.ts';
import { createKeyedClient } from '../reference/keyed-client.ts';
import { createSpotchainCandles } from './candles.ts';
import { createSpotchainFeed } from './feed.ts';
import { createSpotchainRoutes } from './orders.ts';
import type { LaunchChain, ChainClient } from '../../../../actors/prepared-transaction/chain-client.ts';
import type { SwapRouter } from '../../../../actors/prepared-transaction/swap-router.ts';
import type { HolderReading } from '../../../domain/agent-market/holders.ts';
import type { PrimaryBalances } from '../../../domain/portfolio/account.ts';
import type { Outcome } from '../../../domain/values/refusal.ts';
import type { RouteRules } from '../../../domain/solana/swap.ts';
import type { MintAccount } from '../../../domain/solana/token-layout.ts';

/** Requests per minute of an aggregator plan with a key; the catalog file may state another number. */
export const SPOTCHAIN_PER_MINUTE = 600;
/** Requests per minute without a key, at the aggregator and at the source of the pools' history. */
export const KEYLESS_PER_MINUTE = 30;
const CANDLES_PER_MINUTE = 120;
/** Maximum wait of a route for the budget, in milliseconds: a person waits for it. A spent budget counts as unavailable. */
const ROUTE_WAIT_MS = 3_000;
/** Timeout of the node in milliseconds. A broadcast that exceeds it has an unknown outcome. */
const NODE_MS = 10_000;

const budgets = (make: MakeBudget) => ({
  aggregator: make('aggregator', SPOTCHAIN_PER_MINUTE),
  pools: make('pools', CANDLES_PER_MINUTE),
});

export interface SpotchainAddresses {
  /** Addresses of the aggregator. `pools`: pool whose bars represent a token, by symbol; absent if the catalog names none. */
  readonly spotchain: {
    readonly url: string;
    readonly key: string | null;
    readonly candlesUrl: string;
    readonly pools: Pick<ReadonlyMap<string, string>, 'get'>;
    /** URL of a node, which may contain a key; null if the aggregator is real and no node is configured. */
    readonly rpcUrl: string | null;
    /** Addresses of market makers that sign swaps besides the taker. */
    readonly makers: readonly string[];
    /** Address that receives the partner's share of a launch's fees; null if none is configured. */
    readonly launchPartner: string | null;
  };
}

/** Access of this process to the primary chain. */
export interface PrimaryChain {
  readonly chain: ChainClient & {
    mintInfo(mint: string): Promise<(MintAccount & { readonly program: string }) | null>;
    /** Returns the token balances of an owner. @throws if no node answers. */
    balancesOf(owner: string): Promise<Outcome<Pick<PrimaryBalances, 'tokens'>>>;
  };
  readonly routes: SwapRouter;
  readonly rules: Pick<RouteRules, 'programs' | 'makers'>;
}

/** Access to the primary chain for launches too. */
export interface LaunchingPrimaryChain extends PrimaryChain {
  readonly chain: PrimaryChain['chain'] & LaunchChain & { largestHolders(mint: string): Promise<HolderReading | null> };
  /** Wallet of the partner's share of launch fees, or null if none is configured. Then nothing is launched. */
  readonly launchPartner: string | null;
}

type Chain = Reach<SpotchainAddresses, ReturnType<typeof budgets>>;

const createAggregator = ({
  addresses,
  budgets: { aggregator: budget },
  clock,
  random,
}: Pick<Reach<SpotchainAddresses, Pick<ReturnType<typeof budgets>, 'aggregator'>>, 'addresses' | 'budgets' | 'clock' | 'random'>) => {
  const { url: baseUrl, key } = addresses.spotchain;
  const headers: Readonly<Record<string, string>> = key === null ? {} : { 'x-api-key': key };
  return { venue: 'spotchain' as const, baseUrl, headers, clock, random, perMinute: budget.state(clock.now()).limit, budget };
};

export const spotchainAccess = {
  budgets,

  open(reach: Chain) {
    const {
      addresses,
      budgets: { pools },
      clock,
      random,
      note,
    } = reach;
    const { candlesUrl: baseUrl, pools: poolOf } = addresses.spotchain;
    const perMinute = pools.state(clock.now()).limit;
    const bars = createKeyedClient({ venue: 'spotchain', baseUrl, clock, random, perMinute, budget: pools, note });
    const poolsNow = () =>
      tokensNow().flatMap(({ symbol, scaledUi }) => {
        const pool = poolOf.get(symbol);
        return pool === undefined ? [] : [{ symbol, pool, scaledUi }];
      });
    const client = createKeyedClient(createAggregator(reach));
    return {
      feeds: [createSpotchainFeed({ client, tokens: tokensNow, stable: { mint: USDC_MINT, decimals: USDC_DECIMALS }, clock, random })],
      history: createSpotchainCandles({ client: bars, clock, pools: poolsNow }),
    };
  },
};

/** Opens the chain for transactions; null if no node is configured, so that none can be prepared. */
export function openPrimaryChain(
  reach: Reach<SpotchainAddresses, Pick<ReturnType<typeof budgets>, 'aggregator'>>,
  onFailure: (code: string) => void,
): (LaunchingPrimaryChain & { close(): void }) | null {
  const { addresses, clock, note } = reach;
  const { rpcUrl, makers, launchPartner } = addresses.spotchain;
  if (rpcUrl === null) return null;
  const node = createSolanaRpc({ url: rpcUrl, clock, timeoutMs: NODE_MS, onFailure });
  return {
    chain: node,
    routes: createSpotchainRoutes(createKeyedClient({ ...createAggregator(reach), maxWaitMs: ROUTE_WAIT_MS, note })),
    launchPartner,
    rules: { programs: new Set(), makers: new Set(makers) },
    close: () => node.close(),
  };
}
