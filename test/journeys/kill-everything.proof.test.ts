// The whole service is killed with -9 and started again: the same organization and agents, and every slot decided once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { commandLine } from '../../src/adapters/process/server-process.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { startEmbeddedPostgres } from '../../src/adapters/store/embedded-postgres.ts';
import { AGENT_TICK_MS } from '../../src/domain/values/time.ts';
import { withCluster } from '../harness/postgres.ts';
import { inProof } from '../harness/rounds.ts';
import { waitFor } from '../harness/wait-for.ts';
import { chainsHold } from '../invariants/chains-hold.ts';
import { oneDecisionPerSlot } from '../invariants/one-decision-per-slot.ts';
import { measured } from '../harness/measured.ts';

const COMMAND = fileURLToPath(new URL('../../src/boot/sevengate.mjs', import.meta.url));
const FIRST_START_MS = 60_000;
const SECOND_START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 8_000;
/** Time until the service is ready: five seconds for the database, one for its connections. */
const READY_AGAIN_MS = 6_000;
/** Time until the next decisions: the next slot begins within a minute, and its decisions follow within seconds. */
const NEXT_DECISIONS_MS = AGENT_TICK_MS + 20_000;
const home = mkdtempSync(join(tmpdir(), 'kill-everything-'));
chmodSync(home, 0o711);
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  for (const pid of processesOf(home)) process.kill(pid, 'SIGKILL');
  await waitFor(() => processesOf(home).length === 0, { what: 'everything to be gone', deadlineMs: 10_000 });
  rmSync(home, { recursive: true, force: true });
});

/** Returns every process whose command line contains the folder. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => commandLine(pid)?.includes(folder));
}

/** Returns the file with the process id of a state folder's cluster. */
function postmasterFile(folder: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('postmaster.pid'));
  expect(found).toHaveLength(1);
  return join(folder, found[0] as string);
}

async function startService() {
  const began = Date.now();
  const child = spawn(process.execPath, [COMMAND, 'start', '--json'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', SEVENGATE_HOME: home, PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const first = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exit.then(() => null)]);
  if (first === null) throw new Error(`the service ended: ${said}`);
  const { url, tokenFolder } = JSON.parse(first[0] as string) as { url: string; tokenFolder: string };
  const tookMs = Date.now() - began;
  const readiness = await fetch(`${url}/readyz`);
  // Only a start that names the missing part in its log says `ready` before it is.
  if (!said.includes('not ready yet')) expect(readiness.status, await readiness.text()).toBe(200);
  const token = readFileSync(join(tokenFolder, 'operator.token'), 'utf8').trim();
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}\n${said}`);
    return (await answer.json()) as T;
  };
  const agents = async () => (await get<{ items: { id: string; name: string; manifestHash: string }[] }>('/v1/agents')).items;
  return {
    child,
    exit,
    tookMs,
    agents,
    said: () => said,
    /** Waits until every part works. */
    untilReady: async (): Promise<void> => {
      let parts = '';
      const isReady = async (): Promise<boolean> => {
        const answer = await fetch(`${url}/readyz`);
        parts = await answer.text();
        return answer.ok;
      };
      await waitFor(isReady, { what: 'every part to work', deadlineMs: 60_000 }).catch((late: Error) => {
        throw new Error(`${late.message}: ${parts}`);
      });
    },
    /** Returns the slots that every agent has decided, newest first. */
    async slotsOfAll(): Promise<string[]> {
      const each = await Promise.all(
        (await agents()).map(
          async ({ id }) => (await get<{ items: { slot: string; reason: string | null }[] }>(`/v1/agents/${id}/decisions`)).items,
        ),
      );
      return (each[0] ?? []).map(({ slot }) => slot).filter((slot) => each.every((items) => items.some((item) => item.slot === slot)));
    },
  };
}

test.skipIf(process.platform !== 'linux')(
  'a killed service continues after its restart, and a stopped one leaves no process behind',
  async () => {
    await withCluster(home);
    const first = await startService();
    measured('the first start, ready', first.tookMs);
    await first.untilReady();
    const agents = await first.agents();
    expect(agents.length).toBeGreaterThan(0);
    await waitFor(async () => (await first.slotsOfAll()).length > 0, { what: 'the first decisions', deadlineMs: NEXT_DECISIONS_MS });
    first.child.kill('SIGKILL');
    await first.exit;

    const second = await startService();
    measured('a start after kill -9, ready', second.tookMs, SECOND_START_LIMIT_MS);
    await second.untilReady();
    expect(await second.agents()).toEqual(agents);
    expect((await second.slotsOfAll()).length).toBeGreaterThan(0);
    /** Waits a minute of a whole service, which is for the proof; the suite's crash journeys show that ticks continue after a kill. */
    const decidesAgain = async (what: string): Promise<void> => {
      if (!inProof()) return;
      const decided = (await second.slotsOfAll()).length;
      await waitFor(async () => (await second.slotsOfAll().catch(() => [])).length > decided, { what, deadlineMs: NEXT_DECISIONS_MS });
    };
    await decidesAgain('decisions after the kill');
    // Its database alone is killed, restarts by itself, and everybody is alerted.
    const postmaster = Number(readFileSync(postmasterFile(home), 'utf8').split('\n')[0]);
    process.kill(postmaster, 'SIGKILL');
    const killed = Date.now();
    await waitFor(() => second.said().includes('has ended'), { what: 'the end of the database to be seen', deadlineMs: 10_000 });
    await second.untilReady();
    measured('the database was killed, the service ready', Date.now() - killed, READY_AGAIN_MS);
    await decidesAgain('decisions after the end of the database');
    second.child.kill('SIGINT');
    const told = Date.now();
    expect(await second.exit).toEqual([0, null]);
    measured('told to stop, gone', Date.now() - told, STOP_LIMIT_MS);
    expect(processesOf(home)).toEqual([]);

    // Data of both lives.
    const server = await startEmbeddedPostgres({ home, log: () => {} });
    const sql = openDatabase({ url: server.url, connections: 2, name: 'sevengate test' });
    try {
      const [{ through, shards } = { through: 0, shards: 0 }] = await sql<
        { through: number; shards: number }[]
      >`select min(last_slot) as through, count(*) as shards from tick_shards`;
      expect(shards).toBe(1);
      expect(await oneDecisionPerSlot(sql, { through })).toEqual([]);
      const { broken, ends } = await chainsHold(sql);
      expect(broken).toEqual([]);
      // The agents of the market's seller, which the sandbox adds after the first start, decide too.
      const known = await sql<
        { id: string; own: boolean }[]
      >`select id, id = any(${agents.map(({ id }) => id)}) as own from agents order by id`;
      expect([...ends.keys()].sort()).toEqual(known.map(({ id }) => id));
      expect(known.filter(({ own }) => own)).toHaveLength(agents.length);
      expect(await sql`select count(*) from organizations`).toEqual([{ count: 2 }]);
      expect(await sql`select kind, detail from incidents`).toEqual([]);
      expect(
        await sql`select org_id, body ->> 'what' as what, body ->> 'server' as server from announcements where channel = 'alerts' and org_id is null`,
      ).toEqual([{ org_id: null, what: 'server_restarted', server: 'postgresql' }]);
    } finally {
      await sql.end({ timeout: 2 });
      await server.stop();
    }
  },
  FIRST_START_MS + 3 * NEXT_DECISIONS_MS + 10_000 + SECOND_START_LIMIT_MS + STOP_LIMIT_MS,
);
