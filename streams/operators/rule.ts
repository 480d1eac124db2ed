/** Quality rules, how they run over one message, and the RxJS operator of a rule. */
import { type MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { FeedMessage, FeedStatus } from '../../src/domain/market/market-event.ts';
import type { PerpContext, PoolLiquidity, Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import type { FeedLimits } from '../../src/domain/venues/venue-facts.ts';
import type { FeedCounters } from '../feed-counters.ts';
import { providerOf } from '../feed-life.ts';
import { withQuoteFlags, withReferenceFlags } from '../flag-bits.ts';
import { createFreshness, type Freshness } from '../freshness.ts';
import { SlotTable } from '../slot-table.ts';

/** The messages whose content rules look at. */
export type RuledEvent = Quote | ReferencePrice | PerpContext | PoolLiquidity;

/** Accepted price of one instrument of one venue, across the venue's feeds (`priceJump`). */
export interface JumpMemory {
  /** The last accepted sides as texts; of a reference price both are the price. Empty before the first. */
  bid: string;
  ask: string;
  /** The price to which the market may have jumped; NaN while there is none. */
  candidate: number;
  /** Number of events that agreed with the candidate, and since when. */
  agreed: number;
  since: EpochMs;
}

/** Memory of one run of rules for one instrument of one source. Each rule reads and writes its own members. */
export interface RuleMemory {
  readonly limits: FeedLimits;
  readonly jump: JumpMemory;
  /** `outOfOrder`: the highest number, the latest own time and the last event that was let through. */
  sequence: number | null;
  observedAt: EpochMs;
  last: RuledEvent | null;
  /** `gap`: the highest number, whether one is missing, and whether the adapter was resynchronizing. */
  gapSequence: number | null;
  gapped: boolean;
  resyncing: boolean;
}

/** Result of a rule that drops the message. No set of flag bits is below zero. */
export const DROPPED = -1;

/**
 * One rule of quality. It answers with flag bits (`flag-bits.ts`), or `DROPPED`; `found` are the bits that the rules
 * before it have found on the same message. A kind of message without a function is not one of the rule's business.
 */
export interface QualityRule {
  readonly quote?: (quote: Quote, memory: RuleMemory, found: number) => number;
  readonly reference?: (reference: ReferencePrice, memory: RuleMemory, found: number) => number;
  /** 0 or `DROPPED`: perpetual contexts and pool liquidity carry no flags. */
  readonly context?: (event: PerpContext | PoolLiquidity, memory: RuleMemory) => number;
  /** The connection that brought what is remembered was made anew. */
  readonly connected?: (memory: RuleMemory) => void;
}

/** Takes a message and returns it, a flagged copy of it, or null if it is dropped. */
export type RunRules = (message: FeedMessage) => FeedMessage | null;

export interface RuleOptions {
  /** Limits, sessions and issuer marks; the defaults if it is missing. */
  readonly freshness?: Freshness;
  readonly counters?: FeedCounters;
  /** Receives a message on which a rule threw: the message is dropped. Without it the stream ends with the error. */
  readonly onFailure?: (error: unknown) => void;
  /** Memory shared by the operators of one pipeline, so that a message is looked up once. Each has its own by default. */
  readonly memories?: RuleMemories;
}

const DEFAULT_FRESHNESS = createFreshness();

export function freshnessOf(options: RuleOptions): Freshness {
  return options.freshness ?? DEFAULT_FRESHNESS;
}

/** Instruments remembered of one source: a feed that invents names costs memory of its own, not of the process. */
const MAX_INSTRUMENTS = 20_000;

/** Memories by kind of message. */
export type RuleMemories = Readonly<Record<RuledEvent['kind'], FeedMemories>>;

/** Empty memories for one run of rules. */
export function createRuleMemories(options: RuleOptions): RuleMemories {
  const freshness = freshnessOf(options);
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
 * Runs rules one after the other over each message, with one look-up and at most one copy per message. With a single rule this is that
 * rule's operator; with all of them it is the fused chain.
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

/** The operator of rules: every subscription remembers for itself. */
export function rulesOperator(rules: readonly QualityRule[], options: RuleOptions): MonoTypeOperatorFunction<FeedMessage> {
  return keptBy(() => runRules(rules, options), options.onFailure);
}

/**
 * Passes on what `begin()` makes of each message; null drops it. A message on which it throws is told to `onFailure` and
 * costs only itself; without `onFailure` the stream ends with the error.
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

/** Memories by venue, source and instrument, which a new connection of their provider can find again. */
export class FeedMemories {
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
    // The operators of one pipeline ask for the same memory one after the other.
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

  /** Calls for every memory that the connection of a status fed. */
  eachOf(status: FeedStatus, call: (memory: RuleMemory) => void): void {
    const provider = providerOf(status.source);
    this.#venues.get(status.venue)?.each((memory, source) => {
      if (providerOf(source) === provider) call(memory);
    });
  }
}
