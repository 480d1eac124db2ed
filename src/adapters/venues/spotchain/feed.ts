/**
 * Live quotes of the primary chain's aggregator: two small route requests per token, in turn, within one request budget.
 * See docs/reference/outside/aggregator.md.
 */
import { createClockScheduler } from '../../../../streams/clock/clock-scheduler.ts';
import { catchError, concat, concatMap, defer, EMPTY, from, ignoreElements, type Observable, of, repeat, timer } from 'rxjs';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { AskingSchedule } from '../../../../streams/merge-feeds.ts';
import { isTradableAt } from '../../../domain/catalog/catalog.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { DecimalString } from '../../../domain/values/decimal.ts';
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
import { fixedMultiplier, isUnsettled, multiplierAt, type ScaledUi, UNSETTLED_MS } from './multiplier.ts';

/** Maximum number of mints in a price request. */
const PRICE_BATCH = 50;
/** Maximum wait of a round for its prices, in milliseconds. Routes are then requested without them. */
const PRICES_WAIT_MS = 2_000;
/** Error codes of a token that exists but may not be traded now. */
const HALTED_CODES = new Set(['TOKEN_NOT_TRADABLE']);
/** Error code if no route can fill the whole amount. */
const NO_ROUTE_FOR_SIZE = 'COULD_NOT_FIND_ANY_ROUTE';
/** Divisors of the probe amount, tried in turn. The refusal of the last one counts. */
const SMALLER_PROBES = [1n, 10n] as const;
const SMALLEST_PROBE = 100n;

export interface SpotchainFeedOptions {
  readonly client: KeyedClient;
  /** Tokens, or a function called at the beginning of every round if they may change. */
  readonly tokens: readonly SpotToken[] | (() => readonly SpotToken[]);
  readonly stable: { readonly mint: string; readonly decimals: number };
  readonly clock: Clock;
  /** Random source for the jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  /** Amount of one probe, in raw units of the stablecoin. Default 100 whole ones. */
  readonly probeRaw?: string;
  /** Route request to use. `v1` reports the slot; `v2` is the venue's current one. Default `v1`. */
  readonly route?: 'v1' | 'v2';
  /** Minimum time between two rounds, in milliseconds. Default 2 s; longer if the budget requires it. */
  readonly roundMs?: number;
  /** Maximum distance of the venue's price from the executable mid, in percent. Default 5. */
  readonly maxDisagreementPct?: number;
}

/** Minimum time between two rounds, in milliseconds. */
export const SHORTEST_ROUND_MS = 2_000;

/** Returns the minimum length of a round in milliseconds, so that the requests (probes and prices of all tokens) stay within the plan. */
export function roundLengthMs(probes: number, perMinute: number, roundMs: number, tokens = probes): number {
  return Math.max(roundMs, quotesMs(probes, perMinute) + pollingMs(Math.ceil(tokens / PRICE_BATCH), perMinute));
}

/**
 * Creates a feed of the tokens' quotes per UI unit and their pools' liquidity. Every round requests prices and multipliers once, then
 * probes the tokens evenly over the round. Priority tokens repeat within a long round. A token's refusal is a counted rejection and
 * affects only that token. The feed is `disconnected` while the venue does not answer route requests; an answer five seconds late counts
 * as none.
 */
export function createSpotchainFeed(options: SpotchainFeedOptions): VenueFeed {
  const unknownFields = createUnknownFields();
  const listed = (): readonly SpotToken[] => (typeof options.tokens === 'function' ? options.tokens() : options.tokens);
  if (listed().length === 0) throw new RangeError('the aggregator feed needs at least one token');
  const schedule = new PollingSchedule();
  const known = new Map<string, DecimalString>();
  const messages = defer(() => new TokenPoller(options, listed, unknownFields.note, schedule, known).rounds());
  return {
    venue: 'spotchain',
    messages,
    unknownFields,
    schedule,
    recallMultipliers(last) {
      for (const [symbol, multiplier] of last) known.set(symbol, multiplier);
    },
  };
}

/** Schedule of the tokens, and each one's requests in the current round. */
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

  /** Begins a round: returns its order and its length in milliseconds. */
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

  /** Returns a round that requests unused tokens less often, or null if a token has live capital or usage is unknown. */
  #resting(tokens: readonly SpotToken[], perMinute: number, roundMs: number) {
    const attended = this.#attended;
    if (attended === null || tokens.some(({ symbol }) => this.#first.has(symbol))) return null;
    return restingRound(tokens, ({ symbol }) => attended.has(symbol), perMinute, roundMs);
  }
}

/** Returns the longest time between two requests of each token, if equal rounds follow each other. */
function longestWaits(order: readonly SpotToken[], lengthMs: number): ReadonlyMap<string, number> {
  const places = new Map<string, number[]>();
  order.forEach(({ symbol }, place) => places.set(symbol, [...(places.get(symbol) ?? []), place]));
  const longest = (at: readonly number[]): number =>
    Math.max(...at.map((place, index) => (at[index + 1] ?? (at[0] as number) + order.length) - place));
  return new Map([...places].map(([symbol, at]) => [symbol, Math.ceil((longest(at) * lengthMs) / order.length)]));
}

/** True if the venue did not answer, rather than refusing one token. */
function isSilence(error: unknown): error is VenueError {
  return (
    error instanceof VenueError &&
    (error.status === 0 || error.status === 401 || error.status === 403 || error.status === 429 || error.status >= 500)
  );
}

/** True if both state the same multiplier from the same time on. */
function isSameChange(a: ScaledUi, b: ScaledUi): boolean {
  return a.newMultiplier === b.newMultiplier && a.effectiveAt === b.effectiveAt;
}

/** True if both state the same multiplier from now on. */
function saysTheSame(a: ScaledUi, b: ScaledUi, now: EpochMs): boolean {
  return isSameChange(a, b) || (a.newMultiplier === b.newMultiplier && now >= Math.max(a.effectiveAt, b.effectiveAt));
}

/** Subscription of the feed, with its state between rounds. */
class TokenPoller {
  readonly #options: SpotchainFeedOptions;
  readonly #clock: Clock;
  readonly #listed: () => readonly SpotToken[];
  readonly #note: NoteUnknownField;
  readonly #schedule: PollingSchedule;
  readonly #prices = new Map<string, PriceRow>();
  /** Multipliers that the venue told, by mint, with the time since when a change has been known. */
  readonly #scaled = new Map<string, { readonly scaled: ScaledUi; readonly since: EpochMs }>();
  /** Facts of a multiplier, by mint, that one answer told and the next one must confirm, with the time of the first. */
  readonly #unconfirmed = new Map<string, { readonly scaled: ScaledUi; readonly since: EpochMs }>();
  /** Mints that a price answer told of, or left out. Before that the multiplier is only what was known last. */
  readonly #heard = new Set<string>();
  /** Multiplier of the last quotes, by token. Outlives this subscription. */
  readonly #inForce: Map<string, DecimalString>;
  /** Time of the last change of each token's multiplier. */
  readonly #changedAt = new Map<string, EpochMs>();
  /** Mints whose end was reported. */
  readonly #ended = new Set<string>();
  #connected = false;
  #epoch = 0;
  #failures = 0;

  constructor(
    options: SpotchainFeedOptions,
    listed: () => readonly SpotToken[],
    note: NoteUnknownField,
    schedule: PollingSchedule,
    inForce: Map<string, DecimalString>,
  ) {
    this.#inForce = inForce;
    this.#options = options;
    this.#clock = options.clock;
    this.#listed = listed;
    this.#note = note;
    this.#schedule = schedule;
  }

  /** Runs one round after another, each spread evenly over its length. */
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
      // While routes do not answer, one request at a time suffices to notice their return.
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

  /** Waits until an instant without emitting. */
  #until(at: EpochMs, wanted = true): Observable<never> {
    return defer(() => {
      const ms = at - this.#clock.now();
      return wanted && ms > 0 ? timer(ms, createClockScheduler(this.#clock)).pipe(ignoreElements()) : EMPTY;
    });
  }

  /** Returns the tokens to quote now. A token whose mint has ended is reported as `halted` once and not requested again. */
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

  /** Requests prices, which only verify the routes. Failures do not affect the connection state. */
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
      if (row !== undefined && row.scaledUi !== null) this.#learn(token, row.scaledUi, receivedAt);
      if (!this.#unconfirmed.has(token.mint)) this.#heard.add(token.mint);
      if (row === undefined) {
        // Omitted means that there is no reliable price. The quote then depends on the routes alone.
        this.#prices.delete(token.mint);
        continue;
      }
      this.#prices.set(token.mint, row);
      if (row.liquidityUsd !== null) told.push(poolLiquidity(token.symbol, row.liquidityUsd, receivedAt));
    }
    return told;
  }

  /** Requests both routes of one token. Silence of the venue pauses the feed; a refusal affects only the token. */
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

  /** Returns the answer, or an error of silence if it does not arrive by the deadline. */
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

  /** Buys the probe amount, or a part of it if the pool has no room: a young or nearly full pool still has a price. */
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
    // An answer after the mint's end is dropped. The next round reports the end.
    if (token.validTo != null && receivedAt >= token.validTo) return;
    const { multiplier, isSettled, told } = this.#multiplier(token, receivedAt);
    yield* told;
    const price = this.#prices.get(token.mint)?.usdPrice ?? null;
    const quote = mapProbe(token, stable.decimals, { buy, sell }, multiplier, price, maxDisagreementPct, receivedAt);
    yield isSettled || quote.quality !== 'live' ? quote : { ...quote, quality: 'degraded', flags: ['wide_confidence'] };
  }

  /** Takes over facts of a multiplier: at once if they change nothing, else if two answers in a row agree. */
  #learn(token: SpotToken, scaled: ScaledUi, now: EpochMs): void {
    const { mint } = token;
    const known = this.#scaled.get(mint);
    const first = this.#unconfirmed.get(mint);
    const believed = known?.scaled ?? this.#believed(token);
    if (!saysTheSame(believed, scaled, now) && (first === undefined || !isSameChange(first.scaled, scaled))) {
      this.#unconfirmed.set(mint, { scaled, since: now });
      return;
    }
    this.#unconfirmed.delete(mint);
    const isKnown = known !== undefined && isSameChange(known.scaled, scaled);
    this.#scaled.set(mint, { scaled, since: isKnown ? known.since : (first?.since ?? now) });
  }

  /** Returns what is believed of a multiplier before the venue has told it. */
  #believed({ symbol, scaledUi }: SpotToken): ScaledUi {
    const before = this.#inForce.get(symbol);
    return before === undefined ? scaledUi : fixedMultiplier(before);
  }

  /**
   * Returns the multiplier in force, and a message if it is another one than that of the last quotes. A change that was announced counts
   * from its own time, any other from now. Around a change nothing is settled: orders under way may land before or after it, and books
   * follow a minute later.
   */
  #multiplier(token: SpotToken, now: EpochMs) {
    const { symbol, mint } = token;
    const before = this.#inForce.get(symbol);
    const learned = this.#scaled.get(mint);
    const scaled = learned?.scaled ?? this.#believed(token);
    const multiplier = multiplierAt(scaled, now);
    const told: FeedMessage[] = [];
    if (multiplier !== before && this.#heard.has(mint)) {
      const isAnnounced = before !== undefined && learned !== undefined && learned.since < scaled.effectiveAt;
      const observedAt = isAnnounced ? scaled.effectiveAt : now;
      told.push({
        kind: 'token_multiplier',
        venue: 'spotchain',
        instrument: symbol,
        source: PRICE_SOURCE,
        observedAt,
        receivedAt: now,
        multiplier,
        previous: before ?? null,
      });
      this.#inForce.set(symbol, multiplier);
      if (before !== undefined) this.#changedAt.set(symbol, observedAt);
    }
    const isKnown = before !== undefined || this.#heard.has(mint);
    const isRecent = now - (this.#changedAt.get(symbol) ?? Number.NEGATIVE_INFINITY) < UNSETTLED_MS;
    const isSettled = isKnown && !isRecent && !this.#unconfirmed.has(mint) && !isUnsettled(scaled, now);
    return { multiplier, isSettled, told };
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

  /** Reports the first missing answer, with the time at which it was due. */
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
