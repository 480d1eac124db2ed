// The command line from an operator's view: help, settings, and failed starts with one sentence.
// The suite tries every third wrong input of each table; `npm run proof` tries all.
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commandService } from '../../src/boot/command-service.ts';
import { createProgram } from '../../src/cli/program.ts';
import { REFUSING_PORT } from '../harness/ports.ts';
import { testDatabase } from '../harness/postgres.ts';
import { isMet } from '../harness/rounds.ts';
import { expectSentence, expectStopped, homesOfThisFile } from './ended-commands.ts';
import { sevengate } from './running-service.ts';

const home = homesOfThisFile();

/** Returns the rows of a table that this run tries. Each is a separate process. */
const tried = <Row>(table: readonly Row[]): Row[] => table.filter((_, row) => isMet(row, 0, 3));

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => void socket.on('error', () => {}).resume());
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
const portOf = (server: Server): number => (server.address() as { port: number }).port;

const closing = (server: Server): Promise<unknown> => new Promise((closed) => server.close(closed));

const fullName = (command: Command): string => (command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`);

describe('words', () => {
  test('every command has help and supports JSON', async () => {
    const { stdout, code } = await sevengate(['--help']);
    expect(code).toBe(0);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) \[(?:options|command)\]/gm)]
      .map(([, name]) => name as string)
      .filter((name) => name !== 'help');
    expect(commands).toEqual(expect.arrayContaining(['start', 'migrate', 'token', 'doctor']));
    for (const setting of ['PORT', 'SEVENGATE_HOME', 'DATABASE_URL', 'QUEUE_BACKEND']) expect(stdout).toContain(`  ${setting} `);
    const program = await createProgram('all', commandService);
    expect(program.commands.map((command) => command.name())).toEqual(expect.arrayContaining(commands));
    for (const command of program.commands.filter((one) => one.name() !== 'help')) {
      // A command with subcommands has JSON in each of them.
      const speaking = command.commands.length === 0 ? [command] : command.commands.filter((one) => one.name() !== 'help');
      for (const one of [command, ...speaking]) expect(one.helpInformation()).toContain(`Usage: ${fullName(one)}`);
      for (const one of speaking) expect(one.helpInformation(), fullName(one)).toContain('--json');
    }
    const alone = await sevengate(['tape', 'replay', '--help']);
    expect([alone.code, alone.stderr]).toEqual([0, '']);
    expect(alone.stdout).toContain('Usage: sevengate tape replay');
  });

  test('a wrong word ends in one sentence, with the right one if it is similar', async () => {
    const wrong = [
      [['strat'], /^sevengate: unknown command 'strat': did you mean start\? \(see sevengate --help\)$/],
      [['candles', 'list'], /^sevengate: unknown command 'list' \(see sevengate candles --help\)$/],
      [['start', '--rol', 'api'], /^sevengate: unknown option '--rol': did you mean --role\?/],
      [
        ['start', '--role', 'apo'],
        /^sevengate: option '--role <role>' argument 'apo' is invalid. "apo" is not one of api, worker, feed, sandbox/,
      ],
      [
        ['token', '--permissions', 'market:read,agent:raed'],
        /"agent:raed" is not one of market:read, agent:read, trade:execute, risk:manage/,
      ],
      [['token'], /required option '--permissions <list>' not specified/],
      [['start', 'now'], /too many arguments/],
      [['sandbox', 'advance', '--days', '0'], /"0" is out of range. Needed: a number of days above 0 and up to 90/],
      [['inspect', '--port', '99999'], /argument '99999' is invalid\. a port from 0 to 65535 is needed\./],
      [['explain', 'abc'], /^sevengate: argument '<decision>' 'abc' is invalid\. a decision id is a UUID, for example/],
      [['members', 'revoke-invitation', 'abc'], /argument '<id>' 'abc' is invalid\. an invitation id is a UUID/],
      [['members', 'invite', ' ', '--role', 'viewer'], /the name of a member has 1 to 120 characters, and here are none/],
      [['token', '--permissions', 'none', '--subject', ''], /a subject has 1 to 255 characters, and here are none/],
      [
        ['token', '--permissions', 'none', '--org', 'x'.repeat(256)],
        /the name of an organization has 1 to 255 characters, and here are 256/,
      ],
    ] as const;
    await Promise.all(tried(wrong).map(async ([args, sentence]) => expectSentence(await sevengate(args), sentence)));
  });
});

describe('settings', () => {
  test('a wrong setting stops a start with a sentence for each, before anything is created', async () => {
    const start = async (env: Record<string, string>) => {
      const folder = join(home(), 'state');
      return { folder, ...(await sevengate(['start'], { SEVENGATE_HOME: folder, ...env })) };
    };
    const wrong = [
      [{ PORT: '80800' }, /^sevengate: PORT: "80800" is not a whole number from 0 to 65535$/],
      [{ SEVENGATE_HOEM: '/tmp' }, /^sevengate: SEVENGATE_HOEM: there is no such setting: did you mean SEVENGATE_HOME\?$/],
      [{ QUEUE_BACKEND: 'redis', PATH: '/nowhere' }, /QUEUE_BACKEND=redis, but there is no redis-server/],
      [{ REDIS_URL: 'redis://127.0.0.1:1' }, /REDIS_URL: no Redis answers there/],
      [{ SPOTCHAIN_CANDLES_URL: 'http://127.0.0.1:1' }, /^sevengate: SPOTCHAIN_CANDLES_URL: is set, and the catalog names the pool of no/],
    ] as const;
    await Promise.all(
      tried(wrong).map(async ([env, sentence]) => {
        const command = await start(env);
        expectSentence(command, sentence);
        if (existsSync(command.folder)) expectStopped(command.folder);
      }),
    );
    const several = await start({ PORT: 'http', LOG_LEVEL: 'loud' });
    expect(several.stderr.trim().split('\n')).toEqual([expect.stringContaining('PORT:'), expect.stringContaining('LOG_LEVEL:')]);
    expect(several.code).toBe(1);
  });

  test('a state folder that cannot be created is named', async () => {
    const file = join(home(), 'file');
    writeFileSync(file, '');
    expectSentence(
      await sevengate(['start'], { SEVENGATE_HOME: join(file, 'state') }),
      /^sevengate: SEVENGATE_HOME: .*file\/state cannot be created or written \(ENOTDIR\): choose another folder$/,
    );
  });
});

describe("a database of one's own", () => {
  test('a missing, silent or locked one ends the start in one sentence', async () => {
    const silent = await listen();
    const real = new URL(await testDatabase('empty'));
    const other = (change: (url: URL) => void): string => {
      const url = new URL(real);
      change(url);
      return url.href;
    };
    try {
      const wrong = [
        [
          `postgres://u:hush-hush@127.0.0.1:${REFUSING_PORT}/x`,
          /^sevengate: DATABASE_URL: no PostgreSQL answers at 127.0.0.1:\d+ \(ECONNREFUSED\)$/,
        ],
        [`postgres://u:hush-hush@127.0.0.1:${portOf(silent)}/x`, /^sevengate: DATABASE_URL: no PostgreSQL answers at 127.0.0.1:\d+ \(/],
        [other((one) => (one.password = 'hush-hush')), /^sevengate: DATABASE_URL: PostgreSQL at .* refuses the user or the password/],
        [other((one) => (one.pathname = '/nowhere')), /^sevengate: DATABASE_URL: PostgreSQL at .* has no database nowhere/],
      ] as const;
      await Promise.all(
        tried(wrong).map(async ([url, sentence]) => {
          const folder = home();
          const command = await sevengate(['start'], { SEVENGATE_HOME: folder, DATABASE_URL: url, LOG_LEVEL: 'error' });
          expectSentence(command, sentence);
          expect(command.stderr).not.toContain('hush-hush');
          expectStopped(folder);
        }),
      );
    } finally {
      await closing(silent);
    }
  });
});
