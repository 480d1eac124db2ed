/** Outside access of a process: addresses, request budgets, buses between processes, order books and the chain. */
import type { BookWants } from '../../streams/book-wants.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { createAloneClaims, createSharedClaims } from '../adapters/queue/ask-claims.ts';
import { createBookWants } from '../adapters/queue/book-wants.ts';
import { createInProcessMarketStateBus, createRedisMarketStateBus, type MarketStateBus } from '../adapters/queue/market-state-bus.ts';
import { createInProcessQuoteBus, createRedisQuoteBus, type QuoteBus } from '../adapters/queue/quote-bus.ts';
import { openSharedLimits, type SharedLimits } from '../adapters/queue/redis-client.ts';
import { budgetsFor, budgetsOn, type MakeBudget } from '../adapters/queue/request-budgets.ts';
import type { OrderBookReads } from '../adapters/venues/order-book-reads.ts';
import { openOnchainPredictions } from '../adapters/venues/prediction/access.ts';
import type { BudgetPurpose } from '../adapters/venues/request-budget.ts';
import { createSharedBookReads, type SharedBookReads } from '../adapters/venues/shared-book-reads.ts';
import { openPrimaryChain } from '../adapters/venues/spotchain/access.ts';
import { createLiveQuotes } from '../trading/live-marks.ts';
import type { OutsideAccess } from './capabilities/capability.ts';
import { agentlaunch } from './outside/agentlaunch.ts';
import { createOrderBooks, createRequestBudgets, type OutsideReach, openBridge, readAddresses, statedBudgets } from './outside/index.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { ServiceProcess } from './service-process.ts';

export interface MarketAccess {
  /** Addresses and request budgets of all outside systems. */
  readonly reach: OutsideReach;
  /** Creates further request budgets, such as those of one account. */
  readonly makeBudget: MakeBudget;
  /** Rate limit counters shared by all processes of the service, or null if there is only this one. */
  readonly sharedLimits: SharedLimits['store'] | null;
  readonly bus: QuoteBus;
  readonly states: MarketStateBus;
  /** Order books for pricing orders. */
  readonly orderBooks: SharedBookReads;
  /** Order books for display, which use a venue's budget only while it is not needed otherwise. */
  readonly shownBooks: OrderBookReads;
  readonly bookWants: BookWants;
  readonly outside: OutsideAccess;
}

export function openMarketAccess(service: ServiceProcess, redisUrl: string | null, sandbox: Sandbox | null): MarketAccess {
  const { config, clock, random, metrics } = service;
  const counting = budgetsOn(redisUrl, clock, service.warn('the request budgets'));
  service.onStop('the request budgets', async () => counting.close());
  const addresses = readAddresses(config, sandbox);
  const budgets = createRequestBudgets(statedBudgets(config), counting.make);
  const reach: OutsideReach = { addresses, budgets, clock, random, note: metrics.unknownField };
  const limits = redisUrl === null ? null : openSharedLimits({ url: redisUrl, onError: service.warn('the shared rate limits') });
  if (limits !== null) service.onStop('the shared rate limits', async () => limits.close());
  const { bus, states, close } = openBuses({ redisUrl, clock, random, warn: service.warn });
  service.onStop('the buses of quotes and market states', close);
  const bookWants = createBookWants(states, clock);
  const claims = limits === null ? createAloneClaims(clock) : createSharedClaims(limits.store, service.warn('claims on questions'));
  const booksFor = (purpose: BudgetPurpose): SharedBookReads =>
    createSharedBookReads({
      states,
      wants: bookWants,
      claims,
      asked: createOrderBooks({ ...reach, budgets: budgetsFor(budgets, purpose) }),
      clock,
    });
  const primaryChain = openPrimaryChain(reach, (code) => metrics.unanswered('primarychain', code));
  if (primaryChain !== null) service.onStop('the primary chain', async () => primaryChain.close());
  const onchainPredictions = openOnchainPredictions(reach, primaryChain?.chain ?? null);
  if (onchainPredictions !== null) service.onStop('the on-chain prediction venue', async () => onchainPredictions.close());
  const bridge = openBridge({ ...reach, quote: createLiveQuotes(bus, clock), onFailure: metrics.unanswered });
  if (bridge !== null) service.onStop('the bridge', async () => bridge.close());
  const launcher = agentlaunch.open(reach, (code) => metrics.unanswered('agentlaunch', code));
  if (launcher !== null) service.onStop('the external launcher', async () => launcher.close());
  return {
    reach,
    makeBudget: counting.make,
    sharedLimits: limits?.store ?? null,
    bus,
    states,
    orderBooks: booksFor('pricing'),
    shownBooks: booksFor('optional'),
    bookWants,
    outside: { primaryChain, onchainPredictions, bridge, launcher },
  };
}

/** @param warn receives errors from which a bus recovers, with their source */
function openBuses(deps: {
  readonly redisUrl: string | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly warn: (what: string) => (error: unknown) => void;
}) {
  const { redisUrl: url, clock, random, warn } = deps;
  const onError = warn('the bus of market states');
  const bus =
    url === null ? createInProcessQuoteBus({ clock }) : createRedisQuoteBus({ clock, random, url, onError: warn('the quote bus') });
  const states =
    url === null ? createInProcessMarketStateBus({ clock, onError }) : createRedisMarketStateBus({ clock, random, url, onError });
  return {
    bus,
    states,
    async close() {
      await states.close();
      await bus.close();
    },
  };
}
