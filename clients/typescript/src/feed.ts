/** Channels of the feed as streams that survive a cut: they resume from the last cursor without loss or repetition. */
import { createParser } from 'eventsource-parser';
import { ApiError, FeedError, NetworkError, SevengateError } from './errors.ts';
import type { AskMessage, ErrorMessage, TellMessage } from './feed-messages.ts';
import { buildQuery } from './operation.ts';
import { pauseAfter } from './retries.ts';
import { type Stream, createStream } from './streams.ts';
import { spreadPause, type Timing } from './timing.ts';
import { bounded, foreignSentence, readMediaType, readAnswer, type Transport } from './transport.ts';

type Subscribe = Extract<AskMessage, { readonly op: 'subscribe' }>;
/** Name of a channel of the feed. */
export type Channel = Subscribe['channel'];
/** Parameters that narrow a channel down. */
export type ChannelParams<Name extends Channel> = NonNullable<Extract<Subscribe, { readonly channel: Name }>['params']>;
/** Message of a channel: a snapshot first, if the channel has one, then one change each. */
export type Frame<Name extends Channel> = Extract<TellMessage, { readonly channel: Name; readonly type: 'snapshot' | 'update' }>;
/** One item of a channel. */
export type FeedItem<Name extends Channel> = Frame<Name>['data'] extends infer Data
  ? Data extends readonly (infer Item)[]
    ? Item
    : Data
  : never;

export interface FeedOptions {
  /** `cursor` of the last processed frame, to resume after it. If absent or null, the stream starts at the present. */
  readonly from?: string | null;
  readonly signal?: AbortSignal;
}

/** Frames of one channel. If its frames have no cursor, the channel shows a state and starts with all of it after a cut. */
export interface Feed<Name extends Channel> extends Stream<Frame<Name>> {
  /** Iterates the items alone: those of a snapshot one by one, then the changes. */
  items(): Stream<FeedItem<Name>>;
}

const PATH = '/v1/feeds/sse';
const OPENED_WITHIN_MS = 30_000;
/** The service beats every 5 s. After three missed beats the connection counts as lost. */
const SILENCE_MS = 16_000;
const PAUSES = { firstMs: 400, longestMs: 15_000 };
/** Error codes that a new connection resolves. */
const RESUMABLE: readonly ErrorMessage['code'][] = ['unavailable', 'lagged', 'token_expired', 'token_revoked'];

/** Creates the feed of a channel. It connects when it is read. */
export function createFeed<Name extends Channel>(
  transport: Transport,
  channel: Name,
  params: ChannelParams<Name> | undefined,
  { from = null, signal }: FeedOptions,
): Feed<Name> {
  const query = buildQuery(Object.entries({ channel, ...params }));
  const frames = (aborted: AbortSignal) => readFrames<Name>({ transport, channel, path: `${PATH}?${query}`, from, signal: aborted });
  return { ...createStream(frames, signal), items: () => createStream((aborted) => readItems<Name>(frames(aborted)), signal) };
}

async function* readItems<Name extends Channel>(frames: AsyncGenerator<Frame<Name>, void>): AsyncGenerator<FeedItem<Name>, void> {
  for await (const { data } of frames) {
    if (Array.isArray(data)) yield* data as FeedItem<Name>[];
    else yield data as FeedItem<Name>;
  }
}

interface Reading {
  readonly transport: Transport;
  readonly channel: Channel;
  readonly path: string;
  readonly from: string | null;
  readonly signal: AbortSignal;
}

/** Yields frames over any number of connections. */
async function* readFrames<Name extends Channel>(reading: Reading): AsyncGenerator<Frame<Name>, void> {
  const { transport, channel, signal } = reading;
  const { timing } = transport;
  let cursor = reading.from;
  for (let failures = 0; ; failures++) {
    let pauseMs = 0;
    try {
      const body = await connect(reading, cursor);
      for await (const { id, data } of readEvents(body, timing, signal)) {
        const message = parseMessage(channel, data);
        // A service that refuses at once, connection after connection, is asked less and less often.
        if (message.type === 'error') throw new FeedError(channel, message.code, message.detail);
        failures = 0;
        // The cursor is the event's id, like `Last-Event-ID` in the standard.
        cursor = id ?? cursor;
        if (message.type === 'snapshot' || message.type === 'update') yield message as Frame<Name>;
      }
      signal.throwIfAborted();
      pauseMs = spreadPause(failures, PAUSES, timing);
    } catch (error) {
      signal.throwIfAborted();
      pauseMs = pauseBeforeResuming(error, failures, transport);
    }
    await timing.wait(pauseMs, signal);
  }
}

/** @throws the error itself if another connection would end the same way. */
function pauseBeforeResuming(error: unknown, failures: number, { timing, forgetToken }: Transport): number {
  if (error instanceof FeedError && RESUMABLE.includes(error.code)) {
    if (error.code === 'token_expired' || error.code === 'token_revoked') forgetToken();
    return spreadPause(failures, PAUSES, timing);
  }
  const pauseMs = pauseAfter(error, failures, timing, PAUSES);
  if (pauseMs === null) throw error;
  return pauseMs;
}

/** Opens the event stream after a cursor. */
async function connect({ transport, channel, path, signal }: Reading, cursor: string | null): Promise<ReadableStream<Uint8Array>> {
  const { timing } = transport;
  const headers = { accept: 'text/event-stream', ...(cursor === null ? {} : { 'last-event-id': cursor }) };
  return bounded({ timing, ms: OPENED_WITHIN_MS, signal, what: `feed ${channel}` }, async (aborted) => {
    const response = await transport.send({ method: 'GET', path, headers, body: null }, aborted);
    if (response.ok && readMediaType(response) === 'text/event-stream' && response.body !== null) return response.body;
    try {
      await readAnswer(response, { what: `feed ${channel}`, text: false, refused: [] }, timing);
    } catch (error) {
      throw isCursorGone(error) ? new FeedError(channel, 'invalid_cursor', error.detail) : error;
    }
    const { status } = response;
    throw new NetworkError('foreign', foreignSentence(`feed ${channel}`, status, readMediaType(response)), { status });
  });
}

const isCursorGone = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.fields.some(({ path }) => path === 'Last-Event-ID');

/** Yields the events of one connection until it ends. @throws NetworkError if it is cut, or silent for too long. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  timing: Timing,
  signal: AbortSignal,
): AsyncGenerator<{ readonly id?: string | undefined; readonly data: string }, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const complete: { readonly id?: string | undefined; readonly data: string }[] = [];
  const parser = createParser({ onEvent: (event) => complete.push(event) });
  const stop = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const part = await nextPart(reader, timing);
      if (part.done || signal.aborted) return;
      parser.feed(decoder.decode(part.value, { stream: true }));
      yield* complete.splice(0);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function nextPart(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  timing: Timing,
): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
  const received = new AbortController();
  const silence = timing.wait(SILENCE_MS, received.signal).then(() => {
    throw new NetworkError('timeout', `the feed showed no sign of life for ${SILENCE_MS / 1_000} s`);
  });
  silence.catch(() => {});
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    throw error instanceof SevengateError ? error : new NetworkError('cut', 'the feed was cut off', { cause: error });
  } finally {
    received.abort();
  }
}

function parseMessage(channel: Channel, data: string): TellMessage {
  try {
    return JSON.parse(data) as TellMessage;
  } catch (error) {
    throw new NetworkError('foreign', foreignSentence(`feed ${channel}`, 200, 'an event that is not JSON'), { cause: error, status: 200 });
  }
}
