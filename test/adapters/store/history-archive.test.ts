// Old history is in files that the signed roots still prove: nothing in it can be changed or left out, and nothing else can be removed.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { createActorBranches } from '../../../actors/runtime/actor-branches.ts';
import { createActorHistory, foldSteps } from '../../../actors/runtime/actor-history.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createRuntime } from '../../../actors/runtime/runtime.ts';
import { openWriterKeys, readHomeKeys } from '../../../src/adapters/signing-keys/writer-keys.ts';
import { writeRecords } from '../../../src/adapters/store/actors/actor-records.ts';
import { createActorReads } from '../../../src/adapters/store/actors/actor-reads.ts';
import { createActorStore } from '../../../src/adapters/store/actors/actor-store.ts';
import { createHistoryStore } from '../../../src/adapters/store/actors/history-store.ts';
import { createDecisionReads } from '../../../src/adapters/store/agents/decision-reads.ts';
import { createOutsideStore } from '../../../src/adapters/store/agents/outside-store.ts';
import { createLiveRunReads } from '../../../src/adapters/store/agents/live-run-reads.ts';
import { writeCut } from '../../../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../../../src/adapters/store/agents/dispatch-store.ts';
import { createWorkReads, createWorkRecorder } from '../../../src/adapters/store/long-work-store.ts';
import { openDatabase, type Sql, type Transaction } from '../../../src/adapters/store/database.ts';
import { separateLogins } from '../../../src/adapters/store/logins.ts';
import {
  moveHistory,
  moveOldHistory,
  movedStretches,
  readArchivedSteps,
  readStretch,
} from '../../../src/adapters/store/trail/history-archive.ts';
import { createSignedRows } from '../../../src/adapters/store/trail/signed-rows.ts';
import { createTrailLog } from '../../../src/adapters/store/trail/trail-log.ts';
import { registerWriters } from '../../../src/adapters/store/trail/writer-registry.ts';
import { type TrailReport, verifyTrail } from '../../../src/adapters/store/trail-verifier.ts';
import { bookIds } from '../../../src/domain/books/book.ts';
import { canonicalJson, sha256Hex } from '../../../src/domain/values/canonical-json.ts';
import type { EvidenceDraft } from '../../../src/domain/agents/evidence.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { sampleCut } from '../../actors/agent/sample.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { twoAgents } from './two-agents.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const MINUTE = 60_000;
const DAY = 86_400_000;
/** Future midnight, because record time only moves forward. Decisions are made in the five minutes before and after it. */
const MIDNIGHT = Math.ceil(Date.now() / DAY + 1) * DAY;
const context = { orgId: ORG, subject: 'ann', permissions: [], requestId: 'r' } as const;
let sql: Sql;
let owner: Sql;
let appUrl: string;
let logKey: ReturnType<typeof openWriterKeys<'log'>>['log'];
let home: string;
let folder: string;
let ids: string[];
let tick: (slot: number) => Promise<void>;
/** Actors of an archived kind: one ended before midnight, one after it, one still running. */
const ENDED = '00000000-0000-7000-8000-0000000000a1';
const ENDED_LATER = '00000000-0000-7000-8000-0000000000a2';
const GOING_ON = '00000000-0000-7000-8000-0000000000a3';
/** An archived proposal, of which little stays beside its steps. */
const PROPOSED = '00000000-0000-7000-8000-0000000000a4';
const ORDER = { side: 'buy', quantity: '2', instrument: 'spotchain:AAPLx', limitPrice: '270', maxSlippageBps: 50 };

let isLater = false;
/** Returns a fill of the agent's paper book before midnight. */
const oldFill = (agent: string, id: string) => ({
  id,
  orderId: 'an order',
  bookId: bookIds.paper(agent, 1),
  instrument: 'spotchain:AAPLx' as const,
  side: 'buy' as const,
  quantity: '1',
  fillPrice: '270',
  feeUsd: '0.1',
  notionalUsd: '270',
  decisionPrice: '270',
  slippageBps: 0,
  at: MIDNIGHT - 5 * MINUTE,
  quotes: [],
});

const checkoutMachine = setup({
  types: { context: {} as { paid: number }, events: {} as { type: 'pay'; amount: number }, input: {} as { readonly [key: string]: never } },
}).createMachine({
  id: 'checkout@1',
  context: { paid: 0 },
  initial: 'open',
  states: {
    open: {
      on: {
        pay: [
          { guard: ({ context }) => context.paid > 5, target: 'paid' },
          { actions: assign({ paid: ({ context, event }) => context.paid + event.amount }) },
        ],
      },
    },
    paid: { type: 'final' },
  },
});
const proposalMachine = setup({
  types: {
    context: {} as { order: typeof ORDER; reason: string | null },
    events: {} as { type: 'fill' },
    input: {} as { order: typeof ORDER },
  },
}).createMachine({
  id: 'proposal@1',
  context: ({ input: { order } }) => ({ order, reason: null }),
  initial: 'approved',
  states: { approved: { on: { fill: { target: 'filled', actions: assign({ reason: 'the price came' }) } } }, filled: { type: 'final' } },
});
const without = { migrations: {}, effects: {}, validate: () => null };
const directory = createDirectory([
  { kind: 'checkout', machine: checkoutMachine, ...without },
  { kind: 'proposal', machine: proposalMachine, ...without },
]);
const history = () => createActorHistory({ store: createHistoryStore(sql), directory });
/** Moves the record time, by which batches are signed, forward. */
const recordTimeIs = (at: number) => owner`
  insert into simulated_time (ahead_ms, since) values (${at - Date.now()}, ${Date.now()}) on conflict (only_one) do update set ahead_ms = excluded.ahead_ms`;
const audit = (action: string, at: number, by: Sql | Transaction = sql) =>
  by`insert into audit (org_id, subject, action, request_id, target, at) values (${ORG}, 'ann', ${action}, 'r', 'x', ${new Date(at)})`;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sevengate-archive-'));
  folder = join(home, 'archive');
  const url = await testDatabase();
  const keys = openWriterKeys(home, ['worker', 'log']);
  owner = openDatabase({ url, name: 'archive owner', role: null, connections: 2, writer: keys.worker });
  await registerWriters(url, Object.values(keys));
  logKey = keys.log;
  appUrl = (await separateLogins(url)).appUrl;
  sql = openDatabase({ url: appUrl, name: 'archive worker', connections: 4, writer: keys.worker });
  await owner`insert into organizations (id, name) values (${ORG}, 'ours')`;
  await recordTimeIs(MIDNIGHT - 6 * MINUTE);
  await audit('an old deed', Date.now() - 31 * DAY);
  const clock = createVirtualClock(MIDNIGHT - 6 * MINUTE + 1_000);
  const { commands, ticker, ...agents } = await twoAgents(sql, clock, context, MIDNIGHT);
  ids = agents.ids;
  tick = async (slot) => {
    clock.advanceTo(slot + 500);
    if (!isLater) await recordTimeIs(slot + 1_000);
    await writeCut(sql, sampleCut(slot, { premiumPct: -1.5, rsi: 40 }), 'silence');
    await createDispatchStore(sql).dueShards(MINUTE, slot);
    await ticker.tick(MINUTE, 0, slot);
  };
  const runtime = createRuntime({ store: createActorStore(sql), directory, clock });
  const pay = async (id: string) =>
    expect(await runtime.deliver(id, { type: 'pay', amount: 3 }, { cause: 'test' })).toMatchObject({ ok: true });
  for (const id of [ENDED, ENDED_LATER, GOING_ON]) {
    await runtime.start('checkout', id, ORG, {}, { cause: 'test' });
    for (let n = 0; n < 2; n++) await pay(id);
  }
  await pay(ENDED);
  await runtime.start('proposal', PROPOSED, ORG, { order: ORDER }, { cause: 'test' });
  expect(await runtime.deliver(PROPOSED, { type: 'fill' }, { cause: 'test' })).toMatchObject({ ok: true });
  // Rows of signed inputs in trees of many shapes: 1, 2, 3, 5, 11 and 37 rows.
  for (const rows of [1, 2, 3, 5, 11, 37])
    await sql.begin(async (transaction) => {
      for (let n = 0; n < rows; n++)
        if (n % 5 === rows % 4)
          await writeRecords(transaction, [{ type: 'fill', orgId: ORG, fill: oldFill(ids[0] as string, `fill ${n} of ${rows}`) }]);
        else await audit(`deed ${n} of ${rows}`, Date.now(), transaction);
    });
  for (let n = -5; n < 5; n++) {
    await tick(MIDNIGHT + n * MINUTE);
    if (n === 1) await pay(ENDED_LATER);
    // The second is paused from then on: its newest decision is in the archived day.
    if (n === -3) await commands.pause(context, ids[1] as string);
  }
  // Ticks have written inputs of the first, whose book has fills.
  await sql`insert into tick_inputs (agent_id, slot, body) values (${ids[1] as string}, ${MIDNIGHT - 4 * MINUTE}, '{}')`;
  await waitFor(
    async () => {
      await createTrailLog(sql, keys.log, 'sevengate.test/archive').advance();
      return (await owner`select 1 from trail_batches where signature is not null and xid not in (select xid from trail_log)`).length === 0;
    },
    { what: 'every batch to stand in the log' },
  );
  isLater = true;
  await recordTimeIs(MIDNIGHT + 45 * DAY);
  return async () => {
    await sql.end();
    await owner.end();
    rmSync(home, { recursive: true, force: true });
  };
});

const verify = (archive: string | null = folder): Promise<TrailReport> =>
  verifyTrail(owner, undefined, { keys: readHomeKeys(home), since: null, archive });

const stepsOf = async (id: string): Promise<number> =>
  (await owner<{ count: number }[]>`select count(*) as count from steps where actor_id = ${id}`)[0]?.count as number;

const rows = async (table: string): Promise<number> =>
  (await owner<{ count: number }[]>`select count(*) as count from ${owner(table)} where slot < ${MIDNIGHT}`)[0]?.count as number;

test('a day is archived completely, the trail stays intact, and the next decision follows the archived one', async () => {
  const before = await verify();
  expect(before.breaks).toEqual([]);
  expect(before).toMatchObject({ whole: true, archives: 0 });
  expect(before.decisions).toBe(10 + 3);
  const pace = createVirtualClock(0);
  const moving = moveOldHistory(createWorkRecorder(sql, pace, 'this test'), sql, folder, 30);
  let isMoved = false;
  void moving.finally(() => (isMoved = true));
  // Archiving takes more than a second: its progress is public from then on.
  while (!isMoved) {
    pace.advanceTo(pace.now() + 1_000);
    await new Promise<void>((turn) => setImmediate(turn));
  }
  expect(await moving).toBe(1);
  expect((await createWorkReads(sql).list({ limit: 5, after: null }, null)).items).toMatchObject([
    {
      kind: 'archive_move',
      subject: expect.stringMatching(/^history before \S+Z$/),
      workedOnBy: expect.stringMatching(/^this test, process \d+$/),
      done: 3,
      total: 3,
      endedAt: expect.any(Number),
      error: null,
    },
  ]);
  expect(await movedStretches(sql)).toMatchObject([
    { from: 0, until: MIDNIGHT, decisions: 5 + 3, cuts: 5, inputs: 3, steps: 4 + 2, audit: 1 },
  ]);
  expect(await stepsOf(ENDED)).toBe(0);
  expect(await owner`select 1 from audit where action = 'an old deed'`).toEqual([]);
  expect([await stepsOf(ENDED_LATER), await stepsOf(GOING_ON)]).toEqual([4, 3]);
  // The newest decision and the newest inputs of an actor without later ones stay.
  expect([await rows('decisions'), await rows('tick_inputs'), await rows('observations'), await rows('cuts')]).toEqual([1, 1, 0, 0]);
  await tick(MIDNIGHT + 5 * MINUTE);
  const after = await verify();
  expect(after.breaks).toEqual([]);
  expect(after).toMatchObject({ whole: true, archives: 1, decisions: before.decisions + 1, observations: before.observations + 1 });
  // A day that some shards have not completed stays, and archived data is not archived again.
  expect(await moveOldHistory(createWorkRecorder(sql, createVirtualClock(0), 'this test'), sql, folder, 30)).toBe(0);
});

/** Returns the leaves left in the database of archived batches. */
const leavesLeft = () =>
  owner<{ name: string; key: string; xid: string }[]>`
    select name, key, xid::text as xid from trail_changes join trail_log using (xid)
    where index < (select max(logged_until) from moved_history) order by seq`;

test('only leaves of assessed rows stay, and assessments check their signatures as before', async () => {
  const left = await leavesLeft();
  const [{ leaves } = { leaves: 0 }] = await movedStretches(sql);
  expect(leaves).toBeGreaterThan(2 * left.length);
  const names = new Set(left.map(({ name }) => name));
  expect(['fills', 'manifests', 'steps'].filter((name) => !names.has(name))).toEqual([]);
  expect(['actors', 'audit', 'cut_batches', 'tick_batches', 'tick_inputs', 'timers'].filter((name) => names.has(name))).toEqual([]);
  expect(left.filter(({ name, key }) => name === 'steps' && !ids.includes(key.split(' ')[0] as string))).toEqual([]);
  const [first] = ids as [string];
  const signed = () => createSignedRows(sql);
  const draft = {
    kind: 'paper',
    agentId: first,
    manifestVersion: 1,
    series: { enteredAt: MIDNIGHT + DAY, evaluatedAt: MIDNIGHT + DAY + MINUTE },
  };
  await signed().requireBasis(draft as unknown as EvidenceDraft);
  const fills = (await owner<{ id: string }[]>`select id from fills order by id`).map(({ id }) => id);
  expect(fills).toHaveLength(11);
  await signed().requireRows('fills', fills);

  const manifest = left.find(({ name, key }) => name === 'manifests' && key === `${first} 1`)?.xid as string;
  const [thinned] = await owner<
    { hashes: Buffer; places: number[] }[]
  >`select hashes, places from trail_thinned_batches where xid = ${manifest}::xid8`;
  expect(thinned?.places.length).toBe(left.filter(({ xid }) => xid === manifest).length);
  await expect(owner`update trail_thinned_batches set hashes = ''`).rejects.toThrow('append-only');
  await expect(
    sql`insert into trail_thinned_batches (xid, places, hashes) values (${manifest}::xid8, '{0}', ${Buffer.alloc(32)})`,
  ).rejects.toThrow('permission denied');
  // The owner changes a hash on the path to the root: the row no longer counts, and the verifier says why.
  await owner`alter table trail_thinned_batches disable trigger append_only_rows`;
  const put = (hashes: Buffer) => owner`update trail_thinned_batches set hashes = ${hashes} where xid = ${manifest}::xid8`;
  const altered = Buffer.from((thinned as { hashes: Buffer }).hashes);
  altered.writeUInt8(altered.readUInt8(0) ^ 1, 0);
  await put(altered);
  await expect(signed().requireRows('manifests', [`${first} 1`])).rejects.toThrow('are not those that were signed');
  expect((await verify()).breaks.map(({ part, detail }) => `${part}: ${detail}`).join()).toContain(
    'signature: of the rows that stay where others have moved',
  );
  await put((thinned as { hashes: Buffer }).hashes);
  await signed().requireRows('manifests', [`${first} 1`]);
  // The newest leaf of an input is missing in the database, though the file has it.
  await owner`alter table trail_changes disable trigger append_only_but_moved`;
  const [taken] =
    await owner`delete from trail_changes where name = 'fills' and key = ${fills[0] as string} returning xid::text as xid, seq, name, op, key, digest`;
  expect((await verify()).breaks.map(({ detail }) => detail).join()).toContain(`row ${fills[0]} of fills is assessed by`);
  const { xid, seq, name, op, key, digest } = taken as unknown as {
    xid: string;
    seq: number;
    name: string;
    op: string;
    key: string;
    digest: Buffer;
  };
  await owner`
    insert into trail_changes (xid, seq, name, op, key, digest) overriding system value values (${xid}::xid8, ${seq}, ${name}, ${op}, ${key}, ${digest})`;
  for (const [table, trigger] of [
    ['trail_thinned_batches', 'append_only_rows'],
    ['trail_changes', 'append_only_but_moved'],
  ] as const)
    await owner`alter table ${owner(table)} enable always trigger ${owner(trigger)}`;
  expect((await verify()).breaks).toEqual([]);
});

test('an archived proposal stays where it ended and as it is named; its context is in the file', async () => {
  const context = { order: { side: 'buy', quantity: '2', instrument: 'spotchain:AAPLx' } };
  const told = { name: 'buy 2 AAPLx', version: 2, status: 'done', value: 'filled', context };
  expect(await createActorReads(sql).get(ORG, PROPOSED)).toMatchObject(told);
  expect((await createActorReads(sql).get(ORG, PROPOSED))?.context).toEqual(context);
  expect((await createActorReads(sql).get(ORG, ENDED))?.context).toEqual({ paid: 6 });
  const past = foldSteps(directory, { id: PROPOSED, orgId: ORG, kind: 'proposal' }, null, await readArchivedSteps(sql, folder, PROPOSED));
  expect(past?.state).toEqual({ value: 'filled', status: 'done', context: { order: ORDER, reason: 'the price came' } });
  const runtime = createRuntime({ store: createActorStore(sql), directory, clock: createVirtualClock(MIDNIGHT) });
  expect(await runtime.deliver(PROPOSED, { type: 'fill' }, { cause: 'test' })).toMatchObject({
    refusal: { code: 'state_conflict', detail: `actor ${PROPOSED} has ended` },
  });
  // The file has the digest of the row with its whole context, which the state of its steps makes again.
  const digests: string[] = [];
  await readStretch(folder, (await movedStretches(sql))[0] as never, (table, row) => {
    const { name, key, digest } = table === 'trail_changes' ? JSON.parse(row) : {};
    if (name === 'actors' && key === PROPOSED) digests.push(digest as string);
  });
  const [whole] = await owner<{ digest: string }[]>`
    select sha256(convert_to((to_jsonb(a) || jsonb_build_object('snapshot', ${owner.json(past?.state as never)}::jsonb))::text, 'UTF8'))::text as digest
    from actors a where id = ${PROPOSED}`;
  expect(digests.at(-1)).toBe(whole?.digest);
});

test('readers of old history are told that it was archived', async () => {
  const live = createLiveRunReads(sql);
  const written = async (): Promise<void> => {
    for await (const _ of live.written(MIDNIGHT - DAY, MIDNIGHT)) expect.unreachable();
  };
  await expect(written()).rejects.toThrow(/before \S+ lies in archive files/);
  await expect(live.observations(MIDNIGHT - MINUTE)).rejects.toThrow('lies in archive files');
  const page = await createDecisionReads(sql).list(ORG, ids[0] as string, { limit: 50, after: null });
  expect(page).toMatchObject({ next: null, movedBefore: MIDNIGHT });
  expect(page?.items).toHaveLength(6);
  expect(await createDecisionReads(sql).list(ORG, ids[0] as string, { limit: 2, after: null })).toMatchObject({ movedBefore: null });
});

test('a request for an archived actor’s past says when and where it was archived; the file rebuilds every moment', async () => {
  const [stretch] = await movedStretches(sql);
  const told = {
    ok: false,
    refusal: { code: 'not_found', detail: expect.stringMatching(new RegExp(`archived on \\S+ in file ${stretch?.file}`)) },
  };
  expect(await history().stateAt(ORG, 'checkout', ENDED, { version: 2 })).toMatchObject(told);
  expect(await history().stateAt(ORG, 'checkout', ENDED, { at: MIDNIGHT })).toMatchObject(told);
  const branches = createActorBranches({
    store: createHistoryStore(sql),
    directory,
    fates: async () => [],
    clock: { now: () => MIDNIGHT },
  });
  expect(await branches.account(ORG, ENDED, 3)).toMatchObject(told);
  expect(await branches.whatIf(ORG, ENDED, { version: 2, events: [{ type: 'pay' }], at: null })).toMatchObject(told);
  expect(await branches.exportTest(ORG, ENDED, 0, 4)).toMatchObject(told);
  expect(await createActorReads(sql).steps(ORG, ENDED, 0, 10)).toMatchObject({ version: 4, items: [], archived: { file: stretch?.file } });
  expect(await createActorReads(sql).steps(ORG, ENDED_LATER, 0, 10)).toMatchObject({ version: 4, archived: null });
  expect(await history().stateAt(ORG, 'checkout', ENDED_LATER, { version: 9 })).toMatchObject({ ok: true, value: { version: 4 } });

  const steps = await readArchivedSteps(sql, folder, ENDED);
  const subject = { id: ENDED, orgId: ORG, kind: 'checkout' };
  const paid = steps.map((_, n) => foldSteps(directory, subject, null, steps.slice(0, n + 1)));
  expect(paid.map((past) => [past?.version, past?.state.context['paid'], past?.state.value])).toEqual([
    [1, 0, 'open'],
    [2, 3, 'open'],
    [3, 6, 'open'],
    [4, 6, 'paid'],
  ]);
  await expect(readArchivedSteps(sql, folder, GOING_ON)).rejects.toThrow('no step of actor');
});

/** True for leaves of the ticks, none of which stays in the database. */
const isLeaf = (row: string): boolean => row.startsWith('{"trail_changes"') && row.includes('"tick_batches"');

test.each<[string, string, (rows: string[]) => string[]]>([
  [
    'a decision that was left out',
    'tick',
    (rows) => rows.filter((row, n) => !(row.startsWith('{"decisions"') && !rows[n + 1]?.startsWith('{"decisions"'))),
  ],
  ['a step that was left out', 'steps', (rows) => rows.filter((row) => !row.startsWith('{"steps"') || !row.includes('"version": 3'))],
  [
    'a step that was changed',
    'steps',
    (rows) => rows.map((row) => (row.startsWith('{"steps"') ? row.replace('"amount": 3', '"amount": 4') : row)),
  ],
  [
    'a step that was made up',
    'steps',
    (rows) => rows.flatMap((row) => (row.includes('"version": 4') ? [row, row.replace('"version": 4', '"version": 5')] : [row])),
  ],
  [
    'inputs that were left out',
    'tick_inputs',
    (rows) => rows.filter((row) => !row.startsWith('{"tick_inputs"') || !row.includes('day\\":null')),
  ],
  ['inputs that were changed', 'tick_inputs', (rows) => rows.map((row) => row.replace('fills\\":11', 'fills\\":12'))],
  [
    'inputs that were made up',
    'tick_inputs',
    (rows) => rows.flatMap((row) => (row.includes('day\\":null') ? [row, row.replace(/"slot": \d+/, '"slot": 60000')] : [row])),
  ],
  ['a decision that was changed', 'disposition', (rows) => rows.map((row) => row.replace('"hold"', '"propose_exit"'))],
  ['a row of audit that was left out', 'audit', (rows) => rows.filter((row) => !row.startsWith('{"audit"'))],
  [
    'a leaf that was changed',
    'signature',
    (rows) => rows.map((row) => (isLeaf(row) ? row.replace('"op": "insert"', '"op": "update"') : row)),
  ],
  ['a leaf that was left out', 'signature', (rows) => rows.filter((row) => !isLeaf(row))],
  [
    'a leaf that was made up',
    'signature',
    (rows) => rows.flatMap((row) => (isLeaf(row) ? [row, row.replace(/"seq": \d+/, '"seq": 1000000')] : [row])),
  ],
  ['an observation that was changed', 'cut', (rows) => rows.map((row) => (row.startsWith('{"obs') ? row.replace('live', 'stale') : row))],
  ['a cut that was left out', 'cut', (rows) => rows.filter((_, n) => n > 0)],
  ['a line that is no row', 'archive', (rows) => [...rows, '{"books":{}}']],
  ['a row that is cut off in the middle', 'archive', (rows) => [...rows.slice(0, -1), (rows.at(-1) as string).slice(0, 40)]],
])('%s is found, and by what was signed wherever rows are others', async (_, part, change) => {
  const [stretch] = await movedStretches(sql);
  const path = join(folder, stretch?.file as string);
  const kept = readFileSync(path);
  const lines = gunzipSync(kept).toString().split('\n').slice(0, -1);
  const changed = change(lines);
  expect(changed).not.toEqual(lines);
  writeFileSync(path, gzipSync(`${changed.join('\n')}\n`));
  try {
    const report = await verify();
    expect(report.whole).toBe(false);
    expect(report.breaks.map((one) => one.part)).toEqual(expect.arrayContaining(['archive', part]));
  } finally {
    writeFileSync(path, kept);
  }
});

test('a missing file, or a folder that was not given, is found and named', async () => {
  const [stretch] = await movedStretches(sql);
  expect(readdirSync(folder)).toEqual([stretch?.file]);
  const elsewhere = mkdtempSync(join(home, 'elsewhere-'));
  expect((await verify(elsewhere)).breaks.map(({ detail }) => detail).join()).toMatch(/cannot be read: there is no such file/);
  expect((await verify(null)).breaks.map(({ detail }) => detail).join()).toContain(`${stretch?.file}`);
  copyFileSync(join(folder, stretch?.file as string), join(elsewhere, stretch?.file as string));
  expect(await verify(elsewhere)).toMatchObject({ whole: true });
  expect(await readStretch(elsewhere, stretch as never)).toBeNull();
});

test('an outside proposal says that its decision was archived, and its outcome if the decision stays', async () => {
  const states = await owner
    .begin(async (transaction) => {
      await transaction`alter table outside_proposals disable trigger user`;
      const found = [];
      for (const agentId of ids) {
        const [{ slot } = { slot: 0 }] = await transaction<{ slot: number }[]>`
          select coalesce(max(slot), 0) as slot from decisions where agent_id = ${agentId} and slot < ${MIDNIGHT}`;
        const canonical = canonicalJson({ agentId, clientId: 'one' });
        const receipt = { id: agentId, org_id: ORG, agent_id: agentId, client_id: 'one', submitted_by: 'bot', canonical };
        const at = slot === 0 ? MIDNIGHT - 5 * MINUTE : slot;
        await transaction`insert into outside_proposals ${transaction({ ...receipt, slot: at, received_at: at - 1, hash: sha256Hex(canonical) })}`;
        found.push((await createOutsideStore(transaction as never).get(ORG, agentId, agentId, MIDNIGHT))?.state);
      }
      throw Object.assign(new Error('undone'), { found });
    })
    .catch(({ found }: { found: unknown }) => found);
  expect(states).toEqual(['archived', 'missed']);
});

test('nothing else is removed: no recent rows, not by others, and no period out of turn', async () => {
  await expect(sql`delete from decision_rows`).rejects.toThrow('permission denied');
  await expect(owner`delete from decisions where slot >= ${MIDNIGHT}`).rejects.toThrow('append-only');
  await expect(owner`delete from cuts where slot >= ${MIDNIGHT}`).rejects.toThrow('append-only');
  await expect(owner`delete from tick_inputs where slot >= ${MIDNIGHT}`).rejects.toThrow('append-only');
  await expect(owner`update tick_inputs set body = ''`).rejects.toThrow('append-only');
  await expect(sql`delete from tick_inputs`).rejects.toThrow('permission denied');
  await expect(owner`update decisions set reason = 'x' where slot < ${MIDNIGHT}`).rejects.toThrow('append-only');
  const [{ logged } = { logged: 0 }] = await owner<{ logged: number }[]>`select max(logged_until) as logged from moved_history`;
  const insert = (from: number, until: number, auditUntil = 0, loggedUntil: number | null = logged) => sql`
    insert into moved_history (until_slot, from_slot, decisions, observations, cuts, inputs, steps, audit, audit_until, leaves, logged_until, file, sha256)
    values (${until}, ${from}, 0, 0, 0, 0, 0, 0, ${auditUntil}, ${loggedUntil === null ? null : 0}, ${loggedUntil}, 'x.gz', ${'0'.repeat(64)})`;
  await expect(insert(MIDNIGHT, MIDNIGHT + DAY, 0, null)).rejects.toThrow('is moved with its leaves');
  await expect(insert(MIDNIGHT, MIDNIGHT + DAY, 0, logged - 1)).rejects.toThrow('not between them and the end of the log');
  await expect(insert(MIDNIGHT, MIDNIGHT + DAY, 0, 1_000_000)).rejects.toThrow('not between them and the end of the log');
  await expect(insert(MIDNIGHT + DAY, MIDNIGHT + 2 * DAY)).rejects.toThrow('the next stretch begins at');
  await expect(insert(MIDNIGHT, MIDNIGHT + DAY)).rejects.toThrow('a shard has decided up to slot');
  await expect(insert(MIDNIGHT, MIDNIGHT + 20 * DAY)).rejects.toThrow('the last 30 days');
  await expect(insert(MIDNIGHT, MIDNIGHT + DAY, 1_000_000)).rejects.toThrow('younger than 30 days');
  const name = (id: string, until: number) => sql`insert into moved_actors (actor_id, until_slot) values (${id}, ${until})`;
  await expect(name(GOING_ON, MIDNIGHT + DAY)).rejects.toThrow('has not ended before');
  await expect(name(ids[0] as string, MIDNIGHT + DAY)).rejects.toThrow('has not ended before');
  await expect(name(ENDED_LATER, MIDNIGHT)).rejects.toThrow('is on record already');
  await expect(name(ENDED_LATER, MIDNIGHT + DAY)).rejects.toThrow('moved_actors_until_slot_fkey');
  await expect(sql`delete from steps`).rejects.toThrow('permission denied');
  await expect(owner`delete from steps where actor_id = ${ENDED_LATER}`).rejects.toThrow('append-only');
  await expect(owner`delete from audit`).rejects.toThrow('append-only');
  await expect(owner`update steps set cause = 'x'`).rejects.toThrow('append-only');
  await expect(sql`delete from trail_changes`).rejects.toThrow('permission denied');
  await expect(sql`delete from trail_batches`).rejects.toThrow('permission denied');
  await expect(owner`delete from trail_batches`).rejects.toThrow(/stays as it is|violates foreign key/);
  await expect(owner`update trail_changes set digest = ''`).rejects.toThrow('append-only');
  const ofLog = (order: 'asc' | 'desc') =>
    owner`delete from trail_changes where xid = (select xid from trail_changes join trail_log using (xid) order by index * ${order === 'asc' ? 1 : -1}::int limit 1)`;
  await expect(ofLog('desc')).rejects.toThrow('stay until they have moved');
  await expect(ofLog('asc')).rejects.toThrow('stay until they have moved');
  const thief = openDatabase({ url: appUrl, name: 'thief', connections: 1 });
  await expect(thief`select forget_moved_leaves(0, 10)`.finally(() => thief.end())).rejects.toThrow('secret of a registered writer');
  await expect(sql`update moved_history set from_slot = 1`).rejects.toThrow(/permission denied|append-only/);
  expect(await moveHistory(sql, folder, MIDNIGHT + DAY)).toEqual([]);
});

test('leaves of the last thirty days are not archived', async () => {
  await tick(MIDNIGHT + 6 * MINUTE);
  await createTrailLog(sql, logKey, 'sevengate.test/archive').advance();
  const [{ size } = { size: 0 }] = await owner<{ size: number }[]>`select max(index) + 1 as size from trail_log`;
  await expect(sql`
    insert into moved_history (until_slot, from_slot, decisions, observations, cuts, inputs, steps, audit, audit_until, leaves, logged_until, file, sha256)
    values (${MIDNIGHT + DAY}, ${MIDNIGHT}, 0, 0, 0, 0, 0, 0, 0, 0, ${size}, 'x.gz', ${'0'.repeat(64)})`).rejects.toThrow(
    'are younger than 30 days',
  );
});

test('inputs that an earlier version left behind go with the next day', async () => {
  const [stretch] = await movedStretches(sql);
  const path = join(folder, stretch?.file as string);
  const lines = gunzipSync(readFileSync(path)).toString().split('\n').slice(0, -1);
  const isInput = (line: string): boolean => line.startsWith('{"tick_inputs":');
  const inputs = lines.filter(isInput).map((line) => JSON.parse(line).tick_inputs as { agent_id: string; slot: number; body: string });
  const text = lines
    .filter((line) => !isInput(line))
    .map((line) => `${line}\n`)
    .join('');
  writeFileSync(path, gzipSync(text));
  await owner`alter table moved_history disable trigger append_only_rows`;
  await owner`alter table moved_history drop constraint moved_with_inputs`;
  await owner`update moved_history set inputs = null, sha256 = ${sha256Hex(text)}`;
  await owner`alter table moved_history add constraint moved_with_inputs check (inputs is not null) not valid`;
  await owner`alter table moved_history enable always trigger append_only_rows`;
  for (const row of inputs) await sql`insert into tick_inputs ${sql(row)} on conflict do nothing`;
  expect(await rows('tick_inputs')).toBe(3);
  const [taken] = await sql<{ count: number }[]>`select forget_moved_inputs(100) as count`;
  expect(taken?.count).toBe(0);
  await expect(owner`delete from tick_inputs where slot < ${MIDNIGHT}`).rejects.toThrow('append-only');
  expect((await verify()).breaks).toEqual([]);

  await owner`update tick_shards set last_slot = ${MIDNIGHT + DAY}`;
  await expect(sql`
    insert into moved_history (until_slot, from_slot, decisions, observations, cuts, steps, audit, audit_until, leaves, logged_until, file, sha256)
    select until_slot + ${DAY}, until_slot, 0, 0, 0, 0, 0, audit_until, 0, logged_until, 'x.gz', sha256 from moved_history`).rejects.toThrow(
    'moved_with_inputs',
  );
  const before = await verify();
  expect(await moveHistory(sql, folder, MIDNIGHT + DAY)).toMatchObject([{ from: MIDNIGHT, inputs: 4 }]);
  expect(await owner`select agent_id, slot from tick_inputs order by slot`).toEqual([
    { agent_id: ids[1], slot: MIDNIGHT - 4 * MINUTE },
    { agent_id: ids[0], slot: MIDNIGHT + MINUTE },
  ]);
  expect(await verify()).toMatchObject({ archives: 2, breaks: before.breaks });
});

test('two processes that move the same day leave one file, which is the one on record', async () => {
  const day = MIDNIGHT + DAY;
  await writeCut(sql, sampleCut(day + MINUTE, { premiumPct: -1.5, rsi: 40 }), 'silence');
  await owner`update tick_shards set last_slot = ${day + DAY}`;
  let go = () => {};
  let reads = () => {};
  const gone = new Promise<void>((resolve) => (go = resolve));
  const reading = new Promise<void>((resolve) => (reads = resolve));
  // The slow process finds the day in the database, and reads it only once the other one has moved it.
  const slow = new Proxy(sql, {
    apply(target, self, [parts, ...values]: [readonly string[], ...unknown[]]) {
      const query = () => Reflect.apply(target as never, self, [parts, ...values]) as Promise<unknown>;
      if (!parts.join('').includes('from cuts c')) return query();
      reads();
      return gone.then(query);
    },
  });
  const second = moveHistory(slow, folder, day + DAY);
  await reading;
  expect(await moveHistory(sql, folder, day + DAY)).toHaveLength(1);
  go();
  expect(await second).toEqual([]);
  const stretches = await movedStretches(sql);
  for (const stretch of stretches) expect(await readStretch(folder, stretch)).toBeNull();
  expect(readdirSync(folder)).toEqual(stretches.map(({ file }) => file));
});
