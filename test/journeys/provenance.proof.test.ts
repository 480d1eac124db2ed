// A sandbox whose settings change to a real spot exchange and back: what is excluded, what counts, and what returns.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { createSpotExchangeSimulator, type SpotExchangeSimulator } from '../../src/sandbox/spotexchange/simulator.ts';
import { waitFor } from '../harness/wait-for.ts';
import { newHome, type Service, sevengate, startService } from './running-service.ts';

const EVALUATION_MS = 60_000;
const home = newHome();
/** Exchange with its own prices, which the service takes for a real one. */
let exchange: SpotExchangeSimulator;
let service: Service;
let agentId: string;
beforeAll(async () => {
  exchange = await createSpotExchangeSimulator({ market: createSeededMarket({ seed: 77 }), clock: createLiveClock(), port: 0, seed: 77 });
  service = await startService({ home });
});
afterAll(async () => {
  await service.discard();
  await exchange.close();
});

async function startAnew(env: Readonly<Record<string, string>> = {}): Promise<void> {
  await service.stop();
  service = await startService({ home, env });
}

/** Runs the backtest of the gate; returns the finished run. */
async function backtest() {
  const begun = await service.post(`/v1/agents/${agentId}/backtest`);
  expect(begun.status, begun.text).toBe(202);
  const url = `/v1/agents/${agentId}/evaluations/${begun.body.id}`;
  const ended = async () => {
    const { body } = await service.get(url);
    return body.endedAt === null ? null : body;
  };
  const run = await waitFor(ended, { what: 'the backtest to end', deadlineMs: EVALUATION_MS });
  expect(run, JSON.stringify(run.ending)).toMatchObject({ state: 'finished' });
  return run;
}

const bars = async () => {
  const { body } = await service.get('/v1/candles?venue=spotexchange&instrument=BTCUSDT&timeframe=24h&limit=50');
  return body.items as readonly { readonly openTime: string; readonly close: string; readonly simulated: boolean }[];
};
/** Evidence of backtests, newest first. */
const evidence = async () =>
  (await service.get(`/v1/agents/${agentId}/evidence?limit=50`)).body.items.filter(({ kind }: { kind: string }) => kind === 'backtest');
test('sandbox bars and evidence are set aside beside a real exchange, never mixed, and return with the sandbox', async () => {
  const made = await service.post('/v1/agents', {
    name: 'By the day',
    universe: ['BTCUSDT'],
    timeframe: '24h',
    entryConditions: [{ type: 'rsi_below', period: 14, value: 45 }],
    exitConditions: [{ type: 'rsi_above', period: 14, value: 55 }],
    maxCapitalUsd: 10_000,
    maxTradeNotionalUsd: 1_000,
    stopLossPct: 8,
    takeProfitPct: 20,
    maxDailyDrawdownPct: 5,
    maxOpenPositions: 1,
    maxSlippageBps: 60,
  });
  expect(made.status, made.text).toBe(201);
  agentId = made.body.id;
  expect((await service.post(`/v1/agents/${agentId}/promote`)).body).toMatchObject({ stage: 'backtest' });
  const inSandbox = await backtest();
  expect(inSandbox.provenance).toEqual({ simulated: true, origins: { spotexchange: 'sandbox' } });
  const sandboxBars = await bars();
  expect(sandboxBars).toHaveLength(50);
  expect(new Set(sandboxBars.map(({ simulated }) => simulated))).toEqual(new Set([true]));
  expect(await evidence()).toMatchObject([{ simulated: true, ruleChange: null, origins: { spotexchange: 'sandbox' } }]);

  await startAnew({ SPOTEXCHANGE_URL: exchange.url, SPOTEXCHANGE_STREAM_URL: exchange.wsUrl });
  // No sandbox data is used as the exchange's, and its evidence no longer counts.
  expect((await bars()).filter(({ simulated }) => simulated)).toEqual([]);
  expect(await evidence()).toMatchObject([
    { simulated: true, ruleChange: 'only real sources count beside a real venue, and it stands on spotexchange (sandbox)' },
  ]);
  const real = await backtest();
  expect(real.provenance).toEqual({ simulated: false, origins: { spotexchange: 'real' } });
  expect(real.resultHash).not.toBe(inSandbox.resultHash);
  const realBars = await bars();
  expect(new Set(realBars.map(({ simulated }) => simulated))).toEqual(new Set([false]));
  const closes = new Map(sandboxBars.map(({ openTime, close }) => [openTime, close]));
  const both = realBars.filter(({ openTime }) => closes.has(openTime));
  expect(both.length).toBeGreaterThan(40);
  expect(both.filter(({ openTime, close }) => closes.get(openTime) === close)).toEqual([]);
  expect((await evidence())[0]).toMatchObject({ simulated: false, ruleChange: null, origins: { spotexchange: 'real' } });
  // The sandbox run still states its provenance.
  expect((await service.get(`/v1/agents/${agentId}/evaluations/${inSandbox.id}`)).body.provenance).toEqual(inSandbox.provenance);

  await startAnew();
  expect(await bars()).toEqual(sandboxBars);
  expect((await evidence()).map(({ simulated, ruleChange }: never) => [simulated, ruleChange])).toEqual([
    [false, null],
    [true, null],
  ]);
  const verified = await sevengate(['verify-trail', '--json'], { SEVENGATE_HOME: home });
  expect(JSON.parse(verified.stdout), verified.stderr).toMatchObject({ whole: true, breaks: [] });
});
