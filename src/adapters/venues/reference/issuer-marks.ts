/** Marks of pre-IPO tokens as their issuer publishes them: share price and valuation of the latest verified round (spec section 2.4). */
import { Observable } from 'rxjs';
import type { DecimalString } from '../../../domain/decimal.ts';
import { plainDecimal } from '../../../domain/decimal.ts';
import type { FeedMessage } from '../../../domain/market-event.ts';
import { NO_FLAGS } from '../../../domain/quote.ts';
import type { EpochMs } from '../../../domain/time.ts';
import type { Clock } from '../../../../streams/clock.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import { backoffMs, rejection } from '../venue-socket.ts';
import type { KeyedDoor } from './keyed-door.ts';

export const MARK_SOURCE = 'prestocks:mark';

/** One row of the issuer. Prices are per UI unit, valuations in US dollars. */
export interface IssuerMark {
  readonly symbol: string;
  readonly mint: string;
  readonly markPrice: DecimalString;
  readonly markValuation: DecimalString;
  readonly tokenPrice: DecimalString | null;
  readonly impliedValuation: DecimalString | null;
  /** UI units in existence. */
  readonly supply: DecimalString | null;
  /** When it was read: the issuer gives no time of its own. */
  readonly receivedAt: EpochMs;
}

function positive(value: unknown): DecimalString | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? plainDecimal(value) : null;
}

/** Reads `/api/prestocks`, a bare list. Rows without a mint, a mark price or a mark valuation are returned as `unread` sentences. */
export function readMarks(
  body: unknown,
  receivedAt: EpochMs,
): { readonly marks: readonly IssuerMark[]; readonly unread: readonly string[] } {
  if (!Array.isArray(body)) return { marks: [], unread: ['the marks are no list'] };
  const marks: IssuerMark[] = [];
  const unread: string[] = [];
  for (const item of body as unknown[]) {
    const row = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>;
    const { symbol, contract_address: mint } = row;
    const markPrice = positive(row['markPrice']);
    const markValuation = positive(row['markValuation']);
    if (typeof symbol !== 'string' || symbol === '' || typeof mint !== 'string' || markPrice === null || markValuation === null) {
      unread.push(`the row of ${String(symbol).slice(0, 20)} has no mint, or no mark price and valuation above zero`);
      continue;
    }
    marks.push({
      symbol,
      mint,
      markPrice,
      markValuation,
      tokenPrice: positive(row['tokenPrice']),
      impliedValuation: positive(row['impliedValuation']),
      supply: positive(row['supply']),
      receivedAt,
    });
  }
  return { marks, unread };
}

/** Asks the issuer once. @throws VenueError where it refuses or answers something else. */
export async function fetchIssuerMarks(door: KeyedDoor, clock: Clock): Promise<readonly IssuerMark[]> {
  const { marks, unread } = readMarks(await door.get('/api/prestocks', []), clock.now());
  if (marks.length === 0)
    throw new VenueError('reference', 200, 'unknown_shape', `the issuer's marks could not be read: ${unread[0] ?? 'the list is empty'}`);
  return marks;
}

export interface IssuerMarkFeedOptions {
  /** `https://prestocks.com`. */
  readonly door: KeyedDoor;
  /** Mints that the catalog trusts, by symbol: a row with another mint is refused, since symbols have impostors. */
  readonly mints: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Default 60 s. */
  readonly everyMs?: number;
}

/**
 * Marks as reference prices of their tokens (`reference:SPACEX`). The issuer gives no time, so a mark counts as updated
 * when the issuer last published it to us. `latest` keeps the newest rows for valuations.
 */
export function createIssuerMarkFeed(options: IssuerMarkFeedOptions): VenueFeed & { latest(): readonly IssuerMark[] } {
  const { door, mints, clock, random } = options;
  const everyMs = options.everyMs ?? 60_000;
  let newest: readonly IssuerMark[] = [];

  const messages = new Observable<FeedMessage>((subscriber) => {
    let stopped = false;
    let connected = false;
    let epoch = 0;
    let failures = 0;
    let cancel = (): void => {};

    function status(word: 'connected' | 'disconnected', detail: string): void {
      subscriber.next({
        kind: 'feed_status',
        venue: 'reference',
        source: MARK_SOURCE,
        receivedAt: clock.now(),
        status: word,
        epoch,
        detail,
      });
    }

    async function poll(): Promise<void> {
      let pause = everyMs;
      try {
        const { marks, unread } = readMarks(await door.get('/api/prestocks', []), clock.now());
        if (stopped) return;
        failures = 0;
        if (!connected) {
          connected = true;
          epoch += 1;
          status('connected', '');
        }
        for (const sentence of unread) subscriber.next(rejection('reference', MARK_SOURCE, clock.now(), 'unknown_shape', sentence, ''));
        const known: IssuerMark[] = [];
        for (const mark of marks) {
          if (mints.get(mark.symbol) !== mark.mint) {
            const detail = mints.has(mark.symbol)
              ? `${mark.symbol} has mint ${mark.mint.slice(0, 44)}, which is not the catalog's`
              : `nobody asked for ${mark.symbol.slice(0, 20)}`;
            subscriber.next(rejection('reference', MARK_SOURCE, mark.receivedAt, 'unknown_instrument', detail, ''));
            continue;
          }
          known.push(mark);
          subscriber.next({
            kind: 'reference',
            venue: 'reference',
            instrument: mark.symbol,
            source: MARK_SOURCE,
            observedAt: mark.receivedAt,
            receivedAt: mark.receivedAt,
            feedUpdatedAt: mark.receivedAt,
            referencePrice: mark.markPrice,
            confidence: '0',
            publisherSession: null,
            quality: 'live',
            flags: NO_FLAGS,
          });
        }
        newest = known;
      } catch (error) {
        if (stopped) return;
        failures += 1;
        const detail = error instanceof VenueError ? error.message : (error as Error).message;
        if (connected || failures === 1) status('disconnected', detail);
        connected = false;
        pause = Math.min(everyMs, backoffMs(failures, random));
      }
      if (!stopped) cancel = clock.deadline(clock.now() + pause, () => void poll());
    }

    void poll();
    return () => {
      stopped = true;
      cancel();
    };
  });
  return { venue: 'reference', messages, latest: () => newest };
}
