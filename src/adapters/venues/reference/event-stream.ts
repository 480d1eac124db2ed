/** Server-sent events over a streaming request: parsed as they come, watched for silence, closed without residue. */
import { createParser } from 'eventsource-parser';
import type { Clock } from '../../../../streams/clock.ts';

/** One event may be this large; a larger one ends the stream. */
const MAX_EVENT_CHARACTERS = 2 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;

export interface EventStreamOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Ends the stream where not a single byte came for so long. */
  readonly silenceMs: number;
  readonly opened: () => void;
  /** One event: its name (`message` where it has none) and its data. */
  readonly event: (name: string, data: string) => void;
  /** A sign of life without an event (a comment). */
  readonly comment: () => void;
  /** Called exactly once when the stream is over, unless it was stopped. `status` is the HTTP status where the server refused, else 0. */
  readonly ended: (why: string, status: number) => void;
}

/** The first characters of a body, however long it goes on. */
async function beginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (response.body === null) return text;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= 1_000) break;
  }
  return text;
}

/** Opens the stream; returns what stops it. */
export function openEventStream(options: EventStreamOptions): () => void {
  const { clock } = options;
  const abort = new AbortController();
  let over = false;
  let cancelWatch = (): void => {};

  function finish(why: string, status = 0): void {
    if (over) return;
    over = true;
    cancelWatch();
    abort.abort();
    options.ended(why, status);
  }

  function watch(ms: number, why: string): void {
    cancelWatch();
    cancelWatch = clock.deadline(clock.now() + ms, () => finish(why));
  }

  async function run(): Promise<void> {
    watch(CONNECT_TIMEOUT_MS, `no answer within ${CONNECT_TIMEOUT_MS} ms`);
    const response = await fetch(options.url, {
      headers: { ...options.headers, accept: 'text/event-stream' },
      redirect: 'manual',
      signal: abort.signal,
    });
    if (response.status !== 200 || response.body === null) {
      const text = (await beginning(response)).trim().slice(0, 200);
      finish(`answered ${response.status} ${text}`.trim(), response.status);
      return;
    }
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) {
      finish(`answered ${type || 'no content type'} where text/event-stream belongs`);
      return;
    }
    let pending = 0;
    const parser = createParser({
      onEvent: (event) => {
        pending = 0;
        if (!over) options.event(event.event ?? 'message', event.data);
      },
      onComment: () => {
        if (!over) options.comment();
      },
    });
    options.opened();
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      if (over) return;
      watch(options.silenceMs, `nothing came for ${options.silenceMs} ms`);
      const text = decoder.decode(chunk, { stream: true });
      pending += text.length;
      parser.feed(text);
      if (pending > MAX_EVENT_CHARACTERS) finish(`sent an event of more than ${MAX_EVENT_CHARACTERS} characters`);
    }
    finish('closed by the provider');
  }

  run().catch((error: Error) => {
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    finish(`connection failed: ${cause?.code ?? cause?.message ?? error.message}`);
  });

  return () => {
    over = true;
    cancelWatch();
    abort.abort();
  };
}
