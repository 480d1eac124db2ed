/**
 * Measures shadow orders by their venues' flow: keeps the flow of what shadow agents trade, and records after an order's window what it
 * would have given. What was not received is recorded as unknown.
 */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import { type FlowKeeper, type FlowWindow, flowText } from '../domain/shadow/flow.ts';
import { MOST_TRADES, measurableAt, measureShadow, type ShadowOrder, computeFlowSpan } from '../domain/shadow/measure.ts';
import { DAY_MS, type EpochMs } from '../domain/values/time.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import type { MeasuredOrder, ShadowStore } from '../adapters/store/gates/shadow-store.ts';

/** Milliseconds after which an unmeasured order stays unknown without a row. */
const LOST_MS = DAY_MS;
/** Maximum orders measured at once. */
const MOST_ORDERS = 200;

/** Measures an order by the kept flow of its window. */
export function measuredBy(order: ShadowOrder, keeper: FlowKeeper): MeasuredOrder {
  const received = keeper.window(computeFlowSpan(order));
  // Of a window that is too long only enough is kept to show that.
  const window: FlowWindow = { ...received, trades: received.trades.slice(0, MOST_TRADES + 1) };
  return { order, measurement: measureShadow(order, window), flow: flowText(window) };
}

/** Measures all due orders. Calls `follow` before and after with the instruments whose flow to keep. */
export async function measureDue(deps: {
  readonly store: ShadowStore;
  readonly keeper: FlowKeeper;
  readonly follow?: (keys: ReadonlySet<InstrumentKey>) => void;
  readonly now: EpochMs;
  readonly contained: ContainedLoop;
}): Promise<void> {
  const { store, keeper, follow, now, contained } = deps;
  const open = await store.unmeasured(now - LOST_MS, MOST_ORDERS + contained.waiting);
  follow?.(new Set([...(await store.instruments()), ...open.map(({ instrument }) => instrument)]));
  const due = open.filter((order) => measurableAt(order) <= now);
  await contained.each(
    due,
    ({ id }) => ({ id, orgId: null }),
    (order) => store.write([measuredBy(order, keeper)]),
  );
}
