// The guide's path from a draft to capital, word for word: five years and four scenarios, two weeks on paper and two more
// in shadow of the sandbox's market, up to limited_live. Then a purchase with live capital, and its position closed by hand.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { newHome, type Service, sevengate, startService } from './running-service.ts';
import { commandsUnder } from './typed-commands.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SECTION = commandsUnder('docs/guides/gates.md', 'From a draft towards capital');
/** Commands of the second terminal, split at the lines that move time. */
const PARTS = SECTION.split(/^#.*npx sevengate sandbox advance.*$/m);
const MOVES = [...SECTION.matchAll(/npx sevengate (sandbox advance --days [\d.]+(?: --to-open)?) && npm start/g)].map(([, words]) =>
  String(words).split(' '),
);

/** First agent of the README: 5m bars of two instruments. */
const FIRST_AGENT = readFileSync(`${ROOT}examples/first-agent.json`, 'utf8');

/** Timeout for days of the sandbox's market, which take minutes on a busy machine. */
const STRETCH_MS = 1_800_000;
/** The guide's promised time from a pushed price to the agent's proposal. */
const PROPOSES_MS = 120_000;
/** The guide's promised time of the backtest gate over five years. */
const BACKTEST_GATE_MS = 25_000;

const home = newHome();
let service: Service;
beforeAll(async () => {
  service = await startService({ home, first: true });
});
afterAll(async () => service.discard());

/** Runs asynchronously, because the service's log must be read meanwhile: a service with a full pipe stops. */
async function typed(script: string, timeout = 0): Promise<string> {
  // The terminal stays open while the service restarts: it remembers the variables of the first lines.
  const names = PARTS[0]?.split('\n').slice(0, 3).join('\n') ?? '';
  const before = script.startsWith(names) ? '' : `${names}\n`;
  const env = { ...process.env, AS: 'operator', SEVENGATE_HOME: home, U: service.url };
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-eu', '-c', before + script], { env, cwd: ROOT, timeout });
  return stdout;
}

/** Describes how far the agent came with its purchase, or how the service ended. */
async function towardsPurchase(agentId: string): Promise<string> {
  const newest = (path: string) => service.get(`${path}&limit=1`).then(({ body }) => body.items[0]);
  try {
    const { stage, paused, pauseCause } = (await service.get(`/v1/agents/${agentId}`)).body;
    const [order, decision] = [await newest(`/v1/agent-orders?agentId=${agentId}`), await newest(`/v1/agents/${agentId}/decisions?`)];
    return JSON.stringify({ stage, paused, pauseCause, order, decision });
  } catch (error) {
    return `the service does not answer (${String(error)}): ${service.stderr().slice(-2_000)}`;
  }
}

const agent = async (): Promise<{ readonly id: string; readonly stage: string; readonly paused: boolean }> =>
  (await service.get('/v1/agents')).body.items.find(({ name }: { name: string }) => name === 'Discount hunter');

const liveBook = async (agentId: string) =>
  (await service.get(`/v1/books?agentId=${agentId}`)).body.items.find(({ mode }: { mode: string }) => mode === 'live');

/** Gates by their place: the fourth leads from paper to shadow, the fifth on to limited_live. */
const [OF_PAPER, OF_SHADOW] = [3, 4];

/** Moves on as the guide says, and again while the gate is closed: two weeks may hold too few trades, or too bad ones. */
async function movedThrough(gate: number, words: readonly string[], agentId: string): Promise<void> {
  for (let moves = 0; moves < 3; moves++) {
    await movedOn(words);
    if ((await service.get(`/v1/agents/${agentId}/gates`)).body.gates[gate].passed) return;
  }
}

/** Returns the milliseconds from request to end of the agent's only run of an evaluation, by the service's record. */
async function runMs(agentId: string, evaluation: string): Promise<number> {
  const { items } = (await service.get(`/v1/agents/${agentId}/evaluations?limit=10`)).body;
  const runs = items.filter((run: { evaluation: string }) => run.evaluation === evaluation);
  expect(runs).toMatchObject([{ state: 'finished' }]);
  return Date.parse(runs[0].endedAt) - Date.parse(runs[0].createdAt);
}

async function movedOn(words: readonly string[]): Promise<void> {
  await service.stop();
  const moved = await sevengate([...words, '--json'], { SEVENGATE_HOME: home }, STRETCH_MS);
  expect(moved.code, moved.stderr).toBe(0);
  expect(JSON.parse(moved.stdout)).toMatchObject({ simulated: true });
  service = await startService({ home });
}

test('the first agent of the README stays at the backtest gate: its costs exceed its profit', async () => {
  const made = await service.post('/v1/agents', JSON.parse(FIRST_AGENT));
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id } = made.body;
  expect((await service.post(`/v1/agents/${id}/promote`)).body).toMatchObject({ stage: 'backtest' });
  expect((await service.post(`/v1/agents/${id}/backtest`)).status).toBe(202);
  const ended = await waitFor(
    async () => {
      const [run] = (await service.get(`/v1/agents/${id}/evaluations?limit=1`)).body.items;
      return run.endedAt === null ? null : run;
    },
    { what: 'the backtest to end', deadlineMs: 600_000 },
  );
  expect(ended, JSON.stringify(ended)).toMatchObject({ state: 'finished', attempts: 1, summary: { passed: false } });
  const { status, body } = await service.post(`/v1/agents/${id}/promote`);
  expect(status).toBe(409);
  expect(body.checks.find(({ name }: { name: string }) => name === 'sharpe')).toMatchObject({ passed: false, limit: 1.8 });
});

test('an agent climbs from draft to limited_live, buys with live capital and is closed by hand, by the guide’s commands', async () => {
  expect([PARTS.length, MOVES.length]).toEqual([3, 2]);
  await typed(PARTS[0] as string);
  const { id: asked, stage: reached } = await agent();
  expect(reached).toBe('paper');
  const backtestMs = await runMs(asked, 'backtest');
  console.log(`backtest gate: ${backtestMs} ms from asking to its end; stress gate: ${await runMs(asked, 'stress_test')} ms`);
  expect(backtestMs).toBeLessThan(BACKTEST_GATE_MS * PATIENCE);

  await movedThrough(OF_PAPER, MOVES[0] as string[], asked);
  expect(await typed(PARTS[1] as string)).toMatch(
    /"progress":"day \d+ of 14, \d+ of 14 days with a price for every holding, \d+ of 5 closed trades"/,
  );
  expect(await agent()).toMatchObject({ stage: 'shadow' });

  await movedThrough(OF_SHADOW, MOVES[1] as string[], asked);
  const [untilBought, closed] = (PARTS[2] as string).split(/^(?=sg -X POST \S+\/close)/m) as [string, string];
  await typed(untilBought, PROPOSES_MS * PATIENCE).catch(async (cause: Error) => {
    throw new Error(`it bought nothing: ${await towardsPurchase(asked)}`, { cause });
  });
  const { id, stage } = await agent();
  expect(stage).toBe('limited_live');
  const [holding] = (await liveBook(id)).positions;
  expect(holding.instrument).toMatch(/^spotchain:(AAPLx|NVDAx|GOOGLx|MSFTx|SPYx)$/);

  await typed(closed);
  expect(await agent()).toMatchObject({ stage: 'limited_live', paused: true });
  const book = await liveBook(id);
  expect(book.positions).toEqual([]);
  const fills = (await service.get(`/v1/books/${book.id}/fills`)).body.items;
  expect(
    fills.map(({ side, instrument, quantity }: { side: string; instrument: string; quantity: string }) => [side, instrument, quantity]),
  ).toEqual(['sell', 'buy'].map((side) => [side, holding.instrument, holding.quantity]));
  // The sale has no decision of the agent.
  const orders = (await service.get(`/v1/agent-orders?agentId=${id}`)).body.items;
  expect(orders.find(({ side, mode }: { side: string; mode: string }) => side === 'exit' && mode === 'live')).toMatchObject({
    state: 'filled',
    decisionId: null,
    transaction: { state: 'finalized' },
  });

  const { body } = await service.get(`/v1/agents/${id}/evidence?limit=50`);
  expect(body.items.filter(({ simulated }: { simulated: boolean }) => simulated).map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(['paper', 'shadow']),
  );
  expect((await service.get(`/v1/agents/${id}/gates`)).body).toMatchObject({ stage: 'limited_live', simulated: true });

  const verified = await sevengate(['verify-trail', '--json'], { SEVENGATE_HOME: home }, STRETCH_MS);
  console.log(`the trail of these weeks is verified in ${Math.round(verified.tookMs)} ms`);
  expect(verified.code, verified.stderr).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({ whole: true, breaks: [], simulatedSince: expect.stringMatching(/^20/) });
});
