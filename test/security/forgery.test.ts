// The owner of the tables can write anything, but the verifier names it from public keys alone, and assessments ignore such rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyName, keysOfWriter, openWriterKeys } from '../../src/adapters/signing-keys/writer-keys.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { separateLogins } from '../../src/adapters/store/logins.ts';
import { moveTimeTo } from '../../src/adapters/store/simulated-time.ts';
import { correctCuts } from '../../src/adapters/store/trail/cut-corrections.ts';
import { feedCutAt, newestFeedCut } from '../../src/adapters/store/trail/feed-cut.ts';
import { createSignedRows } from '../../src/adapters/store/trail/signed-rows.ts';
import { trailText } from '../../src/adapters/store/trail/trail-text.ts';
import { registerWriters, SCHEMA_LOCK } from '../../src/adapters/store/trail/writer-registry.ts';
import { verifyTrail } from '../../src/adapters/store/trail-verifier.ts';
import { createVaultStore } from '../../src/adapters/store/vaults/vault-store.ts';
import { decisionHash } from '../../src/domain/agents/decision.ts';
import type { EvidenceDraft } from '../../src/domain/agents/evidence.ts';
import { provesConsistency } from '../../src/domain/trail/merkle.ts';
import { parseCheckpoint, parseNote } from '../../src/domain/trail/signed-note.ts';
import { contained } from '../harness/contained.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';
import { MINUTE, OURS, type SignedFixture, signedFixture } from './signed-fixture.ts';

let world: SignedFixture;
let template: SignedFixture;
let before: ReadonlySet<string>;
beforeAll(async () => {
  world = await signedFixture();
  await world.logged();
  before = new Set((await world.verify()).breaks.map(({ part, detail }) => `${part} ${detail}`));
  template = await world.copy();
});
afterAll(() => world.close());

/** Changes the database as its owner without triggers. Returns the verifier's new findings. */
async function forged(change: (owner: Sql, copy: SignedFixture) => Promise<unknown>, since?: string) {
  const copy = await template.copy();
  const owner = openDatabase({ url: copy.url, role: null, name: 'forger', connections: 1 });
  await owner`set session_replication_role = replica`;
  for (const { name } of await owner<{ name: string }[]>`
    select c.relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`)
    await owner`alter table ${owner(name)} disable trigger user`;
  await change(owner, copy);
  await owner.end();
  const report = await copy.verify(since);
  await copy.close();
  return report.breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`));
}

describe('the verifier names', () => {
  test('an invented decision with a correct hash and chain', async () => {
    const breaks = await forged(async (owner, { agents, slot }) => {
      const [last] = await owner<{ hash: string; manifest: string; observed: string; version: number; outcome: string }[]>`
        select encode(hash, 'hex') as hash, encode(manifest_hash, 'hex') as manifest, encode(observed_hash, 'hex') as observed, manifest_version as version, outcome
        from decisions where agent_id = ${agents[0]} order by slot desc limit 1`;
      const row = {
        agentId: agents[0],
        slot: slot + MINUTE,
        manifestVersion: last?.version as number,
        manifestHash: last?.manifest as string,
        disposition: 'hold',
        reason: 'late_tick',
        instrument: null,
        outcome: last?.outcome as string,
        risk: null,
        observedHash: '',
        book: null,
        previousHash: last?.hash as string,
      } as const;
      await owner`
        insert into decisions (agent_id, slot, manifest_version, disposition, reason, outcome, manifest_hash, observed_hash, previous_hash, hash)
        values (${row.agentId}, ${row.slot}, ${row.manifestVersion}, ${row.disposition}, ${row.reason}, ${row.outcome},
          decode(${row.manifestHash}, 'hex'), '', decode(${row.previousHash}, 'hex'), decode(${decisionHash(row)}, 'hex'))`;
    });
    expect(breaks).toContainEqual(
      expect.objectContaining({ part: 'tick', agentId: world.agents[0], detail: 'no tick that was signed made this decision' }),
    );
  });

  test('an extra decision in a signed tick', async () => {
    const breaks = await forged(
      (owner, { agents, slot }) => owner`
        insert into decisions select (jsonb_populate_record(d, jsonb_build_object('slot', ${slot - 30_000}::bigint))).* from decisions d
        where agent_id = ${agents[0]} and slot = ${slot}`,
    );
    expect(breaks).toContainEqual(
      expect.objectContaining({ part: 'tick', agentId: world.agents[0], detail: expect.stringContaining('was made up') }),
    );
  });

  test.each<[string, string, (owner: Sql, copy: SignedFixture) => Promise<unknown>, RegExp]>([
    [
      'a fill that was changed',
      'fills',
      (owner) => owner`update fills set at = at - 1`,
      /^row a fill of fills was changed since transaction \d+ wrote it$/,
    ],
    [
      'a step that was left out',
      'steps',
      (owner, { agents }) => owner`delete from steps where actor_id = ${agents[1]} and version = 2`,
      /was left out$/,
    ],
    [
      'a member who was made up',
      'members',
      (owner) => owner`insert into members (subject, org_id, name, permissions) values ('mallory', ${OURS}, 'm', '{risk:manage}')`,
      /^row mallory of members was made up: no transaction that was logged wrote it$/,
    ],
    [
      'a vault that was made richer',
      'vaults',
      (owner) => owner`update vaults set total_shares = total_shares * 2`,
      /of vaults was changed/,
    ],
    [
      'a cut that was written later',
      'cut',
      (owner, { slot }) => owner`insert into cuts (slot, source, instruments) values (${slot - 5 * MINUTE}, 'streams', 0)`,
      /^nobody signed this cut$/,
    ],
    [
      'an observation that was changed',
      'cut',
      (owner, { slot }) => owner`update observations set body = replace(body, '"live"', '"dead"') where slot = ${slot}`,
      /not the one that was signed/,
    ],
    ['a bar that was changed', 'candle', (owner) => owner`update candles set volume = volume + 1`, /was changed since it was signed$/],
    [
      'a bar that was left out',
      'candle',
      (owner) => owner`delete from candles where open_time = (select min(open_time) from candles)`,
      /was left out$/,
    ],
    [
      'a batch that was left out',
      'batch',
      (owner) => owner`delete from trail_batches where xid = (select max(xid) from trail_changes where name = 'fills')`,
      /its batch was left out$/,
    ],
    [
      'a signature of another key',
      'signature',
      (owner) =>
        owner`update trail_batches set signature = ${Buffer.alloc(64, 1).toString('base64')} where xid = (select max(xid) from trail_changes where name = 'fills')`,
      /its signature is not that of key/,
    ],
    [
      'a change that was rewritten with its row',
      'signature',
      async (owner) => {
        await owner`update fills set at = at - 1`;
        await owner`update trail_changes c set digest = sha256(convert_to(to_jsonb(f)::text, 'UTF8')) from fills f where c.name = 'fills' and c.key = f.id`;
      },
      /are not those that were signed \(/,
    ],
    [
      'a key that was put among the writers',
      'writer',
      (owner) =>
        owner`insert into trail_writers (key_id, writer, public_key, session_digest) values ('00000000', 'worker', ${Buffer.alloc(32)}, ${Buffer.alloc(32)})`,
      /key 00000000 of the worker takes part in the database and is not among the trusted keys/,
    ],
    ['a log with a hole', 'log', (owner) => owner`delete from trail_log where index = 3`, /^entry 3 of the log was left out/],
    [
      'a batch that the log has passed',
      'log',
      async (owner) => {
        await owner`delete from trail_log where index >= 3`;
        await owner`insert into trail_log (index, xid) select row_number() over (order by xid) + 2, xid from trail_batches b where not exists (select 1 from trail_log l where l.xid = b.xid) order by xid offset 1`;
      },
      /was put in after the log had passed it$/,
    ],
  ])('%s', async (_, part, change, detail) => {
    expect(await forged(change)).toContainEqual(expect.objectContaining({ part, detail: expect.stringMatching(detail) }));
  });

  test('a row written at another time than stated', async () => {
    const breaks = await forged(async (owner, { slot }) => {
      await owner`update trail_batches set at = ${slot - 3_600_000} where xid = (select xid from trail_log order by index desc limit 1)`;
    });
    expect(breaks).toContainEqual(expect.objectContaining({ part: 'signature' }));
    expect(breaks).toContainEqual(expect.objectContaining({ part: 'checkpoint', detail: expect.stringContaining('has another root') }));
  });
});

describe('a checkpoint kept by an outsider', () => {
  test('is proven to be the beginning of the log, by publicly checkable hashes', async () => {
    const copy = await template.copy();
    const older = (await copy.log.newest()) as string;
    await copy.worker.begin(
      (sql) =>
        sql`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 'ann', 'agent.create', 'r', ${copy.agents[0]})`,
    );
    await copy.logged();
    const report = await copy.verify(older);
    expect(report.breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`))).toEqual([]);
    const [first, last] = [older, report.signatures?.checkpoint as string].map((note) => parseCheckpoint(parseNote(note).text));
    const proof = (report.signatures?.consistency ?? []).map((hash) => Buffer.from(hash, 'base64'));
    expect(first?.size).toBeLessThan(last?.size as number);
    expect(provesConsistency(first?.size as number, last?.size as number, first?.root as Buffer, last?.root as Buffer, proof)).toBe(true);
    await copy.close();
  });

  test('reveals a past that was replaced completely', async () => {
    const kept = (await (await template.copy()).log.newest()) as string;
    const breaks = await forged(async (owner) => {
      await owner`delete from trail_checkpoints`;
      await owner`delete from trail_log where index > 2`;
    }, kept);
    expect(breaks).toContainEqual(
      expect.objectContaining({ part: 'log', detail: expect.stringMatching(/^the older checkpoint says \d+ entries, the log has 3$/) }),
    );
  });

  test('of another log says nothing', async () => {
    const breaks = await forged(async () => {}, ((await (await template.copy()).log.newest()) as string).replace(/^.*\n/, 'another/log\n'));
    expect(breaks).toEqual([
      expect.objectContaining({ part: 'checkpoint', detail: 'the older checkpoint is not signed by a key of the log' }),
    ]);
  });
});

describe('the holder of another writer’s key', () => {
  test('cannot write a cut of the feed: it is named, and not used for assessments', async () => {
    const copy = await template.copy();
    const slot = copy.slot + MINUTE / 2;
    await writeCut(copy.worker, { slot, observations: new Map() }, 'streams');
    expect((await copy.verify()).breaks).toContainEqual(
      expect.objectContaining({
        part: 'cut',
        detail: expect.stringMatching(/^key [0-9a-f]{8} signed this cut, and it is no key of the feed$/),
      }),
    );
    await expect(createSignedRows(copy.owner).requireCut(slot)).rejects.toThrow('no key of the feed');
    await copy.close();
  });

  test('cannot write a tick of the worker', async () => {
    const copy = await template.copy();
    const feed = openDatabase({
      url: (await separateLogins(copy.url)).appUrl,
      name: 'a feed',
      connections: 1,
      writer: openWriterKeys(copy.home, ['feed']).feed,
    });
    await copy.owner`update trail_tables set writers = writers || 'feed'::text where name = 'tick_batches'`;
    await feed`insert into tick_batches (period_ms, shard, from_slot, slot, decisions, digest) values (60000, 99, 0, ${copy.slot}, 1, repeat('0', 64))`;
    await feed.end();
    expect((await copy.verify()).breaks).toContainEqual(
      expect.objectContaining({
        part: 'tick',
        detail: expect.stringMatching(/^key [0-9a-f]{8} signed this tick of shard 99, and it is no key of the worker$/),
      }),
    );
    await copy.close();
  });
});

test('a log into which a session without its key wrote a checkpoint continues from the last one it signed itself', async () => {
  const copy = await template.copy();
  const thief = await copy.thief('app', 'session');
  const commanded = () =>
    copy.worker`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 'ann', 'agent.look', 'r', 'x')`;
  await commanded();
  await waitFor(async () => (await thief`select index from trail_sequence(10)`).count > 0, { what: 'an entry of the log' });
  const [log] = await copy.owner<{ size: number }[]>`select max(index) + 1 as size from trail_log`;
  await thief`select trail_checkpoint(${log?.size ?? 0}, 'a note', array[]::bytea[], ${copy.slot})`;
  await commanded();
  await copy.logged();
  const { breaks } = await copy.verify();
  expect(breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`))).toEqual([
    expect.objectContaining({ part: 'checkpoint', detail: `the checkpoint of size ${log?.size} is not signed by a key of the log` }),
  ]);
  expect(parseCheckpoint(parseNote((await copy.log.newest()) as string).text).size).toBeGreaterThan(log?.size as number);
  await copy.close();
});

describe('what assesses', () => {
  test('rejects evidence based on an unsigned bar', async () => {
    const copy = await template.copy();
    const signed = createSignedRows(copy.owner);
    const draft = { kind: 'backtest', agentId: copy.agents[0], manifestVersion: 1, series: {} } as unknown as EvidenceDraft;
    await signed.requireBasis(draft);
    const thief = await copy.thief('app', 'session');
    await thief.begin((sql) => sql`update candles set close = high`);
    await expect(signed.requireBasis(draft)).rejects.toThrow(/its signature is not that of key/);
    await copy.close();
  });

  test('compares years of bars some thousands at a time, completely: their number lengthens no statement', async () => {
    const copy = await template.copy();
    const sql = openDatabase({ url: copy.url, role: null, name: 'assessor', connections: 1 });
    const draft = { kind: 'backtest', agentId: copy.agents[0], manifestVersion: 1, series: {} } as unknown as EvidenceDraft;
    const keep = async (timeframe: string, count: number) => {
      for (let from = 0; from < count; from += 5_000)
        await copy.owner.begin(
          (
            owner,
          ) => owner`insert into candles (venue, instrument, timeframe, open_time, open, high, low, close, volume, source, received_at)
            select 'spotchain', 'AAPLx', ${timeframe}, n * 300000::bigint, 1, 2, 0.5, 1.5, n, 'test', 0 from generate_series(${from}::int, ${from + 4_999}::int) n`,
        );
    };
    const assessedMs = async (): Promise<number> => {
      const began = performance.now();
      await createSignedRows(sql).requireBasis(draft);
      return performance.now() - began;
    };
    await keep('1h', 10_000);
    // The longest of three: the machine may be busier during the comparison than at its best moment here.
    const few = Math.max(await assessedMs(), await assessedMs(), await assessedMs());
    await keep('5m', 50_000);
    await sql.unsafe(`set statement_timeout = ${Math.ceil(2.5 * few)}`);
    // On a busy machine one of three must be in time.
    await assessedMs().catch(assessedMs).catch(assessedMs);
    await sql`set statement_timeout = 0`;
    await copy.owner`alter table candles disable trigger user`;
    for (const n of [9_999, 10_000, 49_999]) {
      const at = new Date(n * 300_000).toISOString();
      await copy.owner`update candles set high = 3 where timeframe = '5m' and open_time = ${n * 300_000}`;
      await expect(assessedMs()).rejects.toThrow(`nobody signed the 5m bar of spotchain:AAPLx that opens at ${at} as it lies`);
      await copy.owner`update candles set high = 2 where timeframe = '5m' and open_time = ${n * 300_000}`;
    }
    await sql.end();
    await copy.close();
  });

  test('rejects paper trading with unsigned fills, cuts or multipliers', async () => {
    const copy = await template.copy();
    const signed = createSignedRows(copy.owner);
    const series = { enteredAt: copy.slot - MINUTE, evaluatedAt: copy.slot + MINUTE };
    const draft = { kind: 'paper', agentId: copy.agents[0], manifestVersion: 1, series } as unknown as EvidenceDraft;
    await signed.requireBasis(draft);
    const thief = await copy.thief('app', 'session');
    await thief.begin((sql) => sql`update observations set body = body || ' ' where slot = ${copy.slot}`).catch(() => {});
    // A multiplier that nobody heard would make more of what the book holds.
    await expect(thief.begin((sql) => sql`insert into token_multipliers values ('spotchain:AAPLx', 1, 1, false)`)).rejects.toThrow();
    await copy.owner`alter table token_multipliers disable trigger user`;
    await copy.owner`insert into token_multipliers values ('spotchain:AAPLx', 1, 1, false)`;
    await expect(signed.requireBasis(draft)).rejects.toThrow('row spotchain:AAPLx 1 of token_multipliers is not as a writer signed it');
    await copy.owner`delete from token_multipliers`;
    await signed.requireBasis(draft);
    await copy.owner`alter table fills disable trigger user`;
    await copy.owner`update fills set at = at - 1`;
    await expect(signed.requireBasis(draft)).rejects.toThrow('row a fill of fills is not as a writer signed it');
    await copy.close();
  });

  test('gives no price to a vault with an unsigned book', async () => {
    const copy = await template.copy();
    const vaults = createVaultStore(copy.owner, createSignedRows(copy.owner));
    expect(await vaults.mark(contained)).toBe(1);
    expect((await vaults.find(OURS, copy.agents[1]))?.totalShares).toBe('500');
    const thief = await copy.thief('app', 'session');
    await thief.begin((sql) => sql`update books set day = 0, day_start_equity_usd = 1 where mode = 'live'`);
    await copy.owner`delete from vault_marks`.catch(() => {});
    expect(await vaults.mark(contained)).toBe(0);
    await expect(vaults.find(OURS, copy.agents[1])).rejects.toThrow(/its signature is not that of key/);
    const { items } = await vaults.rank(OURS, 'all', { limit: 10, after: null }, Date.now());
    expect(items).toHaveLength(1);
    await copy.close();
  });
});

describe('a correction of a wrong cut', () => {
  /** Opens a pool as the owner of the tables, with a key that the database accepts. */
  async function ownerWith(copy: SignedFixture, writer: 'owner' | 'worker'): Promise<Sql> {
    const key = openWriterKeys(copy.home, [writer])[writer];
    await registerWriters(copy.url, [key]);
    return openDatabase({ url: copy.url, role: null, name: 'owner', connections: 1, writer: key });
  }
  const wrong = (slot: number) => ({ from: slot, until: slot + 1, reason: 'the clock of the feed ran ahead', by: 'ann' });

  test('needs the owner, is shown and proven, and excludes the cut from assessments; decisions made on it stay', async () => {
    const copy = await template.copy();
    const { slot } = copy;
    // The service itself with its keys, and a thief of its session.
    const thief = await copy.thief('app', 'session');
    for (const sql of [copy.worker, copy.callers, thief])
      await expect(
        sql`insert into cut_corrections (slot, reason, corrected_by) values (${slot}, 'it was wrong', 'ann')`,
      ).rejects.toMatchObject({ code: '42501' });
    const counts = () => copy.owner`select (select count(*) from decisions) as decisions, (select count(*) from cuts) as cuts`;
    const stood = await counts();
    const bid = async () => {
      const [row] = await copy.owner<{ at: string | null }[]>`
        select (select max(slot) from judged_cuts)::text || ' ' || (select max(slot) from judged_observations where instrument = 'spotchain:AAPLx') as at`;
      return row?.at;
    };
    expect(await bid()).toBe(`${slot} ${slot}`);

    const owner = await ownerWith(copy, 'owner');
    expect(await correctCuts(owner, wrong(slot))).toMatchObject([{ slot, reason: 'the clock of the feed ran ahead', by: 'ann' }]);
    expect(await correctCuts(owner, wrong(slot))).toEqual([]);
    await expect(correctCuts(owner, wrong(slot - 90 * MINUTE))).rejects.toThrow('no cut was written from');
    await expect(owner`delete from cut_corrections`).rejects.toThrow('append-only');

    expect(await counts()).toEqual(stood);
    expect(await bid()).toBe(`${slot - MINUTE} ${slot - MINUTE}`);
    const feedKeys = keysOfWriter(copy.home, 'feed');
    expect(await newestFeedCut(copy.worker, feedKeys())).toMatchObject({ ok: true, cut: { slot: slot - MINUTE } });
    expect(await feedCutAt(copy.worker, slot, feedKeys())).toEqual({
      ok: false,
      why: expect.stringContaining('was corrected: the clock of the feed ran ahead'),
    });
    expect(await createVaultStore(copy.owner, createSignedRows(copy.owner)).mark(contained)).toBe(1);
    expect(await copy.owner`select at from vault_marks`).toEqual([{ at: slot - MINUTE }]);

    const report = await copy.verify();
    expect(report.breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`))).toEqual([]);
    expect(trailText(report)).toContain(`${new Date(slot).toISOString()}  the cut was corrected at`);
    // A cut that a shard has not decided yet would differ in its replay.
    await copy.owner`update tick_shards set last_slot = ${slot - 2 * MINUTE}`;
    await expect(correctCuts(owner, wrong(slot - MINUTE))).rejects.toThrow('a shard has decided up to');
    await owner.end();
    await copy.close();
  });

  test('reverts a vault’s high-water mark that the wrong price had raised', async () => {
    const copy = await template.copy();
    const { slot, agents } = copy;
    const highWater = async () =>
      (
        await copy.owner<{ usd: string; at: number }[]>`
        select high_water_usd::float8::text as usd, high_water_at as at from vaults where agent_id = ${agents[1]}`
      )[0];
    const marked = (at: number, price: number) =>
      copy.worker`insert into vault_marks (agent_id, at, equity_usd, share_price_usd) values (${agents[1]}, ${at}, ${500 * price}, ${price})`;
    expect(await highWater()).toEqual({ usd: '1', at: slot });
    await marked(slot, 10);
    await marked(slot + MINUTE, 1.25);
    expect(await highWater()).toEqual({ usd: '10', at: slot });
    const owner = await ownerWith(copy, 'owner');
    await correctCuts(owner, wrong(slot));
    // The highest valid price, which was no new high while the forged one existed.
    expect(await highWater()).toEqual({ usd: '1.25', at: slot + MINUTE });
    const { breaks } = await copy.verify();
    expect(breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`))).toEqual([]);
    await owner.end();
    await copy.close();
  });

  test('by the owner of the tables is found without a key, and with another writer’s key', async () => {
    const unsigned = await forged(
      (owner, { slot }) => owner`insert into cut_corrections (slot, reason, corrected_by) values (${slot}, 'it was wrong', 'ann')`,
    );
    expect(unsigned).toContainEqual(expect.objectContaining({ part: 'cut_corrections', detail: expect.stringContaining('was made up') }));
    const copy = await template.copy();
    await copy.owner`update trail_tables set writers = writers || 'worker'::text where name = 'cut_corrections'`;
    const owner = await ownerWith(copy, 'worker');
    await correctCuts(owner, wrong(copy.slot));
    await owner.end();
    expect((await copy.verify()).breaks).toContainEqual(
      expect.objectContaining({
        part: 'cut correction',
        detail: expect.stringMatching(/^key [0-9a-f]{8} corrected this cut, and it is no key of the owner$/),
      }),
    );
    await copy.close();
  });
});

const command = ({ worker, agents }: SignedFixture) =>
  worker.begin(
    (sql) =>
      sql`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 'ann', 'agent.create', 'r', ${agents[0]})`,
  );

test('a log that catches up an hour in portions back-dates none of them', async () => {
  const copy = await template.copy();
  for (let n = 0; n < 5; n++) await command(copy);
  await moveTimeTo(copy.owner, Date.now() + 3_600_000);
  await command(copy);
  await copy.logged(2);
  const { breaks, signatures } = await copy.verify();
  expect(breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`))).toEqual([]);
  expect(signatures?.checkpoints).toBeGreaterThan(3);
  await copy.close();
});

test('a checkpoint is no later than a batch that waits for a running transaction', async () => {
  const copy = await template.copy();
  await copy.logged();
  await command(copy);
  const running = await copy.owner.reserve();
  await running`begin`;
  await running`select pg_current_xact_id()`;
  await command(copy);
  await moveTimeTo(copy.owner, Date.now() + 3_600_000);
  await waitFor(async () => (await copy.log.advance()) !== null, { what: 'the first of the two batches to stand in the log' });
  await running`commit`;
  running.release();
  await copy.logged();
  const { breaks } = await copy.verify();
  expect(breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`))).toEqual([]);
  await copy.close();
});

test('writers are registered while nothing migrates: concurrent starts wait in line', async () => {
  const url = await testDatabase();
  const migrating = openDatabase({ url, role: null, name: 'migrating', connections: 1 });
  const key = openWriterKeys(world.home, ['worker']).worker;
  await migrating`select pg_advisory_lock(${SCHEMA_LOCK})`;
  const registered = registerWriters(url, [key]);
  await waitFor(
    async () => {
      const [waiting] = await migrating`
        select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`;
      return waiting !== undefined;
    },
    { what: 'the registration to wait' },
  );
  expect(await migrating`select key_id from trail_writers`).toEqual([]);
  await migrating`select pg_advisory_unlock(${SCHEMA_LOCK})`;
  await registered;
  expect(await migrating`select key_id from trail_writers`).toEqual([{ key_id: key.id }]);
  await migrating.end();
});

test('an older database is signed as found, and from then on every change is', async () => {
  const url = await testDatabase();
  const owner = openDatabase({ url, role: null, name: 'old owner', connections: 1 });
  await owner`insert into organizations (id, name) values (${OURS}, 'ours')`;
  await owner`insert into candles (venue, instrument, timeframe, open_time, open, high, low, close, volume, source, received_at)
    select 'spotchain', 'AAPLx', '1m', n * 60000, 1, 2, 0.5, 1.5, 10, 'spotchain', 0 from generate_series(1, 10001) n`;
  expect((await verifyTrail(owner)).signatures).toBeNull();
  const keys = openWriterKeys(world.home, ['worker', 'log']);
  expect(keys.worker.name).toBe(keyName('worker'));
  // Clock of the tests, organization, its control row, and two batches of at most ten thousand bars.
  expect((await registerWriters(url, [keys.worker, keys.log])).genesis).toBe(5);
  expect((await registerWriters(url, [keys.worker, keys.log])).genesis).toBeNull();
  const trusted = [keys.worker, keys.log];
  const options = { keys: trusted, since: null };
  expect(await verifyTrail(owner, undefined, options)).toMatchObject({ whole: true, signatures: { batches: 1, changes: 5 } });
  await owner`update candles set close = 1.4 where open_time = 600000`;
  await owner`update organizations set name = 'theirs'`;
  const { breaks } = await verifyTrail(owner, undefined, options);
  expect(breaks.map(({ part }) => part)).toContain('signature');
  await owner.end();
});
