// A planted authorization key, and private keys that clients send by mistake, are searched for everywhere the service writes.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { base58 } from '../../src/domain/solana/base58.ts';
import { SANDBOX_SIGNER_APP } from '../../src/sandbox/identity/remote-signer.ts';
import { testInProof } from '../harness/rounds.ts';
import { waitFor } from '../harness/wait-for.ts';
import { newHome, type Service, startService } from './running-service.ts';
import { joinService } from './shared-service.ts';

const onLinux = process.platform === 'linux';

/** Returns every encoding in which a key might be left behind. */
function spellings(key: KeyObject): Buffer[] {
  const der = key.export({ format: 'der', type: 'pkcs8' });
  const scalar = Buffer.from((key.export({ format: 'jwk' }) as { d: string }).d, 'base64url');
  const lines = key
    .export({ format: 'pem', type: 'pkcs8' })
    .toString()
    .split('\n')
    .filter((line) => line.length === 64);
  const texts = [
    der.toString('base64'),
    der.toString('base64url'),
    der.toString('hex'),
    ...lines,
    scalar.toString('hex'),
    scalar.toString('base64').replace('=', ''),
    scalar.toString('base64url'),
    base58(scalar),
  ];
  return [...texts.map((text) => Buffer.from(text)), scalar];
}

const canary = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const given = `wallet-auth:${canary.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`;
/** Wallet's secret key as wallets export it: seed and public key in base58. */
const wallet = generateKeyPairSync('ed25519');
const seed = wallet.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
const address = base58(wallet.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
const exported = base58(Buffer.concat([seed, wallet.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]));
const needles = [...spellings(canary), Buffer.from(exported), Buffer.from(seed.toString('hex')), Buffer.from(seed.toString('base64'))];

const found = (where: string, bytes: Buffer): string[] =>
  needles.flatMap((needle, index) => (bytes.includes(needle) ? [`spelling ${index} in ${where}`] : []));

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

let service: Service;
let snapshots: string;
const answers: string[] = [];

beforeAll(async () => {
  const home = newHome();
  snapshots = join(home, 'snapshots');
  mkdirSync(snapshots);
  service = await startService({
    home,
    env: {
      LOG_LEVEL: 'trace',
      SVC_DELEGATED_SIGNING_ENABLED: 'true',
      IDP_AUTHORIZATION_PRIVATE_KEY: given,
      NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${snapshots}`,
    },
  });
  await plant();
});
afterAll(async () => {
  const { home } = service;
  await service.discard();
  rmSync(home, { recursive: true, force: true });
});

/** Sends a private key in every place a confused client might, and a valid delegation. */
async function plant(): Promise<void> {
  const agents = await service.get('/v1/agents');
  const agentId = (agents.body.items as { id: string }[])[0]?.id;
  const terms = {
    agentId,
    wallet: address,
    signerWallet: 'session-1',
    maxNotionalUsd: '100',
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const challenge = await service.post('/v1/delegations/challenge', terms);
  const { text, issuedAt, nonce } = challenge.body as { text: string; issuedAt: string; nonce: string };
  const signature = sign(null, Buffer.from(text), wallet.privateKey).toString('base64');
  const granted = await service.post('/v1/delegations', { ...terms, issuedAt, nonce, signature });
  expect(granted.status).toBe(201);
  const tries = await Promise.all([
    service.post('/v1/delegations', { ...terms, issuedAt, nonce, signature, privateKey: exported }),
    service.post('/v1/delegations', { ...terms, issuedAt, nonce, signature: exported }),
    service.post('/v1/delegations', { ...terms, wallet: exported, issuedAt, nonce, signature }),
    service.post('/v1/agents', { name: 'mistaken', secretKey: exported }),
    service.post('/v1/agents', `{"secretKey": "${exported}"`),
    service.post(`/v1/spotchain/orders/${nonce}/execute`, { signedTransaction: exported }),
    service.post('/v1/delegations/challenge', terms, null),
    service.ask('GET', '/v1/me', { as: null, headers: { authorization: `Bearer ${exported}` } }),
    service.ask('GET', '/v1/delegations', { headers: { 'x-wallet-key': exported } }),
  ]);
  expect(tries.map(({ status }) => status >= 400 || status === 200)).not.toContain(false);
  answers.push(challenge.text, granted.text, ...tries.map(({ text: body }) => body));
}

test('no answer, page, metric or log line shows a key', async () => {
  const pages = await Promise.all(
    ['/metrics', '/v1/openapi.json', '/readyz', '/v1/delegations', '/v1/me'].map((path) => service.get(path)),
  );
  const all = [...answers, ...pages.map(({ text }) => text), service.stdout(), service.stderr()];
  expect(all.flatMap((text, index) => found(`text ${index}`, Buffer.from(text)))).toEqual([]);
  expect(service.stderr()).toContain('delegated signing is on');
  expect(service.log().length).toBeGreaterThan(0);
});

test('no column of the database holds a key', async () => {
  const database = service.database();
  try {
    const tables = await database<{ name: string }[]>`
      select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;
    // Rows as text, in which bytes are hexadecimal.
    const wanted = needles
      .flatMap((needle) => [needle.toString('latin1'), needle.toString('hex')])
      .filter((text) => /^[\x20-\x7e]+$/.test(text));
    const rowsWith = async (name: string, texts: string[]): Promise<number> => {
      const rows = await database.unsafe<{ rows: number }[]>(
        `select count(*)::int as rows from "${name}" t where exists (select 1 from unnest(array[${texts.map((text) => `'${text}'`).join()}]) n where position(n in t::text) > 0)`,
      );
      return rows[0]?.rows ?? -1;
    };
    expect(tables.length).toBeGreaterThan(30);
    for (const { name } of tables) expect([name, await rowsWith(name, wanted)]).toEqual([name, 0]);
    // Checks the search itself: it finds the public half.
    expect(await rowsWith('delegations', [address])).toBe(1);
  } finally {
    await database.end({ timeout: 2 });
  }
});

test('no file of the state folder holds a key, the stores of PostgreSQL and Redis included', () => {
  const files = filesBelow(service.home).filter((file) => !file.startsWith(snapshots));
  expect(files.length).toBeGreaterThan(100);
  // A server may remove a file meanwhile.
  const read = (file: string): Buffer => (existsSync(file) && statSync(file).size < 64 * 2 ** 20 ? readFileSync(file) : Buffer.alloc(0));
  expect(files.flatMap((file) => found(file, read(file)))).toEqual([]);
});

testInProof('a heap snapshot of the service has no key: only the signer process does', async () => {
  process.kill(service.pid, 'SIGUSR2');
  const file = await waitFor(
    async () => {
      const [name] = readdirSync(snapshots).filter((one) => one.endsWith('.heapsnapshot'));
      // The snapshot is written in one go: it is complete once the process answers again. Meanwhile connections may be lost.
      const health = name === undefined ? null : await service.get('/healthz', null).catch(() => null);
      return name !== undefined && health?.status === 200 ? join(snapshots, name) : null;
    },
    { what: 'the heap snapshot', deadlineMs: 90_000 },
  );
  const heap = readFileSync(file);
  // Checks the search itself: the sandbox provider's secret is in that heap.
  expect(heap.includes(SANDBOX_SIGNER_APP.secret)).toBe(true);
  expect(found('the heap', heap)).toEqual([]);
});

test.runIf(onLinux)('no process of the service inherited the key, and the signer allows no debugger and dumps no core', async () => {
  const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isBelow(Number(pid), service.pid));
  const [signer] = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('signer-process.mjs'));
  expect(children.length).toBeGreaterThan(0);
  for (const pid of children) {
    expect(found(`the environment of ${pid}`, readFileSync(`/proc/${pid}/environ`))).toEqual([]);
    expect(found(`the command line of ${pid}`, readFileSync(`/proc/${pid}/cmdline`))).toEqual([]);
  }
  expect(readFileSync(`/proc/${signer}/limits`, 'utf8')).toMatch(/^Max core file size\s+0\s+0\s/m);
  expect(readFileSync(`/proc/${signer}/cmdline`, 'utf8')).not.toContain('inspect');
  process.kill(Number(signer), 'SIGUSR1');
  // It keeps running, and no debugger port is open.
  const listening = () => readFileSync(`/proc/${signer}/net/tcp`, 'utf8').includes(':240D ');
  expect((await service.get('/readyz', null)).status).toBe(200);
  expect(listening()).toBe(false);
  const socket = readdirSync(join(service.home, 'signer')).filter((name) => name.endsWith('.sock'));
  expect(socket).toHaveLength(1);
  expect(statSync(join(service.home, 'signer', socket[0] as string)).mode & 0o777).toBe(0o600);
  expect(statSync(join(service.home, 'signer')).mode & 0o777).toBe(0o700);
});

test.runIf(onLinux)(
  'with the key in a file the service itself never has it in memory',
  async () => {
    const shared = await joinService('signing-key-canary');
    try {
      const wanted = spellings(createPrivateKey(readFileSync(shared.keyFile)));
      // The file's name is in memory, and none of its contents.
      expect(inMemory(shared.pid, [Buffer.from(shared.keyFile), ...wanted])).toEqual([Buffer.from(shared.keyFile)]);
      // The key works: delegated signing is on.
      expect(shared.log()).toContainEqual(expect.objectContaining({ msg: expect.stringContaining('delegated signing is on') }));
    } finally {
      await shared.leave();
    }
  },
  120_000,
);

function isBelow(pid: number, root: number): boolean {
  for (let at = pid; at > 1; ) {
    const stat = existsSync(`/proc/${at}/stat`) ? readFileSync(`/proc/${at}/stat`, 'utf8') : '';
    at = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
    if (at === root) return true;
  }
  return false;
}

/** Returns the wanted bytes found in the writable memory of a process. */
function inMemory(pid: number, wanted: readonly Buffer[]): Buffer[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const longest = 512;
  const there = new Set<Buffer>();
  readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .filter((line) => / rw.. /.test(line))
    .forEach((line) => {
      const [from, to] = (line.split(' ')[0] as string).split('-').map((part) => Number.parseInt(part, 16)) as [number, number];
      const step = 8 * 2 ** 20;
      for (let at = from; at < to; at += step) {
        const part = Buffer.alloc(Math.min(step + longest, to - at));
        try {
          const read = readSync(memory, part, 0, part.length, at);
          for (const needle of wanted) if (part.subarray(0, read).includes(needle)) there.add(needle);
        } catch {
          // Reserved memory that was never touched.
        }
      }
    });
  return [...there];
}
