// Database with signing writers, ticked agents, a funded vault and a fill, and the sessions of its attackers.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWriterKeys, readHomeKeys } from '../../src/adapters/signing-keys/writer-keys.ts';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { createDispatchStore } from '../../src/adapters/store/agents/dispatch-store.ts';
import { API_ROLE } from '../../src/adapters/store/callers/as-organization.ts';
import { writeMember } from '../../src/adapters/store/callers/member-store.ts';
import { createCandleStore } from '../../src/adapters/store/candles/candle-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { EVALUATOR_ROLE } from '../../src/adapters/store/gates/evidence-store.ts';
import { separateLogins } from '../../src/adapters/store/logins.ts';
import { createTrailLog, type TrailLog } from '../../src/adapters/store/trail/trail-log.ts';
import { registerWriters } from '../../src/adapters/store/trail/writer-registry.ts';
import { type TrailReport, verifyTrail } from '../../src/adapters/store/trail-verifier.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { sampleCut, sampleManifest } from '../actors/agent/sample.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { testDatabase } from '../harness/postgres.ts';
import { payIntoVault } from '../harness/vault.ts';
import { waitFor } from '../harness/wait-for.ts';
import { actorsOn } from '../world/actor-world.ts';

export const OURS = '00000000-0000-7000-8000-00000000000a';
export const THEIRS = '00000000-0000-7000-8000-00000000000b';
export const MINUTE = 60_000;

/** Loot of a thief: only a login's password, or a whole session of the service without its key. */
export type Loot = 'password' | 'session';

export interface SignedFixture {
  readonly url: string;
  /** Agents of OURS: one limited to research, and one that trades live with a vault and is held by a breaker. */
  readonly agents: readonly [string, string];
  /** Last ticked slot. */
  readonly slot: number;
  /** Connections of the service's own writers, by database role. */
  readonly worker: Sql;
  readonly callers: Sql;
  readonly owner: Sql;
  readonly log: TrailLog;
  /** Proof shown to a session that served callers of OURS, now in the thief's hands. */
  readonly proofOfOurs: string;
  readonly home: string;
  verify(since?: string): Promise<TrailReport>;
  /** Resolves once every batch is in the log. A running transaction of another test on the server delays it. */
  logged(atOnce?: number): Promise<void>;
  /** Opens connections with stolen credentials. */
  thief(role: 'app' | 'callers' | 'evaluator', loot: Loot): Promise<Sql>;
  /** Copies the database for one attack. End it with `close`. */
  copy(): Promise<SignedFixture>;
  close(): Promise<void>;
}

export async function signedFixture(): Promise<SignedFixture> {
  const url = await testDatabase();
  const home = mkdtempSync(join(tmpdir(), 'sevengate-security-'));
  const keys = openWriterKeys(home, ['feed', 'worker', 'evaluator', 'api', 'log']);
  const { genesis } = await registerWriters(url, Object.values(keys));
  // The one row is the clock of the tests, which is in the template of every test database.
  if (genesis !== 1) throw new Error(`a new database has a genesis of ${genesis} rows`);
  const opened = await open(url, home, null);
  const { worker, owner } = opened;
  const feed = openDatabase({ url: (await separateLogins(url)).appUrl, name: 'signed feed', connections: 2, writer: keys.feed });
  await owner.begin(async (transaction) => {
    // Triggers that check the clock use the real one.
    await transaction`delete from clock_shift`;
    await transaction`insert into organizations (id, name) values (${OURS}, 'ours'), (${THEIRS}, 'theirs')`;
    await writeMember(transaction, 'ann', { orgId: OURS, name: 'Ann', permissions: ['agent:read', 'trade:execute'] });
    await writeMember(transaction, 'eve', { orgId: THEIRS, name: 'Eve', permissions: ['agent:read'] });
  });
  const lived = await live(worker, feed, url, keys.worker);
  await feed.end();
  return { ...opened, ...lived };
}

/** Lets agents tick and trade, as the service does. */
async function live(
  worker: Sql,
  feed: Sql,
  url: string,
  writer: Parameters<typeof placeAtStage>[3],
): Promise<Pick<SignedFixture, 'agents' | 'slot'>> {
  const slot = Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE;
  const clock = createVirtualClock(slot - 2 * MINUTE + 1_000);
  const { runtime, commands, tick } = actorsOn(worker, clock);
  const ids: string[] = [];
  for (const [orgId, name] of [
    [OURS, 'one'],
    [OURS, 'two'],
    [THEIRS, 'three'],
  ] as const) {
    const outcome = await commands.create({ orgId, subject: 'ann', permissions: [], requestId: name }, sampleManifest({ name }));
    if (!outcome.ok) throw new Error(outcome.refusal.detail);
    ids.push(outcome.value.id);
  }
  const [first, second] = ids as [string, string];
  for (const at of [slot - MINUTE, slot]) {
    clock.advanceTo(at + 500);
    await tick(sampleCut(at, { premiumPct: 0, rsi: 50 }), undefined, feed);
  }
  await placeAtStage(url, second, 'live', writer);
  await payIntoVault(worker, OURS, second, '500', slot);
  await worker.begin((transaction) =>
    writeRecords(transaction, [
      {
        type: 'fill',
        orgId: OURS,
        fill: {
          id: 'a fill',
          orderId: 'an order',
          bookId: bookIds.paper(first, 1),
          instrument: 'spotchain:AAPLx',
          side: 'buy',
          quantity: '1',
          fillPrice: '270',
          feeUsd: '0.1',
          notionalUsd: '270',
          decisionPrice: '270',
          slippageBps: 0,
          at: slot,
          quotes: [],
        },
      },
    ]),
  );
  await runtime.deliver(second, { type: 'pause', cause: 'breaker:daily_drawdown' } as never, { cause: 'system' });
  const candle = { openTime: slot - 60 * MINUTE, open: '1', high: '2', low: '0.5', close: '1.50', volume: '10' };
  await createCandleStore(feed).save({
    kind: 'candles',
    venue: 'spotchain',
    instrument: 'AAPLx',
    timeframe: '1m',
    candles: [candle, { ...candle, openTime: candle.openTime + MINUTE }],
    source: 'spotchain',
    receivedAt: slot,
  } as never);
  // An order of the second agent is being executed for longer than any test. No step began it, which only the owner may omit.
  const lease = { type: 'execution_lease', orgId: OURS, key: second, epoch: 0, forMs: 3_600_000 };
  const owner = openDatabase({ url, role: null, name: 'an order under way', connections: 1 });
  await owner.begin((transaction) => writeRecords(transaction, [lease]));
  await owner.end();
  await createDispatchStore(worker).hold('feed', 'the feed', 60_000);
  // Pending timers, activities and announcements.
  await worker`insert into timers (actor_id, timer_id, due_at, event) values (${second}, 'a delay', ${slot + 86_400_000}, '{"type":"late"}')`;
  await worker`insert into activities (key, actor_id, kind, payload, due_at) values ('an activity', ${second}, 'execute', '{}', ${slot + 86_400_000})`;
  await feed`
    insert into intelligence_events (id, state, kind, severity, direction, symbols, headline, first_at, observed_at, received_at, families, copies, withdrawn)
    values ('a story', 'rumor', 'guidance', 'high', 'negative', '{AAPL}', 'a story', ${slot}, ${slot}, ${slot}, '{}', '{}', '{}')`;
  return { agents: [first, second], slot };
}

async function open(url: string, home: string, lived: Pick<SignedFixture, 'agents' | 'slot'> | null): Promise<SignedFixture> {
  const keys = openWriterKeys(home, ['worker', 'api', 'evaluator', 'log']);
  const logins = await separateLogins(url);
  const pools: Sql[] = [];
  const kept = (sql: Sql): Sql => {
    pools.push(sql);
    return sql;
  };
  const worker = kept(openDatabase({ url: logins.appUrl, name: 'signed worker', connections: 3, writer: keys.worker }));
  const owner = kept(openDatabase({ url, role: null, name: 'signed owner', connections: 2, writer: keys.worker }));
  const callers = kept(openDatabase({ url: logins.apiUrl, role: API_ROLE, name: 'signed callers', connections: 2, writer: keys.api }));
  const logs = {
    app: { url: logins.appUrl, key: keys.worker },
    callers: { url: logins.apiUrl, key: keys.api, role: API_ROLE },
    evaluator: { url: logins.evaluatorUrl, key: keys.evaluator, role: EVALUATOR_ROLE },
  };
  const fixture: SignedFixture = {
    url,
    agents: lived?.agents ?? ['', ''],
    slot: lived?.slot ?? 0,
    worker,
    callers,
    owner,
    home,
    log: createTrailLog(worker, keys.log, 'sevengate.test/trail'),
    proofOfOurs: keys.api.organizationProof(OURS),
    verify: (since) => verifyTrail(owner, undefined, { keys: readHomeKeys(home), since: since ?? null }),
    async logged(atOnce) {
      const log = createTrailLog(worker, keys.log, 'sevengate.test/trail', atOnce);
      await waitFor(
        async () => {
          await log.advance();
          const [left] =
            await owner`select 1 from trail_batches b where b.signature is not null and not exists (select 1 from trail_log l where l.xid = b.xid) limit 1`;
          return left === undefined;
        },
        { what: 'every batch to stand in the log' },
      );
    },
    async thief(role, loot) {
      const { key, ...options } = logs[role];
      // A stolen session can show its secret, but has no key to sign with.
      const stolen = loot === 'password' ? {} : { writer: { ...key, sign: () => randomBytes(64) } };
      return kept(openDatabase({ ...options, name: `thief of ${loot}`, connections: 2, ...stolen }));
    },
    async copy() {
      // A database without connections can be copied.
      for (const sql of pools.splice(0)) await sql.end();
      const source = new URL(url).pathname.slice(1);
      const name = `copy_${randomBytes(6).toString('hex')}`;
      const target = new URL(url);
      target.pathname = '/postgres';
      const server = openDatabase({ url: target.href, role: null, name: 'copying', connections: 1 });
      await server`create database ${server(name)} template ${server(source)} strategy file_copy`.finally(() => server.end());
      target.pathname = `/${name}`;
      return open(target.href, home, { agents: this.agents, slot: this.slot });
    },
    async close() {
      for (const sql of pools.splice(0)) await sql.end({ timeout: 2 });
      if (lived === null) rmSync(home, { recursive: true, force: true });
    },
  };
  return fixture;
}
