// The first five minutes of the README, word for word: an agent is created, decides, proposes, is approved, filled and closed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';
import { commandsUnder, openTerminal, type Terminal } from './typed-commands.ts';

let service: SharedService;
let terminal: Terminal;
beforeAll(async () => {
  service = await joinService('readme');
  terminal = openTerminal(service);
}, 60_000 * PATIENCE);
afterAll(async () => {
  terminal?.close();
  await service?.leave();
});

test('an agent is created, decides, proposes a trade, and is closed once it was filled', { timeout: 240_000 * PATIENCE }, async () => {
  // Whatever the market does at this hour: its entry rule holds at once.
  const commands = commandsUnder('README.md', 'Your first five minutes').replace('"value": 60', '"value": 100');
  const [untilFilled = '', close = ''] = commands.split(/^(?=.*\/close")/m);
  const printed = await terminal.type(untilFilled);
  expect(printed).toContain('"stage":"draft"');
  expect(printed).toContain('"disposition":"propose_entry"');
  const { items } = (await service.get('/v1/agents', 'operator')).body;
  expect(items).toMatchObject([{ name: 'My first agent', autonomy: 'confirm' }]);
  const [{ id }] = items;
  const books = async () => (await service.get(`/v1/books?agentId=${id}`, 'operator')).body.items;
  await waitFor(async () => (await books())[0]?.positions.length > 0, { what: 'a position on paper' });
  await terminal.type(`ID=${id}\n${close}`);
  await waitFor(async () => (await books())[0].positions.length === 0, { what: 'the position to be closed', deadlineMs: 120_000 });
});
