// A client that resumes from its cursor receives everything exactly once, whatever interrupted it.
import { randomUUID } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../../src/adapters/store/database.ts';
import { seedOfRun } from '../../harness/seed.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { announce, connect, type Frame, OURS, openFixture, openFixtureDatabase, type Stage, THEIRS } from './fixture.ts';

let sql: Sql;
let fixture: Stage;
beforeAll(async () => {
  sql = await openFixtureDatabase();
  fixture = await openFixture(sql, { feeds: { socketLimits: { burst: 10_000 } } });
});
afterAll(async () => {
  await fixture?.close();
  await sql?.end();
});

/** Seeded generator, so that a failure can be repeated from its printed seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.each([
  ['memory', 'proposals', 2_000],
  ['memory and the database', 'takes', 20],
])(
  '10,000 announcements over random reconnects, read from %s: each exactly once, in order, with unbroken numbers',
  async (_, channel, recentRows) => {
    const fixture = await openFixture(sql, { recentRows, feeds: { socketLimits: { burst: 10_000 } } });
    const seed = seedOfRun();
    console.log(`seed ${seed}`);
    const random = seeded(seed);
    const total = 10_000;
    const received: number[] = [];
    let cursor: string | null = null;
    let connections = 0;

    const writing = (async () => {
      for (let n = 0; n < total; ) {
        // Never far ahead of the reader: otherwise one connection of a fast machine would receive everything.
        await waitFor(() => n - received.length <= 600, { what: `the reader at ${n} (seed ${seed})` });
        const size = Math.min(1 + Math.floor(random() * 120), total - n);
        // Two transactions at a time, so that commits overtake each other.
        const half = Math.ceil(size / 2);
        const rows = (from: number, count: number) =>
          [...Array(count).keys()].map((k) => ({ channel, orgId: OURS, body: { n: from + k } }));
        const foreign = { channel, orgId: THEIRS, body: { n: -1 } };
        await Promise.all([announce(sql, [...rows(n, half), foreign]), size > half ? announce(sql, rows(n + half, size - half)) : null]);
        n += size;
      }
    })();

    while (received.length < total) {
      const client = await connect(fixture);
      connections++;
      const accepted: Frame = await client.ask({ op: 'subscribe', id: 1, channel, from: cursor ?? '0.0' });
      expect(accepted.type).toBe('subscribed');
      const enough = Math.floor(random() * 500);
      await waitFor(() => client.updates(channel).length > enough || received.length + client.updates(channel).length === total, {
        what: `frames after ${received.length} (seed ${seed})`,
        deadlineMs: 20_000,
      });
      if (random() < 0.5) client.socket.terminate();
      else client.socket.close();
      const updates = client.updates(channel);
      for (const [index, frame] of updates.entries()) {
        expect(frame.seq).toBe((accepted.seq as number) + 1 + index);
        received.push(frame.data.n as number);
      }
      cursor = updates.at(-1)?.cursor ?? cursor;
      // Later arrivals are read again from the cursor.
      client.socket.removeAllListeners('message');
    }
    await writing;
    expect(connections).toBeGreaterThan(10);
    expect(received).toHaveLength(total);
    const stored = await sql<
      { n: number }[]
    >`select (body ->> 'n')::int as n from announcements where channel = ${channel} and org_id = ${OURS} order by xid, seq`;
    expect(received).toEqual(stored.map(({ n }) => n));
    expect(fixture.defects).toEqual([]);
    await fixture.close();
  },
);

/** Writes decisions of agents with the one announcement of their shard's batch. */
async function tickShard(agents: readonly { id: string; shard: number }[], fromSlot: number, slot: number): Promise<void> {
  await sql.begin(async (transaction) => {
    const rows = [];
    for (let at = fromSlot; at <= slot; at += 60_000) for (const { id } of agents) rows.push({ agent_id: id, slot: at });
    await transaction`
      insert into decisions (agent_id, slot, manifest_version, disposition, outcome, manifest_hash, observed_hash, previous_hash, hash)
      select agent_id, slot, 1, 'hold', '[]', '', '', '', sha256(convert_to(agent_id::text || slot, 'UTF8'))
      from jsonb_to_recordset(${transaction.json(rows)}) as r(agent_id uuid, slot bigint)`;
    await announce(transaction, [
      { channel: 'decisions', orgId: null, body: { periodMs: 60_000, shard: agents[0]?.shard ?? 0, fromSlot, slot, actors: rows.length } },
    ]);
  });
}

async function makeAgents(count: number): Promise<{ id: string; orgId: string; shard: number }[]> {
  const made = await sql<{ id: string; org_id: string; shard: number }[]>`
    insert into actors (id, org_id, kind, machine, version, snapshot, status)
    select r.id, r.org_id, 'agent', 'agent@1', 1, '{}', 'running'
    from jsonb_to_recordset(${sql.json([...Array(count).keys()].map((n) => ({ id: randomUUID(), org_id: n % 3 === 0 ? THEIRS : OURS })))}) as r(id uuid, org_id uuid)
    returning id, org_id, shard`;
  return made.map((row) => ({ id: row.id, orgId: row.org_id, shard: row.shard }));
}

test('a shard’s batch becomes one frame per decision of the own organization, and can be resumed within', async () => {
  const agents = await makeAgents(30);
  const ours = agents.filter(({ orgId }) => orgId === OURS).map(({ id }) => id);
  const client = await connect(fixture);
  const accepted = await client.ask({ op: 'subscribe', id: 1, channel: 'decisions' });
  await tickShard(agents, 60_000, 120_000);
  await waitFor(() => client.updates('decisions').length === 40, { what: '40 decisions' });
  const all = client.updates('decisions');
  const expected = [60_000, 120_000].flatMap((slot) => [...ours].sort().map((id) => `${new Date(slot).toISOString()} ${id}`));
  expect(all.map(({ data }) => `${data.slot} ${data.agentId}`)).toEqual(expected);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => (accepted.seq as number) + 1 + index));
  expect(all[7]?.cursor).toMatch(/^\d+\.\d+\.7$/);

  for (const at of [0, 7, 38, 39]) {
    const again = await connect(fixture);
    await again.ask({ op: 'subscribe', id: 1, channel: 'decisions', from: all[at]?.cursor });
    await waitFor(() => again.updates('decisions').length >= 39 - at, { what: `the decisions after ${at}` });
    await again.roundTrip();
    expect(again.updates('decisions').map(({ data }) => data.id)).toEqual(all.slice(at + 1).map(({ data }) => data.id));
    again.socket.terminate();
  }

  const narrow = await connect(fixture);
  await narrow.ask({ op: 'subscribe', id: 1, channel: 'decisions', params: { agentId: ours[3] as string }, from: accepted.cursor });
  await waitFor(() => narrow.updates('decisions').length === 2, { what: 'the two decisions of one agent' });
  await tickShard(agents, 180_000, 180_000);
  await waitFor(() => narrow.updates('decisions').length === 3, { what: 'its third' });
  expect(narrow.updates('decisions').every(({ data }) => data.agentId === ours[3])).toBe(true);
  await waitFor(() => client.updates('decisions').length === 60, { what: 'the live client to have been told of it, too' });
  for (const gone of [client, narrow]) gone.socket.terminate();
});

test('announcements during a client’s catch-up come after it, once', async () => {
  const rows = (from: number, count: number) =>
    [...Array(count).keys()].map((k) => ({ channel: 'launches', orgId: OURS, body: { n: from + k } }));
  const witness = await connect(fixture);
  await witness.ask({ op: 'subscribe', id: 1, channel: 'launches' });
  await announce(sql, rows(0, 3_000));
  await waitFor(() => witness.updates('launches').length === 3_000, { what: 'the live client to receive them, so that they are history' });
  witness.socket.terminate();
  const clients = await Promise.all([...Array(8).keys()].map(() => connect(fixture)));
  for (const client of clients) client.send({ op: 'subscribe', id: 1, channel: 'launches', from: '0.0' });
  for (let n = 3_000; n < 4_000; n += 20) await announce(sql, rows(n, 20));
  for (const client of clients) {
    await waitFor(() => client.updates('launches').length >= 4_000, { what: 'all 4,000', deadlineMs: 20_000 });
    expect(client.updates('launches').map(({ data }) => data.n)).toEqual([...Array(4_000).keys()]);
    client.socket.terminate();
  }
});

interface Events {
  readonly status: number;
  readonly type: string;
  readonly events: { id: string | undefined; frame: Frame }[];
  readonly comments: string[];
  readonly ended: Promise<void>;
  destroy(): void;
}

function events(path: string, headers: { [name: string]: string } = {}): Promise<Events> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      { host: '127.0.0.1', port: fixture.port, path, headers: { authorization: 'Bearer ours', ...headers } },
      (response: IncomingMessage) => {
        const found: Events['events'] = [];
        const comments: string[] = [];
        const parser = createParser({
          onEvent: ({ id, data }) => found.push({ id, frame: JSON.parse(data) as Frame }),
          onComment: (comment) => comments.push(comment),
        });
        response.setEncoding('utf8');
        response.on('data', (text: string) => parser.feed(text));
        response.on('error', () => {});
        const ended = new Promise<void>((done) => response.on('close', done));
        resolve({
          status: response.statusCode as number,
          type: String(response.headers['content-type']),
          events: found,
          comments,
          ended,
          destroy: () => asked.destroy(),
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

test('a read that fails in the middle of a catch-up loses nothing that was read before it', async () => {
  let expansions = 0;
  const fixture = await openFixture(sql, {
    beforeExpansion() {
      expansions++;
      if (expansions === 2) throw new Error('the database does not answer');
    },
  });
  const { xid, seq } = fixture.tail.position();
  const agents = await makeAgents(3);
  const slots = [60_000, 120_000, 180_000];
  for (const slot of slots) await tickShard(agents, slot, slot);
  // What the tail has not read yet would come live, and not by the catch-up.
  const [{ newest } = { newest: 0 }] = await sql<{ newest: number }[]>`select max(seq)::int as newest from announcements`;
  await waitFor(() => Number(fixture.tail.position().seq) >= newest, { what: 'the tail to read all decisions' });
  const client = await connect(fixture);
  await client.ask({ op: 'subscribe', id: 1, channel: 'decisions', params: { agentId: agents[1]?.id ?? '' }, from: `${xid}.${seq}` });
  const last = new Date(180_000).toISOString();
  await client.wait('the last decision', ({ data }) => data?.slot === last);
  expect(client.updates('decisions').map(({ data }) => data.slot)).toEqual(slots.map((slot) => new Date(slot).toISOString()));
  expect(fixture.defects).toEqual(['feeds: catching up on decisions: Error: the database does not answer']);
  await fixture.close();
});

test('server-sent events resume with Last-Event-ID, and each has its own cursor', async () => {
  const first = await events('/v1/feeds/sse?channel=bridge');
  expect(first).toMatchObject({ status: 200, type: 'text/event-stream; charset=utf-8' });
  await waitFor(() => first.events.length === 1, { what: 'the acknowledgement' });
  expect(first.events[0]?.frame).toMatchObject({ type: 'subscribed', channel: 'bridge' });
  await announce(
    sql,
    [...Array(20).keys()].map((n) => ({ channel: 'bridge', orgId: n === 4 ? THEIRS : OURS, body: { n } })),
  );
  await waitFor(() => first.events.length === 20, { what: '19 transfers' });
  for (const { id, frame } of first.events.slice(1)) expect(id).toBe(frame.cursor);
  first.destroy();
  const second = await events('/v1/feeds/sse?channel=bridge', { 'last-event-id': first.events[10]?.id as string });
  await waitFor(() => second.events.length === 10, { what: 'the rest' });
  expect(second.events.slice(1).map(({ frame }) => frame.data.n)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19]);
  second.destroy();
  // The acknowledgement's id is a cursor too: a client that has received nothing misses nothing.
  const third = await events('/v1/feeds/sse?channel=bridge', { 'last-event-id': first.events[0]?.id as string });
  await waitFor(() => third.events.length === 20, { what: 'all again' });
  third.destroy();
});

test.each([
  ['no channel', '/v1/feeds/sse', 400, 'channel: missing'],
  ['an unknown channel', '/v1/feeds/sse?channel=orders', 400, 'there is no channel'],
  ['a token in the address', '/v1/feeds/sse?channel=agents&token=abc', 400, 'token'],
  ['a broken cursor', '/v1/feeds/sse?channel=agents&from=x', 400, 'not a cursor'],
  ['a cursor never reached', '/v1/feeds/sse?channel=agents&from=900719925474099.1', 400, 'is in the future'],
])('server-sent events: %s is a problem', async (_, path, status, detail) => {
  const answer = await fetch(`http://127.0.0.1:${fixture.port}${path}`, { headers: { authorization: 'Bearer ours' } });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(((await answer.json()) as { detail: string }).detail).toContain(detail);
});

test('server-sent events of a channel without the permission are refused with 403', async () => {
  const answer = await fetch(`http://127.0.0.1:${fixture.port}/v1/feeds/sse?channel=agents`, {
    headers: { authorization: 'Bearer stranger' },
  });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ code: 'permission_missing' });
});

test('a subscription ended during its cursor look-up is ended: the next one to the channel is not a duplicate', async () => {
  const client = await connect(fixture);
  const { cursor } = await client.ask({ op: 'subscribe', id: 1, channel: 'takes' });
  await client.ask({ op: 'unsubscribe', id: 1 });
  // All three at once, so that the second arrives before the first one's look-up has ended.
  for (const operation of [
    { op: 'subscribe', id: 2, channel: 'takes', from: cursor },
    { op: 'unsubscribe', id: 2 },
    { op: 'subscribe', id: 3, channel: 'takes' },
  ])
    client.send(operation);
  await client.wait('an answer to the last', ({ id }) => id === 3);
  const answers = client.frames.filter(({ id }) => id === 2 || id === 3);
  expect(answers.map(({ id, type, code }) => [id, type, code])).toEqual([
    [2, 'subscribed', undefined],
    [2, 'unsubscribed', undefined],
    [3, 'subscribed', undefined],
  ]);
  client.socket.close();
});
