// The guide "Bring your own bot", word for word: bots in TypeScript and Python, a scripted model over MCP, and an alert, each under a mandate of its own.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PYTHON } from '../clients/run-python.ts';
import { PATIENCE } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';
import { commandsUnder, openTerminal, type Terminal } from './typed-commands.ts';

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

/** The commands of a section, typed in another folder than the project's. */
const typed = (section: string): Promise<string> =>
  terminal.type(
    commandsUnder('docs/guides/bring-your-own-bot.md', section)
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
];

test('each way in trades on paper under its mandate, and nothing beyond it', { timeout: 300_000 * PATIENCE }, async () => {
  const printed = await Promise.all(SECTIONS.map(([section]) => typed(section)));
  for (const [i, [, said]] of SECTIONS.entries()) for (const words of said) expect(printed[i]).toMatch(words);
  const { items } = (await service.get('/v1/books', 'operator')).body;
  const worth = items.flatMap(({ positions }: { positions: { costUsd: string }[] }) => positions.map(({ costUsd }) => Number(costUsd)));
  expect(Math.max(...worth)).toBeLessThanOrEqual(200);
});
