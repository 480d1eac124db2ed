/** Signs of life of a feed, kept apart from the age of its prices: a quiet market with live heartbeats is not stale. */
import type { FeedMessage } from '../src/domain/market/market-event.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import type { Venue } from '../src/domain/market/venue.ts';
import { SlotTable } from './slot-table.ts';

/**
 * The life of one provider on one venue. A source is `<provider>:<feed>`; the connection's own heartbeats and status
 * come under `<provider>` or any of its feeds, and vouch for all of them.
 */
export interface FeedLife {
  readonly venue: Venue;
  readonly provider: string;
  /** Null until a status was received (a tape may hold none). */
  connected: boolean | null;
  /** Time at which the present connection was made; what came before it belongs to books that were cleared. */
  epochAt: EpochMs;
  /** The last sign of life of any kind. */
  heardAt: EpochMs;
  /** Time at which the first answer that a polled feed missed was due; null while it answers, and of feeds that stream. */
  missedAt: EpochMs | null;
  /** Reason for being down, in the feed's words; empty while it is up. */
  detail: string;
  /** Sources of this provider that are disconnected now. */
  readonly down: Set<string>;
}

/** The provider of a source: `binance` of `binance:bookTicker`. */
export function providerOf(source: string): string {
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
  readonly #bySource = new SlotTable<FeedLife>((venue, source) => this.#byProvider.at(venue, providerOf(source)));

  /** The life of the feed that a source belongs to. */
  of(venue: Venue, source: string): FeedLife {
    return this.#bySource.at(venue, source);
  }

  /** Takes in what a message says of its feed's life; returns that life. */
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
        // Bars, pools and news are fetched on other ways; what was refused is no sign that the rest is received.
        break;
    }
    return life;
  }

  /** Feeds that were received, in the order of first sight. */
  all(): FeedLife[] {
    const lives: FeedLife[] = [];
    this.#byProvider.each((life) => lives.push(life));
    return lives;
  }
}
