// Server with only the feeds, over a real database, and clients that record what they receive.
import { randomUUID } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { type ClientOptions, WebSocket } from 'ws';
import type { AgentView } from '../../../actors/agent/resource.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import type { Caller } from '../../../api/caller.ts';
import type { FeedPorts } from '../../../api/feeds/feed-ports.ts';
import { type FeedOptions, registerFeeds } from '../../../api/feeds/index.ts';

type FeedMember = Pick<Member, 'orgId' | 'permissions'>;

import { createActorLives } from '../../../actors/runtime/actor-life.ts';
import { createInspection } from '../../../api/feeds/inspected-actors.ts';
import { createBasisReads } from '../../../api/v1/rankings/basis.ts';
import { createBookWants } from '../../../src/adapters/queue/book-wants.ts';
import { createInProcessMarketStateBus, type MarketStateBus } from '../../../src/adapters/queue/market-state-bus.ts';
import { createInProcessQuoteBus, type QuoteBus } from '../../../src/adapters/queue/quote-bus.ts';
import { createActorReads } from '../../../src/adapters/store/actors/actor-reads.ts';
import { type AnnouncementTail, createAnnouncementTail } from '../../../src/adapters/store/actors/announcement-tail.ts';
import { createHistoryStore } from '../../../src/adapters/store/actors/history-store.ts';
import { createCutReads } from '../../../src/adapters/store/agents/cut-store.ts';
import { createBarReads } from '../../../src/adapters/store/candles/bar-reads.ts';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { openDatabase, type Sql, type Transaction } from '../../../src/adapters/store/database.ts';
import { PERMISSIONS, type Permission } from '../../../src/domain/agents/agent.ts';
import { assembleDecision, GENESIS_HASH } from '../../../src/domain/agents/decision.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import type { Member } from '../../../src/domain/identity/member.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import type { Json } from '../../../src/domain/values/canonical-json.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { lampKind } from '../../actors/runtime/lamp.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';

export const OURS = '00000000-0000-7000-8000-00000000000a';
export const THEIRS = '00000000-0000-7000-8000-00000000000b';

export interface Stage {
  readonly app: FastifyInstance;
  readonly port: number;
  readonly sql: Sql;
  readonly tail: AnnouncementTail;
  readonly bus: QuoteBus;
  readonly states: MarketStateBus;
  readonly members: Map<string, FeedMember>;
  readonly defects: string[];
  /** Agents as the snapshot of the `agents` channel shows them. */
  readonly agents: Map<string, AgentView[]>;
  stats(): { connections: number; deliveries: number; writes: number };
  close(): Promise<void>;
}

export interface FixtureOptions {
  readonly clock?: Clock;
  readonly feeds?: FeedOptions;
  /** Maximum idle time of a connection, in milliseconds; default unlimited. */
  readonly connectionTimeout?: number;
  /** Returns the expiry of a subject's token. Default: in an hour. */
  readonly expiresAt?: (subject: string) => number;
  readonly find?: (subject: string) => Promise<FeedMember | null>;
  /** Announcements that the tail keeps in memory. */
  readonly recentRows?: number;
  /** Called before each expansion of a batch of decisions. May throw. */
  readonly beforeExpansion?: () => void;
  /** Closed bars. Default: those of the database. */
  readonly candles?: FeedPorts['candles'];
}

/** Opens one database for a test file. */
export async function openFixtureDatabase(): Promise<Sql> {
  const sql = openDatabase({ url: await testDatabase(), connections: 12, name: 'feeds test' });
  await sql`insert into organizations (id, name) values (${OURS}, 'ours'), (${THEIRS}, 'theirs')`;
  return sql;
}

export async function openFixture(sql: Sql, options: FixtureOptions = {}): Promise<Stage> {
  const live = createLiveClock();
  const clock = options.clock ?? live;
  const defects: string[] = [];
  const { recentRows } = options;
  const onError = (error: unknown): unknown => defects.push(String(error));
  const tail = createAnnouncementTail({ sql, clock: live, onError, ...(recentRows === undefined ? {} : { recentRows }) });
  await tail.start();
  const bus = createInProcessQuoteBus({ clock: live, flushMs: 5 });
  const states = createInProcessMarketStateBus({ clock: live, flushMs: 5 });
  const members = new Map<string, FeedMember>([
    ['ours', { orgId: OURS, permissions: PERMISSIONS }],
    ['theirs', { orgId: THEIRS, permissions: PERMISSIONS }],
  ]);
  const agents = new Map<string, AgentView[]>();
  const find = options.find ?? (async (subject: string) => members.get(subject) ?? null);
  const lamps = createDirectory([lampKind]);
  const ports: FeedPorts = {
    clock,
    members: { find },
    announcements: tail,
    quotes: bus,
    states,
    bookWants: createBookWants(states, live),
    candles: options.candles ?? createCandleStore(sql),
    rankings: { cuts: createCutReads(sql), basis: createBasisReads({ bars: createBarReads(sql), catalog: CATALOG, clock }) },
    async expandDecisions(batch, orgId) {
      options.beforeExpansion?.();
      return expandDecisions(sql, batch, orgId);
    },
    agentsNow: async (orgId, agentId) => (agents.get(orgId) ?? []).filter((agent) => agentId === null || agent.id === agentId),
    inspection: createInspection({
      reads: createActorReads(sql),
      lives: () => createActorLives({ store: createHistoryStore(sql), directory: lamps }),
      directory: lamps,
    }),
    reportDefect: (error, where) => defects.push(`${where}: ${String(error)}`),
  };
  const app = fastify({ genReqId: () => randomUUID(), forceCloseConnections: 'idle', connectionTimeout: options.connectionTimeout ?? 0 });
  app.decorateRequest('caller', null);
  // Replaces the API's authentication, which has its own tests.
  app.addHook('onRequest', async (request, reply) => {
    const subject = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (subject === undefined) return reply.code(401).send();
    const member = members.get(subject) ?? null;
    const caller: Caller = {
      subject,
      orgId: member?.orgId ?? null,
      name: null,
      permissions: member?.permissions ?? (['market:read'] as Permission[]),
      expiresAt: options.expiresAt?.(subject) ?? clock.now() + 3_600_000,
      claims: { issuedAt: clock.now(), sessionId: null, tokenId: null },
      credential: 'bearer',
    };
    request.caller = caller;
    return;
  });
  const { stats } = await registerFeeds(app, ports, { flushMs: 10, ...options.feeds });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    app,
    port: (app.server.address() as AddressInfo).port,
    sql,
    tail,
    bus,
    states,
    members,
    defects,
    agents,
    stats,
    async close() {
      await app.close();
      await tail.stop();
      await bus.close();
      await states.close();
    },
  };
}

/** Returns the decision records of a batch from the tables, newest first, to show that the feed does not rely on an order. */
async function expandDecisions(sql: Sql, batch: { shard: number; fromSlot: number; slot: number }, orgId: string) {
  const rows = await sql<{ agent_id: string; slot: number; hash: string }[]>`
    select d.agent_id, d.slot, encode(d.hash, 'hex') as hash from decisions d join actors a on a.id = d.agent_id
    where a.org_id = ${orgId} and a.shard = ${batch.shard} and d.slot between ${batch.fromSlot} and ${batch.slot}
    order by d.slot desc, d.agent_id desc`;
  return rows.map((row) =>
    assembleDecision(
      {
        agentId: row.agent_id,
        slot: row.slot,
        manifestVersion: 1,
        manifestHash: GENESIS_HASH,
        observedHash: '',
        book: null,
        disposition: 'hold',
        reason: null,
        instrument: null,
        outcome: '[]',
        risk: null,
        previousHash: GENESIS_HASH,
        hash: row.hash,
      },
      [],
      { unpack: () => [] },
    ),
  );
}

export interface Frame {
  readonly id?: number | string;
  readonly channel?: string;
  readonly type: string;
  readonly seq?: number;
  readonly cursor?: string | null;
  readonly at?: string;
  readonly code?: string;
  readonly detail?: string;
  // Untyped: the tests check its form.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data?: any;
}

export interface TestClient {
  readonly socket: WebSocket;
  readonly frames: Frame[];
  /** Resolves with code and reason once it is closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  send(message: unknown): void;
  /** Waits for the first matching frame, past or future. */
  wait(what: string, fits: (frame: Frame) => boolean): Promise<Frame>;
  /** Sends a message and waits for the answer with its id. */
  ask(message: { id: number | string; [name: string]: unknown }): Promise<Frame>;
  updates(channel: string): Frame[];
  /** Returns the underlying network socket. Paused, it reads nothing. */
  net(): Socket;
  /** Makes a round trip: everything sent before has been processed. */
  roundTrip(): Promise<void>;
}

let trips = 0;

export async function connect(
  server: { port: number },
  subject = 'ours',
  headers: { [name: string]: string } = {},
  options: ClientOptions = {},
): Promise<TestClient> {
  const url = `ws://127.0.0.1:${server.port}/v1/feeds`;
  const socket = new WebSocket(url, { ...options, headers: { authorization: `Bearer ${subject}`, ...headers } });
  const frames: Frame[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data)) as Frame));
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  const client: TestClient = {
    socket,
    frames,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    wait: (what, fits) => waitFor(() => frames.find(fits) ?? null, { what, deadlineMs: 20_000 }) as Promise<Frame>,
    ask: (message) => {
      client.send(message);
      return client.wait(`the answer to ${JSON.stringify(message)}`, (frame) => frame.id === message.id);
    },
    updates: (channel) => frames.filter((frame) => frame.channel === channel && frame.type === 'update'),
    net: () => (socket as unknown as { _socket: Socket })._socket,
    async roundTrip() {
      await client.ask({ op: 'ping', id: `trip ${++trips}` });
    },
  };
  return client;
}

/** Writes announcements in one transaction and wakes the tail, like the stores. */
export async function announce(
  sql: Sql | Transaction,
  rows: readonly { channel: string; orgId: string | null; actorId?: string; body: Json }[],
): Promise<void> {
  await sql`
    insert into announcements (channel, org_id, actor_id, at, body)
    select channel, org_id, actor_id, 1780000000000, body
    from jsonb_to_recordset(${sql.json(rows.map(({ channel, orgId, actorId, body }) => ({ channel, org_id: orgId, actor_id: actorId ?? null, body })) as never)})
      as a(channel text, org_id uuid, actor_id uuid, body jsonb)`;
  await sql`select pg_notify('sevengate_announcements', '')`;
}

export function testQuote(instrument: string, bid: string, receivedAt: number): Quote<'spotexchange'> {
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument,
    source: 'binance:bookTicker',
    observedAt: receivedAt,
    receivedAt,
    sourceTime: true,
    bid,
    ask: `${bid}5`,
    bidSize: '1',
    askSize: '2',
    sequence: null,
    quality: 'live',
    flags: [],
  };
}
