/** Server-sent events over a streaming request: parsed as they arrive, checked for silence, closed without leftovers. */
import { createParser } from 'eventsource-parser';
import { Observable } from 'rxjs';
import type { Clock } from '../../../../streams/clock/clock.ts';

/** Maximum characters of one event. A larger one ends the stream. */
const MAX_EVENT_CHARACTERS = 2 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;

interface EventStreamOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Time without any byte after which the stream ends, in milliseconds. */
  readonly silenceMs: number;
}

/** Event of a stream: its opening, an event (named `message` if it has no name), or a comment as a heartbeat. */
export type ServerEvent =
  | { readonly kind: 'opened' }
  | { readonly kind: 'event'; readonly name: string; readonly data: string }
  | { readonly kind: 'comment' };

/** Error that ended a stream. `status` is the HTTP status if the server refused, otherwise 0. */
export class EventStreamEnded extends Error {
  readonly status: number;

  constructor(why: string, status = 0) {
    super(why);
    this.status = status;
  }
}

/** Reads the first characters of a body of any length. */
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

/** Opens the stream on subscription and aborts it on unsubscription. It always ends with an `EventStreamEnded`. */
export function serverEvents(options: EventStreamOptions): Observable<ServerEvent> {
  const { clock } = options;
  return new Observable((subscriber) => {
    const abort = new AbortController();
    let cancelWatch = (): void => {};
    const watch = (ms: number, why: string): void => {
      cancelWatch();
      cancelWatch = clock.deadline(clock.now() + ms, () => subscriber.error(new EventStreamEnded(why)));
    };
    watch(CONNECT_TIMEOUT_MS, `no answer within ${CONNECT_TIMEOUT_MS} ms`);
    open(options, abort.signal)
      .then((response) => {
        if (subscriber.closed) return;
        subscriber.next({ kind: 'opened' });
        return read(
          response,
          (event) => subscriber.next(event),
          () => {
            if (!subscriber.closed) watch(options.silenceMs, `nothing came for ${options.silenceMs} ms`);
          },
        );
      })
      .then(() => subscriber.error(new EventStreamEnded('closed by the provider')))
      .catch((error: Error) => subscriber.error(error instanceof EventStreamEnded ? error : unreachable(error)));
    return () => {
      cancelWatch();
      abort.abort();
    };
  });
}

function unreachable(error: Error): EventStreamEnded {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return new EventStreamEnded(`connection failed: ${cause?.code ?? cause?.message ?? error.message}`);
}

/** Requests the stream. @throws EventStreamEnded if the server answers anything else */
async function open({ url, headers }: EventStreamOptions, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, redirect: 'manual', signal });
  if (response.status !== 200 || response.body === null) {
    const text = (await beginning(response)).trim().slice(0, 200);
    throw new EventStreamEnded(`answered ${response.status} ${text}`.trim(), response.status);
  }
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream'))
    throw new EventStreamEnded(`answered ${type || 'no content type'} where text/event-stream belongs`);
  return response;
}

/** Reads a body to its end. @throws EventStreamEnded if an event is too large */
async function read(response: Response, emit: (event: ServerEvent) => void, received: () => void): Promise<void> {
  let pending = 0;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      pending = 0;
      emit({ kind: 'event', name: event ?? 'message', data });
    },
    onComment: () => emit({ kind: 'comment' }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    received();
    const text = decoder.decode(chunk, { stream: true });
    pending += text.length;
    parser.feed(text);
    if (pending > MAX_EVENT_CHARACTERS) throw new EventStreamEnded(`sent an event of more than ${MAX_EVENT_CHARACTERS} characters`);
  }
}
