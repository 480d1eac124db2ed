/** Client with every operation of the API under its operationId, lists page by page, and the feed. */
import type { Operations } from './api.ts';
import { SevengateError } from './errors.ts';
import { type Channel, type ChannelParams, createFeed, type Feed, type FeedOptions } from './feed.ts';
import {
  type Input,
  isRepeatable,
  OPERATION_NAMES,
  type Operation,
  type OperationName,
  readOperation,
  buildPath,
  buildRequest,
} from './operation.ts';
import { pauseAfter } from './retries.ts';
import { type Stream, createStream } from './streams.ts';
import { PLATFORM_TIMING, type Timing } from './timing.ts';
import { bounded, createTransport, readAnswer, type Token, type Transport } from './transport.ts';

export interface ClientOptions {
  /** Address of the service, such as `http://127.0.0.1:8080`. Default in a browser: the page's own. */
  readonly baseUrl?: string;
  readonly token?: Token;
  /** Number of retries of a failed call that is safe to repeat; default 4. */
  readonly retries?: number;
  /** Timeout of each attempt in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly timing?: Timing;
  /** Opens the sockets of `openFeeds` and `openInspector`. Default: the platform's, or that of `ws` in Node 20. */
  readonly WebSocket?: new (
    url: string,
    options?: { headers: Readonly<Record<string, string>> },
  ) => Socket;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Overrides the client's timeout, in milliseconds. */
  readonly timeoutMs?: number;
  /** Overrides the generated key, for a change that must have one effect over several runs of a program. */
  readonly idempotencyKey?: string;
}

/** Members that every WebSocket has. */
export interface Socket {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error' | 'close', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

type InputOf<Name extends OperationName> = Operations[Name]['input'];
type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];
type Arguments<Given> = Record<never, never> extends Given ? [input?: Given, options?: CallOptions] : [input: Given, options?: CallOptions];

/** Calls an operation. */
export type Call<Name extends OperationName> = (
  ...call: Arguments<InputOf<Name>>
) => Promise<[AnswerOf<Name>] extends [never] ? Socket : AnswerOf<Name>>;

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
}

/** Calls a list: one page, or all of them. */
export type ListCall<Name extends OperationName, Answer extends Page> = Call<Name> & {
  /** Iterates page by page. The next page is requested on demand. */
  pages(...call: Arguments<InputOf<Name>>): Stream<Answer>;
  /** Iterates item by item over all pages. */
  items(...call: Arguments<InputOf<Name>>): Stream<Answer['items'][number]>;
};

/** Every operation by its operationId. */
export type Calls = {
  readonly [Name in OperationName]: InputOf<Name> extends { readonly cursor?: string | undefined }
    ? AnswerOf<Name> extends Page
      ? ListCall<Name, AnswerOf<Name>>
      : Call<Name>
    : Call<Name>;
};

export interface Client extends Calls {
  /** Opens one channel of the feed. It resumes after each cut without loss or repetition. */
  feed<Name extends Channel>(channel: Name, params?: ChannelParams<Name>, options?: FeedOptions): Feed<Name>;
}

const RETRIES = 4;
const TIMEOUT_MS = 60_000;

/** Creates a client of the service. It opens nothing until it is used, and need not be closed. */
export function createClient(options: ClientOptions = {}): Client {
  const transport = createTransport({
    baseUrl: readBaseUrl(options.baseUrl),
    token: options.token,
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timing: options.timing ?? PLATFORM_TIMING,
  });
  const calls = OPERATION_NAMES.map((name) => [name, createCall(readOperation(name), transport, options)]);
  return {
    ...(Object.fromEntries(calls) as Calls),
    feed: (channel, params, feedOptions = {}) => createFeed(transport, channel, params, feedOptions),
  };
}

function readBaseUrl(given: string | undefined): string {
  const url = given ?? (globalThis as { readonly location?: { readonly origin: string } }).location?.origin ?? '';
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(url))
    throw new SevengateError(`baseUrl must be an address such as http://127.0.0.1:8080 (got ${JSON.stringify(url)})`);
  return url.replace(/\/+$/, '');
}

function createCall(operation: Operation, transport: Transport, options: ClientOptions): unknown {
  const { flags } = operation;
  if (flags.includes('socket')) return (input: Input = {}) => openSocket(operation, input, transport, options);
  if (flags.includes('stream'))
    return (input: Input = {}, more: CallOptions = {}) => openStream(operation, input, transport, options, more);
  const call = (input: Input = {}, more: CallOptions = {}) => send(operation, input, transport, options, more);
  if (!flags.includes('list')) return call;
  const pages = (input: Input = {}, more: CallOptions = {}) =>
    createStream((signal) => readPages((cursor) => call({ ...input, ...cursor }, { ...more, signal }) as Promise<Page>), more.signal);
  const items = (input: Input = {}, more: CallOptions = {}) =>
    createStream((signal) => readItems(pages(input, { ...more, signal })), more.signal);
  return Object.assign(call, { pages, items });
}

async function* readPages(read: (cursor: { readonly cursor?: string }) => Promise<Page>): AsyncGenerator<Page, void> {
  for (let cursor: { readonly cursor?: string } = {}; ; ) {
    const page = await read(cursor);
    yield page;
    if (page.nextCursor === null) return;
    cursor = { cursor: page.nextCursor };
  }
}

async function* readItems(pages: Stream<Page>): AsyncGenerator<unknown, void> {
  for await (const { items } of pages) yield* items;
}

/** Sends a call, and retries it after transient failures if that is safe. */
async function send(
  operation: Operation,
  input: Input,
  transport: Transport,
  { retries = RETRIES, timeoutMs = TIMEOUT_MS }: ClientOptions,
  more: CallOptions,
): Promise<unknown> {
  const { name, flags } = operation;
  const { timing } = transport;
  const request = buildRequest(operation, input, more.idempotencyKey);
  const expected = { what: name, text: flags.includes('text'), refused: flags.map(Number) };
  const bound = { timing, ms: more.timeoutMs ?? timeoutMs, signal: more.signal, what: name };
  const repeats = isRepeatable(operation) ? retries : 0;
  for (let failures = 0; ; failures++) {
    try {
      return await bounded(bound, async (signal) => readAnswer(await transport.send(request, signal), expected, timing));
    } catch (error) {
      const pauseMs = failures < repeats ? pauseAfter(error, failures, timing) : null;
      if (pauseMs === null) throw error;
      await timing.wait(pauseMs, more.signal);
    }
  }
}

/** Opens a raw event stream in bytes, without resumption. Cancel it to end it. */
async function openStream(
  operation: Operation,
  input: Input,
  transport: Transport,
  { timeoutMs = TIMEOUT_MS }: ClientOptions,
  more: CallOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { name } = operation;
  const { timing } = transport;
  return bounded({ timing, ms: more.timeoutMs ?? timeoutMs, signal: more.signal, what: name }, async (signal) => {
    const response = await transport.send(buildRequest(operation, input, undefined), signal);
    if (response.ok && response.body !== null) return response.body;
    return (await readAnswer(response, { what: name, text: false, refused: [] }, timing)) as never;
  });
}

/** Opens a WebSocket. In Node, the token is sent in a header. Browsers cannot set one and use the session cookie. */
async function openSocket(operation: Operation, input: Input, transport: Transport, options: ClientOptions): Promise<Socket> {
  const open = options.WebSocket ?? (globalThis as { readonly WebSocket?: ClientOptions['WebSocket'] }).WebSocket;
  if (open === undefined)
    throw new SevengateError(`${operation.name} needs a WebSocket: give the one of the package ws as the option WebSocket`);
  const headers = await transport.authorization();
  const url = `${transport.baseUrl.replace(/^http/, 'ws')}${buildPath(operation, input)}`;
  return Object.keys(headers).length === 0 ? new open(url) : new open(url, { headers });
}
