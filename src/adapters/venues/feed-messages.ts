/** The messages that every feed says of itself: rejections, the state of its connection, signs of life. */
import type { FeedHeartbeat, FeedStatus } from '../../domain/market/market-event.ts';
import type { Rejection, RejectionReason } from '../../domain/market/quote.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';

const SAMPLE_CHARACTERS = 200;

/** Returns at most 200 characters of a frame, for a rejection. */
export function frameSample(frame: Buffer): string {
  return frame
    .subarray(0, SAMPLE_CHARACTERS * 4)
    .toString('utf8')
    .slice(0, SAMPLE_CHARACTERS)
    .toWellFormed();
}

/** A counted refusal of one message. */
export function rejection(
  venue: Venue,
  source: string,
  receivedAt: EpochMs,
  reason: RejectionReason,
  detail: string,
  sample: string,
): Rejection {
  return { kind: 'rejection', venue, source, receivedAt, reason, detail: detail.slice(0, SAMPLE_CHARACTERS), sample };
}

/** A connection was made (`epoch` counts them from 1) or lost (`detail` says why). */
export function feedStatus(
  venue: Venue,
  source: string,
  receivedAt: EpochMs,
  status: FeedStatus['status'],
  epoch: number,
  detail = '',
): FeedStatus {
  return { kind: 'feed_status', venue, source, receivedAt, status, epoch, detail };
}

/** A sign of life without a price. */
export function heartbeat(venue: Venue, source: string, receivedAt: EpochMs): FeedHeartbeat {
  return { kind: 'heartbeat', venue, source, receivedAt };
}
