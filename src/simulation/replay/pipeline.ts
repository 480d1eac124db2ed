/**
 * Pipeline of a replay: its tapes through the live quality rules and the live cuts under a virtual clock, and the resulting events in
 * order.
 */
import { createFeedCounters } from '../../../streams/feed-counters.ts';
import { createFreshness } from '../../../streams/quality/freshness.ts';
import { createFusedQuality } from '../../../streams/quality/fused-quality.ts';
import { createIndicatorBoard } from '../../../streams/indicator-board.ts';
import { createMarketView } from '../../../streams/market-view.ts';
import { PlainRuns } from '../../../streams/plain-runs.ts';
import { type Cutter, createCutter, type InstrumentRelations } from '../../../streams/slot-cut.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import type { Cut, IndicatorNeed, Observation } from '../../domain/market/cut.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import type { QuoteDigits } from '../../domain/market/quote-digits.ts';
import type { TapeCommand, TapeCutNote } from '../../domain/tape/tape.ts';
import { AGENT_TICK_MS, type EpochMs, TAKE_TICK_MS } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';

/** Events of the agents, in the order of the tape: a slot is cut, a command arrives, an order is due. */
export type ReplayEvent =
  | { readonly kind: 'cut'; readonly cut: Cut }
  | { readonly kind: 'command'; readonly command: TapeCommand }
  | { readonly kind: 'wake'; readonly at: EpochMs };

/** Instruments that slots are cut for. */
export interface Observers {
  readonly hasTakes: boolean;
  readonly needs: readonly IndicatorNeed[];
  readonly instruments: readonly InstrumentRelations[];
}

export const SILENT: ReadonlyMap<InstrumentKey, Observation> = new Map();

export class ReplayPipeline {
  readonly #counters = createFeedCounters();
  readonly #freshness = createFreshness();
  readonly view = createMarketView({ freshness: this.#freshness, counters: this.#counters });
  readonly #board = createIndicatorBoard({ counters: this.#counters });
  readonly #assess = createFusedQuality({ freshness: this.#freshness, counters: this.#counters });
  readonly #runs = new PlainRuns({ freshness: this.#freshness, counters: this.#counters, receive: (quote) => this.#receiveWhole(quote) });
  #clock: VirtualClock = createVirtualClock(0);
  #cutter: Cutter | null = null;
  readonly #observers: () => Observers;
  /** Cutting of the live process; null to cut as the agents here need it. */
  #note: TapeCutNote | null = null;
  #noted: ReadonlySet<InstrumentKey> = new Set();
  #happened: ReplayEvent[] = [];
  #failure: unknown = null;

  constructor(observers: () => Observers) {
    this.#observers = observers;
  }

  /** Begins at the first event; at a later one it has begun. */
  begin(at: EpochMs): void {
    if (this.#cutter !== null) return;
    this.#clock = createVirtualClock(at);
    const cutter: Cutter = createCutter({
      clock: this.#clock,
      view: this.view,
      board: this.#board,
      periodMs: TAKE_TICK_MS,
      instruments: () => this.#instruments(cutter.pendingSlot - TAKE_TICK_MS),
      needs: () => (this.#isIdle(cutter.pendingSlot - TAKE_TICK_MS) ? [] : (this.#note?.needs ?? this.#observers().needs)),
      isEndless: () => this.#isOfFirstRule,
      onCut: (cut) => this.#cut(cut),
      onFailure: (error) => {
        this.#failure ??= error;
      },
    });
    this.#cutter = cutter;
    cutter.start();
  }

  get now(): EpochMs {
    return this.#clock.now();
  }

  /** Time at which the next slot or wake falls due; null if nothing waits. */
  get nextAt(): EpochMs | null {
    return this.#clock.nextAt();
  }

  /** True if nothing falls due up to and including an instant. */
  isBeforeNext(at: EpochMs): boolean {
    const next = this.#clock.nextAt();
    return next === null || next > at;
  }

  /** Marks and refusals of the quality rules, the view and the board, over all venues, by reason. */
  get assessed(): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const venue of Object.values(this.#counters.snapshot()))
      for (const [what, count] of Object.entries(venue.counted)) if (count > 0) sums[what] = (sums[what] ?? 0) + count;
    return sums;
  }

  /** Moves time on; what falls due on the way happens. */
  advanceTo(at: EpochMs): void {
    this.#clock.advanceTo(at);
  }

  receive(message: FeedMessage): void {
    if (message.kind === 'quote') this.#runs.interrupt(message);
    else if (message.kind === 'feed_status') this.#runs.interruptAll();
    this.#receiveWhole(message);
  }

  /** Receives a quote of which only the digits were read, before anything falls due. */
  receiveDigits(quote: QuoteDigits): void {
    this.#runs.take(quote);
  }

  /** Tells of the quotes of an instrument that the view is not told of, as long as they are read as digits. Answers how to stop. */
  follow(instrument: InstrumentKey, listener: (quote: QuoteDigits) => void): () => void {
    return this.#runs.listen(instrument, listener);
  }

  /** Lets the view know everything that was received: to be called before agents look. */
  settle(): void {
    this.#runs.settle();
  }

  /** True if the message passed the rules unmarked and the view knows something else by it. */
  #receiveWhole(message: FeedMessage): boolean {
    const assessed = this.#assess(message);
    return assessed !== null && (this.#cutter as Cutter).take(assessed) && assessed === message;
  }

  tell(command: TapeCommand): void {
    this.#happened.push({ kind: 'command', command });
  }

  /** Cuts slots from here on as the live process cut them. */
  note(note: TapeCutNote): void {
    this.#note = note;
    this.#noted = new Set(note.instruments);
  }

  wakeAt(at: EpochMs): void {
    this.#clock.deadline(at, () => this.#happened.push({ kind: 'wake', at }));
  }

  /** Returns the events since the last call. @throws errors of the streams. */
  happened(): readonly ReplayEvent[] {
    if (this.#failure !== null) throw this.#failure;
    if (this.#happened.length === 0) return NOTHING;
    const happened = this.#happened;
    this.#happened = [];
    return happened;
  }

  stop(): void {
    this.#cutter?.stop();
    if (this.#failure !== null) throw this.#failure;
  }

  /** Half minutes are for Takes alone: without one nothing is observed there. */
  #isIdle(slot: EpochMs): boolean {
    return slot % AGENT_TICK_MS !== 0 && !this.#observers().hasTakes;
  }

  #instruments(slot: EpochMs): readonly InstrumentRelations[] {
    if (this.#isIdle(slot)) return [];
    const { instruments } = this.#observers();
    return this.#note === null ? instruments : instruments.filter(({ key }) => this.#noted.has(key));
  }

  /** True on a tape from before windows of indicators and hashes of what a manifest reads. */
  get #isOfFirstRule(): boolean {
    return this.#note !== null && this.#note.rule === undefined;
  }

  #cut(cut: Cut): void {
    if (this.#isIdle(cut.slot)) return;
    const note = this.#note;
    const silent = note !== null && note.source === 'silence' && note.receivedAt === cut.slot;
    const observations = silent ? SILENT : cut.observations;
    this.#happened.push({
      kind: 'cut',
      cut: { slot: cut.slot, observations, ...(this.#isOfFirstRule ? { hashedBy: 1 } : {}) },
    });
  }
}

const NOTHING: readonly ReplayEvent[] = [];
