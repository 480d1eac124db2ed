// The guide "Bring your own bot", word for word: bots in TypeScript and Python, a scripted model over MCP, and an alert, each under its own
// mandate.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PYTHON } from '../clients/run-python.ts';
import { PATIENCE } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';
import { commandsUnder, openTerminal, type Terminal } from './typed-commands.ts';

const GUIDE = 'docs/guides/bring-your-own-bot.md';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = `${process.execPath} ${ROOT}src/boot/sevengate.mjs`;
let service: SharedService;
let terminal: Terminal;
beforeAll(async () => {
  service = await joinService('own bots');
  terminal = openTerminal(service);
}, 60_000 * PATIENCE);
afterAll(async () => {
  terminal?.close();
  await service?.leave();
});

/** Types the commands of a section, in a folder outside the project. */
const typed = (section: string): Promise<string> =>
  terminal.type(
    commandsUnder(GUIDE, section)
      .replaceAll(/\b(examples|clients)\//g, `${ROOT}$1/`)
      .replaceAll('npx tsx', `${ROOT}node_modules/.bin/tsx`)
      .replaceAll(/(mcp-agent\.ts .*)/g, `$1 ${PROGRAM}`),
  );

const FILLED = /^filled: buy /m;
const SECTIONS: readonly [section: string, said: readonly RegExp[]][] = [
  ['TypeScript', [/^buy spotexchange:BTCUSDT: proposed, decision propose_entry$/m, FILLED]],
  ...(PYTHON === null ? [] : [['Python', [/^buy spotexchange:BTCUSDT: proposed, decision propose_entry$/m, FILLED]] as [string, RegExp[]]]),
  ['A language model', [/^tools: proposeTrade, /m, /^1,000,000 USD: outside_mandate: /m, /^proposed for the slot /m]],
  ['Alerts of a chart', [/"submittedBy":"signal:/, FILLED]],
  ['Through the gates', [/^\d+ trades, return -?[\d.]+ %\. A look at a stretch of history/m]],
];

test('every example program is run by a command of the guide, or is part of one that is', () => {
  const programs = readdirSync(join(ROOT, 'examples')).filter((name) => /\.(ts|py)$/.test(name));
  const commands = SECTIONS.map(([section]) => commandsUnder(GUIDE, section)).join('');
  const isPart = (name: string): boolean =>
    programs.some((other) => readFileSync(join(ROOT, 'examples', other), 'utf8').includes(`'./${name}'`));
  expect(
    programs.filter((name) => !isPart(name) && !commands.includes(`examples/${name} `) && (PYTHON !== null || name.endsWith('.ts'))),
  ).toEqual([]);
});

test('what the guide runs exists after `npm start`, which installs no test tools', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  const given = [...Object.keys(dependencies), 'sevengate'];
  const commands = readFileSync(join(ROOT, GUIDE), 'utf8').matchAll(/\bnpx (\S+)/g);
  const programs = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'));
  const imports = programs.flatMap((name) => [
    ...readFileSync(join(ROOT, 'examples', name), 'utf8').matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)/g),
  ]);
  const wanted = [...commands, ...imports].map(([, name = '']) => name).filter((name) => !name.startsWith('node:'));
  expect(wanted).toContain('@modelcontextprotocol/client');
  expect(wanted.filter((name) => !given.includes(name))).toEqual([]);
});

test('each integration trades on paper within its mandate', { timeout: 300_000 * PATIENCE }, async () => {
  const began = performance.now();
  const tookS = new Map<string, number>();
  const printed = await Promise.all(
    SECTIONS.map(async ([section]) => {
      const text = await typed(section);
      tookS.set(section, Math.round((performance.now() - began) / 1_000));
      return text;
    }),
  );
  for (const [i, [, said]] of SECTIONS.entries()) {
    const places = said.map((words) => printed[i]?.search(words) ?? -1);
    // Each line is printed in order: first the decision, then the fill.
    expect([printed[i], places.includes(-1)]).toEqual([printed[i], false]);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  }
  // The promise is three minutes from an empty folder: this measures the part after a first start.
  console.info(`from the manifest to the fill: ${[...tookS].map(([section, seconds]) => `${section} ${seconds} s`).join(', ')}`);
  const { items } = (await service.get('/v1/books', 'operator')).body;
  const worth = items.flatMap(({ positions }: { positions: { costUsd: string }[] }) => positions.map(({ costUsd }) => Number(costUsd)));
  expect(Math.max(...worth)).toBeLessThanOrEqual(200);
});
