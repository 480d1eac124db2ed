/** Quality rules, their execution on one message, and their RxJS operator. */
import { type MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { FeedMessage, FeedStatus } from '../../src/domain/market/market-event.ts';
import type { PerpContext, PoolLiquidity, Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import type { FeedLimits } from '../../src/domain/venues/venue-facts.ts';
import type { FeedCounters } from '../feed-counters.ts';
import { readProvider } from '../feed-life.ts';
import { withQuoteFlags, withReferenceFlags } from '../quality/flag-bits.ts';
import { createFreshness, type Freshness } from '../quality/freshness.ts';
import { SlotTable } from '../slot-table.ts';

/** Messages whose content rules check. */
export type RuledEvent = Quote | ReferencePrice | PerpContext | PoolLiquidity;

/** Accepted price of an instrument of a venue, across the venue's feeds (`priceJump`). */
export interface JumpMemory {
  /** Last accepted sides as text. For a reference price both are the price. Empty before the first. */
  bid: string;
  ask: string;
  /** Price of a possible jump, or NaN. */
  candidate: number;
  /** Number of events that agreed with the candidate. `since` is the first. */
  agreed: number;
  since: EpochMs;
}

/** Memory of one run of rules for an instrument of a source. Each rule uses its own members. */
export interface RuleMemory {
  readonly limits: FeedLimits;
  readonly jump: JumpMemory;
  /** `outOfOrder`: the highest number, the latest own time and the last emitted event. */
  sequence: number | null;
  observedAt: EpochMs;
  last: RuledEvent | null;
  /** `gap`: the highest number, and if one is missing or the adapter was resynchronizing. */
  gapSequence: number | null;
  gapped: boolean;
  resyncing: boolean;
}

/** Result of a rule that drops the message. Flag bits are never negative. */
export const DROPPED = -1;

/**
 * A quality rule. It returns flag bits (`flag-bits.ts`), or `DROPPED`. `found` are the bits of the earlier rules on the same message. A
 * rule ignores kinds of messages without a function.
 */
export interface QualityRule {
  readonly quote?: (quote: Quote, memory: RuleMemory, found: number) => number;
  readonly reference?: (reference: ReferencePrice, memory: RuleMemory, found: number) => number;
  /** Returns 0 or `DROPPED`: perpetual contexts and pool liquidity have no flags. */
  readonly context?: (event: PerpContext | PoolLiquidity, memory: RuleMemory) => number;
  /** Called when the connection behind the memory was made again. */
  readonly connected?: (memory: RuleMemory) => void;
}

/** Returns the message, a flagged copy of it, or null if it is dropped. */
export type RunRules = (message: FeedMessage) => FeedMessage | null;

export interface RuleOptions {
  /** Limits, sessions and issuer marks. Default: the built-in ones. */
  readonly freshness?: Freshness;
  readonly counters?: FeedCounters;
  /** Receives a message on which a rule threw. The message is dropped. Without it the stream ends with the error. */
  readonly onFailure?: (error: unknown) => void;
  /** Memory shared by the operators of a pipeline, so that a message is looked up once. Default: each has its own. */
  readonly memories?: RuleMemories;
}

const DEFAULT_FRESHNESS = createFreshness();

export function chooseFreshness(options: RuleOptions): Freshness {
  return options.freshness ?? DEFAULT_FRESHNESS;
}

/** Maximum instruments remembered per source, so that a feed that invents names has bounded memory. */
const MAX_INSTRUMENTS = 20_000;

/** Memories by kind of message. */
type RuleMemories = Readonly<Record<RuledEvent['kind'], FeedMemories>>;

/** Returns empty memories for one run of rules. */
export function createRuleMemories(options: RuleOptions): RuleMemories {
  const freshness = chooseFreshness(options);
  const jumps = new SlotTable<JumpMemory>(() => ({ bid: '', ask: '', candidate: Number.NaN, agreed: 0, since: 0 }), MAX_INSTRUMENTS);
  const create = (venue: Venue, source: string, instrument: string): RuleMemory => ({
    limits: freshness.sourceLimits(venue, source),
    jump: jumps.at(venue, instrument),
    sequence: null,
    observedAt: Number.NEGATIVE_INFINITY,
    last: null,
    gapSequence: null,
    gapped: false,
    resyncing: false,
  });
  return {
    quote: new FeedMemories(create),
    reference: new FeedMemories(create),
    perp_context: new FeedMemories(create),
    pool_liquidity: new FeedMemories(create),
  };
}

function defined<Value>(value: Value | undefined): value is Value {
  return value !== undefined;
}

/**
 * Runs rules one after the other on each message, with one look-up and at most one copy. With a single rule this is that rule's operator,
 * with all of them the fused chain.
 */
export function runRules(rules: readonly QualityRule[], options: RuleOptions = {}): RunRules {
  const known = options.memories ?? createRuleMemories(options);
  const quoteRules = rules.map((rule) => rule.quote).filter(defined);
  const referenceRules = rules.map((rule) => rule.reference).filter(defined);
  const contextRules = rules.map((rule) => rule.context).filter(defined);
  const connectedRules = rules.map((rule) => rule.connected).filter(defined);

  const [firstQuoteRule] = quoteRules;

  function runQuote(quote: Quote): Quote | null {
    const memory = known.quote.at(quote.venue, quote.source, quote.instrument);
    let found = (firstQuoteRule as NonNullable<QualityRule['quote']>)(quote, memory, 0);
    if (found < 0) return null;
    for (let index = 1; index < quoteRules.length; index++) {
      const bits = (quoteRules[index] as NonNullable<QualityRule['quote']>)(quote, memory, found);
      if (bits < 0) return null;
      found |= bits;
    }
    return found === 0 ? quote : withQuoteFlags(quote, found);
  }

  function runReference(reference: ReferencePrice): ReferencePrice | null {
    const memory = known.reference.at('reference', reference.source, reference.instrument);
    let found = 0;
    for (const rule of referenceRules) {
      const bits = rule(reference, memory, found);
      if (bits < 0) return null;
      found |= bits;
    }
    return found === 0 ? reference : withReferenceFlags(reference, found);
  }

  function runContext(event: PerpContext | PoolLiquidity): PerpContext | PoolLiquidity | null {
    const memory = known[event.kind].at(event.venue, event.source, event.instrument);
    for (const rule of contextRules) if (rule(event, memory) < 0) return null;
    return event;
  }

  function connected(status: FeedStatus): void {
    if (connectedRules.length === 0) return;
    for (const table of Object.values(known)) {
      table.eachOf(status, (memory) => {
        for (const rule of connectedRules) rule(memory);
      });
    }
  }

  return (message) => {
    switch (message.kind) {
      case 'quote':
        return quoteRules.length === 0 ? message : runQuote(message);
      case 'reference':
        return referenceRules.length === 0 ? message : runReference(message);
      case 'perp_context':
      case 'pool_liquidity':
        return contextRules.length === 0 ? message : runContext(message);
      case 'feed_status':
        if (message.status === 'connected') connected(message);
        return message;
      default:
        return message;
    }
  };
}

/** Returns the operator of rules. Every subscription has its own memory. */
export function rulesOperator(rules: readonly QualityRule[], options: RuleOptions): MonoTypeOperatorFunction<FeedMessage> {
  return keptBy(() => runRules(rules, options), options.onFailure);
}

/**
 * Maps each message with `begin()`, and drops null. A message on which it throws goes to `onFailure` and is dropped. Without `onFailure`
 * the stream ends with the error.
 */
export function keptBy(begin: () => RunRules, onFailure?: (error: unknown) => void): MonoTypeOperatorFunction<FeedMessage> {
  return (source) =>
    new Observable((subscriber) => {
      const keep = begin();
      return source.subscribe({
        next: (message) => {
          let kept: FeedMessage | null;
          try {
            kept = keep(message);
          } catch (error) {
            if (onFailure === undefined) subscriber.error(error);
            else onFailure(error);
            return;
          }
          if (kept !== null) subscriber.next(kept);
        },
        error: (error) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}

/** Memories by venue, source and instrument, which a new connection of their provider can find. */
class FeedMemories {
  readonly #create: (venue: Venue, source: string, instrument: string) => RuleMemory;
  readonly #venues = new Map<Venue, SlotTable<RuleMemory>>();
  #lastVenue: Venue | null = null;
  #lastTable: SlotTable<RuleMemory> | null = null;
  #lastSource = '';
  #lastInstrument = '';
  #lastMemory: RuleMemory | null = null;

  constructor(create: (venue: Venue, source: string, instrument: string) => RuleMemory) {
    this.#create = create;
  }

  at(venue: Venue, source: string, instrument: string): RuleMemory {
    // The operators of a pipeline request the same memory one after the other.
    if (this.#lastInstrument === instrument && this.#lastSource === source && this.#lastVenue === venue && this.#lastMemory !== null)
      return this.#lastMemory;
    let table = this.#lastVenue === venue ? this.#lastTable : null;
    if (table === null) {
      table = this.#venues.get(venue) ?? null;
      if (table === null) {
        table = new SlotTable((of, name) => this.#create(venue, of, name), MAX_INSTRUMENTS);
        this.#venues.set(venue, table);
      }
      this.#lastVenue = venue;
      this.#lastTable = table;
    }
    this.#lastSource = source;
    this.#lastInstrument = instrument;
    this.#lastMemory = table.at(source, instrument);
    return this.#lastMemory;
  }

  /** Calls for every memory of a status's connection. */
  eachOf(status: FeedStatus, call: (memory: RuleMemory) => void): void {
    const provider = readProvider(status.source);
    this.#venues.get(status.venue)?.each((memory, source) => {
      if (readProvider(source) === provider) call(memory);
    });
  }
}
