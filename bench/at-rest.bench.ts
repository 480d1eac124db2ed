/**
 * Cost of an idle service, in the default sandbox with its own PostgreSQL and Redis: processor time, memory, PostgreSQL statements, start
 * times, and the time of a command. `--minutes 3` sets the duration. Linux only.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openDatabase } from '../src/adapters/store/database.ts';
import { median } from './harness.ts';
import { keepFigures } from './measured.ts';
import { type ProcessUse, processTree } from './process-tree.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAM = join(ROOT, 'src', 'boot', 'sevengate.mjs');
/** Time for the work that a start causes, such as the history of bars. */
const SETTLED_MS = 120_000;
const COMMANDS = 9;
const { values: given } = parseArgs({ options: { minutes: { type: 'string', default: '3' } } });

const home = mkdtempSync(join(tmpdir(), 'sevengate-rest-'));
chmodSync(home, 0o711);
const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', PORT: '0', LOG_LEVEL: 'warn', SEVENGATE_HOME: home };
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

async function start(): Promise<{ readonly child: ChildProcess; readonly tookMs: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout?.on('data', (part: Buffer) => (said += part.toString()));
  while (!/^ready /m.test(said)) {
    if (child.exitCode !== null) throw new Error(`the service ended with code ${child.exitCode} before it was ready`);
    await pause(20);
  }
  return { child, tookMs: performance.now() - began };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
}

const kindOf = ({ command }: ProcessUse): string =>
  /postgres/.test(command) ? 'PostgreSQL' : /redis/.test(command) ? 'Redis' : 'the service';

/** Measures processor seconds by kind of process and PostgreSQL statements, minute by minute. */
async function watch(pid: number, minutes: number) {
  const port = readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
  const password = readFileSync(join(home, 'postgres.password'), 'utf8').trim();
  const sql = openDatabase({
    url: `postgres://sevengate:${password}@127.0.0.1:${port}/sevengate`,
    connections: 1,
    role: null,
    name: 'bench',
  });
  const commits = async (): Promise<number> =>
    Number((await sql`select xact_commit from pg_stat_database where datname = current_database()`)[0]?.['xact_commit']);
  try {
    const shares: Map<string, number>[] = [];
    const first = await commits();
    for (let minute = 0; minute < minutes; minute++) {
      const before = new Map(processTree(pid).map((use) => [use.pid, use.seconds]));
      const began = performance.now();
      await pause(60_000);
      const tookS = (performance.now() - began) / 1_000;
      const share = new Map<string, number>();
      for (const use of processTree(pid)) {
        const spent = (use.seconds - (before.get(use.pid) ?? 0)) / tookS;
        share.set(kindOf(use), (share.get(kindOf(use)) ?? 0) + spent);
      }
      shares.push(share);
    }
    const perSecond = ((await commits()) - first) / (minutes * 60);
    return { shares, perSecond };
  } finally {
    await sql.end();
  }
}

/** Returns the processor seconds of some runs of a command, each in a process of its own. */
function commandTimes(): readonly number[] {
  const timed = `TIMEFORMAT='%U %S'; { time "${process.execPath}" "${PROGRAM}" agents --help >/dev/null 2>&1; } 2>&1`;
  return Array.from({ length: COMMANDS }, () => {
    const [user = 0, system = 0] = execFileSync('bash', ['-c', timed], { env, encoding: 'utf8' }).trim().split(' ').map(Number);
    return user + system;
  });
}

try {
  const first = await start();
  await stop(first.child);
  const second = await start();
  await pause(SETTLED_MS);
  const { shares, perSecond } = await watch(second.child.pid as number, Number(given.minutes));
  const memory = new Map<string, number>();
  for (const use of processTree(second.child.pid as number)) memory.set(kindOf(use), (memory.get(kindOf(use)) ?? 0) + use.bytes);
  await stop(second.child);
  const totals = shares.map((share) => [...share.values()].reduce((sum, one) => sum + one, 0));
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const range = (numbers: readonly number[], write: (one: number) => string): string =>
    `${write(Math.min(...numbers))} to ${write(Math.max(...numbers))}`;
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  const commands = commandTimes();
  const inSeconds = (time: number): string => `${time.toFixed(2)} s`;
  const kinds = ['the service', 'PostgreSQL', 'Redis'];
  const figures = [
    { what: 'processor time of all of it, share of a core', value: percent(mean(totals)), spread: range(totals, percent), goal: '≤ 3 %' },
    ...kinds.map((kind) => {
      const own = shares.map((share) => share.get(kind) ?? 0);
      return { what: `of which ${kind}`, value: percent(mean(own)), spread: range(own, percent), goal: '' };
    }),
    {
      what: 'memory of all of it',
      value: megabytes([...memory.values()].reduce((sum, one) => sum + one, 0)),
      spread: kinds.map((kind) => `${kind} ${megabytes(memory.get(kind) ?? 0)}`).join(', '),
      goal: '≤ 250 MB',
    },
    { what: 'transactions of PostgreSQL a second', value: perSecond.toFixed(1), spread: '', goal: '' },
    { what: 'first start, packages installed, wall time', value: seconds(first.tookMs), spread: '', goal: '≤ 20 s' },
    { what: 'second start, wall time', value: seconds(second.tookMs), spread: '', goal: '≤ 3 s' },
    {
      what: 'a command (`agents --help`), processor time',
      value: inSeconds(median(commands)),
      spread: range(commands, inSeconds),
      goal: '≤ 0.4 s',
    },
  ];
  for (const { what, value, spread } of figures) process.stdout.write(`${what}: ${value}${spread === '' ? '' : ` (${spread})`}\n`);
  keepFigures('A service at rest, in the default sandbox', figures);
} finally {
  rmSync(home, { recursive: true, force: true });
}
