// One state folder under many commands, starts interrupted at every moment, and one service as four processes.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { commandService } from '../../src/boot/command-service.ts';
import { membersCommands } from '../../src/cli/operate/members.ts';
import { SIMULATORS } from '../../src/boot/outside/index.ts';
import { sandboxExchangeAccount } from '../../src/sandbox/spotexchange/sandbox-accounts.ts';
import { holdPorts, REFUSING_PORT } from '../harness/ports.ts';
import { testDatabase, withCluster } from '../harness/postgres.ts';
import { testRedis } from '../harness/redis.ts';
import { waitFor } from '../harness/wait-for.ts';
import { expectSentence, expectStopped, homesOfThisFile } from './ended-commands.ts';
import { expectPrompt, launch, nextSlot, type Running, type Service, sevengate, withClient } from './running-service.ts';

const redisUrl = await testRedis();
const home = homesOfThisFile();

describe('one state folder', () => {
  let service: Service;
  let first: Running;

  beforeAll(async () => {
    const folder = home();
    // Commands create the first contents: two at once, before there is a service.
    const [one, two] = await Promise.all([
      sevengate(['migrate', '--json'], { SEVENGATE_HOME: folder }),
      sevengate(['token', '--permissions', 'market:read', '--org', 'first', '--json'], { SEVENGATE_HOME: folder }),
    ]);
    expect([one.code, two.code], one.stderr + two.stderr).toEqual([0, 0]);
    expect(JSON.parse(one.stdout).present).toEqual(expect.arrayContaining(['0001_database_roles.sql']));
    expect(JSON.parse(two.stdout)).toMatchObject({ permissions: ['market:read'] });
    expectStopped(folder);
    first = launch({ args: ['--json'], env: { QUEUE_BACKEND: 'postgres', LOG_LEVEL: 'debug' }, home: folder });
    await first.said(/\n$/);
    const said = JSON.parse(first.stdout()) as { ready: boolean; url: string; tokenFolder: string; roles: string[] };
    expect(said).toEqual({
      ready: true,
      url: expect.stringMatching(/^http:/),
      tokenFolder: join(folder, 'tokens'),
      signInUrl: expect.stringMatching(/\/#\/sign-in\/[\w-]{22}$/),
      roles: ['api', 'worker', 'feed', 'sandbox'],
    });
    service = withClient(first, said.url);
  });

  afterAll(async () => {
    await first?.discard();
  });

  test('without Redis the whole service works on PostgreSQL', async () => {
    const ready = await service.get('/readyz', null);
    expect(ready.status, ready.text).toBe(200);
    expect(existsSync(join(service.home, 'redis'))).toBe(false);
    // The user's own organization existed before; the examples are added to it.
    expect((await service.get('/v1/agents')).body.items).toHaveLength(3);
  });

  test('a second start on it is refused, naming the running process, without any disturbance', async () => {
    const second = await sevengate(['start'], { SEVENGATE_HOME: service.home, QUEUE_BACKEND: 'postgres' });
    expectSentence(
      second,
      new RegExp(`^sevengate: process ${first.pid} runs the service of the state folder ${service.home} already: stop it first`),
    );
    expect((await service.get('/readyz', null)).status).toBe(200);
  });

  test('an organization gets an exchange account by its key, which no other can have, and loses it again', async () => {
    const secretFile = join(service.home, 'secret.txt');
    const { key, secret, account } = sandboxExchangeAccount('second desk');
    const keys = (...words: string[]) => sevengate(['exchange-keys', ...words], { SEVENGATE_HOME: service.home });
    writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });
    const add = (given: string, org: string) => keys('add', given, '--org', org, '--secret-file', secretFile, '--json');
    expectSentence(await add(`${key.slice(0, -1)}x`, 'second'), 'the exchange refuses the key: -2015');
    const added = await add(key, 'second');
    expect([added.code, JSON.parse(added.stdout)]).toMatchObject([0, { account }]);
    expectSentence(await add(key, 'third'), /account \d+ belongs to organization .*never meet in one account$/);
    const listed = await keys('list');
    // The sandbox gave the example organization an account of its own.
    expect(listed.stdout.split('\n').filter((line) => line !== '')).toHaveLength(2);
    expect(listed.stdout).toContain(`account ${account}`);
    expect(listed.stdout + listed.stderr + added.stdout + added.stderr + service.stderr()).not.toContain(secret);
    expect(JSON.parse((await keys('remove', '--org', 'second', '--json')).stdout)).toMatchObject({ removed: true });
    expect((await keys('list')).stdout).not.toContain(account);
  });

  test('members, roles, invitations and tokens are managed at the terminal, and the running service applies it at once', async () => {
    const folder = {
      ...commandService,
      settings: () => ({ ...commandService.settings(), SEVENGATE_HOME: service.home, DATABASE_URL: null }),
    };
    const members = async (...words: string[]): Promise<string> => {
      const said: string[] = [];
      const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
      try {
        const command = new Command('members');
        membersCommands(command, folder);
        await command.parseAsync([...words, '--org', 'terminal desk'], { from: 'user' });
      } finally {
        output.mockRestore();
      }
      return said.join('');
    };
    const json = async (...words: string[]) => JSON.parse(await members(...words, '--json'));
    const made = await sevengate(['token', '--permissions', 'none', '--subject', 'rosa', '--org', 'terminal desk'], {
      SEVENGATE_HOME: service.home,
    });
    const rosa = made.stdout.trim();
    const me = async () => (await service.get('/v1/me', rosa)).body;

    expect(await members('set-role', 'night_desk', 'market:read,agent:read')).toBe('night_desk  market:read,agent:read\n');
    expect(await members('roles')).toContain('night_desk  market:read,agent:read\n');
    expect(await members('grant', 'rosa', '--role', 'night_desk')).toBe('rosa holds market:read,agent:read\n');
    expect(await me()).toMatchObject({ subject: 'rosa', permissions: ['market:read', 'agent:read'] });
    await expect(members('grant', 'rosa', '--role', 'nobody')).rejects.toThrow('nobody');
    expect(await members('list')).toContain('rosa  rosa  night_desk  market:read,agent:read\n');

    const invited = await json('invite', 'Kim', '--role', 'viewer', '--hours', '2');
    expect(await members('revoke-invitation', invited.id)).toBe(`revoked invitation ${invited.id}\n`);

    expect(await members('remove', 'rosa')).toBe('removed rosa from the organization\n');
    expect(await me()).toMatchObject({ orgId: null });
    const refused = await service.post('/v1/invitations/accept', { code: invited.code }, rosa);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('revoked')]);
    const again = await json('invite', 'Rosa', '--role', 'viewer', '--hours', '2');
    expect((await service.post('/v1/invitations/accept', { code: again.code }, rosa)).status).toBe(200);
    expect(await me()).toMatchObject({ name: 'Rosa', permissions: ['market:read', 'agent:read'] });
    expect(await members('revoke-tokens', 'rosa')).toBe('revoked all tokens of rosa\n');
    expect((await service.get('/v1/me', rosa)).status).toBe(401);
  });

  test('commands run next to it and leave it running', async () => {
    const migrated = await sevengate(['migrate'], { SEVENGATE_HOME: service.home });
    expect([migrated.code, migrated.stdout]).toEqual([0, expect.stringMatching(/^up to date \(\d+ migrations\)\n$/)]);
    const cuts = (...words: string[]) => sevengate(['cuts', ...words], { SEVENGATE_HOME: service.home });
    expect(await cuts('list')).toMatchObject({ code: 0, stdout: 'no corrected cuts\n' });
    const span = ['--from', '2020-01-01', '--until', '2020-01-02', '--reason'];
    expectSentence(await cuts('correct', ...span, 'wrong'), '--reason: give one line of 10 to 500 characters');
    expectSentence(
      await cuts('correct', ...span, 'the clock ran ahead'),
      'no cut was written from 2020-01-01T00:00:00.000Z until 2020-01-02T00:00:00.000Z',
    );
    const token = await sevengate(['token', '--permissions', 'agent:read', '--subject', 'auditor'], { SEVENGATE_HOME: service.home });
    expect(token.stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect((await service.get('/v1/me', token.stdout.trim())).body).toMatchObject({ subject: 'auditor', permissions: ['agent:read'] });
    expect((await service.get('/readyz', null)).status).toBe(200);
  });

  test('the doctor finds a healthy machine healthy, and names what is wrong otherwise', async () => {
    const folder = home();
    const well = await sevengate(['doctor', '--json'], { SEVENGATE_HOME: folder });
    expect(JSON.parse(well.stdout)).toMatchObject({
      ok: true,
      findings: expect.arrayContaining([expect.objectContaining({ what: 'database', ok: true })]),
    });
    expect(well.code).toBe(0);
    const { port } = new URL(service.url);
    const ill = await sevengate(['doctor'], { SEVENGATE_HOME: folder, PORT: port, REDIS_URL: 'redis://127.0.0.1:1' });
    expect(ill.code).toBe(1);
    expect(ill.stdout).toMatch(
      new RegExp(`^WRONG port +127.0.0.1:${port} is taken: stop what listens there, or set PORT to another one`, 'm'),
    );
    expect(ill.stdout).toMatch(/^WRONG queue +REDIS_URL: no Redis answers there/m);
    expect(ill.stdout).toMatch(/^ok {4}database /m);
    const lost = await sevengate(['doctor'], { SEVENGATE_HOME: folder, DATABASE_URL: 'postgres://u:hush-hush@127.0.0.1:1/x' });
    expect([lost.code, lost.stdout]).toEqual([
      1,
      expect.stringMatching(/^WRONG database +DATABASE_URL: no PostgreSQL answers at 127.0.0.1:1 /m),
    ]);
    expect(lost.stdout + lost.stderr).not.toContain('hush-hush');
    const unread = await sevengate(['doctor'], { PORT: 'x' });
    expect([unread.code, unread.stdout]).toEqual([1, expect.stringMatching(/^WRONG PORT +PORT: "x" is not a whole number/m)]);
  });

  test('a taken port ends a start in one sentence, and its servers are stopped again', async () => {
    const folder = home();
    await withCluster(folder);
    const { port } = new URL(service.url);
    const taken = await sevengate(['start'], { SEVENGATE_HOME: folder, PORT: port, LOG_LEVEL: 'error' });
    expectSentence(
      taken,
      new RegExp(`^sevengate: 127.0.0.1:${port} is taken: stop what listens there, or set PORT to another one \\(0 takes any free one\\)$`),
    );
    expectStopped(folder);
    const simulators = await sevengate(['start'], { SEVENGATE_HOME: folder, SANDBOX_PORT: String(Number(port) - 2), LOG_LEVEL: 'error' });
    expectSentence(
      simulators,
      new RegExp(`^sevengate: 127.0.0.1:\\d+ is taken: stop what listens there, or set SANDBOX_PORT to another one`),
    );
    expectStopped(folder);
  });

  test('it stops in time, by SIGTERM as by Ctrl-C', async () => {
    const ended = await first.stop('SIGTERM');
    expect(ended).toMatchObject({ code: 0, left: [] });
    expectPrompt(ended);
    expectStopped(service.home);
    // On a busy machine late prices cause warnings in the log, but no errors.
    const said = (least: number): string[] =>
      first
        .log()
        .filter(({ level }) => level >= least)
        .map(({ msg }) => msg);
    expect(said(40)).toContainEqual(expect.stringContaining('no Redis found'));
    expect(said(50)).toEqual([]);
  });

  test('once stopped its sandbox may be moved forward, and no real system beside it is reached any more', async () => {
    const env = { SEVENGATE_HOME: service.home };
    const moved = await sevengate(['sandbox', 'advance', '--days', '0.005', '--json'], env);
    // A long move prints its progress and nothing else.
    expect([moved.code, moved.stderr.replaceAll(/^the sandbox lives on: .*\n/gm, '')]).toEqual([0, '']);
    const { from, to, simulated } = JSON.parse(moved.stdout) as { from: string; to: string; simulated: boolean };
    expect(simulated).toBe(true);
    // Up to the last full minute of seven.
    expect(Date.parse(to) - Date.parse(from)).toBeGreaterThan(6 * 60_000);
    expectStopped(service.home);
    const real = { SPOTEXCHANGE_URL: 'https://exchange.example', SPOTEXCHANGE_STREAM_URL: 'wss://exchange.example' };
    expectSentence(
      await sevengate(['start'], { ...env, ...real, QUEUE_BACKEND: 'postgres', LOG_LEVEL: 'error' }),
      /^sevengate: the time of this database was advanced from \S+, .* these settings name real systems: SPOTEXCHANGE_URL, SPOTEXCHANGE_STREAM_URL;/,
    );
  });
});

const [REFUSING, REFUSING_STREAM] = [`http://127.0.0.1:${REFUSING_PORT}`, `ws://127.0.0.1:${REFUSING_PORT}`];
/** Settings without any reachable venue: the service waits for its first quote and is not ready before the signal. */
const WITHOUT_QUOTES = {
  SPOTEXCHANGE_URL: REFUSING,
  SPOTEXCHANGE_STREAM_URL: REFUSING_STREAM,
  EVMVENUE_URL: REFUSING,
  EVMVENUE_STREAM_URL: REFUSING_STREAM,
  SPOTCHAIN_URL: REFUSING,
  REFERENCE_URL: REFUSING,
  POLYMARKET_GAMMA_URL: REFUSING,
  POLYMARKET_CLOB_URL: REFUSING,
  POLYMARKET_DATA_URL: REFUSING,
  POLYMARKET_STREAM_URL: REFUSING_STREAM,
  KALSHI_URL: REFUSING,
  KALSHI_STREAM_URL: REFUSING_STREAM,
};

/** Moments of the stop signal, with a prepared database or none, and how each is detected. */
const MOMENTS: readonly (readonly [string, boolean, (running: Running) => boolean])[] = [
  ['while the database is being made', false, (running) => existsSync(join(running.home, 'postgres.password'))],
  ['once the database is up', true, (running) => /database: embedded/.test(running.stderr())],
  ['while it seeds and listens', true, (running) => /the sandbox simulates/.test(running.stderr())],
];

test.each(MOMENTS)('Ctrl-C %s stops everything started and sets the exit code', async (_, isMade, moment) => {
  const folder = home();
  if (isMade) await withCluster(folder);
  const running = launch({ home: folder, env: WITHOUT_QUOTES });
  try {
    await waitFor(() => moment(running), { what: 'the moment', deadlineMs: 20_000 });
    const ended = await running.stop('SIGINT');
    expect(ended).toMatchObject({ code: 130, left: [] });
    expectPrompt(ended);
    expect(running.stdout()).toBe('');
    expectStopped(running.home);
    expect(running.log()).toContainEqual(expect.objectContaining({ msg: 'stopping', signal: 'SIGINT' }));
  } finally {
    await running.discard();
  }
});

describe.skipIf(redisUrl === null)('one service as four processes on one database and one Redis', () => {
  /** Processes of the sandbox, feed, worker and API. */
  const processes: Running[] = [];
  let sandboxPorts: Awaited<ReturnType<typeof holdPorts>>;

  beforeAll(async () => {
    // Each process is given the sandbox's address, so its ports are fixed before it starts.
    sandboxPorts = await holdPorts(SIMULATORS.length + 2);
    const folder = home();
    const env = {
      DATABASE_URL: await testDatabase('empty'),
      REDIS_URL: redisUrl as string,
      SANDBOX_PORT: String(sandboxPorts.first),
    };
    for (const role of ['sandbox', 'feed', 'worker', 'api']) processes.push(launch({ args: ['--role', role], env, home: folder }));
  });
  afterAll(async () => {
    for (const running of processes) await running.discard();
    sandboxPorts?.release();
  });

  test('started together they share the work, and agents decide once', async () => {
    const [, url] = await (processes[3] as Running).said(/^ready (http:\S+)$/m);
    for (const [index, role] of ['sandbox', 'feed', 'worker'].entries())
      await (processes[index] as Running).said(new RegExp(`^ready \\(${role}\\)$`, 'm'));
    const service = withClient(processes[3] as Running, url as string);
    const { items } = (await service.get('/v1/agents')).body;
    expect(items.map(({ name }: { name: string }) => name).sort()).toEqual(['Crypto trend', 'Discount hunter', 'Perpetual carry']);
    await waitFor(async () => (await service.get('/v1/quotes?limit=200')).body.items.length > 10, {
      what: 'quotes from the other process',
    });
    const slot = nextSlot(1_000);
    await waitFor(() => Date.now() > slot + 1_000, { what: 'the full minute', deadlineMs: 75_000 });
    for (const { id } of items) {
      const decided = await waitFor(
        async () => {
          const { body } = await service.get(`/v1/agents/${id}/decisions`);
          const ofSlot = body.items?.filter((decision: { slot: string }) => Date.parse(decision.slot) === slot) ?? [];
          return ofSlot.length > 0 ? ofSlot : null;
        },
        { what: 'a decision of the slot', deadlineMs: 12_000 },
      );
      expect(decided).toHaveLength(1);
      expect(decided[0].reason).not.toBe('late_tick');
      expect(Object.keys(decided[0].observed).length).toBeGreaterThan(0);
    }
    for (const running of processes.toReversed()) {
      const ended = await running.stop();
      expect(ended).toMatchObject({ code: 0, left: [] });
      expectPrompt(ended);
      expect(running.log().filter(({ level }) => level >= 50)).toEqual([]);
      const { password } = new URL(redisUrl as string);
      expect(running.stdout() + running.stderr()).not.toContain(password);
    }
  });
});
