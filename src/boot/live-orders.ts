/** The doors to the venues that take live orders: only those whose feature is switched on, with the keys that they need. */
import type { ExecutionClients } from '../../actors/proposal/execution-client.ts';
import { createSpotOrders } from '../adapters/venues/spotexchange/orders.ts';
import { createSpotRest } from '../adapters/venues/spotexchange/rest.ts';
import type { SpotCredentials } from '../adapters/venues/spotexchange/signature.ts';
import type { Autonomy } from '../domain/agent.ts';
import { ALL_ENABLED, type DisabledVenues } from '../domain/risk/index.ts';
import type { Config } from './config.ts';
import type { OutsideReach } from './outside/index.ts';
import { SANDBOX_EXCHANGE_KEY } from './outside/spotexchange.ts';

/** An order waits no longer for a budget than its lease lasts. */
const WAIT_MS = 1_000;

/** The account that orders are sent for; null where none is named for an exchange that is not the sandbox's. */
export function exchangeCredentials(config: Config): SpotCredentials | null {
  if (config.SPOTEXCHANGE_URL === null) return SANDBOX_EXCHANGE_KEY;
  const { SPOTEXCHANGE_KEY: key, SPOTEXCHANGE_SECRET: secret } = config;
  return key === null || secret === null ? null : { key: key.reveal(), secret: secret.reveal() };
}

/** What live orders need of this service. */
export interface LiveParts {
  /** Whether orders may go to the live spot exchange. */
  readonly spotexchange: boolean;
  /** Whether a node of the primary chain is named. */
  readonly primaryChain: boolean;
  /** Whether delegated transactions can be signed. */
  readonly signer: boolean;
  /** Whether an on-chain prediction venue is named. */
  readonly onchainPredictions: boolean;
}

/** Levels at which an order leaves without a person's wallet. */
const BY_ITSELF: ReadonlySet<Autonomy> = new Set(['policy_auto', 'autonomous']);
/** Levels whose orders nobody carries out: what they say is advice. */
const ADVICE: ReadonlySet<Autonomy> = new Set(['research', 'suggest']);

/**
 * The setting that live orders of each venue lack, for agents and Takes by their autonomy and for people (null). Without a
 * signer nobody buys on the primary chain by itself; what is held there can be sold all the same, by the wallet of its owner.
 */
export function disabledVenuesOf(parts: LiveParts): (autonomy: Autonomy | null) => DisabledVenues {
  const shared: DisabledVenues = {
    ...(parts.spotexchange ? {} : { spotexchange: 'SVC_LIVE_SPOTEXCHANGE_ENABLED' }),
    evmvenue: 'live orders on evmvenue',
    ...(parts.onchainPredictions ? {} : { prediction: 'PREDICTION_ONCHAIN_URL' }),
    ...(parts.primaryChain ? {} : { spotchain: 'SPOTCHAIN_RPC_URL' }),
  };
  const unsigned: DisabledVenues = {
    ...shared,
    ...(parts.primaryChain && !parts.signer ? { spotchain: { entries: 'IDP_AUTHORIZATION_PRIVATE_KEY' } } : {}),
  };
  return (autonomy) => {
    if (autonomy === null) return shared;
    if (ADVICE.has(autonomy)) return ALL_ENABLED;
    return BY_ITSELF.has(autonomy) ? unsigned : shared;
  };
}

/** @throws Error in one sentence where a feature is on and what it needs is missing. */
export function openLiveOrders(
  config: Config,
  { addresses, budgets, clock, random, note }: OutsideReach,
): { readonly clients: ExecutionClients; close(): void } {
  if (!config.SVC_LIVE_SPOTEXCHANGE_ENABLED) return { clients: {}, close: () => {} };
  const credentials = exchangeCredentials(config);
  if (credentials === null)
    throw new Error('SVC_LIVE_SPOTEXCHANGE_ENABLED=true needs SPOTEXCHANGE_KEY and SPOTEXCHANGE_SECRET: set both or turn live orders off');
  const baseUrl = addresses.spotexchange.url;
  const rest = createSpotRest({ baseUrl, clock, random, budget: budgets.spotexchange, maxWaitMs: WAIT_MS, note });
  const orders = createSpotOrders({
    baseUrl,
    rest,
    credentials,
    clock,
    budgets: { weight: budgets.spotexchange, orders: budgets.spotexchange_orders, dayOrders: budgets.spotexchange_orders_day },
    note,
  });
  return {
    clients: { spotexchange: orders },
    close() {
      orders.close();
      rest.close();
    },
  };
}
