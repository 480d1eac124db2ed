/**
 * Signed endpoints of an organization's account at the spot exchange, with clock difference, budgets and the signer process's signatures.
 * Each request is sent once. See docs/reference/outside/spot-exchange.md.
 */
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import { type ExchangeAsk, findEndpoint, MAX_RECV_WINDOW_MS, type RestAsk } from '../../../domain/orders/exchange-request.ts';
import { type EpochMs, MINUTE_MS } from '../../../domain/values/time.ts';
import { createHttpTransport, type HttpOutcome, readHeader } from '../../http-transport.ts';
import { type KnownFields, noteUnknown } from '../known-fields.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError } from '../venue-feed.ts';
import { retryAfterMs, type VenueHttp, parsed } from '../venue-http.ts';
import { fetchServerTime } from './rest.ts';
import type { SignExchangeRequest } from '../../identity/signer/protocol.ts';

/** Milliseconds after which the clock difference is measured again. */
const OFFSET_AGE_MS = MINUTE_MS;
const QUICK_MS = 1_000;
/** Request weight of a websocket API connection and of a subscription. */
const STREAM_WEIGHT = 4;
/** Timeout of an order in milliseconds; the venue gives up after ten seconds. */
const ANSWER_TIMEOUT_MS = 11_000;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Pause in milliseconds after a rate limit without a stated time. */
const LIMIT_PAUSE_MS = MINUTE_MS;

/** Result of one request. */
export type Told =
  | { readonly kind: 'ok'; readonly body: unknown }
  /** Refused with certainty. `code` is the venue's, else `http_<status>`. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly text: string }
  /** The request was not sent. */
  | { readonly kind: 'not_sent'; readonly detail: string }
  /** The request was not sent, because it was not signed. */
  | { readonly kind: 'unsigned'; readonly code: string; readonly detail: string }
  /** The request may have been carried out. */
  | { readonly kind: 'unknown'; readonly detail: string };

export interface SpotBudgets {
  /** Request weight of the address. */
  readonly weight: RequestBudget;
  /** New orders of the account per ten seconds and per day. */
  readonly orders: RequestBudget;
  readonly dayOrders: RequestBudget;
}

interface SignedCall {
  readonly ask: RestAsk;
  /** Known members of the answer. */
  readonly known: KnownFields;
  /** True if the request counts as a new order. */
  readonly places?: boolean;
  /** Returns the remaining milliseconds. Nothing is sent at 0, and the venue refuses a later arrival. */
  readonly leftMs: () => number;
}

/** Request that was not sent, because it was not signed. */
type Unsigned = Extract<Told, { readonly kind: 'unsigned' }>;

/** Public key of the account and the signed query. */
interface SignedParameters {
  readonly kind: 'signed';
  readonly apiKey: string;
  readonly query: string;
}

/** Error codes of the venue that leave the outcome unknown. */
const UNKNOWN_OUTCOME: ReadonlySet<string> = new Set(['-1000', '-1001', '-1006', '-1007']);

export function createSignedRest(options: {
  readonly baseUrl: string;
  /** The client of the unsigned reads: the server's time is asked there. */
  readonly rest: VenueHttp;
  /** Organization of the account. */
  readonly orgId: string;
  readonly sign: SignExchangeRequest;
  readonly clock: Clock;
  readonly budgets: SpotBudgets;
  /** Counts members of answers that the adapter does not know. */
  readonly note?: NoteUnknownField;
}) {
  const { rest, clock, budgets, orgId, sign } = options;
  const http = createHttpTransport({
    baseUrl: options.baseUrl,
    clock,
    totalTimeoutMs: ANSWER_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
  let measured: { readonly at: EpochMs; readonly aheadMs: number } | null = null;

  /** Measures the lead of the venue's clock over ours, taking its answer as the middle of the round trip. */
  async function aheadMs(): Promise<number> {
    if (measured !== null && clock.now() - measured.at < OFFSET_AGE_MS) return measured.aheadMs;
    const before = clock.now();
    const theirs = await fetchServerTime(rest);
    const after = clock.now();
    const found = { at: after, aheadMs: Math.round(theirs - (before + after) / 2) };
    // A slow answer tells the time badly: good for now, and asked again the next time.
    if (after - before <= QUICK_MS) measured = found;
    return found.aheadMs;
  }

  function toldBy(outcome: HttpOutcome): Told {
    if (outcome.kind !== 'answered')
      return { kind: outcome.kind === 'not_sent' ? 'not_sent' : 'unknown', detail: `${http.base.host} ${outcome.detail}` };
    const { status, headers, text } = outcome;
    const used = readHeader(headers, 'x-mbx-used-weight-1m');
    if (used !== undefined && /^\d{1,9}$/.test(used)) budgets.weight.observeUsed(Number(used), clock.now());
    const body = parsed(text);
    const { code, msg } = (body ?? {}) as Record<string, unknown>;
    const own = typeof code === 'number' ? String(code) : null;
    const words = typeof msg === 'string' ? msg.slice(0, 200) : `the venue answered ${status}`;
    if (status >= 200 && status < 300)
      return body === undefined ? { kind: 'unknown', detail: 'the venue answered something that is not JSON' } : { kind: 'ok', body };
    if (status === 429 || status === 418) {
      const pause = retryAfterMs(readHeader(headers, 'retry-after'), clock.now());
      (own === '-1015' ? budgets.orders : budgets.weight).block(clock.now() + (pause ?? LIMIT_PAUSE_MS));
    }
    // Anything but the venue's own refusal leaves open what happened behind it.
    const certain = status >= 400 && status < 500 && status !== 408 && (own === null || !UNKNOWN_OUTCOME.has(own));
    return certain
      ? { kind: 'refused', status, code: own ?? `http_${status}`, text: words }
      : { kind: 'unknown', detail: `${status} ${own ?? ''} ${words}`.replace(/\s+/g, ' ') };
  }

  /** Has a request signed within the budget of its weight. @throws VenueError */
  async function signedNow(ask: ExchangeAsk, weight: number, leftMs: () => number, places = false): Promise<SignedParameters | Unsigned> {
    const ahead = await aheadMs();
    if (places) {
      await take(clock, budgets.dayOrders, 1, leftMs);
      await take(clock, budgets.orders, 1, leftMs);
    }
    await take(clock, budgets.weight, weight, leftMs);
    const now = clock.now();
    const recvWindow = Math.min(Math.floor(leftMs()), MAX_RECV_WINDOW_MS);
    if (recvWindow <= 0) throw tooLate();
    const signed = await sign({ orgId, ask, timestamp: Math.floor(now + ahead), recvWindow });
    if (signed.outcome !== 'signed')
      return { kind: 'unsigned', code: signed.outcome === 'refused' ? signed.code : 'signer_unavailable', detail: signed.detail };
    if (leftMs() <= 0) throw tooLate();
    return { kind: 'signed', apiKey: signed.apiKey, query: signed.query };
  }

  return {
    /** The signed parameters of a subscription to the account's reports, to be sent while something is left. @throws VenueError */
    stream: (leftMs: () => number): Promise<SignedParameters | Unsigned> => signedNow({ kind: 'user_stream' }, STREAM_WEIGHT, leftMs),
    /** Sends one signed request, at most once. @throws VenueError only before anything was sent. */
    async call({ ask, known, places, leftMs }: SignedCall): Promise<Told> {
      const { method, path, weight } = findEndpoint(ask);
      const signed = await signedNow(ask, weight, leftMs, places);
      if (signed.kind === 'unsigned') return signed;
      const headers = { 'x-mbx-apikey': signed.apiKey };
      const told = toldBy(await http.send({ method, target: `${path}?${signed.query}`, headers, fresh: true, leftMs }));
      if (told.kind === 'ok') noteUnknown(told.body, known, options.note);
      return told;
    },
    /** Forgets the difference of the clocks, after the venue has said that a time was wrong. */
    forgetTime(): void {
      measured = null;
    },
    close: (): void => http.close(),
  };
}

export type SignedRest = ReturnType<typeof createSignedRest>;

/** Takes from a budget, waiting no longer than there is time left. @throws VenueError */
async function take(clock: Clock, budget: RequestBudget, weight: number, leftMs: () => number): Promise<void> {
  for (;;) {
    const ms = await budget.take(weight, clock.now());
    if (ms === 0) return;
    if (ms >= leftMs())
      throw new VenueError(
        'spotexchange',
        0,
        'budget_exhausted',
        `the request budget of the spot exchange is spent; free again in ${ms} ms`,
        ms,
      );
    await new Promise<void>((resolve) => void clock.deadline(clock.now() + ms, resolve));
  }
}

function tooLate(): VenueError {
  return new VenueError('spotexchange', 0, 'too_late', 'the time in which the request may be sent is over');
}
