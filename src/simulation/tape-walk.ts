/** Walk along a tape under a virtual clock. Its events take the live path of a quote from the beginning on. */
import { createMarketPipeline, type MarketPipeline } from '../../streams/market-pipeline.ts';
import { type MarketStatesOptions, publishMarketStates } from '../../streams/market-states.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/clock/virtual-clock.ts';
import type { FeedMessage } from '../domain/market/market-event.ts';
import type { Quote, ReferencePrice } from '../domain/market/quote.ts';
import type { TapeEvent } from '../domain/tape/tape.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { Venue } from '../domain/market/venue.ts';
import type { ReplayTape } from './replay/replay.ts';
import { createTapeBars, type TapeBars } from './tape-bars.ts';

/** Receivers of the newest values while a tape is walked. */
export interface MarketSinks {
  readonly prices: { publish(price: Quote | ReferencePrice): void };
  readonly states: MarketStatesOptions['bus'];
}

/** Tape that can be closed before its end. */
export interface WalkedTape extends ReplayTape {
  close(): Promise<void>;
}

/** Events after which the walk yields to other work. */
const EVENTS_PER_TURN = 1_024;

interface TapeWalkOptions<Sinks extends MarketSinks> {
  readonly tape: WalkedTape;
  /** Time of the tape's first event. */
  readonly start: EpochMs;
  readonly venues: readonly Venue[];
  readonly sinks: Sinks;
  /** Receives errors of the streams. */
  readonly onFailure: (error: unknown) => void;
}

export class TapeWalk<Sinks extends MarketSinks> {
  readonly sinks: Sinks;
  readonly clock: VirtualClock;
  readonly bars: TapeBars = createTapeBars();
  readonly #tape: WalkedTape;
  readonly #pipeline: MarketPipeline;
  readonly #ahead: ReturnType<typeof createAhead>;
  readonly #ends: readonly (() => void)[];
  /** Time until which per-second announcements are skipped, because nobody sees them. */
  #hurryingTo: EpochMs = 0;
  #events = 0;

  constructor({ tape, start, venues, sinks, onFailure }: TapeWalkOptions<Sinks>) {
    const clock = createVirtualClock(start);
    const pipeline = createMarketPipeline({
      clock,
      random: () => 0,
      feeds: [],
      venues,
      instruments: () => [],
      needs: () => [],
      onCut: () => {},
      onFailure,
    });
    this.sinks = sinks;
    this.clock = clock;
    this.#tape = tape;
    this.#pipeline = pipeline;
    this.#ahead = createAhead(tape);
    const received = pipeline.received.subscribe({ next: this.bars.receive, error: onFailure });
    const assessed = pipeline.assessed.subscribe({ next: (message) => this.#show(message), error: onFailure });
    const endStates = publishMarketStates({
      pipeline,
      extras: { books: [], tickers: [], serverTimes: [] },
      venues,
      bus: sinks.states,
      clock: { now: clock.now, deadline: (at, call) => clock.deadline(Math.max(at, this.#hurryingTo), call) },
      budgets: () => [],
      onFailure,
    });
    this.#ends = [endStates, () => received.unsubscribe(), () => assessed.unsubscribe()];
    pipeline.start();
  }

  get events(): number {
    return this.#events;
  }

  /** Receives everything up to and including an instant. Ends early if `isWanted` returns false. @throws TapeError */
  async advanceTo(at: EpochMs, isWanted: () => boolean = () => true): Promise<void> {
    this.#hurryingTo = at;
    for (let taken = 1; isWanted(); taken++) {
      const event = this.#ahead.ready() ?? (await this.#ahead.load());
      if (event === null || event.receivedAt > at) break;
      this.#take(event);
      if (taken % EVENTS_PER_TURN === 0) await turn();
    }
    if (isWanted() && at > this.clock.now()) this.clock.advanceTo(at);
  }

  /** Receives everything up to and including the next price's time, but nothing after `most`. @throws TapeError */
  async step(most: EpochMs): Promise<void> {
    for (;;) {
      const event = this.#ahead.ready() ?? (await this.#ahead.load());
      if (event === null || event.receivedAt > most) return this.advanceTo(most);
      if (event.kind === 'quote' || event.kind === 'reference') return this.advanceTo(event.receivedAt);
      this.#take(event);
    }
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    this.#pipeline.stop();
    await this.#tape.close();
  }

  #take(event: TapeEvent): void {
    this.#ahead.drop();
    this.#events++;
    if (event.receivedAt > this.clock.now()) this.clock.advanceTo(event.receivedAt);
    if (isReceived(event)) this.#pipeline.push(event);
  }

  #show(message: FeedMessage): void {
    this.bars.assess(message);
    if (message.kind === 'quote' || message.kind === 'reference') this.sinks.prices.publish(message);
  }
}

/** True if an event does not concern agents. */
function isReceived(event: TapeEvent): event is FeedMessage & TapeEvent {
  return event.kind !== 'command' && event.kind !== 'cut' && event.kind !== 'inputs';
}

/** Creates a reader that holds the tape's next event until it is dropped. */
function createAhead(tape: ReplayTape) {
  const batches = tape.batches();
  let batch: readonly TapeEvent[] = [];
  let next = 0;
  return {
    ready: (): TapeEvent | null => batch[next] ?? null,
    /** Returns the first event of the next batch, or null at the end. */
    async load(): Promise<TapeEvent | null> {
      while (next >= batch.length) {
        const read = await batches.next();
        if (read.done === true) return null;
        batch = read.value.events;
        next = 0;
      }
      return batch[next] as TapeEvent;
    },
    drop(): void {
      next++;
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
