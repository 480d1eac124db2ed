/**
 * Measures shadow orders by the flow of their venues: keeps the flow of what agents at the shadow stage trade, and once the
 * window of an order is over puts on record what it would have given. What was not received is put on record as unknown.
 */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import { type FlowKeeper, type FlowWindow, flowText } from '../domain/shadow/flow.ts';
import { MOST_TRADES, measurableAt, measureShadow, type ShadowMeasurement, type ShadowOrder, spanOf } from '../domain/shadow/measure.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';

/** An order that nobody has measured for so long stays unknown without a row. Milliseconds. */
const LOST_MS = 86_400_000;
/** Maximum orders measured at once. */
const MOST_ORDERS = 200;

export interface ShadowStore {
  /** The universes of agents at the shadow stage. */
  instruments(): Promise<readonly InstrumentKey[]>;
  /** Orders since an instant that nobody has measured, the oldest first. */
  unmeasured(since: EpochMs, limit: number): Promise<readonly ShadowOrder[]>;
  /** Puts measurements on record, with the text of the flow that each was made by. One that is there already stays. */
  write(found: readonly MeasuredOrder[]): Promise<void>;
}

export interface MeasuredOrder {
  readonly order: ShadowOrder;
  readonly measurement: ShadowMeasurement;
  /** Canonical JSON of the window. */
  readonly flow: string;
}

/** Returns the measurement of an order from the kept flow of its window. */
export function measuredBy(order: ShadowOrder, keeper: FlowKeeper): MeasuredOrder {
  const received = keeper.window(spanOf(order));
  // A window that is too long is kept only as far as it shows that.
  const window: FlowWindow = { ...received, trades: received.trades.slice(0, MOST_TRADES + 1) };
  return { order, measurement: measureShadow(order, window), flow: flowText(window) };
}

/** Measures what can be measured by now. `follow` is told what to keep the flow of, before and after. */
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
