/** Market of one stress run: the live quotes' pipeline on its own clock, and its state at an instant. */

import { createMarketPipeline, type MarketPipeline } from '../../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import type { Cut } from '../../domain/market/cut.ts';
import type { CompiledManifest } from '../../domain/agents/decide.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { OrderQuote } from '../../domain/orders/order.ts';
import type { Quote } from '../../domain/market/quote.ts';
import { presentMarket, type RiskMarket } from '../../domain/risk/index.ts';
import { AGENT_TICK_MS, type EpochMs, startOfSlot } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';

/** Time from a slot to the tick of a punctual worker, in milliseconds. */
const TICK_AFTER_MS = 500;

/** Returns the first tick after an instant. */
const nextTick = (at: EpochMs): EpochMs => startOfSlot(at - TICK_AFTER_MS, AGENT_TICK_MS) + AGENT_TICK_MS + TICK_AFTER_MS;

/** Returns the relations of an instrument; empty if the catalog does not list it. */
function findRelations(key: InstrumentKey) {
  const unrelated = { benchmark: null, benchmarkKind: null, pairedPerp: null, pairedSpot: null };
  return CATALOG.byKey(key) ?? { key, underlying: splitInstrumentKey(key).instrument, ...unrelated };
}

export class RunMarket {
  readonly clock: ReturnType<typeof createVirtualClock>;
  readonly #pipeline: MarketPipeline;
  readonly #relations: readonly ReturnType<typeof findRelations>[];
  readonly #instruments: readonly InstrumentKey[];
  #failure: unknown = null;
  /** Cut of the current tick. */
  #cut: Cut | null = null;

  constructor({ instruments, needs }: CompiledManifest, startsAt: EpochMs) {
    this.clock = createVirtualClock(startsAt);
    this.#instruments = instruments;
    this.#relations = instruments.map(findRelations);
    this.#pipeline = createMarketPipeline({
      clock: this.clock,
      random: () => 0,
      feeds: [],
      instruments: () => this.#relations,
      needs: () => needs,
      periodMs: AGENT_TICK_MS,
      onCut: (cut) => void this.clock.deadline(cut.slot + TICK_AFTER_MS, () => (this.#cut = cut)),
      onFailure: (error) => {
        this.#failure ??= error;
      },
    });
  }

  get view(): MarketPipeline['view'] {
    return this.#pipeline.view;
  }

  start(): void {
    this.#pipeline.start();
  }

  /** Runs the events, then advances time to `until`. Yields every cut with the live delay after its slot. @throws the pipeline's error */
  *cuts(events: Iterable<Parameters<MarketPipeline['push']>[0]>, until: EpochMs): Generator<Cut, void, void> {
    for (const event of events) {
      if (event.receivedAt > this.clock.now()) yield* this.#advance(event.receivedAt);
      this.#pipeline.push(event);
    }
    yield* this.#advance(until);
    this.#pipeline.stop();
    if (this.#failure !== null) throw this.#failure;
  }

  /** Advances time and stops at every tick. */
  *#advance(to: EpochMs): Generator<Cut, void, void> {
    const { clock } = this;
    for (let at = nextTick(clock.now()); at <= to; at = nextTick(at)) {
      clock.advanceTo(at);
      const cut = this.#cut;
      this.#cut = null;
      if (cut !== null) yield cut;
    }
    clock.advanceTo(to);
  }

  quoteAt(instrument: InstrumentKey, at: EpochMs): Quote | null {
    return this.#pipeline.view.quoteAt(instrument, at);
  }

  /** Returns the value of a long position in each instrument: the last best bid, even if it is no longer live. */
  bids(): ReadonlyMap<InstrumentKey, DecimalString> {
    const known = new Map<InstrumentKey, DecimalString>();
    for (const key of this.#instruments) {
      const bid = this.#pipeline.view.instrument(key)?.quote?.bid ?? null;
      if (bid !== null) known.set(key, bid);
    }
    return known;
  }

  /** Returns the view's data of an instrument at this instant, except for the quote that prices the order. */
  present(instrument: InstrumentKey, at: EpochMs, quote: OrderQuote | null): RiskMarket {
    const benchmark = this.#relations.find(({ key }) => key === instrument)?.benchmark ?? null;
    const reference = benchmark === null ? null : this.#pipeline.view.referenceAt(benchmark, at);
    return presentMarket({ at, quote, reference, liquidity: this.#pipeline.view.instrument(instrument)?.liquidity ?? null });
  }
}
