/** The doors to the venues that take live orders: only those whose feature is switched on, with the keys that they need. */
import type { ExecutionClients } from '../../actors/proposal/execution-client.ts';
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import { createSpotOrders } from '../adapters/venues/spotexchange/orders.ts';
import { createSpotRest } from '../adapters/venues/spotexchange/rest.ts';
import type { SpotCredentials } from '../adapters/venues/spotexchange/signature.ts';
import type { Addresses } from './addresses.ts';
import type { Config } from './config.ts';
import type { RequestBudgets } from './venues.ts';

/** An order waits no longer for a budget than its lease lasts. */
const WAIT_MS = 1_000;

/** The key that the sandbox's exchange gives out; of no use anywhere else. */
export const SANDBOX_EXCHANGE_KEY: SpotCredentials = { key: 'sandboxexchange', secret: 'ofNoUseAnywhereElse' };

/** The account that orders are sent for; null where none is named for an exchange that is not the sandbox's. */
export function exchangeCredentials(config: Config): SpotCredentials | null {
  if (config.SPOTEXCHANGE_URL === null) return SANDBOX_EXCHANGE_KEY;
  const { SPOTEXCHANGE_KEY: key, SPOTEXCHANGE_SECRET: secret } = config;
  return key === null || secret === null ? null : { key: key.reveal(), secret: secret.reveal() };
}

/** @throws Error in one sentence where a feature is on and what it needs is missing. */
export function openLiveOrders(
  config: Config,
  addresses: Pick<Addresses, 'spotexchange'>,
  clock: Clock,
  random: () => number,
  budgets: Pick<RequestBudgets, 'spotexchange' | 'spotexchange_orders' | 'spotexchange_orders_day'>,
  note: NoteUnknownField,
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
