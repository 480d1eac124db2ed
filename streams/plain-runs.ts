/**
 * Skips plain quotes in bulk replay. A quote is plain if every quality rule passes it unmarked and it changes only the newest price of its
 * instrument. Only the last quote of a run is processed, when it is needed.
 */
import type { Quote } from '../src/domain/market/quote.ts';
import {
  copyQuoteDigits,
  newQuoteDigits,
  NO_ASK,
  NO_BID,
  type QuoteDigits,
  type QuoteOrigin,
  quoteOfDigits,
} from '../src/domain/market/quote-digits.ts';
import { type InstrumentKey, instrumentKey } from '../src/domain/market/venue.ts';
import type { FeedLimits } from '../src/domain/venues/venue-facts.ts';
import type { FeedCounters } from './feed-counters.ts';
import type { Freshness } from './quality/freshness.ts';

/** Maximum instruments with skipped runs: far below the number at which a rule forgets one. */
const MAX_INSTRUMENTS = 5_000;
/** Maximum jump limit for runs. Above it, two quotes near one price need not be near each other. */
const MAX_JUMP = 0.9;
/** Relative rounding tolerance between two sums. */
const ROUNDING = 1e-12;
const SCALES = Float64Array.from({ length: 16 }, (_, scale) => 10 ** scale);

/** One source's quotes about one instrument. */
interface Run {
  readonly slot: Slot;
  readonly limits: FeedLimits;
  /** Last plain quote. It is unprocessed if it is its slot's `waiting`. */
  readonly last: QuoteDigits;
  /** Price range around the last processed quote within which no jump limit is reached. */
  bidFrom: number;
  bidTo: number;
  askFrom: number;
  askTo: number;
}

/** An instrument of a venue, for all of its sources. */
interface Slot {
  /** Receives every plain quote. The pipeline receives only the last one of a run. */
  listener: ((quote: QuoteDigits) => void) | null;
  /** Source whose plain quote was processed last, with nothing after it. Null if the next quote must be processed. */
  running: Run | null;
  waiting: boolean;
}

interface PlainRunsOptions {
  readonly freshness: Freshness;
  readonly counters: FeedCounters;
  /** Processes a quote by all rules. Returns true if it passed unmarked and became the newest price. */
  readonly receive: (quote: Quote) => boolean;
}

/** Handles plain quotes in runs. After each `settle`, rules, view and counters are as if every quote had been processed. */
export class PlainRuns {
  readonly #options: PlainRunsOptions;
  readonly #slots = new Map<InstrumentKey, Slot>();
  /** Runs by what their quotes share. Objects of one block of a tape refer to their run directly. */
  readonly #runs = new Map<string, Run>();
  readonly #known = new WeakMap<QuoteOrigin, Run>();
  readonly #waiting: Run[] = [];

  constructor(options: PlainRunsOptions) {
    this.#options = options;
  }

  /** Handles the next quote: only records it if it is plain, else processes what waits of its instrument, and then it. */
  take(quote: QuoteDigits): void {
    const run = this.#known.get(quote.origin) ?? this.#runOf(quote.origin);
    const { slot } = run;
    if (slot.running === run && isPlain(run, quote)) {
      slot.listener?.(quote);
      copyQuoteDigits(quote, run.last);
      if (slot.waiting) this.#options.counters.received(quote.origin.venue);
      else {
        slot.waiting = true;
        this.#waiting.push(run);
      }
      return;
    }
    this.#settleSlot(slot);
    this.#receive(run, quote);
  }

  /**
   * Reports every plain quote of an instrument to the listener, as digits that are valid until it returns. Other quotes, and the last of a
   * run again, arrive through the regular receiver. Returns a function that stops listening.
   */
  listen(instrument: InstrumentKey, listener: (quote: QuoteDigits) => void): () => void {
    const slot = this.#slotOf(instrument);
    slot.listener = listener;
    return () => {
      if (slot.listener === listener) slot.listener = null;
    };
  }

  /** Processes what waits, before a quote that is not given as digits. */
  interrupt(quote: Quote): void {
    const slot = this.#slots.get(instrumentKey(quote.venue, quote.instrument));
    if (slot === undefined) return;
    this.#settleSlot(slot);
    slot.running = null;
  }

  /** Processes what waits, before connections change and the memory of a feed restarts. */
  interruptAll(): void {
    this.settle();
    for (const slot of this.#slots.values()) slot.running = null;
  }

  /** Processes what waits. Call it before reading any state. */
  settle(): void {
    const waiting = this.#waiting;
    for (let index = 0; index < waiting.length; index++) this.#settleSlot((waiting[index] as Run).slot);
    waiting.length = 0;
  }

  #settleSlot(slot: Slot): void {
    if (!slot.waiting) return;
    slot.waiting = false;
    const run = slot.running as Run;
    this.#receive(run, run.last);
  }

  #receive(run: Run, quote: QuoteDigits): void {
    const { slot } = run;
    slot.running = null;
    const unmarked = this.#options.receive(quoteOfDigits(quote));
    if (!unmarked || this.#slots.size > MAX_INSTRUMENTS || !canBegin(run, quote)) return;
    if (quote !== run.last) copyQuoteDigits(quote, run.last);
    // Two prices within a third of the limit of one price are within the limit of each other.
    const near = run.limits.maxJump / 3;
    const bid = toValue(quote.bid);
    const ask = toValue(quote.ask);
    run.bidFrom = bid * (1 - near);
    run.bidTo = bid * (1 + near);
    run.askFrom = ask * (1 - near);
    run.askTo = ask * (1 + near);
    slot.running = run;
  }

  #slotOf(instrument: InstrumentKey): Slot {
    let slot = this.#slots.get(instrument);
    if (slot === undefined) {
      slot = { listener: null, running: null, waiting: false };
      this.#slots.set(instrument, slot);
    }
    return slot;
  }

  #runOf(origin: QuoteOrigin): Run {
    const { venue, instrument, source, sourceTime, quality, flags } = origin;
    const name = `${venue}\0${instrument}\0${source}\0${sourceTime ? 1 : 0}\0${quality}\0${flags.join()}`;
    let run = this.#runs.get(name);
    if (run === undefined) {
      const slot = this.#slotOf(instrumentKey(venue, instrument));
      const limits = this.#options.freshness.sourceLimits(venue, source);
      run = { slot, limits, last: newQuoteDigits(origin), bidFrom: 0, bidTo: 0, askFrom: 0, askTo: 0 };
      this.#runs.set(name, run);
    }
    this.#known.set(origin, run);
    return run;
  }
}

/** True if quotes after one that passed every rule unmarked may be plain. */
function canBegin({ limits }: Run, quote: QuoteDigits): boolean {
  const { quality, flags, venue } = quote.origin;
  return (
    quality === 'live' &&
    flags.length === 0 &&
    // Jumps of probabilities are measured in points, not as a share. Contiguous numbers are checked one by one.
    venue !== 'prediction' &&
    limits.sequence !== 'contiguous' &&
    limits.maxJump <= MAX_JUMP &&
    isPriced(quote) &&
    quote.observedAt <= quote.receivedAt + limits.maxSkewMs
  );
}

function isPriced({ missing, bid, ask }: QuoteDigits): boolean {
  return (missing & (NO_BID | NO_ASK)) === 0 && bid.scale >= 0 && ask.scale >= 0 && bid.mantissa > 0 && ask.mantissa > 0;
}

function toValue({ mantissa, scale }: QuoteDigits['bid']): number {
  return mantissa / (SCALES[scale] as number);
}

/** True if a quote is newer than the last of its run by the venue's order, not crossed, not from the future, and no jump. */
function isPlain(run: Run, quote: QuoteDigits): boolean {
  const { last, limits } = run;
  if (!isPriced(quote) || quote.hasSequence !== last.hasSequence) return false;
  if (quote.hasSequence && quote.sequence <= last.sequence) return false;
  if (quote.observedAt > quote.receivedAt + limits.maxSkewMs) return false;
  if (quote.origin.sourceTime && (quote.hasSequence ? quote.observedAt < last.observedAt : quote.observedAt <= last.observedAt))
    return false;
  const bid = toValue(quote.bid);
  const ask = toValue(quote.ask);
  if (quote.bid.scale === quote.ask.scale ? quote.bid.mantissa > quote.ask.mantissa : bid * (1 + ROUNDING) > ask) return false;
  return bid >= run.bidFrom && bid <= run.bidTo && ask >= run.askFrom && ask <= run.askTo;
}
