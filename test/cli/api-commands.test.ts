// Commands of the command line on the running service: agents from their creation to the closing of their positions,
// proposals and their answers, any operation and any channel.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../clients/typescript/src/index.ts';
import {
  closeAgent,
  commandAgent,
  createAgent,
  evaluateAgent,
  listAgents,
  listDecisions,
  setAutonomy,
  showAgent,
  showGates,
  updateAgent,
  watchAgent,
} from '../../src/cli/api/agents-run.ts';
import { call } from '../../src/cli/api/call.ts';
import { follow } from '../../src/cli/api/feed.ts';
import { approveProposal, declineProposal, listProposals } from '../../src/cli/api/proposals-run.ts';
import {
  agentOfTake,
  armTake,
  commandTake,
  compileTake,
  forkTake,
  listTakeDecisions,
  listTakes,
  showTake,
} from '../../src/cli/api/takes-run.ts';
import { columns, toRefusal, type Terminal } from '../../src/cli/api/terminal.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from '../journeys/shared-service.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/first-agent.json', import.meta.url));
const LOOK_EVERY_MS = 250;
const NEWEST = { id: undefined, agent: undefined, latest: true, wait: true } as const;

let service: SharedService;
let terminal: Terminal;
let folder: string;
let printed: string[] = [];
let noted: string[] = [];
beforeAll(async () => {
  service = await joinService('verbs');
  folder = mkdtempSync(join(tmpdir(), 'verbs-'));
  terminal = at('operator');
}, 60_000 * PATIENCE);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service?.leave();
});
afterEach(() => {
  printed = [];
  noted = [];
  process.exitCode = undefined;
});

function at(member: string, json = false): Terminal {
  return {
    url: service.url,
    api: createClient({ baseUrl: service.url, token: () => service.token(member) }),
    json,
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
    // Each look is a request, and a proposal may be a minute away.
    wait: () => pause(LOOK_EVERY_MS),
  };
}
/** Terminal whose first approval comes too late, because the proposal has been declined. The next one is not there at the look after that. */
function declinedMeanwhile(): Terminal {
  const { api } = terminal;
  let isFirst = true;
  let isNextThere = true;
  const approveProposal: typeof api.approveProposal = async (input) => {
    if (isFirst) await declineProposal(terminal, { ...NEWEST, id: input.id, latest: undefined }, 'too late');
    isNextThere = !isFirst;
    isFirst = false;
    return api.approveProposal(input);
  };
  const look: typeof api.listProposals = Object.assign(async (...asked: Parameters<typeof api.listProposals>) => {
    const isThere = isNextThere;
    isNextThere = true;
    return isThere ? api.listProposals(...asked) : { items: [], nextCursor: null };
  }, api.listProposals);
  return { ...terminal, api: { ...api, approveProposal, listProposals: look } };
}
/** Runs a command and returns what it prints. */
async function printedBy(run: Promise<void>): Promise<string> {
  printed = [];
  await run;
  return printed.join('\n');
}
/** Returns the words of a refusal, by the service or by the command itself. */
const refused = (run: Promise<void>): Promise<string> =>
  run.then(
    () => 'nothing',
    (error: unknown) => (toRefusal(error) as Error).message,
  );

test('without an agent each command gives advice', async () => {
  expect(await printedBy(listAgents(terminal))).toBe('No agents yet. Create one: sevengate agents create <file>');
  expect(await printedBy(listProposals(terminal, undefined, undefined))).toContain('No proposals.');
  expect(await refused(showAgent(terminal, 'Nobody'))).toBe('no agents yet: create one with sevengate agents create <file>');
  expect(await refused(approveProposal(terminal, { ...NEWEST, wait: undefined }))).toContain('--wait to wait for the next one');
});

test('an agent is created, updated, shown and listed', async () => {
  // The entry rule always holds and the exit rule never does, whatever the market.
  const file = join(folder, 'agent.json');
  writeFileSync(file, readFileSync(EXAMPLE, 'utf8').replace('"value": 60', '"value": 100').replace('"value": 70', '"value": 100'));
  expect(await printedBy(createAgent(terminal, file))).toMatch(/^Created My first agent at draft, autonomy research\./);
  const rows = (await printedBy(listAgents(terminal))).split('\n').map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ['NAME', 'STAGE', 'STATUS', 'AUTONOMY', 'ID'],
    ['My first agent', 'draft', 'running', 'research', expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ]);
  const id = rows[1]?.[4] as string;
  expect(await printedBy(showAgent(terminal, 'my first AGENT'))).toMatch(/^My first agent {2}[0-9a-f-]{36}\nStage +draft, /);
  expect(JSON.parse(await printedBy(showAgent(at('viewer', true), id)))).toMatchObject({ id, manifestVersion: 1 });
  writeFileSync(file, readFileSync(file, 'utf8').replace('"stopLossPct": 4', '"stopLossPct": 5'));
  expect(await printedBy(updateAgent(terminal, id, file))).toContain('version 2');
  expect(await refused(showAgent(terminal, 'My furst agent'))).toBe('no agent is called "My furst agent"; did you mean My first agent?');
});

test('errors of a manifest are shown with the allowed values', async () => {
  const file = join(folder, 'wrong.json');
  writeFileSync(file, '{ "name": "Half", ');
  expect(await refused(createAgent(terminal, file))).toContain(`${file} is not JSON: `);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(EXAMPLE, 'utf8')), stopLossPct: -1 }));
  expect(await refused(createAgent(terminal, file))).toContain('stopLossPct');
  writeFileSync(file, 'version: "1"\nagent: { id: half }\n');
  expect(await refused(createAgent(terminal, file))).toContain('capital_allocation');
});

test('its decision is watched, its proposal approved and filled, another declined, and it is closed', {
  timeout: 400_000 * PATIENCE,
}, async () => {
  expect(await printedBy(setAutonomy(terminal, 'My first agent', 'confirm'))).toBe('My first agent: draft, running, autonomy confirm');
  const changedAt = Date.now();
  let watched: string;
  // The decision of a minute that began before may be announced only now.
  do watched = await printedBy(watchAgent(terminal, 'My first agent', 1));
  while (Date.parse(watched.split(' ')[0] as string) <= changedAt);
  expect(watched).toMatch(/^\d{4}-.*Z {2}propose entry spot\w+:\w+/);
  expect(watched).toMatch(/^ {2}pass {2}entry {2}\S+ +rsi below +[\d.]+ +against 100$/m);
  expect(await printedBy(listDecisions(terminal, 'My first agent', 1))).toContain(watched.split('\n')[0] as string);
  const approving = printedBy(approveProposal(declinedMeanwhile(), { ...NEWEST, agent: 'My first agent' }));
  expect(await approving).toMatch(/^declined: buy .*\nfilled: buy [\d.]+ \S+ on paper, [\d.]+ filled at /);
  expect(process.exitCode).toBeUndefined();
  expect(noted).toContainEqual(expect.stringMatching(/^[0-9a-f-]{36} is declined and was not approved$/));
  expect(noted).toContain('waiting for a proposal; agents decide at each full minute');
  expect(await printedBy(listProposals(terminal, 'My first agent', 'filled'))).toMatch(/^ID .*\n[0-9a-f-]{36} {2}filled /);
  expect(await printedBy(closeAgent(terminal, 'My first agent', {}))).toContain('paused (operator)');
  await waitFor(async () => (await service.get('/v1/books', 'operator')).body.items[0].positions.length === 0, {
    what: 'the position to be closed',
    deadlineMs: 120_000,
  });
  expect(await refused(commandAgent(terminal, 'resumeAgent', 'My first agent'))).toContain('risk:manage');
  expect(await printedBy(commandAgent(at('risk-manager'), 'resumeAgent', 'My first agent'))).toContain('running');
});

test('its gates are shown with their conditions, and a rehearsal of some days runs to its end', {
  timeout: 200_000 * PATIENCE,
}, async () => {
  expect(await printedBy(showGates(terminal, 'My first agent'))).toMatch(/^draft → backtest +open[\s\S]*Next: sevengate agents promote$/);
  expect(await printedBy(commandAgent(terminal, 'promoteAgent', 'My first agent'))).toContain('backtest, running');
  expect(await printedBy(showGates(terminal, 'My first agent'))).toMatch(
    /backtest → stress_test +closed .*history days not known, must be at least/,
  );
  expect(await refused(commandAgent(terminal, 'promoteAgent', 'My first agent'))).toMatch(
    /there is no evidence for the gate[\s\S]*\n {2}sharpe: above 1\.8 is needed/,
  );
  const days = { from: '2026-06-01T00:00:00Z', to: '2026-06-04T00:00:00Z', look: true, wait: true } as const;
  expect(await printedBy(evaluateAgent(terminal, 'backtestAgent', 'My first agent', days))).toMatch(
    /^backtest finished[\s\S]*\n {2}max drawdown %/,
  );
  expect(noted.join('\n')).toMatch(/queued|running/);
});

test('a thesis is compiled, confirmed, armed, disarmed, forked, and turned into an agent', async () => {
  const latest = { id: undefined, latest: true } as const;
  expect(await printedBy(listTakes(terminal))).toBe('No Takes yet. Write one: sevengate takes compile "<thesis>"');
  expect(await refused(armTake(terminal, latest, 'paper', false))).toContain('no Takes yet');
  expect(await refused(armTake(terminal, { ...latest, latest: undefined }, 'paper', false))).toContain('--latest');
  expect(await refused(compileTake(terminal, 'Buy BTCUSDT sometime'))).toContain('What does "sometime" mean?');
  const compiled = await printedBy(compileTake(terminal, 'Buy BTCUSDT when the price is below $20,000, with $500'));
  expect(compiled).toMatch(/^draft: spotexchange:BTCUSDT, 500 USD, until \S+ {2}[0-9a-f-]{36}\n"Buy BTCUSDT/);
  expect(compiled).toMatch(/^ {2}read +the price is below \$20,000 +entry: price_below price=20000$/m);
  expect(await refused(armTake(terminal, latest, 'paper', false))).toMatch(/--confirm[\s\S]*\n {2}there is no exit condition/);
  expect(await printedBy(armTake(terminal, latest, 'paper', true))).toMatch(/^armed on paper: spotexchange:BTCUSDT, 500 USD/);
  expect(await printedBy(showTake(terminal, latest))).toMatch(/^armed on paper[\s\S]*\n {2}to confirm {2}there is no exit condition/);
  expect(await printedBy(listTakes(terminal))).toMatch(/^ID .*\n[0-9a-f-]{36} {2}armed +paper +spotexchange:BTCUSDT +500 /);
  expect(await printedBy(listTakeDecisions(terminal, latest, 1))).toMatch(/^(?:No decisions yet\.|\d{4}-)/);
  expect(await printedBy(commandTake(terminal, 'disarmTake', latest))).toMatch(/^disarmed on paper \([\w ]+\): spotexchange:BTCUSDT/);
  expect(await refused(agentOfTake(terminal, latest, false))).toContain('--confirm');
  expect(await printedBy(forkTake(terminal, latest, '250'))).toMatch(/^draft: spotexchange:BTCUSDT, 250 USD/);
  expect(await printedBy(agentOfTake(terminal, latest, false))).toMatch(/^Created .* at draft\. Next: sevengate agents show "/);
});

test('any operation can be called by its name, and any channel read', async () => {
  const quotes = JSON.parse(await printedBy(call(terminal, 'listQuotes', { venue: 'spotexchange', limit: '1' }, undefined)));
  expect(quotes.items).toMatchObject([{ venue: 'spotexchange' }]);
  const order = { mode: 'paper', instrument: 'BTCUSDT' };
  expect(await refused(call(terminal, 'placePaperOrder', {}, JSON.stringify(order)))).toContain('$.');
  expect(await refused(call(terminal, 'listQuote', {}, undefined))).toContain(
    'the API has no operation listQuote; did you mean listQuotes',
  );
  expect(await refused(call(terminal, 'streamEvents', { channel: 'quotes' }, undefined))).toContain('sevengate feed <channel>');
  expect(await refused(call(terminal, 'getAgent', {}, undefined))).toContain('id');
  expect(await refused(call(terminal, 'createAgent', {}, '{'))).toContain('the body is not JSON');
  const frame = JSON.parse(await printedBy(follow(terminal, 'quotes', { venue: 'spotexchange' }, null, 1)));
  expect(frame).toMatchObject({ type: 'snapshot' });
  expect(await refused(follow(terminal, 'quote', {}, null, 1))).toContain('quotes');
});

test('columns are as wide as their widest cell', () => {
  expect(
    columns([
      ['A', 'LONG', 'C'],
      ['bcd', 'e', ''],
    ]),
  ).toBe('A    LONG  C\nbcd  e');
});
