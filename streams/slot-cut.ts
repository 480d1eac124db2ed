/** The cut: at each slot, the known data of every instrument and nothing later. */
import type { CatalogEntry } from '../src/domain/catalog/catalog.ts';
import {
  type Cut,
  type IndicatorNeed,
  type IndicatorValue,
  indicatorKey,
  type Observation,
  type ObservedEvent,
  type ObservedQuote,
  type ObservedReference,
} from '../src/domain/market/cut.ts';
import type { FeedMessage, NewsEvent } from '../src/domain/market/market-event.ts';
import { type PerpContext, type Quote, type ReferencePrice, SECOND_REFERENCE_SOURCES, type Session } from '../src/domain/market/quote.ts';
import { knownLiquidity } from '../src/domain/risk/order-context.ts';
import { type EpochMs, TAKE_TICK_MS } from '../src/domain/values/time.ts';
import { basisPct, gapToMarkPct, midPrice, premiumPct } from '../src/domain/market/valuation.ts';
import type { InstrumentKey } from '../src/domain/market/venue.ts';
import type { Clock } from './clock/clock.ts';
import { ageMs } from './quality/flag-bits.ts';
import type { IndicatorBoard } from './indicator-board.ts';
import type { MarketView } from './market-view.ts';

/** Related instruments of a catalog entry. */
export type InstrumentRelations = Pick<CatalogEntry, 'key' | 'underlying' | 'benchmark' | 'benchmarkKind' | 'pairedPerp' | 'pairedSpot'>;

/** Assigns a funding percentile to the asset's perpetual, whichever of its instruments a manifest names. */
export function seriesNeed(need: IndicatorNeed, relations: Pick<InstrumentRelations, 'pairedPerp'> | undefined): IndicatorNeed {
  if (need.name !== 'funding_percentile' || !relations?.pairedPerp || relations.pairedPerp === need.instrument) return need;
  return { instrument: relations.pairedPerp, name: need.name, timeframe: need.timeframe, period: need.period };
}

function observedQuote(quote: Quote, slot: EpochMs): ObservedQuote {
  return {
    bid: quote.bid,
    ask: quote.ask,
    mid: midPrice(quote.bid, quote.ask),
    source: quote.source,
    observedAt: quote.observedAt,
    receivedAt: quote.receivedAt,
    ageMs: ageMs(quote.observedAt, slot),
    quality: quote.quality,
    flags: quote.flags,
  };
}

function observedReference(reference: ReferencePrice, slot: EpochMs): ObservedReference {
  return {
    instrument: reference.instrument,
    ...(SECOND_REFERENCE_SOURCES.has(reference.source) ? { source: reference.source } : {}),
    referencePrice: reference.referencePrice,
    confidence: reference.confidence,
    feedUpdatedAt: reference.feedUpdatedAt,
    receivedAt: reference.receivedAt,
    ageMs: ageMs(reference.feedUpdatedAt, slot),
    quality: reference.quality,
    flags: reference.flags,
  };
}

/**
 * Observes one instrument from the view and the board, aged at the slot. Perpetual figures and pool liquidity beyond their age limit are
 * unknown (null).
 */
export function observe(
  relations: InstrumentRelations,
  slot: EpochMs,
  session: Session,
  view: MarketView,
  indicators: { readonly [key: string]: IndicatorValue },
): Observation {
  const { limits } = view.freshness;
  const known = view.instrument(relations.key);
  const marked = view.quoteAt(relations.key, slot);
  const quote = marked === null ? null : observedQuote(marked, slot);
  const markedReference = relations.benchmark === null ? null : view.referenceAt(relations.benchmark, slot);
  const reference = markedReference === null ? null : observedReference(markedReference, slot);
  const mid = quote?.mid ?? null;
  const benchmark = mid === null || reference === null ? null : { mid, price: reference.referencePrice };

  const perp = freshContext(view, relations.pairedPerp, slot, limits.perpContextMaxAgeMs);
  const spot = relations.pairedSpot === null ? null : view.quoteAt(relations.pairedSpot, slot);
  // The observation has no quality of the paired spot quote, so only a live one is used.
  const spotMid = spot === null || spot.quality !== 'live' ? null : midPrice(spot.bid, spot.ask);
  const liquidity = known?.liquidity ?? null;

  return {
    slot,
    instrument: relations.key,
    session,
    quote,
    reference,
    premiumPct: benchmark !== null && relations.benchmarkKind === 'reference_price' ? premiumPct(benchmark.mid, benchmark.price) : null,
    // Both are prices per token, so their ratio equals that of the valuations.
    gapToMarkPct: benchmark !== null && relations.benchmarkKind === 'issuer_mark' ? gapToMarkPct(benchmark.mid, benchmark.price) : null,
    basisPct: perp === null || spotMid === null ? null : basisPct(perp.markPrice, spotMid),
    hourlyFunding: perp?.hourlyFunding ?? null,
    markPrice: perp?.markPrice ?? null,
    liquidityUsd: knownLiquidity(liquidity, slot),
    indicators,
    events: view.newsOf(relations.underlying, slot)?.map(observedEvent) ?? null,
  };
}

function observedEvent({ id, severity, negative, rumor, observedAt, headline }: NewsEvent): ObservedEvent {
  return { id, severity, negative, rumor, observedAt, headline };
}

function freshContext(view: MarketView, perpetual: InstrumentKey | null, slot: EpochMs, maxAgeMs: number): PerpContext | null {
  const context = perpetual === null ? null : (view.instrument(perpetual)?.perpContext ?? null);
  return context === null || ageMs(context.observedAt, slot) > maxAgeMs ? null : context;
}

interface CutterOptions {
  readonly clock: Clock;
  readonly view: MarketView;
  readonly board: IndicatorBoard;
  /** Returns the instruments to observe, with relations. Read at each slot, because launches add instruments. */
  readonly instruments: () => readonly InstrumentRelations[];
  /** Returns the indicators of active manifests. Read at each slot. */
  readonly needs: () => readonly IndicatorNeed[];
  /** Returns true for slots whose indicators were computed over all bars, as before windows. Read at each slot. */
  readonly isEndless?: () => boolean;
  readonly onCut: (cut: Cut) => void;
  /** Receives the error of a consumer that threw. The next slot is cut all the same. */
  readonly onFailure: (error: unknown) => void;
  /** Length of a slot. Default 30 s, which divides every agent's slot of 60 s. */
  readonly periodMs?: number;
}

export interface Cutter {
  /**
   * Handles the next message in order of receipt. One received after the pending slot closes that slot first, so that its cut contains
   * exactly what was received up to and including the slot. Returns true if the view changed.
   */
  take(message: FeedMessage): boolean;
  /** Next slot to cut. */
  readonly pendingSlot: EpochMs;
  /** Starts a timer that also cuts without messages. */
  start(): void;
  stop(): void;
}

/** Creates a cutter whose first slot is the first one at or after now. */
export function createCutter(options: CutterOptions): Cutter {
  const { clock, view, board } = options;
  const periodMs = options.periodMs ?? TAKE_TICK_MS;
  let pending: EpochMs = Math.ceil(clock.now() / periodMs) * periodMs;
  let running = false;
  let cancel = (): void => {};

  function cut(slot: EpochMs): Cut {
    const relations = options.instruments();
    const byKey = new Map(relations.map((one) => [one.key, one]));
    const indicators = new Map<InstrumentKey, Record<string, IndicatorValue>>();
    const endless = options.isEndless?.() ?? false;
    for (const need of options.needs()) {
      let values = indicators.get(need.instrument);
      if (values === undefined) {
        values = {};
        indicators.set(need.instrument, values);
      }
      const key = indicatorKey(need);
      values[key] ??= board.valueAt(seriesNeed(need, byKey.get(need.instrument)), slot, endless);
    }
    const session = view.freshness.sessionAt(slot);
    const observations = new Map<InstrumentKey, Observation>();
    for (const one of relations) observations.set(one.key, observe(one, slot, session, view, indicators.get(one.key) ?? {}));
    return { slot, observations };
  }

  function close(): void {
    const slot = pending;
    pending += periodMs;
    try {
      options.onCut(cut(slot));
    } catch (error) {
      options.onFailure(error);
    }
  }

  function wait(): void {
    // One millisecond past the slot, when everything received within it has been processed.
    cancel = clock.deadline(pending + 1, () => {
      while (pending < clock.now()) close();
      if (running) wait();
    });
  }

  return {
    get pendingSlot() {
      return pending;
    },
    take(message) {
      while (message.receivedAt > pending) close();
      if (message.receivedAt <= pending - periodMs && message.kind !== 'rejection') view.counters.count(message.venue, 'late');
      if (message.kind === 'candles') board.apply(message);
      else if (message.kind === 'perp_context') board.applyContext(message);
      return view.apply(message);
    },
    start() {
      if (running) return;
      running = true;
      wait();
    },
    stop() {
      running = false;
      cancel();
    },
  };
}
