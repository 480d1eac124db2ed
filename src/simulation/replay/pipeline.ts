/** Pipeline of a replay: tapes pass the live quality rules and cuts under a virtual clock. It produces the agents' events in order. */
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

/** Event for the agents, in tape order: a cut slot, a command or a due order. */
type ReplayEvent =
  | { readonly kind: 'cut'; readonly cut: Cut }
  | { readonly kind: 'command'; readonly command: TapeCommand }
  | { readonly kind: 'wake'; readonly at: EpochMs };

/** Instruments for which slots are cut. */
interface Observers {
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
  /** Cut note of the live process, or null to cut as the replay's agents need. */
  #note: TapeCutNote | null = null;
  #noted: ReadonlySet<InstrumentKey> = new Set();
  #happened: ReplayEvent[] = [];
  #failure: unknown = null;

  constructor(observers: () => Observers) {
    this.#observers = observers;
  }

  /** Begins at the first event. Later calls do nothing. */
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

  /** Time of the next slot or wake, or null if none is pending. */
  get nextAt(): EpochMs | null {
    return this.#clock.nextAt();
  }

  /** True if nothing is due up to and including an instant. */
  isBeforeNext(at: EpochMs): boolean {
    const next = this.#clock.nextAt();
    return next === null || next > at;
  }

  /** Number of marks and refusals by quality rules, view and board over all venues, by reason. */
  get assessed(): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const venue of Object.values(this.#counters.snapshot()))
      for (const [what, count] of Object.entries(venue.counted)) if (count > 0) sums[what] = (sums[what] ?? 0) + count;
    return sums;
  }

  /** Advances time and runs everything that is due on the way. */
  advanceTo(at: EpochMs): void {
    this.#clock.advanceTo(at);
  }

  receive(message: FeedMessage): void {
    if (message.kind === 'quote') this.#runs.interrupt(message);
    else if (message.kind === 'feed_status') this.#runs.interruptAll();
    this.#receiveWhole(message);
  }

  /** Receives a quote of which only the digits were parsed, before anything is due. */
  receiveDigits(quote: QuoteDigits): void {
    this.#runs.take(quote);
  }

  /**
   * Reports quotes of an instrument that the view does not receive because only their digits are parsed. Returns a function that stops
   * it.
   */
  follow(instrument: InstrumentKey, listener: (quote: QuoteDigits) => void): () => void {
    return this.#runs.listen(instrument, listener);
  }

  /** Brings the view up to date with all received messages. Call it before agents read the view. */
  settle(): void {
    this.#runs.settle();
  }

  /** True if the message passed the rules unmarked and changed the view. */
  #receiveWhole(message: FeedMessage): boolean {
    const assessed = this.#assess(message);
    return assessed !== null && (this.#cutter as Cutter).take(assessed) && assessed === message;
  }

  tell(command: TapeCommand): void {
    this.#happened.push({ kind: 'command', command });
  }

  /** Cuts slots from here on like the live process. */
  note(note: TapeCutNote): void {
    this.#note = note;
    this.#noted = new Set(note.instruments);
  }

  wakeAt(at: EpochMs): void {
    this.#clock.deadline(at, () => this.#happened.push({ kind: 'wake', at }));
  }

  /** Returns the events since the last call. @throws errors of the streams */
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

  /** True if the slot is a half minute and there is no Take, which alone needs half minutes. */
  #isIdle(slot: EpochMs): boolean {
    return slot % AGENT_TICK_MS !== 0 && !this.#observers().hasTakes;
  }

  #instruments(slot: EpochMs): readonly InstrumentRelations[] {
    if (this.#isIdle(slot)) return [];
    const { instruments } = this.#observers();
    return this.#note === null ? instruments : instruments.filter(({ key }) => this.#noted.has(key));
  }

  /** True if the tape is older than indicator windows and hashes of the read observation. */
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
