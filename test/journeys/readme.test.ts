// The first five minutes of the README, word for word: an agent is created, decides, proposes, is approved, filled and closed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';
import { commandsUnder, openTerminal, type Terminal } from './typed-commands.ts';

const EXAMPLE = 'examples/first-agent.json';

let service: SharedService;
let terminal: Terminal;
beforeAll(async () => {
  service = await joinService('readme');
  terminal = openTerminal(service);
  // The entry rule always holds and the exit rule never does, whatever the market.
  const manifest = readFileSync(new URL(`../../${EXAMPLE}`, import.meta.url), 'utf8').replace(/"value": [67]0/g, '"value": 100');
  mkdirSync(join(terminal.folder, 'examples'));
  writeFileSync(join(terminal.folder, EXAMPLE), manifest);
}, 60_000 * PATIENCE);
afterAll(async () => {
  terminal?.close();
  await service?.leave();
});

test('an agent is created, decides, proposes a trade that is filled, and is closed', { timeout: 300_000 * PATIENCE }, async () => {
  const printed = await terminal.type(commandsUnder('README.md', 'Your first five minutes'));
  const said = [
    /^Created My first agent at draft/m,
    /propose entry/,
    /^filled: buy /m,
    /^backtest (queued|running|finished)/m,
    /^draft → backtest +open/m,
    /paused \(/,
    /"epoch":1/,
  ];
  for (const words of said) expect(printed).toMatch(words);
  const { items } = (await service.get('/v1/agents', 'operator')).body;
  expect(items).toMatchObject([{ name: 'My first agent', autonomy: 'confirm' }]);
  const books = async () => (await service.get(`/v1/books?agentId=${items[0].id}`, 'operator')).body.items;
  await waitFor(async () => (await books())[0].positions.length === 0, { what: 'the position to be closed', deadlineMs: 120_000 });
});
