/** Signs of life of a feed, separate from the age of its prices: a quiet market with live heartbeats is not stale. */
import type { FeedMessage } from '../src/domain/market/market-event.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import type { Venue } from '../src/domain/market/venue.ts';
import { SlotTable } from './slot-table.ts';

/**
 * Life of one provider on one venue. A source is `<provider>:<feed>`. The connection's own heartbeats and status come under `<provider>` or
 * any of its feeds, and count for all of them.
 */
export interface FeedLife {
  readonly venue: Venue;
  readonly provider: string;
  /** Null until a status was received. A tape may contain none. */
  connected: boolean | null;
  /** Time of the present connection. Earlier messages belong to cleared books. */
  epochAt: EpochMs;
  /** Time of the last sign of life of any kind. */
  heardAt: EpochMs;
  /** Due time of the first missed answer of a polled feed. Null while it answers, and for streaming feeds. */
  missedAt: EpochMs | null;
  /** Reason for being down in the feed's words, or empty. */
  detail: string;
  /** Sources of this provider that are disconnected. */
  readonly down: Set<string>;
}

/** Returns the provider of a source: `binance` for `binance:bookTicker`. */
export function readProvider(source: string): string {
  const colon = source.indexOf(':');
  return colon < 0 ? source : source.slice(0, colon);
}

/** Follows the life of every feed. */
export class FeedLives {
  readonly #byProvider = new SlotTable<FeedLife>((venue, provider) => ({
    venue: venue as Venue,
    provider,
    connected: null,
    epochAt: Number.NEGATIVE_INFINITY,
    heardAt: Number.NEGATIVE_INFINITY,
    missedAt: null,
    detail: '',
    down: new Set(),
  }));
  readonly #bySource = new SlotTable<FeedLife>((venue, source) => this.#byProvider.at(venue, readProvider(source)));

  /** Returns the life of a source's feed. */
  of(venue: Venue, source: string): FeedLife {
    return this.#bySource.at(venue, source);
  }

  /** Updates the life of a message's feed, and returns it. */
  receive(message: FeedMessage): FeedLife {
    const life = this.#bySource.at(message.venue, message.source);
    switch (message.kind) {
      case 'feed_status':
        if (message.status === 'connected') {
          life.down.delete(message.source);
          life.epochAt = message.receivedAt;
          life.heardAt = message.receivedAt;
        } else {
          life.down.add(message.source);
        }
        life.connected = life.down.size === 0;
        life.missedAt = life.connected ? null : (life.missedAt ?? message.missedAt ?? null);
        life.detail = life.connected ? '' : message.detail;
        break;
      case 'quote':
      case 'reference':
      case 'perp_context':
      case 'heartbeat':
        if (message.receivedAt > life.heardAt) life.heardAt = message.receivedAt;
        break;
      default:
        // Bars, pools and news are fetched separately. A rejection does not show that other data arrives.
        break;
    }
    return life;
  }

  /** Returns the received feeds in the order of first sight. */
  all(): FeedLife[] {
    const lives: FeedLife[] = [];
    this.#byProvider.each((life) => lives.push(life));
    return lives;
  }
}
