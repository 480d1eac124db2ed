/**
 * The live quotes of the primary chain's aggregator: two small route requests per token, in turn, inside of one request budget.
 * See docs/reference/outside/aggregator.md.
 */
import { createClockScheduler } from '../../../../streams/clock/clock-scheduler.ts';
import { catchError, concat, concatMap, defer, EMPTY, from, ignoreElements, type Observable, of, repeat, timer } from 'rxjs';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { AskingSchedule } from '../../../../streams/merge-feeds.ts';
import { isTradableAt } from '../../../domain/catalog/catalog.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { askingOrder, pollingMs, quotesMs, restingRound } from '../../../domain/venues/polled-round.ts';
import { DATA_DEGRADATION_MS } from '../../../domain/venues/venue-facts.ts';
import { retryPauseMs } from '../ask-again.ts';
import { feedStatus, heartbeat, rejection } from '../feed-messages.ts';
import type { KeyedClient } from '../reference/keyed-client.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import {
  haltedQuote,
  type Leg,
  mapProbe,
  PRICE_SOURCE,
  type PriceRow,
  poolLiquidity,
  QUOTE_SOURCE,
  readLeg,
  readPrices,
  type SpotToken,
} from './map.ts';
import { multiplierAt, type ScaledUi } from './multiplier.ts';

/** Price answers carry at most so many mints. */
const PRICE_BATCH = 50;
/** A round waits so long for its prices. Routes are asked without them then. */
const PRICES_WAIT_MS = 2_000;
/** Codes of a token that exists but may not be traded now. */
const HALTED_CODES = new Set(['TOKEN_NOT_TRADABLE']);
/** The venue's word for an amount that no route takes whole. */
const NO_ROUTE_FOR_SIZE = 'COULD_NOT_FIND_ANY_ROUTE';
/** Parts of the probe that are tried in turn, and the last one, whose refusal counts. */
const SMALLER_PROBES = [1n, 10n] as const;
const SMALLEST_PROBE = 100n;

export interface SpotchainFeedOptions {
  readonly client: KeyedClient;
  /** Tokens, or a function that is read at the beginning of every round if they may change. */
  readonly tokens: readonly SpotToken[] | (() => readonly SpotToken[]);
  readonly stable: { readonly mint: string; readonly decimals: number };
  readonly clock: Clock;
  /** Random source for jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  /** Raw units of the stablecoin that one probe buys for. Default 100 whole ones. */
  readonly probeRaw?: string;
  /** Route request to use. `v1` reports the slot; `v2` is the venue's current one. Default `v1`. */
  readonly route?: 'v1' | 'v2';
  /** The shortest time between two rounds. Default 2 s; longer if the budget asks for it. */
  readonly roundMs?: number;
  /** Maximum distance of the venue's price from the executable mid, in percent. Default 5. */
  readonly maxDisagreementPct?: number;
}

/** Two rounds begin at least so far apart. */
export const SHORTEST_ROUND_MS = 2_000;

/** Returns the minimum time of one round, so that requests are spread evenly under the plan: the probes, and the prices of all tokens. */
export function roundLengthMs(probes: number, perMinute: number, roundMs: number, tokens = probes): number {
  return Math.max(roundMs, quotesMs(probes, perMinute) + pollingMs(Math.ceil(tokens / PRICE_BATCH), perMinute));
}

/**
 * Quotes of the given tokens per UI unit, and the liquidity of their pools. Every round asks for prices and multipliers
 * once, then probes one token after the other, evenly over the round. Tokens that are to be asked first come back several times
 * a round if it is long. A refusal of one token is a counted rejection and costs only that token. The feed is `disconnected`
 * while the venue does not answer route requests; an answer that is five seconds late is none.
 */
export function createSpotchainFeed(options: SpotchainFeedOptions): VenueFeed {
  const unknownFields = createUnknownFields();
  const listed = (): readonly SpotToken[] => (typeof options.tokens === 'function' ? options.tokens() : options.tokens);
  if (listed().length === 0) throw new RangeError('the aggregator feed needs at least one token');
  const schedule = new PollingSchedule();
  const messages = defer(() => new TokenPoller(options, listed, unknownFields.note, schedule).rounds());
  return { venue: 'spotchain', messages, unknownFields, schedule };
}

/** Order of the tokens, and the requests of each in the present round. */
class PollingSchedule implements AskingSchedule {
  #first: ReadonlySet<string> = new Set();
  #attended: ReadonlySet<string> | null = null;
  #everyMs: ReadonlyMap<string, number> = new Map();

  askFirst(instruments: ReadonlySet<string>): void {
    this.#first = instruments;
  }

  attend(instruments: ReadonlySet<string>): void {
    this.#attended = instruments;
  }

  everyMs(instrument: string): number | null {
    return this.#everyMs.get(instrument) ?? null;
  }

  /** The order of a round, and its length in milliseconds. */
  begin(
    tokens: readonly SpotToken[],
    perMinute: number,
    roundMs: number,
  ): { readonly order: readonly SpotToken[]; readonly lengthMs: number } {
    const order = askingOrder(tokens, ({ symbol }) => this.#first.has(symbol), perMinute);
    const lengthMs = roundLengthMs(order.length, perMinute, roundMs, tokens.length);
    const round = this.#resting(tokens, perMinute, lengthMs) ?? { order, lengthMs };
    this.#everyMs = longestWaits(round.order, round.lengthMs);
    return round;
  }

  /** Null where something has live capital, and until somebody says what is attended to. */
  #resting(tokens: readonly SpotToken[], perMinute: number, roundMs: number) {
    const attended = this.#attended;
    if (attended === null || tokens.some(({ symbol }) => this.#first.has(symbol))) return null;
    return restingRound(tokens, ({ symbol }) => attended.has(symbol), perMinute, roundMs);
  }
}

/** The longest time between two askings of each token, if a round is followed by another one like it. */
function longestWaits(order: readonly SpotToken[], lengthMs: number): ReadonlyMap<string, number> {
  const places = new Map<string, number[]>();
  order.forEach(({ symbol }, place) => places.set(symbol, [...(places.get(symbol) ?? []), place]));
  const longest = (at: readonly number[]): number =>
    Math.max(...at.map((place, index) => (at[index + 1] ?? (at[0] as number) + order.length) - place));
  return new Map([...places].map(([symbol, at]) => [symbol, Math.ceil((longest(at) * lengthMs) / order.length)]));
}

/** True if the error is the venue's silence rather than its answer about one token. */
function isSilence(error: unknown): error is VenueError {
  return (
    error instanceof VenueError &&
    (error.status === 0 || error.status === 401 || error.status === 403 || error.status === 429 || error.status >= 500)
  );
}

/** One subscription of the feed: what is remembered from round to round. */
class TokenPoller {
  readonly #options: SpotchainFeedOptions;
  readonly #clock: Clock;
  readonly #listed: () => readonly SpotToken[];
  readonly #note: NoteUnknownField;
  readonly #schedule: PollingSchedule;
  readonly #prices = new Map<string, PriceRow>();
  readonly #scaled = new Map<string, ScaledUi>();
  /** Mints whose end was told. */
  readonly #ended = new Set<string>();
  #connected = false;
  #epoch = 0;
  #failures = 0;

  constructor(options: SpotchainFeedOptions, listed: () => readonly SpotToken[], note: NoteUnknownField, schedule: PollingSchedule) {
    this.#options = options;
    this.#clock = options.clock;
    this.#listed = listed;
    this.#note = note;
    this.#schedule = schedule;
  }

  /** Round after round, each spread evenly over its length. */
  rounds(): Observable<FeedMessage> {
    return defer(() => this.#round()).pipe(repeat());
  }

  #round(): Observable<FeedMessage> {
    const startedAt = this.#clock.now();
    const { quotable, halted } = this.#tokensNow(startedAt);
    const { client, roundMs = SHORTEST_ROUND_MS } = this.#options;
    const { order, lengthMs } = this.#schedule.begin(quotable, client.perMinute, roundMs);
    return concat(
      from(halted),
      // While the routes do not answer, one question at a time is enough to find out whether they do again.
      this.#failures === 0 ? this.#roundPrices(quotable) : EMPTY,
      from(order).pipe(
        concatMap((token, index) =>
          concat(
            this.#probe(token, index === 0 ? startedAt : this.#clock.now()),
            this.#until(startedAt + Math.floor(((index + 1) * lengthMs) / order.length)),
          ),
        ),
      ),
      this.#until(startedAt + lengthMs, quotable.length === 0),
      defer(() => (this.#connected ? of(heartbeat('spotchain', QUOTE_SOURCE, this.#clock.now())) : EMPTY)),
    );
  }

  /** Waits until an instant; emits nothing. */
  #until(at: EpochMs, wanted = true): Observable<never> {
    return defer(() => {
      const ms = at - this.#clock.now();
      return wanted && ms > 0 ? timer(ms, createClockScheduler(this.#clock)).pipe(ignoreElements()) : EMPTY;
    });
  }

  /** The tokens that may be quoted now; one whose mint has come to its end is told `halted` once and never asked for again. */
  #tokensNow(now: EpochMs): { readonly quotable: readonly SpotToken[]; readonly halted: readonly FeedMessage[] } {
    const halted: FeedMessage[] = [];
    const quotable = this.#listed().filter((token) => {
      const isQuotable = isTradableAt({ validFrom: token.validFrom ?? null, validTo: token.validTo ?? null }, now);
      if (!isQuotable && token.validTo != null && now >= token.validTo && !this.#ended.has(token.mint)) {
        this.#ended.add(token.mint);
        halted.push(haltedQuote(token, now));
      }
      return isQuotable;
    });
    return { quotable, halted };
  }

  /** Prices only check what the routes say; whether the venue can be received is for the routes to show. */
  #roundPrices(tokens: readonly SpotToken[]): Observable<FeedMessage> {
    const batches = Array.from({ length: Math.ceil(tokens.length / PRICE_BATCH) }, (_, index) =>
      tokens.slice(index * PRICE_BATCH, (index + 1) * PRICE_BATCH),
    );
    const deadline = this.#clock.now() + PRICES_WAIT_MS;
    return from(batches).pipe(
      concatMap((batch) => this.#by(deadline, this.#askPrices(batch))),
      concatMap((told) => told),
      catchError((error: unknown) => of(this.#refused('prices', error))),
    );
  }

  async #askPrices(batch: readonly SpotToken[]): Promise<readonly FeedMessage[]> {
    const body = await this.#options.client.get('/price/v3', [['ids', batch.map((token) => token.mint).join(',')]]);
    const read = readPrices(body, this.#note);
    const receivedAt = this.#clock.now();
    if (typeof read === 'string') return [rejection('spotchain', PRICE_SOURCE, receivedAt, 'unknown_shape', read, '')];
    const told: FeedMessage[] = read.unread.map(({ reason, detail }) =>
      rejection('spotchain', PRICE_SOURCE, receivedAt, reason, detail, ''),
    );
    for (const token of batch) {
      const row = read.rows.get(token.mint);
      if (row === undefined) {
        // Left out means: no reliable price. The quote then stands on the routes alone.
        this.#prices.delete(token.mint);
        continue;
      }
      this.#prices.set(token.mint, row);
      if (row.scaledUi !== null) this.#scaled.set(token.mint, row.scaledUi);
      if (row.liquidityUsd !== null) told.push(poolLiquidity(token.symbol, row.liquidityUsd, receivedAt));
    }
    return told;
  }

  /** Both routes of one token. The venue's silence costs a pause, its refusal of the token only that token. */
  #probe(token: SpotToken, dueAt: EpochMs): Observable<FeedMessage> {
    return defer(() => this.#askRoutes(token, dueAt + DATA_DEGRADATION_MS)).pipe(
      catchError((error: unknown) => {
        if (!isSilence(error)) return of(this.#refused(token.symbol, error));
        const told = this.#lost(error, dueAt);
        const pauseMs = retryPauseMs(error, this.#failures, this.#options.random);
        return concat(from(told), this.#until(this.#clock.now() + pauseMs));
      }),
    );
  }

  /** Returns the answer, or the venue's silence if it has not come by the deadline. */
  async #by<Answer>(deadline: EpochMs, asked: Promise<Answer>): Promise<Answer> {
    const askedAt = this.#clock.now();
    let cancel = (): void => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.#clock.deadline(deadline, () =>
        reject(new VenueError('spotchain', 0, 'timeout', `the aggregator gave no answer within ${this.#clock.now() - askedAt} ms`)),
      );
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      cancel();
    }
  }

  /** A buy of the probe, or of a part of it where the pool has no room for more: a young or nearly full pool still has a price. */
  async #smallBuy(stableMint: string, tokenMint: string, amount: bigint): Promise<Leg> {
    for (const divisor of SMALLER_PROBES) {
      try {
        return await this.#leg(stableMint, tokenMint, String(amount / divisor));
      } catch (error) {
        if (!(error instanceof VenueError && error.code === NO_ROUTE_FOR_SIZE)) throw error;
      }
    }
    return this.#leg(stableMint, tokenMint, String(amount / SMALLEST_PROBE));
  }

  async *#askRoutes(token: SpotToken, deadline: EpochMs): AsyncGenerator<FeedMessage> {
    const { stable, probeRaw = `100${'0'.repeat(stable.decimals)}`, maxDisagreementPct = 5 } = this.#options;
    let buy: Leg;
    try {
      buy = await this.#by(deadline, this.#smallBuy(stable.mint, token.mint, BigInt(probeRaw)));
    } catch (error) {
      if (isSilence(error)) throw error;
      yield* this.#answered();
      if (error instanceof VenueError && HALTED_CODES.has(error.code)) yield haltedQuote(token, this.#clock.now());
      yield this.#refused(token.symbol, error);
      return;
    }
    yield* this.#answered();
    let sell: Leg | null = null;
    try {
      sell = await this.#by(deadline, this.#leg(token.mint, stable.mint, buy.outAmount));
    } catch (error) {
      if (isSilence(error)) throw error;
      yield this.#refused(token.symbol, error);
    }
    const receivedAt = this.#clock.now();
    // An answer that comes after the mint's end is of no use; the next round tells of the end.
    if (token.validTo != null && receivedAt >= token.validTo) return;
    const multiplier = multiplierAt(this.#scaled.get(token.mint) ?? token.scaledUi, receivedAt);
    const price = this.#prices.get(token.mint)?.usdPrice ?? null;
    yield mapProbe(token, stable.decimals, { buy, sell }, multiplier, price, maxDisagreementPct, receivedAt);
  }

  async #leg(inputMint: string, outputMint: string, amount: string): Promise<Leg> {
    const body = await this.#options.client.get(this.#options.route === 'v2' ? '/swap/v2/order' : '/swap/v1/quote', [
      ['inputMint', inputMint],
      ['outputMint', outputMint],
      ['amount', amount],
      ['slippageBps', '50'],
      ['swapMode', 'ExactIn'],
    ]);
    const read = readLeg(body, inputMint, outputMint, amount, this.#note);
    if (typeof read === 'string') throw new VenueError('spotchain', 200, 'unusable_quote', read);
    return read;
  }

  #answered(): readonly FeedMessage[] {
    this.#failures = 0;
    if (this.#connected) return [];
    this.#connected = true;
    this.#epoch += 1;
    return [feedStatus('spotchain', QUOTE_SOURCE, this.#clock.now(), 'connected', this.#epoch)];
  }

  /** The first answer that is missed is told with the time at which it was due. */
  #lost(error: VenueError, dueAt: EpochMs): readonly FeedMessage[] {
    this.#failures += 1;
    if (!this.#connected && this.#failures > 1) return [];
    this.#connected = false;
    return [{ ...feedStatus('spotchain', QUOTE_SOURCE, this.#clock.now(), 'disconnected', this.#epoch, error.message), missedAt: dueAt }];
  }

  #refused(symbol: string, error: unknown): FeedMessage {
    const detail = error instanceof VenueError ? `${error.code}: ${error.message}` : (error as Error).message;
    return rejection('spotchain', QUOTE_SOURCE, this.#clock.now(), 'venue_error', `${symbol}: ${detail}`, '');
  }
}
