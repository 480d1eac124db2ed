/**
 * Many clients of a feed, in processes of their own. They follow a channel of announcements, whose cursors they add up, and quotes,
 * whose bids say when they were sent. They can be cut off and connect again all at once.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { constants, setPriority } from 'node:os';
import { eachFrame, maskedFrame, PONG, upgradeRequest } from './feed-wire.ts';
import { answerOf, preciseNow, sinceBid } from './spot-venue.ts';

/** Connections that a process opens at a time while nobody measures. */
const OPENING_AT_ONCE = 25;
const BID = '"bid":"1000.';
const CURSOR = '"cursor":"';
const REFUSED_MS = 250;

interface Plan {
  readonly port: number;
  /** One token per client. */
  readonly tokens: readonly string[];
  /** Channel of announcements, or null. */
  readonly channel: string | null;
  /** Parameters of quotes, or null. */
  readonly quotes: object | null;
  /** Own address of the clients, because the ports of one address are few. */
  readonly address: string;
  /** Lets every other process run first: the clients of a service run on other machines. */
  readonly yields: boolean;
}

/** Announcements that a client received. */
export interface Followed {
  readonly frames: number;
  /** Digest of all cursors in their order. */
  readonly digest: number;
  /** Milliseconds since the epoch at which it had everything up to its target after the last cut, or null. */
  readonly resumedAt: number | null;
  /** Attempts to connect that were refused or ended. */
  readonly refused: number;
}

type Order =
  | { readonly plan: Plan }
  | { readonly reconnect: readonly (readonly [xid: number, seq: number])[] }
  | { readonly tell: 'delays' | 'followed' }
  | 'cut';

/** Adds a cursor to a digest. */
export function digested(digest: number, cursor: string): number {
  let next = digest;
  for (let index = 0; index < cursor.length; index++) next = (Math.imul(next, 31) + cursor.charCodeAt(index)) | 0;
  return Math.imul(next, 31);
}

if (process.argv[2] === 'feed crowd') serve();

function serve(): void {
  let clients: CrowdClient[] = [];
  const delays: number[] = [];
  process.on('message', (order: Order) => {
    if (order === 'cut') for (const client of clients) client.cut();
    else if ('plan' in order) {
      clients = open(order.plan, delays);
    } else if ('reconnect' in order) {
      for (const [index, client] of clients.entries()) client.reconnect(order.reconnect[index] ?? [0, 0]);
    } else if (order.tell === 'delays') process.send?.(delays.splice(0));
    else process.send?.(clients.map((client) => client.followed()));
  });
  process.on('disconnect', () => process.exit(0));
}

/** Opens the clients, some at a time, and then says so. */
function open(plan: Plan, delays: number[]): CrowdClient[] {
  if (plan.yields) setPriority(constants.priority.PRIORITY_LOW);
  let next = 0;
  let ready = 0;
  const clients = plan.tokens.map(
    (token) =>
      new CrowdClient(plan, token, delays, () => {
        if (++ready === plan.tokens.length) process.send?.('open');
        clients[next++]?.connect();
      }),
  );
  for (; next < Math.min(OPENING_AT_ONCE, clients.length); next++) clients[next]?.connect();
  return clients;
}

class CrowdClient {
  readonly #plan: Plan;
  readonly #delays: number[];
  readonly #opened: () => void;
  readonly #head: Buffer;
  #socket: net.Socket | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #upgraded = false;
  #waiting = 0;
  #first = true;
  #cursor: string | null = null;
  #frames = 0;
  #digest = 7;
  #refused = 0;
  #target: readonly [number, number] | null = null;
  #resumedAt: number | null = null;

  constructor(plan: Plan, token: string, delays: number[], opened: () => void) {
    this.#plan = plan;
    this.#delays = delays;
    this.#opened = opened;
    this.#head = Buffer.from(upgradeRequest(`authorization: Bearer ${token}\r\n`));
  }

  connect(): void {
    const { port, address } = this.#plan;
    const socket = net.connect({ port, host: '127.0.0.1', localAddress: address, noDelay: true });
    this.#socket = socket;
    this.#upgraded = false;
    this.#rest = Buffer.alloc(0);
    socket.write(this.#head);
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      // It was not cut by us: refused, or ended by the service. A client then waits and tries again.
      this.#refused++;
      setTimeout(() => this.connect(), REFUSED_MS * (0.5 + Math.random()));
    });
  }

  /** Ends the connection as a lost network does, without a farewell. */
  cut(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.resetAndDestroy();
  }

  reconnect(target: readonly [xid: number, seq: number]): void {
    this.#target = target;
    this.#resumedAt = null;
    this.connect();
  }

  followed(): Followed {
    return { frames: this.#frames, digest: this.#digest, resumedAt: this.#resumedAt, refused: this.#refused };
  }

  #read(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#upgraded) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) {
        this.#rest = bytes;
        return;
      }
      if (!bytes.toString('latin1', 0, 12).startsWith('HTTP/1.1 101')) return void this.#socket?.destroy();
      this.#upgraded = true;
      this.#subscribe();
      bytes = bytes.subarray(end + 4);
    }
    this.#rest = eachFrame(bytes, (opcode, payload) => this.#take(opcode, payload));
  }

  #subscribe(): void {
    const { channel, quotes } = this.#plan;
    this.#waiting = (channel === null ? 0 : 1) + (quotes === null ? 0 : 1);
    const from = this.#cursor === null ? '' : `,"from":"${this.#cursor}"`;
    if (channel !== null) this.#socket?.write(maskedFrame(`{"op":"subscribe","id":1,"channel":"${channel}"${from}}`));
    if (quotes !== null)
      this.#socket?.write(maskedFrame(`{"op":"subscribe","id":2,"channel":"quotes","params":${JSON.stringify(quotes)}}`));
  }

  #take(opcode: number, payload: Buffer): void {
    if (opcode === 9) return void this.#socket?.write(PONG);
    if (opcode !== 1) return;
    const text = payload.toString('latin1');
    if (text.startsWith('{"channel":"quotes"')) this.#quotes(text);
    else if (text.startsWith('{"id":1,"type":"subscribed"')) this.#subscribed(text);
    else if (text.startsWith('{"id":2,"type":"subscribed"')) this.#ready();
    else if (text.startsWith('{"channel"')) this.#announced(text);
    else if (!text.startsWith('{"type":"heartbeat"')) this.#refused++;
  }

  #quotes(text: string): void {
    if (!text.startsWith('"type":"update"', 20)) return;
    const at = text.indexOf(BID);
    if (at > 0) this.#delays.push(sinceBid(text.slice(at + BID.length, at + BID.length + 8), preciseNow()));
  }

  #subscribed(text: string): void {
    this.#cursor ??= cursorIn(text);
    this.#ready();
    this.#look();
  }

  #announced(text: string): void {
    const cursor = cursorIn(text);
    if (cursor === null) return;
    // The first frame is a snapshot: where everything begins.
    if (!text.includes('"type":"snapshot"')) {
      this.#frames++;
      this.#digest = digested(this.#digest, cursor);
    }
    this.#cursor = cursor;
    this.#look();
  }

  /** Notes the time at which everything up to the target has come. */
  #look(): void {
    if (this.#target === null || this.#resumedAt !== null || this.#cursor === null) return;
    const [xid = 0, seq = 0] = this.#cursor.split('.').map(Number);
    const [wantedXid, wantedSeq] = this.#target;
    if (xid > wantedXid || (xid === wantedXid && seq >= wantedSeq)) this.#resumedAt = preciseNow();
  }

  #ready(): void {
    if (--this.#waiting > 0 || !this.#first) return;
    this.#first = false;
    this.#opened();
  }
}

function cursorIn(text: string): string | null {
  const at = text.indexOf(CURSOR);
  return at < 0 ? null : text.slice(at + CURSOR.length, text.indexOf('"', at + CURSOR.length));
}

export type Crowd = Awaited<ReturnType<typeof openCrowd>>;

/** Opens the clients of one process and resolves once all have subscribed. */
export async function openCrowd(plan: Plan) {
  const child: ChildProcess = fork(new URL(import.meta.url), ['feed crowd'], { execArgv: process.execArgv });
  const ready = answerOf(child);
  const tell = (order: Order): void => void child.send(order);
  tell({ plan });
  await ready;
  const asked = <Answer>(what: 'delays' | 'followed'): Promise<Answer> => {
    const answer = answerOf<Answer>(child);
    tell({ tell: what });
    return answer;
  };
  return {
    pid: child.pid as number,
    clients: plan.tokens.length,
    /** Returns and forgets the milliseconds between the sending of bids and their arrival. */
    delays: () => asked<number[]>('delays'),
    followed: () => asked<Followed[]>('followed'),
    cut: () => tell('cut'),
    /** Connects all at once. @param targets by client, what it must have received to count as resumed */
    reconnect: (targets: readonly (readonly [number, number])[]) => tell({ reconnect: targets }),
    async stop(): Promise<void> {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
