/** Manual orders: on paper at once, and live by the workers that execute proposals. */
import { createMarketOrderHandler } from '../../../actors/market-order/commands.ts';
import { marketOrderKind } from '../../../actors/market-order/effects.ts';
import { marketOrderWorkers } from '../../../actors/market-order/execution.ts';
import { createRestingWatch } from '../../../actors/market-order/resting-watch.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { BookMoved } from '../../adapters/store/books/book-store.ts';
import { createFundingStore } from '../../adapters/store/books/funding-store.ts';
import { createRescalingStore } from '../../adapters/store/books/rescaling-store.ts';
import { createMarginStore } from '../../adapters/store/books/margin-store.ts';
import { createManualDayStore } from '../../adapters/store/books/manual-day-store.ts';
import { isOutage } from '../../adapters/store/database.ts';
import { createMarketOrderStore, restingOrders } from '../../adapters/store/orders/market-order-store.ts';
import { missingSetting } from '../../domain/risk/index.ts';
import { bookFunding, FUNDING_MS } from '../../trading/book-funding.ts';
import { LIQUIDATIONS_MS, liquidateBooks } from '../../trading/liquidations.ts';
import { createRescalings, RESCALINGS_MS } from '../../trading/rescalings.ts';
import { beginManualDays, MANUAL_DAYS_MS } from '../../trading/manual-days.ts';
import type { ActorCapability } from './capability.ts';

/** Interval at which resting orders are checked. */
const RESTING_WATCH_MS = 3_000;

export const marketOrderCapability = {
  kind: marketOrderKind,
  machineFile: 'actors/market-order/machine.ts',

  workers: (deps) =>
    deps.trading?.manual === undefined
      ? {}
      : marketOrderWorkers({ ...deps, ...deps.trading, load: deps.store.load, preTrade: deps.trading.manual }),

  watches({ sql, store, trading, runtime, clock, containment, onError }) {
    if (trading === null) return [];
    const watch = createRestingWatch({
      ...trading,
      ...restingOrders(sql),
      runtime,
      load: store.load,
      clock,
      contained: containment('orders that rest'),
      onError: onError('orders that rest'),
    });
    return [{ what: 'orders that rest', everyMs: RESTING_WATCH_MS, run: watch.look }];
  },

  recurring({ sql, trading, clock, containment }) {
    const { manualMarks: marks, perpHistory: history, bid } = trading ?? {};
    const [days, funding, margins] = ['beginning days of manual books', 'booking funding', 'liquidating perpetuals'] as const;
    const multipliers = 'booking new multipliers';
    const dayStore = createManualDayStore(sql);
    const fundingStore = createFundingStore(sql);
    const marginStore = createMarginStore(sql);
    const run = {
      [days]: marks && (() => beginManualDays({ store: dayStore, marks, clock, contained: containment(days) })),
      [margins]: bid && (() => liquidateBooks({ store: marginStore, bid, clock, contained: containment(margins) })),
      [funding]: history && (() => bookFunding({ store: fundingStore, history, clock, contained: containment(funding) })),
    };
    const rescale = createRescalings({ store: createRescalingStore(sql), clock, contained: containment(multipliers) });
    return [
      { what: multipliers, everyMs: RESCALINGS_MS, run: rescale },
      ...(run[days] === undefined ? [] : [{ what: days, everyMs: MANUAL_DAYS_MS, run: run[days] }]),
      ...(run[funding] === undefined ? [] : [{ what: funding, everyMs: FUNDING_MS, run: run[funding] }]),
      ...(run[margins] === undefined ? [] : [{ what: margins, everyMs: LIQUIDATIONS_MS, run: run[margins] }]),
    ];
  },

  callers({ sql, runtime, preTrade, risk, clock, newId }): Pick<ApiPorts, 'marketOrders'> {
    const isOverrun = (error: unknown): boolean => error instanceof BookMoved;
    const lacks = (orgId: string) => missingSetting(risk.disabledVenues(null, orgId), 'spotexchange', 'buy');
    const orders = createMarketOrderStore(sql);
    const commands = createMarketOrderHandler({ runtime, orders, preTrade, lacks, isOverrun, clock, newId, isOutage });
    return { marketOrders: { reads: orders, commands } };
  },
} satisfies ActorCapability;
