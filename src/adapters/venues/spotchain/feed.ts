/** The live quotes of the primary chain's aggregator: two small route requests per token, in turn, inside of one request budget. */
import { Observable } from 'rxjs';
import type { Clock } from '../../../../streams/clock.ts';
import { createUnknownFields } from '../../../../streams/feed-counters.ts';
import { isTradableAt } from '../../../domain/catalog.ts';
import type { FeedMessage } from '../../../domain/market-event.ts';
import type { KeyedClient } from '../reference/keyed-client.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import { backoffMs, rejection } from '../venue-socket.ts';
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
/** The share of the plan that polling may use; the rest is for orders and retries. */
const POLLING_SHARE = 0.8;
/** Codes of a token that exists but may not be traded now. */
const HALTED_CODES = new Set(['TOKEN_NOT_TRADABLE']);

export interface SpotchainFeedOptions {
  readonly client: KeyedClient;
  /** Read at the beginning of every round where they may change. */
  readonly tokens: readonly SpotToken[] | (() => readonly SpotToken[]);
  readonly stable: { readonly mint: string; readonly decimals: number };
  readonly clock: Clock;
  /** For the jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  /** Raw units of the stablecoin that one probe buys for. Default 100 whole ones. */
  readonly probeRaw?: string;
  /** Which route request is used. `v1` tells the slot; `v2` is the venue's current one. Default `v1`. */
  readonly route?: 'v1' | 'v2';
  /** The shortest time between two rounds. Default 2 s; longer where the budget asks for it. */
  readonly roundMs?: number;
  /** How far the venue's price may stray from the executable mid, in percent. Default 5. */
  readonly maxDisagreementPct?: number;
}

/** How long one round over all tokens takes at least, so that requests are spread evenly under the plan. */
export function roundLengthMs(tokens: number, perMinute: number, roundMs: number): number {
  const requests = tokens * 2 + Math.ceil(tokens / PRICE_BATCH);
  return Math.max(roundMs, Math.ceil((requests * 60_000) / (perMinute * POLLING_SHARE)));
}

/**
 * Quotes of the given tokens per UI unit, and the liquidity of their pools. Every round asks for prices and multipliers
 * once, then probes one token after the other, evenly over the round. A refusal of one token is a counted rejection and
 * costs only that token; the feed is `disconnected` while the venue does not answer route requests.
 */
export function createSpotchainFeed(options: SpotchainFeedOptions): VenueFeed {
  const { client, stable, clock, random } = options;
  const unknownFields = createUnknownFields();
  const listed = (): readonly SpotToken[] => (typeof options.tokens === 'function' ? options.tokens() : options.tokens);
  if (listed().length === 0) throw new RangeError('the aggregator feed needs at least one token');
  const probeRaw = options.probeRaw ?? `100${'0'.repeat(stable.decimals)}`;
  const maxDisagreementPct = options.maxDisagreementPct ?? 5;
  const path = options.route === 'v2' ? '/swap/v2/order' : '/swap/v1/quote';

  const messages = new Observable<FeedMessage>((subscriber) => {
    let stopped = false;
    let epoch = 0;
    let connected = false;
    let failures = 0;
    let cancelTimer = (): void => {};
    let wake = (): void => {};
    const prices = new Map<string, PriceRow>();
    const scaled = new Map<string, ScaledUi>();
    /** Mints whose end was told. */
    const ended = new Set<string>();

    function pause(until: number): Promise<void> {
      return new Promise((resolve) => {
        wake = resolve;
        cancelTimer = clock.deadline(until, resolve);
      });
    }

    function answered(): void {
      failures = 0;
      if (connected) return;
      connected = true;
      epoch += 1;
      subscriber.next({
        kind: 'feed_status',
        venue: 'spotchain',
        source: QUOTE_SOURCE,
        receivedAt: clock.now(),
        status: 'connected',
        epoch,
        detail: '',
      });
    }

    /** True where the error is the venue's silence rather than its answer about one token. */
    function silent(error: unknown): error is VenueError {
      return (
        error instanceof VenueError &&
        (error.status === 0 || error.status === 401 || error.status === 403 || error.status === 429 || error.status >= 500)
      );
    }

    function lost(error: VenueError): void {
      failures += 1;
      if (!connected && failures > 1) return;
      connected = false;
      subscriber.next({
        kind: 'feed_status',
        venue: 'spotchain',
        source: QUOTE_SOURCE,
        receivedAt: clock.now(),
        status: 'disconnected',
        epoch,
        detail: error.message,
      });
    }

    function refused(symbol: string, error: unknown): void {
      const detail = error instanceof VenueError ? `${error.code}: ${error.message}` : (error as Error).message;
      subscriber.next(rejection('spotchain', QUOTE_SOURCE, clock.now(), 'venue_error', `${symbol}: ${detail}`, ''));
    }

    /** The tokens that may be quoted now; one whose mint has come to its end is told `halted` once and never asked for again. */
    function quotable(): SpotToken[] {
      const now = clock.now();
      return listed().filter((token) => {
        const isQuotable = isTradableAt({ validFrom: token.validFrom ?? null, validTo: token.validTo ?? null }, now);
        if (!isQuotable && token.validTo != null && now >= token.validTo && !ended.has(token.mint)) {
          ended.add(token.mint);
          subscriber.next(haltedQuote(token, now));
        }
        return isQuotable;
      });
    }

    async function readRoundPrices(tokens: readonly SpotToken[]): Promise<void> {
      for (let start = 0; start < tokens.length && !stopped; start += PRICE_BATCH) {
        const batch = tokens.slice(start, start + PRICE_BATCH);
        const read = readPrices(await client.get('/price/v3', [['ids', batch.map((token) => token.mint).join(',')]]), unknownFields.note);
        if (stopped) return;
        const receivedAt = clock.now();
        if (typeof read === 'string') {
          subscriber.next(rejection('spotchain', PRICE_SOURCE, receivedAt, 'unknown_shape', read, ''));
          continue;
        }
        for (const { reason, detail } of read.unread) subscriber.next(rejection('spotchain', PRICE_SOURCE, receivedAt, reason, detail, ''));
        for (const token of batch) {
          const row = read.rows.get(token.mint);
          if (row === undefined) {
            // Left out means: no reliable price. The quote then stands on the routes alone.
            prices.delete(token.mint);
            continue;
          }
          prices.set(token.mint, row);
          if (row.scaledUi !== null) scaled.set(token.mint, row.scaledUi);
          if (row.liquidityUsd !== null) subscriber.next(poolLiquidity(token.symbol, row.liquidityUsd, receivedAt));
        }
      }
    }

    async function leg(inputMint: string, outputMint: string, amount: string): Promise<Leg> {
      const body = await client.get(path, [
        ['inputMint', inputMint],
        ['outputMint', outputMint],
        ['amount', amount],
        ['slippageBps', '50'],
        ['swapMode', 'ExactIn'],
      ]);
      const read = readLeg(body, inputMint, outputMint, amount, unknownFields.note);
      if (typeof read === 'string') throw new VenueError('spotchain', 200, 'unusable_quote', read);
      return read;
    }

    async function probe(token: SpotToken): Promise<void> {
      let buy: Leg;
      try {
        buy = await leg(stable.mint, token.mint, probeRaw);
      } catch (error) {
        if (silent(error)) throw error;
        answered();
        if (error instanceof VenueError && HALTED_CODES.has(error.code)) subscriber.next(haltedQuote(token, clock.now()));
        return refused(token.symbol, error);
      }
      if (stopped) return;
      answered();
      let sell: Leg | null = null;
      try {
        sell = await leg(token.mint, stable.mint, buy.outAmount);
      } catch (error) {
        if (silent(error)) throw error;
        refused(token.symbol, error);
      }
      if (stopped) return;
      const receivedAt = clock.now();
      // An answer that comes after the mint's end is of no use; the next round tells of the end.
      if (token.validTo != null && receivedAt >= token.validTo) return;
      const multiplier = multiplierAt(scaled.get(token.mint) ?? token.scaledUi, receivedAt);
      const price = prices.get(token.mint)?.usdPrice ?? null;
      subscriber.next(mapProbe(token, stable.decimals, { buy, sell }, multiplier, price, maxDisagreementPct, receivedAt));
    }

    async function run(): Promise<void> {
      while (!stopped) {
        const startedAt = clock.now();
        const tokens = quotable();
        const length = roundLengthMs(tokens.length, client.perMinute, options.roundMs ?? 2_000);
        try {
          // While the routes do not answer, one question at a time is enough to find out whether they do again.
          if (failures === 0) await readRoundPrices(tokens);
        } catch (error) {
          if (stopped) return;
          // Prices only check what the routes say; whether the venue can be heard is for the routes to show.
          refused('prices', error);
        }
        for (let index = 0; index < tokens.length && !stopped; index++) {
          const token = tokens[index] as SpotToken;
          try {
            await probe(token);
          } catch (error) {
            if (stopped) return;
            if (!silent(error)) refused(token.symbol, error);
            else {
              lost(error);
              await pause(clock.now() + Math.max(error.retryAfterMs ?? 0, backoffMs(failures, random)));
            }
          }
          if (stopped) return;
          const due = startedAt + Math.floor(((index + 1) * length) / tokens.length);
          if (due > clock.now()) await pause(due);
        }
        if (tokens.length === 0) await pause(startedAt + length);
        if (stopped) return;
        if (connected) subscriber.next({ kind: 'heartbeat', venue: 'spotchain', source: QUOTE_SOURCE, receivedAt: clock.now() });
      }
    }

    run().catch((error: Error) => {
      // A fault of ours must be seen and must not look like a quiet market.
      if (stopped) return;
      subscriber.next({
        kind: 'feed_status',
        venue: 'spotchain',
        source: QUOTE_SOURCE,
        receivedAt: clock.now(),
        status: 'disconnected',
        epoch,
        detail: `the feed stopped: ${error.message}`,
      });
    });
    return () => {
      stopped = true;
      cancelTimer();
      wake();
    };
  });
  return { venue: 'spotchain', messages, unknownFields };
}
