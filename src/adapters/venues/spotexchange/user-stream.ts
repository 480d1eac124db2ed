/**
 * Order reports over the exchange's websocket API, with one reconnecting socket per account. The signer process signs each subscription;
 * the signature is valid for nothing else. See docs/reference/outside/spot-exchange.md.
 */
import type { Subscription } from 'rxjs';
import { type Clock, timeLeft } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import { errorText, valueText } from '../../../domain/values/value-text.ts';
import { noteUnknown } from '../known-fields.ts';
import { type VenueConnection, venueSocket } from '../venue-socket.ts';
import { type ExecutionReport, REPORT_FIELDS, readExecutionReport } from './execution-report.ts';
import { PROVIDER } from './map.ts';
import type { SignedRest } from './signed-rest.ts';

/** Milliseconds within which a subscription is signed, sent and acknowledged. */
const SUBSCRIBE_MS = 5_000;
/** Milliseconds of silence after which a connection counts as dead; the venue pings every 20 s. */
const SILENCE_MS = 45_000;
/** Maximum silence of reports in milliseconds: an account may have none for a connection's whole life. */
const NO_REPORTS_MS = 2 * DAY_MS;
/** Milliseconds before an unsigned account's stream is tried again. */
const UNSIGNED_PAUSE_MS = 600_000;

/** Listener of an account's stream. */
interface StreamListener {
  reported(orgId: string, report: ExecutionReport): void;
  /** Called when reports may have been missed: a new subscription, or an unreadable report. */
  missed(orgId: string): void;
  /** Called with the reason when the account's orders are no longer reported. */
  silent(orgId: string, why: string): void;
}

interface UserStreamOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Random source for jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  readonly signedOf: (orgId: string) => Pick<SignedRest, 'stream' | 'forgetTime'>;
  readonly listener: StreamListener;
  readonly note?: NoteUnknownField;
}

export function createUserStreams(options: UserStreamOptions) {
  const { clock, listener } = options;
  const followed = new Map<string, Subscription>();
  /** Accounts whose stream was not signed for, until when they are left alone. */
  const refused = new Map<string, EpochMs>();

  function begin(orgId: string): void {
    const giveUp = (why: string): void => {
      refused.set(orgId, clock.now() + UNSIGNED_PAUSE_MS);
      followed.get(orgId)?.unsubscribe();
      followed.delete(orgId);
      listener.silent(orgId, why);
    };
    followed.set(orgId, openStream(options, orgId, giveUp));
  }

  return {
    /** Follows these accounts, and no others, from now on. */
    follow(orgIds: ReadonlySet<string>): void {
      for (const [orgId, subscription] of followed)
        if (!orgIds.has(orgId)) {
          subscription.unsubscribe();
          followed.delete(orgId);
        }
      for (const orgId of orgIds) if (!followed.has(orgId) && clock.now() >= (refused.get(orgId) ?? 0)) begin(orgId);
    },
    close(): void {
      for (const subscription of followed.values()) subscription.unsubscribe();
      followed.clear();
    },
  };
}

function openStream(options: UserStreamOptions, orgId: string, giveUp: (why: string) => void): Subscription {
  const { url, clock, random, listener } = options;
  /** The newest connection whose subscription was acknowledged. */
  let acknowledged = 0;
  let stopWaiting = (): void => {};
  const subscription = venueSocket({
    venue: 'spotexchange',
    source: `${PROVIDER}:userData`,
    url,
    clock,
    random,
    silenceMs: SILENCE_MS,
    dataSilenceMs: NO_REPORTS_MS,
    keepAlive: { everyMs: SILENCE_MS / 3, frame: null },
    opened: (connection) => {
      void subscribe(options, orgId, connection, giveUp);
      stopWaiting();
      stopWaiting = clock.deadline(clock.now() + 2 * SUBSCRIBE_MS, () => {
        if (acknowledged < connection.epoch) connection.reconnect('the subscription was not answered');
      });
    },
    frame: (frame, _, connection) =>
      read(options, orgId, frame.toString('utf8'), connection, () => {
        acknowledged = connection.epoch;
        listener.missed(orgId);
      }),
  }).subscribe((message) => {
    if (message.kind === 'feed_status' && message.status === 'disconnected') listener.silent(orgId, message.detail);
    if (message.kind === 'rejection') listener.missed(orgId);
  });
  subscription.add(() => stopWaiting());
  return subscription;
}

/** Sends the subscription of a new connection. */
async function subscribe(
  { clock, signedOf }: UserStreamOptions,
  orgId: string,
  connection: VenueConnection,
  giveUp: (why: string) => void,
): Promise<void> {
  try {
    const signed = await signedOf(orgId).stream(timeLeft(clock, SUBSCRIBE_MS));
    if (signed.kind === 'unsigned') return giveUp(signed.detail);
    const { timestamp, recvWindow, ...texts } = Object.fromEntries(new URLSearchParams(signed.query));
    const params = { ...texts, recvWindow: Number(recvWindow), timestamp: Number(timestamp) };
    connection.send(JSON.stringify({ id: 1, method: 'userDataStream.subscribe.signature', params }));
  } catch (error) {
    connection.reconnect(errorText(error));
  }
}

/** Reads one frame; true if it was a report or another event of the account. */
function read(
  { listener, signedOf, note }: UserStreamOptions,
  orgId: string,
  text: string,
  connection: VenueConnection,
  acknowledge: () => void,
): boolean {
  const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { status, error, event } = message;
  if (event === undefined) {
    if (status === 200) acknowledge();
    else {
      const { code, msg } = Object(error) as Readonly<Record<string, unknown>>;
      if (code === -1021) signedOf(orgId).forgetTime();
      connection.reconnect(`the subscription was refused: ${valueText(code)} ${valueText(msg)}`);
    }
    return false;
  }
  const { e: kind } = Object(event) as Readonly<Record<string, unknown>>;
  if (kind === 'eventStreamTerminated' || kind === 'serverShutdown') connection.reconnect(`the exchange sent ${kind}`);
  if (kind !== 'executionReport') return true;
  noteUnknown(message, REPORT_FIELDS, note);
  const report = readExecutionReport(event as Readonly<Record<string, unknown>>);
  if (report === null) listener.missed(orgId);
  else listener.reported(orgId, report);
  return true;
}
