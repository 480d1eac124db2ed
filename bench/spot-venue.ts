/**
 * Spot exchange of a benchmark, in a process of its own: sends best bids and asks over its stream. The price of a bid is the
 * time of sending, so that whoever receives it knows how long it took.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** Whole part of every price. Its digits are a time, too small a change to look like a jump. */
const WHOLE = '1000';
/** Times repeat after this many milliseconds. A digit is a tenth of one. */
const WRAP_MS = 10_000_000;
const OFFER = '1001.50000000';

/** Milliseconds since the epoch, with fractions, by the same clock in every process. */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

/** Returns a bid that contains the time, in tenths of milliseconds. */
export function bidAt(ms: number): string {
  return `${WHOLE}.${String(Math.floor((ms % WRAP_MS) * 10)).padStart(8, '0')}`;
}

/** Returns the milliseconds since a bid was sent. @param digits the eight digits after its point */
export function sinceBid(digits: string, now: number): number {
  return ((now % WRAP_MS) - Number(digits) / 10 + WRAP_MS) % WRAP_MS;
}

/** Order to the venue: to send so many messages a second about all of its streams, or one about one symbol. */
type Order = { readonly perSecond: number } | { readonly one: string };

if (process.argv[2] === 'spot venue') serve();

function serve(): void {
  const sockets = new Map<string, WebSocket>();
  let update = 0;
  let sent = 0;
  let timer: NodeJS.Timeout | null = null;
  const send = (symbol: string): void => {
    update++;
    sockets
      .get(symbol)
      ?.send(
        `{"stream":"${symbol.toLowerCase()}@bookTicker","data":{"u":${update},"s":"${symbol}","b":"${bidAt(preciseNow())}","B":"2.50000000","a":"${OFFER}","A":"3.10000000"}}`,
      );
    sent++;
  };
  const flow = (perSecond: number): void => {
    if (timer !== null) clearInterval(timer);
    if (perSecond === 0) return;
    const began = performance.now();
    let next = 0;
    let done = 0;
    const symbols = [...sockets.keys()];
    timer = setInterval(() => {
      const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
      for (; done < due; done++) send(symbols[next++ % symbols.length] as string);
    }, 1);
  };
  // A thousand streams are named in one address.
  const server = createServer({ maxHeaderSize: 64 * 1_024 }, (request, response) => {
    const isTime = request.url?.startsWith('/api/v3/time') === true;
    response.setHeader('content-type', 'application/json').end(isTime ? `{"serverTime":${Date.now()}}` : '[]');
  });
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket, request) => {
    const streams = new URL(request.url ?? '', 'http://venue').searchParams.get('streams') ?? '';
    for (const stream of streams.split('/')) {
      const [name = '', kind] = stream.split('@');
      if (kind === 'bookTicker') sockets.set(name.toUpperCase(), socket);
    }
  });
  process.on('message', (order: Order | 'count') => {
    if (order === 'count') process.send?.({ sent, symbols: sockets.size });
    else if ('one' in order) send(order.one);
    else flow(order.perSecond);
  });
  process.on('disconnect', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

/** Starts the venue. */
export async function openSpotVenue() {
  const child = fork(new URL(import.meta.url), ['spot venue'], { execArgv: process.execArgv });
  const { port } = await answerOf<{ port: number }>(child);
  const tell = (order: Order): void => void child.send(order);
  return {
    pid: child.pid as number,
    settings: { SPOTEXCHANGE_URL: `http://127.0.0.1:${port}`, SPOTEXCHANGE_STREAM_URL: `ws://127.0.0.1:${port}` },
    /** Sends one message about a symbol. */
    sendOne: (symbol: string) => tell({ one: symbol }),
    /** Sends messages about every followed symbol in turn; 0 ends it. */
    flow: (perSecond: number) => tell({ perSecond }),
    async count(): Promise<{ readonly sent: number; readonly symbols: number }> {
      const answer = answerOf<{ sent: number; symbols: number }>(child);
      child.send('count');
      return answer;
    },
    async stop(): Promise<void> {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Waits for the next message of a child process. @throws Error if it ends instead */
export function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('a process of the benchmark ended'));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as Answer);
    });
  });
}
