// Key rotation drill: every key of the service is replaced on a live database, and the old one loses all power.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readExchangeKey, writeExchangeKey } from '../../src/adapters/signing-keys/exchange-keys.ts';
import { openWriterKeys, setKeyAside, readHomeKeys, workerVerifier } from '../../src/adapters/signing-keys/writer-keys.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createEvidenceWriter, EVALUATOR_ROLE } from '../../src/adapters/store/gates/evidence-store.ts';
import { separateLogins } from '../../src/adapters/store/logins.ts';
import { correctCuts } from '../../src/adapters/store/trail/cut-corrections.ts';
import { createTrailLog } from '../../src/adapters/store/trail/trail-log.ts';
import { registerWriters, replaceWriter } from '../../src/adapters/store/trail/writer-registry.ts';
import { evidenceMetrics } from '../../src/domain/agents/evidence.ts';
import { manifestHash } from '../../src/domain/manifest/manifest.ts';
import type { Writer } from '../../src/domain/trail/batch.ts';
import { sampleManifest } from '../actors/agent/sample.ts';
import { MINUTE, OURS, type SignedFixture, signedFixture } from './signed-fixture.ts';

let world: SignedFixture;
let logins: Awaited<ReturnType<typeof separateLogins>>;
beforeAll(async () => {
  world = await signedFixture();
  logins = await separateLogins(world.url);
  await registerWriters(world.url, Object.values(openWriterKeys(world.home, ['owner'])));
});
afterAll(() => world.close());

type Key = ReturnType<typeof openWriterKeys>[Writer];
function sessionOf(writer: Key, name: string): Sql {
  const { appUrl, evaluatorUrl } = logins;
  const login =
    writer.writer === 'owner'
      ? { url: world.url, role: null }
      : writer.writer === 'evaluator'
        ? { url: evaluatorUrl, role: EVALUATOR_ROLE }
        : { url: appUrl };
  return openDatabase({ ...login, name, connections: 1, writer });
}

/** Rows that a writer signs alone, one per writer. */
const WRITES: Readonly<Partial<Record<Writer, (sql: Sql, what: string) => Promise<unknown>>>> = {
  feed: (sql, what) => sql`insert into pool_liquidity (instrument, liquidity_usd, observed_at) values (${`spotchain:${what}`}, 1, 0)`,
  worker: (sql, what) =>
    sql`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 'ann', 'agent.look', 'r', ${what})`,
  api: (sql, what) =>
    sql`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 'ann', 'agent.look', 'r', ${what})`,
  async evaluator(sql) {
    const manifest = sampleManifest({ name: 'one' });
    const draft = { agentId: world.agents[0], kind: 'manifest', manifestVersion: 1, runId: null, series: manifest } as const;
    const hash = manifestHash(manifest);
    const metrics = evidenceMetrics('manifest', manifest as never);
    await createEvidenceWriter(sql, randomUUID).write({ ...draft, manifestHash: hash, resultHash: hash, metrics } as never);
  },
  owner(sql, what) {
    const from = what.startsWith('before') ? world.slot - MINUTE : world.slot;
    return correctCuts(sql, { from, until: from + 1, reason: 'a drill of replaced keys', by: 'ann' });
  },
};

test.each(Object.entries(WRITES))(
  'the key of the %s is replaced: its sessions and signatures end, and the new one signs',
  async (name, write) => {
    const writer = name as Writer;
    const before = openWriterKeys(world.home, [writer])[writer];
    const old = sessionOf(before, `old ${writer}`);
    await write(old, `before ${writer}`);
    setKeyAside(world.home, writer);
    const fresh = openWriterKeys(world.home, [writer])[writer];
    expect(await replaceWriter(world.url, fresh, 'a drill')).toEqual([before.id]);
    // The owner of the tables is checked when it signs, everybody else at every statement.
    const asked = writer === 'owner' ? 'has not shown the secret' : 'secret of a registered writer';
    await expect(write(old, `after ${writer}`)).rejects.toThrow(asked);
    // The old key cannot sign in a session of the new one either.
    const mixed = sessionOf({ ...before, sessionProof: fresh.sessionProof } as Key, `mixed ${writer}`);
    await expect(write(mixed, `mixed ${writer}`)).rejects.toThrow('has not shown the secret');
    const now = sessionOf(fresh, `new ${writer}`);
    await write(now, `now ${writer}`);
    for (const sql of [old, mixed, now]) await sql.end();
    expect(existsSync(join(world.home, 'keys', `${writer}.key.retired`))).toBe(true);
    expect(
      readHomeKeys(world.home)
        .filter((key) => key.writer === writer)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([before.id, fresh.id].sort());
  },
);

test('the signer trusts only the new worker', () => {
  const retired = openWriterKeys(world.home, ['worker']).worker;
  setKeyAside(world.home, 'worker');
  const { worker } = openWriterKeys(world.home, ['worker']);
  const isSigned = workerVerifier(world.home);
  const signatureOf = (key: Key): string => key.sign(Buffer.from('an order')).toString('base64');
  expect([isSigned('an order', signatureOf(worker)), isSigned('an order', signatureOf(retired as Key))]).toEqual([true, false]);
});

test('the log continues with a new key, and the trail signed by both is intact', async () => {
  const { worker } = openWriterKeys(world.home, ['worker']);
  await replaceWriter(world.url, worker, 'a drill');
  setKeyAside(world.home, 'log');
  const { log } = openWriterKeys(world.home, ['log']);
  await replaceWriter(world.url, log, 'a drill');
  const sql = sessionOf(worker as Key, 'new log');
  const trail = createTrailLog(sql, log, 'sevengate.test/trail');
  await trail.advance();
  expect(await trail.newest()).not.toBeNull();
  await sql.end();
  const report = await world.verify();
  expect(report.breaks.filter(({ part, agentId }) => part !== 'gate' && !(part === 'step' && agentId === world.agents[1]))).toEqual([]);
});

test('later signatures of a retired key are found', async () => {
  const [batch] = await world.owner<{ xid: string }[]>`
    select max(b.xid)::text as xid from trail_batches b join trail_retirements r on r.key_id = b.key_id`;
  await world.owner`alter table trail_batches disable trigger batch_rows`;
  await world.owner`update trail_batches set at = at + 3600000 where xid = ${batch?.xid ?? ''}::xid8`;
  await world.owner`alter table trail_batches enable always trigger batch_rows`;
  expect((await world.verify()).breaks).toContainEqual(
    expect.objectContaining({ detail: expect.stringMatching(/^key [0-9a-f]{8} signed transaction \d+ after it was retired$/) }),
  );
});

test("an organization's exchange key is replaced in one step", () => {
  const key = (name: string) => ({ key: name, secret: 'a secret', account: 'account 1', addedAt: 1 });
  writeExchangeKey(world.home, OURS, key('first') as never);
  writeExchangeKey(world.home, OURS, key('second') as never);
  expect(readExchangeKey(world.home, OURS)).toMatchObject({ key: 'second', account: 'account 1' });
});
