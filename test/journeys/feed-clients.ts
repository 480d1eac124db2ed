/** Clients of the feeds as a user would write them: a websocket, and a reader of server-sent events. */
import { WebSocket } from 'ws';
import { undocumented } from '../harness/documented-frames.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Untyped, as a client without our types reads frames. */
export type Frame = ReturnType<typeof JSON.parse>;

export interface FeedSocket {
  readonly frames: readonly Frame[];
  send(message: unknown): void;
  /** Returns the first matching frame, past or future. */
  frame(what: string, fits: (frame: Frame) => boolean, deadlineMs?: number): Promise<Frame>;
  /** Returns all updates of a channel since its subscription was acknowledged. */
  updates(channel: string): Frame[];
  close(): Promise<void>;
  closed(): Promise<readonly [code: number, reason: string]>;
}

/**
 * Opens a socket with the token in `Authorization`. Every frame must match the AsyncAPI document. @throws Error with the status if the
 * upgrade is refused.
 */
export async function openSocket(url: string, token: string | null, headers: Record<string, string> = {}, query = ''): Promise<FeedSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/feeds${query}`, {
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
  });
  const frames: Frame[] = [];
  const wrong: string[] = [];
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    frames.push(frame);
    wrong.push(...undocumented(frame));
  });
  const requireDocumented = (): void => {
    if (wrong.length > 0) throw new Error(`frames that are not as /v1/asyncapi.json says: ${wrong.slice(0, 5).join('; ')}`);
  };
  const closed = new Promise<readonly [number, string]>((resolve) => {
    socket.on('close', (code, reason) => resolve([code, reason.toString()]));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  return {
    frames,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async frame(what, fits, deadlineMs = 5_000) {
      const found = await waitFor(() => frames.find(fits), { what, deadlineMs });
      requireDocumented();
      return found;
    },
    updates: (channel) => frames.filter((frame) => frame.channel === channel && frame.type === 'update'),
    async close() {
      socket.close();
      await closed;
      requireDocumented();
    },
    closed: () => closed,
  };
}

export interface EventReader {
  readonly status: number;
  readonly events: readonly { readonly id: string | null; readonly data: Frame }[];
  event(what: string, fits: (frame: Frame) => boolean, deadlineMs?: number): Promise<Frame>;
  /** Number of comments, which are the heartbeats. */
  comments(): number;
  close(): void;
}

/** Reads `GET /v1/feeds/sse?…` by the standard: events separated by an empty line. */
export async function readEvents(url: string, query: string, token: string, lastEventId?: string): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/feeds/sse?${query}`, {
    headers: { authorization: `Bearer ${token}`, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  });
  const events: { id: string | null; data: Frame }[] = [];
  let comments = 0;
  const reading = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        comments += lines.filter((line) => line.startsWith(':')).length;
        const data = lines.find((line) => line.startsWith('data: '))?.slice(6);
        const id = lines.find((line) => line.startsWith('id: '))?.slice(4) ?? null;
        if (data !== undefined) events.push({ id, data: JSON.parse(data) });
      }
    }
  })();
  reading.catch(() => {});
  return {
    status: response.status,
    events,
    event: (what, fits, deadlineMs = 5_000) => waitFor(() => events.find(({ data }) => fits(data))?.data, { what, deadlineMs }),
    comments: () => comments,
    close: () => abort.abort(),
  };
}
