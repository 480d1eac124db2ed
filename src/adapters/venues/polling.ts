/**
 * A provider that is asked periodically, as a feed: its messages, its connection's state, its signs of life.
 * See docs/reference/outside/rules.md.
 */
import { concat, defer, EMPTY, expand, from, mergeMap, type Observable, of } from 'rxjs';
import { backoffMs } from '../../../streams/backoff.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import type { RejectionReason } from '../../domain/market/quote.ts';
import { askAgain } from './ask-again.ts';
import { feedStatus, heartbeat, rejection } from './feed-messages.ts';
import { VenueError } from './venue-feed.ts';

/** Result of one poll. */
export interface Reading<Message> {
  readonly messages: readonly Message[];
  /** Reasons why parts of the answer could not be used. Each is counted. */
  readonly rejected?: readonly Rejected[];
  /** True if there is more to read at once. */
  readonly more?: boolean;
}

export interface Rejected {
  readonly reason: RejectionReason;
  readonly detail: string;
}

interface PollingOptions<Message> {
  /** `<provider>:<what>`. */
  readonly source: string;
  readonly everyMs: number;
  readonly clock: Clock;
  /** Random source for jitter, 0 <= n < 1. */
  readonly random: () => number;
  /** Begins anew with every subscription. Its `ask` throws VenueError if the provider refuses or answers something else. */
  readonly open: () => {
    ask(): Promise<Reading<Message>>;
    /** Receives every failure before the pause. */
    failed?(error: unknown): void;
    /** Returns the source of a round's heartbeat. Default: the source itself. */
    roundSource?(): string;
  };
}

/** Share of a period by which polls vary, so that processes and sources do not poll in step. */
const JITTER = 0.1;

/**
 * Asks at once and then every `everyMs` give or take a tenth. Each round that succeeds is a heartbeat; the first failure
 * of an outage is a `disconnected`, and the pause grows from half a second up to the period, or to the provider's own
 * Retry-After if that is longer. What cannot be read is counted by reason. Never errors and never completes.
 */
export function poll<Message>(options: PollingOptions<Message>): Observable<Message | FeedMessage> {
  const { source, everyMs, clock, random } = options;
  return defer(() => {
    const provider = options.open();
    let connected = false;
    let epoch = 0;
    const answered = ({ messages, rejected = [] }: Reading<Message>): readonly (Message | FeedMessage)[] => {
      const first = !connected;
      if (first) epoch += 1;
      connected = true;
      return [
        ...(first ? [feedStatus('reference', source, clock.now(), 'connected', epoch)] : []),
        ...rejected.map(({ reason, detail }) => rejection('reference', source, clock.now(), reason, detail, '')),
        ...messages,
      ];
    };
    return askAgain<Message | FeedMessage>({
      clock,
      round: () =>
        concat(
          readings(provider).pipe(mergeMap(answered)),
          defer(() => of(heartbeat('reference', provider.roundSource?.() ?? source, clock.now()))),
        ),
      pauseMs: () => everyMs * (1 + JITTER * (2 * random() - 1)),
      failed(error, failures) {
        provider.failed?.(error);
        const lost = connected || failures === 1;
        connected = false;
        return [
          ...unusableAnswer(error, source, clock),
          ...(lost ? [feedStatus('reference', source, clock.now(), 'disconnected', epoch, (error as Error).message)] : []),
        ];
      },
      retryMs(error, failures) {
        const told = error instanceof VenueError ? (error.retryAfterMs ?? 0) : 0;
        return Math.max(Math.min(everyMs, backoffMs(failures, random)), told);
      },
    });
  });
}

/** One round: readings until there is no more to read at once. */
function readings<Message>(provider: { ask(): Promise<Reading<Message>> }): Observable<Reading<Message>> {
  const ask = (): Observable<Reading<Message>> => from(provider.ask());
  return defer(ask).pipe(expand(({ more = false }) => (more ? defer(ask) : EMPTY)));
}

/** A provider that answered, and not with what was asked, is counted by what its answer was. */
export function unusableAnswer(error: unknown, source: string, clock: Pick<Clock, 'now'>): readonly FeedMessage[] {
  if (!(error instanceof VenueError) || error.status < 200 || error.status >= 300) return [];
  return [rejection('reference', source, clock.now(), error.code === 'not_json' ? 'not_json' : 'unknown_shape', error.message, '')];
}
