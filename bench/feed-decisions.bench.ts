/**
 * Delivers one slot's decisions of many agents to many clients: the feed's own routes in this process, clients in their own processes
 * that read the bytes and look for the last decision. Prints the time until clients had the whole slot (from the
 * announcement), the bytes per client, and the server's processor time and memory.
 * `node --import tsx bench/feed-decisions.bench.ts [--clients 10000] [--agents 1000] [--slots 4] [--plain] [--json]`
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import fastify from 'fastify';
import type { FeedPorts } from '../api/feeds/feed-ports.ts';
import { registerFeeds } from '../api/feeds/index.ts';
import type { AnnouncementRow } from '../src/adapters/store/actors/announced-rows.ts';
import { PERMISSIONS } from '../src/domain/agents/agent.ts';
import type { DecisionRecord } from '../src/domain/agents/decision.ts';
import { createLiveClock } from '../streams/clock/live-clock.ts';
import { sampleObservation } from '../test/actors/agent/sample.ts';
import { maskedFrame, upgradeRequest } from './feed-wire.ts';
import { quantile } from './harness.ts';

const ORG = '00000000-0000-7000-8000-00000000000a';
const CLIENT_PROCESSES = 2;
const SHARD_SIZE = 500;
const SLOT_MS = 60_000;
const OPENING_AT_ONCE = 50;
/** Silence after the last decision before the next slot, in milliseconds. */
const BETWEEN_MS = 1_000;

if (process.argv[2] === 'clients') receive(Number(process.argv[3]), Number(process.argv[4]), process.argv[5] === 'plain');
else await run();

/** Runs clients that decode nothing: they count bytes, and each slot has the same number for every client. */
function receive(port: number, count: number, plain: boolean): void {
  const offer = plain ? '' : 'sec-websocket-extensions: permessage-deflate; client_max_window_bits\r\n';
  const subscribe = maskedFrame('{"op":"subscribe","id":1,"channel":"decisions"}');
  const bytes = new Float64Array(count);
  const lastAt = new Float64Array(count);
  let begun = 0;
  const open = (): void => {
    const index = begun++;
    if (index >= count) return;
    const socket = net.connect(port, '127.0.0.1');
    let state: 'upgrading' | 'subscribing' | 'open' = 'upgrading';
    socket.write(upgradeRequest(offer));
    socket.on('error', () => process.exit(1));
    socket.on('data', (chunk) => {
      if (state === 'open') {
        bytes[index] = (bytes[index] as number) + chunk.length;
        lastAt[index] = performance.timeOrigin + performance.now();
      } else if (state === 'upgrading') {
        if (chunk.indexOf('HTTP/1.1 101') !== 0) process.exit(1);
        state = 'subscribing';
        socket.write(subscribe);
      } else {
        state = 'open';
        if (index === count - 1) process.send?.({ type: 'open' });
        open();
      }
    });
  };
  for (let n = 0; n < OPENING_AT_ONCE; n++) open();
  process.on('message', () => {
    process.send?.({ type: 'received', bytes: Array.from(bytes), lastAt: Array.from(lastAt) });
    bytes.fill(0);
  });
  process.on('disconnect', () => process.exit(0));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns a decision of an agent about one of fifty shares, with rules as long as those of the service. */
function decisionOf(agent: number, slot: number): DecisionRecord {
  const share = `SHARE${agent % 50}x`;
  const price = (100 + (agent % 50) * 3.17 + (slot % 7)).toFixed(2);
  const threshold = -((agent % 9) + 1) / 2;
  const seen = sampleObservation(`spotchain:${share}`, slot, { mid: price, premiumPct: -1.25, rsi: null });
  const rule = (side: string, type: string, bound: number) => ({
    instrument: `spotchain:${share}`,
    side,
    type,
    passed: bound < threshold,
    observed: -1.25,
    threshold: bound,
  });
  return {
    id: hashOf(`${agent} ${slot}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5'),
    agentId: `00000000-0000-7000-a000-${String(agent).padStart(12, '0')}`,
    slot: new Date(slot).toISOString(),
    at: new Date(slot).toISOString(),
    manifestHash: hashOf(`manifest ${agent}`),
    observed: {
      [`spotchain:${share}`]: {
        ...seen,
        reference: { ...seen.reference, instrument: share, referencePrice: price },
        liquidityUsd: `${900_000 + agent}`,
        indicators: { 'rsi:14@1h': { value: 20 + (agent % 50) / 7, previous: 21 + (agent % 50) / 9, barOpenTime: slot - 3_600_000 } },
      },
    },
    rules: [
      rule('entry', 'premium_below', -1.5),
      rule('entry', 'rsi_below', 35),
      rule('exit', 'premium_above', 0.5),
      rule('exit', 'stop_loss', -4),
      rule('exit', 'take_profit', 6),
    ],
    disposition: 'hold',
    reason: null,
    instrument: null,
    risk: null,
    book: { positions: [], cash: '1000', equity: '1000' },
    previousHash: hashOf(`${agent} ${slot - SLOT_MS}`),
    hash: hashOf(`${agent} ${slot}.`),
  } as unknown as DecisionRecord;
}

/** Serves the feed's routes from a scripted source. Every client is the same member of one organization. */
async function serverFor(clients: number, agents: number) {
  const clock = createLiveClock();
  let listener: Parameters<FeedPorts['announcements']['subscribe']>[0] = () => {};
  let position = { xid: 1_000_000, seq: 1 };
  const announcements: FeedPorts['announcements'] = {
    position: () => position,
    subscribe(receives) {
      listener = receives;
      return () => {};
    },
    read: async (_, upTo) => ({ rows: [], position: upTo }),
    isKnown: async () => true,
  };
  const silent = { snapshot: () => [], latest: () => null, subscribe: () => () => {} };
  const ports = {
    clock,
    members: { find: async () => ({ orgId: ORG, permissions: PERMISSIONS }) },
    announcements,
    quotes: silent,
    states: silent,
    expandDecisions: async ({ shard, slot }: { shard: number; slot: number }) =>
      Array.from({ length: Math.min(SHARD_SIZE, agents - shard * SHARD_SIZE) }, (_, n) => decisionOf(shard * SHARD_SIZE + n, slot)),
    agentsNow: async () => [],
    inspection: null,
    reportDefect: (error: unknown, where: string) => console.error(where, error),
  } as unknown as FeedPorts;
  const app = fastify({ forceCloseConnections: true });
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const claims = { issuedAt: clock.now(), sessionId: null, tokenId: null };
    const expiresAt = clock.now() + 3_600_000;
    request.caller = { subject: 'bench', orgId: ORG, name: null, permissions: PERMISSIONS, expiresAt, claims, credential: 'bearer' };
  });
  await registerFeeds(app, ports, { connectionsPerSubject: clients, heartbeatMs: 3_600_000 });
  await app.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
  return {
    port: (app.server.address() as AddressInfo).port,
    /** Announces that every shard has decided a slot. */
    announce(slot: number): void {
      const rows: AnnouncementRow[] = Array.from({ length: Math.ceil(agents / SHARD_SIZE) }, (_, shard) => ({
        xid: position.xid + 1 + shard,
        seq: 1,
        channel: 'decisions',
        orgId: null,
        actorId: null,
        at: slot + 700,
        body: { periodMs: SLOT_MS, shard, fromSlot: slot, slot },
      }));
      position = { xid: position.xid + rows.length, seq: 1 };
      listener(rows, position);
    },
    close: () => app.close(),
  };
}

interface Told {
  readonly clients: number;
  /** Time until clients had the whole slot, in milliseconds from its announcement. */
  readonly p50: number;
  readonly p99: number;
  readonly last: number;
  /** Bytes that each client received. */
  readonly bytes: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      clients: { type: 'string', default: '10000' },
      agents: { type: 'string', default: '1000' },
      slots: { type: 'string', default: '4' },
      plain: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const clients = Math.ceil(Number(values.clients) / CLIENT_PROCESSES) * CLIENT_PROCESSES;
  const agents = Number(values.agents);
  const server = await serverFor(clients, agents);
  const given = ['clients', String(server.port), String(clients / CLIENT_PROCESSES), values.plain ? 'plain' : 'deflate'];
  const children = Array.from({ length: CLIENT_PROCESSES }, () => fork(new URL(import.meta.url), given, { execArgv: process.execArgv }));
  await Promise.all(children.map((child) => messageOf(child)));
  const found: Told[] = [];
  for (let n = 0; n < Number(values.slots); n++) {
    await pause(BETWEEN_MS);
    found.push(await measure(() => server.announce(1_780_000_020_000 + n * SLOT_MS), children, clients));
    if (!values.json) console.log(line(found.at(-1) as Told));
  }
  if (values.json) console.log(JSON.stringify({ agents, plain: values.plain, found }));
  for (const child of children) child.disconnect();
  await server.close();
}

async function measure(announce: () => void, children: readonly ChildProcess[], clients: number): Promise<Told> {
  const cpu = process.cpuUsage();
  const began = performance.timeOrigin + performance.now();
  let rss = 0;
  const watching = setInterval(() => (rss = Math.max(rss, process.memoryUsage.rss())), 20);
  announce();
  const { bytes, lastAt } = await allOf(children, clients);
  clearInterval(watching);
  const used = process.cpuUsage(cpu);
  const took = lastAt.map((at) => at - began);
  const [p50, p99, last] = [0.5, 0.99, 1].map((share) => Math.round(quantile(took, share))) as [number, number, number];
  return { clients, p50, p99, last, bytes, cpuMs: Math.round((used.user + used.system) / 1_000), rssMb: Math.round(rss / 1e6) };
}

function line({ clients, p50, p99, last, bytes, cpuMs, rssMb }: Told): string {
  return `${clients} clients had all of it after ${p50} ms (median), ${p99} ms (99 %), ${last} ms (last); ${Math.round(bytes / 1_000)} kB each; server ${cpuMs} ms of processor time, ${rssMb} MB`;
}

/** Waits for the next message of a client process. */
function messageOf(child: ChildProcess): Promise<{ bytes: number[]; lastAt: number[] }> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('a client process ended'));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as { bytes: number[]; lastAt: number[] });
    });
  });
}

/** Polls until every client has the same number of bytes and nothing has come for a while. Returns the time of each one's last byte. */
async function allOf(children: readonly ChildProcess[], clients: number): Promise<{ bytes: number; lastAt: number[] }> {
  const sums = new Float64Array(clients);
  for (;;) {
    await pause(BETWEEN_MS);
    const told = await Promise.all(
      children.map((child) => {
        const message = messageOf(child);
        child.send('tell');
        return message;
      }),
    );
    const bytes = told.flatMap((one) => one.bytes);
    const lastAt = told.flatMap((one) => one.lastAt);
    const moved = bytes.some((count) => count > 0);
    for (const [index, count] of bytes.entries()) sums[index] = (sums[index] as number) + count;
    if (moved || sums[0] === 0) continue;
    const [least, most] = [Math.min(...sums), Math.max(...sums)];
    if (least !== most) throw new Error(`clients received between ${least} and ${most} bytes`);
    return { bytes: most, lastAt };
  }
}
