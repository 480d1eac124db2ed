/** Orders of people: on paper at once, and live by the workers that execute proposals. */
import { createMarketOrderHandler } from '../../../actors/market-order/command-handler.ts';
import { marketOrderKind } from '../../../actors/market-order/effects.ts';
import { marketOrderWorkers } from '../../../actors/market-order/execution.ts';
import type { ApiPorts } from '../../../api/ports.ts';
import { BookMoved } from '../../adapters/store/books/book-store.ts';
import { createMarketOrderStore } from '../../adapters/store/orders/market-order-store.ts';
import { missingSetting } from '../../domain/risk/index.ts';
import type { ActorCapability } from './capability.ts';

export const marketOrderCapability = {
  kind: marketOrderKind,
  machineFile: 'actors/market-order/machine.ts',

  workers: (deps) =>
    deps.trading?.manual === undefined
      ? {}
      : marketOrderWorkers({ ...deps, ...deps.trading, load: deps.store.load, preTrade: deps.trading.manual }),

  callers({ sql, runtime, preTrade, risk, clock, newId }): Pick<ApiPorts, 'marketOrders'> {
    const isOverrun = (error: unknown): boolean => error instanceof BookMoved;
    const lacks = (orgId: string) => missingSetting(risk.disabledVenues(null, orgId), 'spotexchange', 'buy');
    const commands = createMarketOrderHandler({ runtime, preTrade, lacks, isOverrun, clock, newId });
    return { marketOrders: { reads: createMarketOrderStore(sql), commands } };
  },
} satisfies ActorCapability;
